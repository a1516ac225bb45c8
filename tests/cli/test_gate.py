"""`assay gate` as a CI job meets it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

from assay.records import DataIdentity
from cli_helpers import Assay
from decision_records import no_file_larger_than
from scored_runs import Said, scored_run

DIGEST = "0123456789abcdef" * 4
PROFILE = """name: "Sorting | messages"
deployment: {owner: Ana Ruiz, context: sorts messages before a person reads them}
runs: [runs/made]
constraints:
  - {name: right answers, metric: exact_match, at_least: 0.8}
  - {name: fast enough, metric: latency_s, at_most: 2}
"""


@pytest.fixture
def home(assay: Assay, tmp_path: Path) -> Path:
    (tmp_path / "profile.yaml").write_text(PROFILE)
    answered(tmp_path, "m/good", wrong=2)
    answered(tmp_path, "m/bad", wrong=30)
    answered(tmp_path, "m/open", wrong=6)
    return tmp_path


def answered(home: Path, name: str, wrong: int, suite: str = "runs/made") -> None:
    said = [Said(item, "no" if item < wrong else "yes", latency_s=1 + item / 100) for item in range(50)]
    scored_run(home / suite, name, said, data=DataIdentity(source="generator:made", instances=DIGEST))


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("-m", "m/good"), 0, "m/good passes: 2 of 2 constraints shown to be met"),
        (("-m", "m/bad"), 1, "right answers: violated: 0.4, bound"),
        (("-m", "m/open"), 1, "right answers: undetermined: 0.88, bound"),
        (("-m", "m/open"), 1, "more instances would settle it"),
        (("-m", "m/open", "--allow-undetermined"), 0, "1 undetermined, which was allowed"),
        (("-m", "m/bad", "--allow-undetermined"), 1, "violated"),
    ],
)
def test_the_exit_code_says_whether_it_passes(
    assay: Assay, home: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    said = assay("gate", "profile.yaml", *arguments)
    assert said.code == code, said.err
    assert words in " ".join(said.out.split())
    if code:
        assert "does not pass: 1 of 2 constraints not shown to be met" in said.err


def test_json_markdown_and_junit_say_the_same(assay: Assay, home: Path) -> None:
    found = assay("gate", "profile.yaml", "-m", "m/bad", "--json", "--junit", "gate.xml")
    assert found.code == 1
    result = json.loads(found.out)
    assert (result["passed"], result["candidate"]) == (False, "m/bad")
    assert [one["verdict"] for one in result["constraints"]] == ["violated", "met"]
    assert [run["candidate"] for run in result["runs"]] == ["m/bad"]
    (suite,) = xml.parse(home / "gate.xml").getroot()
    failed = [case.get("name") for case in suite.findall("testcase") if case.find("failure") is not None]
    assert failed == ["right answers"]
    page = assay("gate", "profile.yaml", "-m", "m/bad", "--markdown")
    assert page.code == 1
    assert page.out.startswith("## Sorting &#124; messages: m/bad does not pass")
    assert "| right answers | at least 0.8 | 0.4 |" in page.out
    assert result["asked"] == [{"scenario": "made", "items": 50, "data": DIGEST}]
    assert f"made: 50 items, data {DIGEST[:12]}" in page.out


def test_a_file_that_cannot_be_written_is_named(assay: Assay, home: Path) -> None:
    said = assay("gate", "profile.yaml", "-m", "m/good", "--junit", "/dev/full")
    assert said.code == 2
    assert said.err.startswith("error: /dev/full cannot be written: ")


def test_on_a_full_disk_no_half_of_a_report_is_left(assay: Assay, home: Path) -> None:
    with no_file_larger_than(50):
        said = assay("gate", "profile.yaml", "-m", "m/good", "--junit", "gate.xml")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert said.err.startswith("error: gate.xml cannot be written: ")
    assert not [path for path in home.iterdir() if path.name not in ("profile.yaml", "runs")]


def test_the_same_evidence_gives_the_same_bytes(assay: Assay, home: Path) -> None:
    first, second = (assay("gate", "profile.yaml", "-m", "m/open", "--json") for _ in range(2))
    assert first.out == second.out


def test_a_job_looks_at_runs_of_its_own(assay: Assay, home: Path) -> None:
    answered(home, "m/new", 0, "ci/made")
    said = assay("gate", "profile.yaml", "-m", "m/new", "--runs", "ci")
    assert said.code == 0, said.err
    unknown = assay("gate", "profile.yaml", "-m", "m/new")
    assert (unknown.code, unknown.err.count("\n")) == (2, 1)
    assert "unknown candidate 'm/new'" in unknown.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--json", "--markdown"), "exclude each other"),
        (("--missing", "wrost"), "did you mean worst"),
        (("--runs", "nowhere"), "nowhere does not exist"),
        (("--junit", "nowhere/gate.xml"), "nowhere/gate.xml"),
    ],
)
def test_wrong_usage_is_one_line(assay: Assay, home: Path, arguments: tuple[str, ...], words: str) -> None:
    said = assay("gate", "profile.yaml", "-m", "m/good", *arguments)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert words in said.err


def test_a_profile_that_has_expired_fails_unless_told_otherwise(assay: Assay, home: Path) -> None:
    until = PROFILE.replace("reads them}", "reads them, expires: 2020-01-31}")
    (home / "profile.yaml").write_text(until)
    said = assay("gate", "profile.yaml", "-m", "m/good")
    assert (said.code, said.err) == (1, "error: m/good does not pass: the profile expired on 2020-01-31\n")
    assert "The profile expired on 2020-01-31: it does not hold any more." in said.out
    assert assay("gate", "profile.yaml", "-m", "m/good", "--allow-expired").code == 0
    (home / "profile.yaml").write_text(until.replace("expires", "review"))
    looked = assay("gate", "profile.yaml", "-m", "m/good")
    assert looked.code == 0
    assert "was to be looked at again by 2020-01-31" in looked.out


def test_what_the_profile_names_wrongly_is_told_with_its_line(assay: Assay, home: Path) -> None:
    (home / "profile.yaml").write_text(PROFILE.replace("at_least: 0.8", "scenarios: [mad], at_least: 0.8"))
    said = assay("gate", "profile.yaml", "-m", "m/good")
    assert (said.code, said.err) == (2, "error: profile.yaml, line 5: unknown scenario 'mad' (did you mean made?)\n")


def test_changed_evidence_is_an_error_and_a_profile_without_constraints_too(assay: Assay, home: Path) -> None:
    criteria = "criteria:\n  - {name: right answers, metric: exact_match, weight: 1}\n"
    (home / "profile.yaml").write_text(PROFILE.split("constraints:")[0] + criteria)
    said = assay("gate", "profile.yaml", "-m", "m/good")
    assert (said.code, "has no constraints" in said.err) == (2, True)
    (home / "profile.yaml").write_text(PROFILE)
    (stats,) = (home / "runs" / "made").glob("*good*/stats.json")
    stats.write_text(stats.read_text().replace("0.96", "0.97"))
    said = assay("gate", "profile.yaml", "-m", "m/good")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "the evidence is not whole" in said.err
