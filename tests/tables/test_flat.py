"""Estimates as CSV: every number in full, and no text that a spreadsheet would compute."""

from __future__ import annotations

import csv
import io

import pytest

from assay.store import RunFolder
from assay.tables.flat import csv_text, estimates_csv
from scored_runs import Said, scored_run


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    said = [
        Said(item, "yes" if item < right else "no", subgroups={"region": "east" if item % 2 else "west"}, perturbation=copy)
        for copy, right in ((None, 15), ("typos", 10))
        for item in range(20)
    ]
    return RunFolder(scored_run(tmp_path_factory.mktemp("flat"), "=cmd()", said))


def test_an_estimate_is_a_line_with_its_numbers_in_full(run: RunFolder) -> None:
    lines = rows_of(estimates_csv([run.stats()]))
    (plain,) = [line for line in lines if line["metric"] == "exact_match" and not line["subgroup"] + line["perturbation"]]
    assert float(plain["value"]) == 0.75
    assert float(plain["low"]) == pytest.approx(0.5313, abs=1e-3)  # Wilson's interval of 15 of 20
    assert float(plain["high"]) == pytest.approx(0.8881, abs=1e-3)
    assert (plain["n"], plain["clusters"], plain["split"], plain["computed_on"]) == ("20", "20", "test", "original")


def test_the_main_metric_is_there_under_perturbations_and_in_subgroups_and_all_are_when_asked_for(run: RunFolder) -> None:
    stats = run.stats()
    some, every = rows_of(estimates_csv([stats])), rows_of(estimates_csv([stats], every=True))
    assert {line["metric"] for line in some if line["perturbation"]} == {"exact_match"}
    assert {"region=east", "region=west"} <= {line["subgroup"] for line in some}
    assert len(every) == len(stats.cells) > len(some)
    more = rows_of(estimates_csv([stats], metrics=("latency_s",)))
    assert {line["metric"] for line in more if line["perturbation"]} >= {"exact_match", "latency_s"}


def test_what_was_not_known_is_empty_and_a_name_is_no_formula(run: RunFolder) -> None:
    lines = rows_of(estimates_csv([run.stats()]))
    assert {line["candidate"] for line in lines} == {"'=cmd()"}
    assert csv_text(["@a", "b"], [["+1", None], ['x,\n"y"', -1.5]]) == '\'@a,b\n\'+1,\n"x,\n""y""",-1.5\n'
