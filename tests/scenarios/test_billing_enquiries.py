"""The worked example of cases of one's own: complete, balanced, and as its README says."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from assay import registry
from assay.checking import check_scenario
from assay.records import Instance
from cli_helpers import Assay, assay

EXAMPLE = Path(__file__).parents[2] / "examples" / "billing-support"
STEPS = ("answer", "refund", "plan", "verify", "hand_over")

__all__ = ["assay"]


def cases(split: str) -> list[Instance]:
    return list(registry.scenarios.get(str(EXAMPLE / "enquiries.yaml"))().instances(split, set()))  # type: ignore[arg-type]


def test_there_are_enough_cases_and_nothing_is_wrong_with_them() -> None:
    report = check_scenario(registry.scenarios.get(str(EXAMPLE / "enquiries.yaml"))())
    assert report.cases == {"train": 16, "test": 80}
    assert not report.count("error")
    assert not report.count("warning")


def test_ways_of_speaking_and_regions_are_crossed_evenly() -> None:
    asked = cases("test")
    crossed = Counter((case.subgroups["region"], case.subgroups["speech"]) for case in asked)
    assert len(crossed) == 16
    assert set(crossed.values()) == {5}
    kinds = Counter((case.subgroups["speech"], case.subgroups["kind"]) for case in asked)
    for kind, count in {"standard": 11, "exception": 4, "hand_over": 5}.items():
        assert {kinds[speech, kind] for speech in ("plain", "chatty", "learner", "upset")} == {count}


def test_only_exceptions_leave_two_steps_open_and_every_step_is_asked_often() -> None:
    asked = cases("test")
    assert {case.subgroups["kind"] for case in asked if len(case.gold) > 1} == {"exception"}
    assert all(case.gold == ("hand_over",) for case in asked if case.subgroups["kind"] == "hand_over")
    counts = Counter(step for case in asked for step in case.gold)
    assert set(counts) == set(STEPS)
    assert min(counts.values()) >= 12


def test_the_columns_are_guessed_as_they_are_declared(assay: Assay, tmp_path: Path) -> None:
    shutil.copy(EXAMPLE / "enquiries.csv", tmp_path)
    assert assay("new", "scenario", "enquiries.csv").code == 0
    guessed = registry.scenarios.get(str(tmp_path / "enquiries.yaml"))()
    found = list(guessed.instances("test", set()))
    for mine, theirs in zip(found, cases("test"), strict=True):
        assert (mine.id, set(mine.gold), mine.subgroups) == (theirs.id, set(theirs.gold), theirs.subgroups)


def test_the_readme_shows_what_the_files_say(assay: Assay) -> None:
    readme = (EXAMPLE / "README.md").read_text()
    for line in re.findall(r"^    (?:note: |billing_enq|0 errors).*$", readme, re.MULTILINE):
        assert line.strip() in assay("check", EXAMPLE / "enquiries.yaml").out
    (row,) = re.findall(r"^    case-12.*$", readme, re.MULTILINE)
    assert row.strip() in (EXAMPLE / "enquiries.csv").read_text()
    table = assay("coverage", EXAMPLE / "suite.yaml", "--taxonomy", EXAMPLE / "workflows.yaml", "--markdown").out
    assert "| sorting messages about bills | 1 | – |" in table
    assert "| questions about tariffs | – | – |" in table


@pytest.mark.parametrize("split", ["train", "test"])
def test_messages_are_short_and_on_one_line(split: str) -> None:
    for case in cases(split):
        assert isinstance(case.input, str)
        assert case.input.count("\n") == 1
        assert len(case.input) < 300
