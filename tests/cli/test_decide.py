"""`assay decide` as a user meets it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay.decisions.measured import Measured
from assay.decisions.measuring import measure
from cli_helpers import Assay

ASK = (
    "run",
    "billing_support:",
    "-n",
    "40",
    "-m",
    "baseline/majority",
    "-m",
    "baseline/uniform",
    "--quiet",
    "--toxicity",
    "none",
)
PROFILE = """# what we want
name: "Sorting | messages"
deployment: {owner: Ana Ruiz, context: sorts messages before a person reads them}
runs: [runs/default]
criteria:
  - {name: right answers, metric: quasi_exact_match, weight: 2}
  - {name: honest confidence, metric: ece_10_bin, weight: 1, value: {unacceptable: 0.5, satisfying: 0}}
"""


@pytest.fixture
def profile(assay: Assay, tmp_path: Path) -> Path:
    assert assay(*ASK).code == 0
    (tmp_path / "profile.yaml").write_text(PROFILE)
    return tmp_path / "profile.yaml"


def test_a_decision_is_told_in_words_then_in_tables_and_recorded(assay: Assay, profile: Path) -> None:
    said = assay("decide", "profile.yaml")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("Sorting | messages\n")
    for words in ("baseline/majority", "Candidates", "Weights, and between which", "worth", "record: profile.decision.json"):
        assert words in said.out
    record = json.loads(Path("profile.decision.json").read_text())
    assert record["profile_file"] == PROFILE
    assert {run["candidate"] for run in record["evidence"]} == {"baseline/majority", "baseline/uniform"}
    assert record["choice"] is None
    assert Path("profile.decision.md").read_text().startswith("# ")


def test_a_profile_that_is_saved_meanwhile_is_not_what_was_decided_on(
    assay: Assay, profile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def saved_meanwhile(*given: Any) -> Measured:
        profile.write_text(PROFILE.replace("weight: 2", "weight: 7"))
        return measure(*given)

    with monkeypatch.context() as patch:
        patch.setattr("assay.decisions.measuring.measure", saved_meanwhile)
        assert assay("decide", "profile.yaml").code == 0
    assert json.loads(Path("profile.decision.json").read_text())["profile_file"] == PROFILE
    assert assay("verify", "profile.decision.json").code == 0


def test_changed_evidence_is_an_error_that_names_the_file(assay: Assay, profile: Path) -> None:
    scores = next(Path("runs/default").glob("*/scores.parquet"))
    scores.write_bytes(scores.read_bytes() + b" ")
    said = assay("decide", "profile.yaml")
    assert said.code == 2
    assert "the evidence is not whole: " in said.err
    assert f"{scores}: changed" in said.err


def test_json_is_the_record_and_markdown_says_the_same(assay: Assay, profile: Path) -> None:
    said = assay("decide", "profile.yaml", "--json", "--out", "kept.json")
    assert said.out == Path("kept.json").read_text()
    found = json.loads(said.out)["decision"]
    page = assay("decide", "profile.yaml", "--markdown").out
    assert page.startswith("# Sorting &#124; messages\n")
    assert "| baseline/majority |" in page
    assert found["status"] in ("recommended", "not separated")


def test_a_profile_past_its_day_is_noted_and_the_record_stays_the_same_every_day(assay: Assay, profile: Path) -> None:
    profile.write_text(PROFILE.replace("reads them}", 'reads them, expires: "2020-01-31"}'))
    said = assay("decide", "profile.yaml")
    assert said.code == 0
    assert said.err == "note: The profile expired on 2020-01-31: it does not hold any more.\n"
    assert "does not hold" not in Path("profile.decision.json").read_text()
    assert not re.search(r"\d%", Path("profile.decision.md").read_text())


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("runs/default", "runs/defalt", 4, "runs/defalt does not exist"),
        ("criteria:", "candidates: [baseline/majorty]\ncriteria:", 5, "did you mean baseline/majority"),
        ("weight: 2", "weight: 2, subgroup: kind=no", 6, "unknown subgroup of 'right answers'"),
        ("weight: 2", "weight: 2, on: worst", 6, "no perturbed copies were asked"),
        ("weight: 1,", "weight: 1, scenarios: [billing],", 7, "unknown scenario 'billing'"),
        ("quasi_exact_match", "rouge_l", 6, "rouge_l was not measured in any scenario"),
        ("criteria:", "costs: {error: 1, metric: f1_score}\ncriteria:", 5, "the costs cannot be computed"),
        ("criteria:", "redact: [input, inputt]\ncriteria:", 5, "unknown field to redact 'inputt' (did you mean input?"),
        ("criteria:", "redact: [' ']\ncriteria:", 5, "redact is empty"),
    ],
)
def test_what_the_profile_names_wrongly_is_told_with_its_line(
    assay: Assay, profile: Path, old: str, new: str, line: int, words: str
) -> None:
    profile.write_text(PROFILE.replace(old, new, 1))
    said = assay("decide", "profile.yaml")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert said.err.startswith(f"error: profile.yaml, line {line}: ")
    assert words in said.err


def test_a_choice_is_recorded_and_stays_when_the_command_is_given_again(assay: Assay, profile: Path) -> None:
    ahead = json.loads(assay("decide", "profile.yaml", "--json").out)["decision"]["recommended"]
    said = assay("decide", "profile.yaml", "--choose", ahead, "--by", "Ana Ruiz", "--dissent", "Bo: too few cases.")
    assert said.code == 0
    assert f"Ana Ruiz chose {ahead}." in said.out
    written = Path("profile.decision.json").read_bytes()
    assert json.loads(written)["choice"] == {
        "chosen": ahead,
        "by": "Ana Ruiz",
        "rationale": "",
        "dissent": "Bo: too few cases.",
    }
    assert assay("decide", "profile.yaml").code == 0
    assert Path("profile.decision.json").read_bytes() == written


def test_a_choice_of_another_decision_and_a_signed_record_are_not_written_over(assay: Assay, profile: Path) -> None:
    chosen = ("--choose", "none", "--by", "Ana Ruiz", "--rationale", "Neither will do.")
    assert assay("decide", "profile.yaml", *chosen).code == 0
    written = Path("profile.decision.json").read_bytes()
    assert json.loads(written)["choice"]["chosen"] == ""
    profile.write_text(PROFILE.replace("weight: 2", "weight: 5"))
    said = assay("decide", "profile.yaml")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "records a choice by Ana Ruiz, of a decision that is another by now" in said.err
    assert "Weights" in said.out  # the decision is shown all the same
    assert "record:" not in said.out
    assert Path("profile.decision.json").read_bytes() == written

    profile.write_text(PROFILE)
    assert assay("new", "key", "ana.pem").code == 0
    assert assay("sign", "profile.decision.json", "--key", "ana.pem", "--name", "Ana", "--role", "owner").code == 0
    signed = Path("profile.decision.json").read_bytes()
    assert assay("decide", "profile.yaml").code == 0
    assert assay("decide", "profile.yaml", *chosen).code == 0
    said = assay("decide", "profile.yaml", *chosen[:-1], "Changed my mind.")
    assert said.code == 2
    assert "is signed, and says otherwise" in said.err
    assert Path("profile.decision.json").read_bytes() == signed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--choose", "baseline/majorty", "--by", "Ana"), "did you mean baseline/majority"),
        (("--choose", "baseline/majority"), "add --by NAME"),
        (("--choose", "none", "--by", "Ana"), "no candidate is not what is recommended"),
        (("--by", "Ana"), "go with --choose"),
        (("--json", "--markdown"), "exclude each other"),
        (("--suite", "nightly.yaml"), "nothing is asked (add --adaptive)"),
        (("--out", "record.txt"), "record.txt is no name for a record"),
        (("--out", "nowhere/record.json"), "nowhere is no folder, and the record is to lie in it"),
    ],
)
def test_what_cannot_be_done_is_one_line(assay: Assay, profile: Path, arguments: tuple[str, ...], words: str) -> None:
    said = assay("decide", "profile.yaml", *arguments)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert words in said.err
    assert not Path("profile.decision.json").exists()


def test_choosing_what_breaks_a_constraint_needs_a_reason(assay: Assay, profile: Path) -> None:
    profile.write_text(PROFILE + "constraints:\n  - {name: good enough, metric: quasi_exact_match, at_least: 0.8}\n")
    said = assay("decide", "profile.yaml")
    assert said.code == 0
    assert "No candidate is acceptable." in said.out
    bold = ("--choose", "baseline/majority", "--by", "Ana")
    refused = assay("decide", "profile.yaml", *bold)
    assert refused.code == 2
    assert (
        "baseline/majority is not shown to keep 'good enough', so choosing it needs a reason (add --rationale WHY)"
        in refused.err
    )
    said = assay("decide", "profile.yaml", *bold, "--rationale", "A person reads everything anyway.")
    value = json.loads(Path("profile.decision.json").read_text())["decision"]["standings"][0]["constraints"][0]["value"]
    broken = f"breaks: good enough {value:.3g} (at least 0.8)\n"
    assert (said.code, said.err) == (0, "")
    assert f"\nAna chose baseline/majority.\n{broken}" in said.out
    assert broken in assay("decide", "profile.yaml").out
    said = assay("decide", "profile.yaml", "--choose", "none", "--by", "Bo", "--json")
    assert said.code == 0
    assert json.loads(said.out)["earlier"][0]["by"] == "Ana"
    replaced = "replaces Ana's choice of baseline/majority, which the record keeps among the earlier ones"
    assert said.err == f"note: {replaced}\n"
    said = assay("decide", "profile.yaml", *bold, "--rationale", "All the same.")
    assert "replaces Bo's choice of no candidate" in said.out
    assert assay("new", "key", "ana.pem").code == 0
    said = assay("sign", "profile.decision.json", "--key", "ana.pem", "--name", "Ana", "--role", "owner")
    assert f"chosen:  baseline/majority (recommended: none)\n         {broken}" in said.out


def test_other_files_are_not_written_over(assay: Assay, profile: Path) -> None:
    Path("profile.decision.json").write_text("{}")
    said = assay("decide", "profile.yaml")
    assert said.code == 2
    assert "profile.decision.json" in said.err
    assert Path("profile.decision.json").read_text() == "{}"


def test_words_of_others_command_no_terminal_and_no_page(assay: Assay, profile: Path) -> None:
    profile.write_text(PROFILE.replace("right answers", '"right \\u202eanswers <b>|"'))
    said = assay("decide", "profile.yaml")
    assert said.code == 0, said.err
    assert "right \\u{202e}answers <b>|" in said.out
    page = assay("decide", "profile.yaml", "--markdown").out
    assert "\u202e" not in said.out + page
    assert "<b>|" not in page.split("| criterion |")[0].split("## Candidates")[0]
