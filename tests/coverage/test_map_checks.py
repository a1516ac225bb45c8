"""A slip of the pen in a map is told with its line: it would look like something that nobody measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.coverage import cover, map_checks, read_map
from assay.errors import AssayError
from assay.suites import Suite

ROW = "map: m\nrows:\n  - {{name: x, {}}}\n"


def write(folder: Path, text: str) -> Path:
    (folder / "map.yaml").write_text(text)
    return folder / "map.yaml"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("map: m\naxis: nosuch\nrows: [a]\n", 2, "unknown axis"),
        ("map: m\naxis: __class__\nrows: [a]\n", 2, "unknown axis"),
        ("map: m\nrows: [a]\naxis: terms.\n", 3, "unknown axis"),
        ("map: m\ntables:\n  - {title: t, axis: nosuch, rows: [a]}\n", 3, "unknown axis"),
        (ROW.format("where: {terms.: b}"), 3, "unknown axis"),
        (ROW.format("scenarios: [nosuchscenario]"), 3, "unknown scenario 'nosuchscenario'"),
        (ROW.format("scenarios: [gsm8k, 'mmlu:subject=zzz']"), 3, "'zzz'"),
        (ROW.format("scenarios: ['mmlu:subjekt=anatomy']"), 3, "subjekt"),
        (ROW.format("scenarios: ['mmlu:subject=anatomy,shots=3']"), 3, "how to ask"),
        (ROW.format("scenarios: [':']"), 3, "unknown scenario"),
        (ROW.format("perturbations: [nosuch]"), 3, "unknown perturbation"),
        (ROW.format("perturbations: ['typos:prob=1']"), 3, "unknown perturbation"),
        (ROW.format("groups: ['']"), 3, "empty word"),
        (ROW.format("where: {task: ' '}"), 3, "empty word"),
        ("map: m\nrows:\n  - a\n  - b\n  - {name: a}\n", 5, "'a' appears twice"),
        ("map: m\nrows: [a]\ncolumns:\n  - b\n  - b\n", 5, "'b' appears twice"),
        ("map: m\nrows: [a]\ncolumns:\n  - other\n", 4, "a column 'other' of its own"),
        ("map: m\nrows: [a]\ncolumns:\n  - ''\n", 4, "name is empty"),
    ],
)
def test_what_a_map_cannot_mean_is_told_with_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(AssayError) as caught:
        read_map(path)
    assert f"{path}, line {line}" in str(caught.value)
    assert said in str(caught.value)


def test_a_row_may_be_called_other_and_the_same_name_stand_in_two_tables(tmp_path: Path) -> None:
    chart = read_map(write(tmp_path, "map: m\nrows: [other, a]\ntables:\n  - {title: t, rows: [a]}\n"))
    assert [len(table.rows) for table in chart.tables] == [2, 1]


def test_an_entry_is_the_same_however_its_parameters_are_written(tmp_path: Path) -> None:
    path = write(tmp_path, ROW.format("scenarios: ['mmlu:subject=\"anatomy\"', 'gsm8k:']"))
    suite = Suite(scenarios=("mmlu:subject=anatomy", "gsm8k"))
    (table,) = cover(suite, read_map(path), families=False).tables
    assert table.rows["x"][""].measured == ("mmlu:subject=anatomy", "gsm8k")


def test_a_table_has_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_checks, "MOST_PLACES", 3)
    for text in ("map: m\nrows: [a, b, c, d]\n", "map: m\nrows: [a, b]\ncolumns: [c, d]\n"):
        with pytest.raises(AssayError, match="too large"):
            read_map(write(tmp_path, text))


def test_rows_that_no_scenario_fits_and_rows_that_some_fit_are_told_apart(tmp_path: Path) -> None:
    rows = "\n".join(f"  - {{name: r{number}, where: {{task: nothing{number}}}}}" for number in range(2000))
    chart = read_map(write(tmp_path, f"map: m\nrows:\n{rows}\n  - MATHEMATIC\n  - {{name: legal, where: {{what: LEGAL}}}}\n"))
    (table,) = cover(Suite(scenarios=("gsm8k",)), chart, families=False).tables
    assert "gsm8k" in table.rows["MATHEMATIC"][""].measured
    assert "legalbench" in table.rows["legal"][""].could_add
    assert table.rows["r7"][""].state == "nobody"
