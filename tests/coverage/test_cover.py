"""A suite on a map: measured, could be added, nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import registry
from assay.coverage import Covered, Place, builtin_map, cover, read_map
from assay.coverage.units import belongs, library_units, suite_units
from assay.errors import AssayError
from assay.suites import Suite, read_suite

OWN = """scenario: enquiries
source: cases.csv
input: "{question}"
answer: answer
subgroups: [region]
taxonomy: {task: customer support, what: contracts, language: Welsh, terms: {process: cancelling}}
"""


def write(folder: Path, text: str) -> Path:
    (folder / "map.yaml").write_text(text)
    return folder / "map.yaml"


def own(folder: Path) -> Suite:
    (folder / "cases.csv").write_text("question,answer,region\nq,a,north\n")
    (folder / "enquiries.yaml").write_text(OWN)
    return read_suite([str(folder / "enquiries.yaml")])


def _of_the_library(name: str) -> bool:
    """Other tests declare scenarios of their own in this process."""
    return registry.scenarios.get(name.partition(":")[0]).declare.__module__.startswith("assay.scenarios.library")


def test_every_scenario_of_the_library_has_a_place_on_the_built_in_map() -> None:
    tasks = builtin_map().tables[0]
    places = [row for row in tasks.rows if isinstance(row, Place)]
    units = [unit for unit in library_units() if _of_the_library(unit.name)]
    assert len(units) > 60
    assert not {unit.name for unit in units if not any(belongs(unit, place) for place in places)}


def test_a_suite_on_the_built_in_map() -> None:
    found = cover(Suite(scenarios=("gsm8k", "boolq"), perturbations=("dialect",)), builtin_map())
    tasks, languages, people, families = found.tables
    assert "gsm8k" in tasks.rows["reasoning"]["mathematics"].measured
    assert "math" in tasks.rows["reasoning"]["mathematics"].could_add
    assert languages.rows["English"][""].measured == ("gsm8k", "boolq")
    assert languages.rows["Bengali"][""].state == "nobody"
    assert people.rows["dialects"][""].measured == ("gsm8k", "boolq")
    assert families.rows["fairness"][""].measured == ("gsm8k", "boolq")
    assert families.rows["robustness"][""] == Covered(could_add=("--perturb robustness",))
    assert "languages: Bengali" in found.nobody
    assert not any("English" in name for name in found.nobody)


def test_what_options_leave_out_is_not_measured() -> None:
    scoring = cover(Suite(scenarios=("hellaswag",), toxicity="none"), builtin_map()).tables[-1]
    assert scoring.rows["toxicity"][""].measured == ()
    assert scoring.rows["bias"][""].measured == ()
    assert scoring.rows["accuracy"][""].measured == ("hellaswag",)


def test_a_team_maps_its_own_terms(tmp_path: Path) -> None:
    chart = read_map(
        write(
            tmp_path,
            """
map: our workflows
rows:
  - {name: contracts, where: {terms.process: cancel}}
  - {name: refunds, scenarios: [billing_support]}
  - {name: by file, scenarios: [enquiries.yaml]}
  - {name: by region, where: {subgroups: region}}
  - medicine
  - telepathy
columns: [Welsh, English]
""",
        )
    )
    suite = own(tmp_path)
    found = cover(suite, chart, families=False)
    (table,) = found.tables
    assert table.rows["contracts"]["Welsh"].measured == ("enquiries",)
    assert table.rows["refunds"]["English"] == Covered(could_add=("billing_support",))
    assert table.rows["by file"]["Welsh"].measured == table.rows["by region"]["Welsh"].measured == ("enquiries",)
    assert "med_qa" in table.rows["medicine"]["English"].could_add
    assert found.nobody == ("our workflows: telepathy",)


def test_a_column_that_nobody_measures_is_told_like_a_row(tmp_path: Path) -> None:
    chart = read_map(write(tmp_path, "map: ours\nrows: [customer support, medicine]\ncolumns: [Welsh, Klingon]\n"))
    assert cover(own(tmp_path), chart, families=False).nobody == ("ours: Klingon, whatever the row",)


def test_an_axis_of_ones_own_that_nobody_declares_is_a_slip_or_a_gap(tmp_path: Path) -> None:
    row = "map: ours\nrows:\n  - {name: contracts, where: {terms.AXIS: cancel}}\n"
    suite = own(tmp_path)
    assert cover(suite, read_map(write(tmp_path, row.replace("AXIS", "process"))), families=False).notes == ()
    with pytest.raises(AssayError, match=r"'terms.proces' \(did you mean terms.process"):
        cover(suite, read_map(write(tmp_path, row.replace("AXIS", "proces"))), families=False)
    (note,) = cover(suite, read_map(write(tmp_path, row.replace("AXIS", "weather"))), families=False).notes
    assert "terms.weather, which 'contracts' asks for" in note
    named = row + "  - {name: by file, scenarios: [enquiries.yaml]}\n"
    other = Suite(scenarios=("boolq",))
    assert cover(other, read_map(write(tmp_path, named.replace("AXIS", "process"))), families=False).notes == ()


def test_what_fits_no_column_stands_in_one_of_its_own(tmp_path: Path) -> None:
    chart = read_map(write(tmp_path, "map: m\nrows: [customer support]\ncolumns: [medicine]\n"))
    (table,) = cover(own(tmp_path), chart, families=False).tables
    assert table.columns == ("medicine", "other")
    assert table.rows["customer support"]["other"].measured == ("enquiries",)


def test_words_are_found_at_the_beginning_of_words() -> None:
    (unit,) = suite_units(Suite(scenarios=("gsm8k",)))
    assert belongs(unit, Place(name="x", where={"task": "MATH"}))
    assert not belongs(unit, Place(name="x", where={"task": "ematical"}))
    assert not belongs(unit, Place(name="x", where={"task": "math", "language": "French"}))
    assert not belongs(unit, Place(name="x", perturbations=["dialect"]))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("rows: [a]\n", "is no map"),
        ("map: m\n", "has no rows"),
        ("map: m\nrowz: [a]\n", "line 2"),
        ("map: m\nrows:\n  - {name: a, wher: {}}\n", "line 3"),
        ("map: m\nrows:\n  - {name: a, where: {tsk: b}}\n", "line 3"),
        ("map: m\ntables:\n  - rows:\n    - {nme: x}\n", "line 4"),
        ("map: m\nrows: 5\n", "line 2"),
    ],
)
def test_a_wrong_map_is_told_with_its_line(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(AssayError) as caught:
        read_map(write(tmp_path, text))
    assert part in str(caught.value)
