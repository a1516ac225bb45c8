"""`assay decide` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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


def test_json_is_the_record_and_markdown_says_the_same(assay: Assay, profile: Path) -> None:
    said = assay("decide", "profile.yaml", "--json", "--out", "kept.json")
    assert said.out == Path("kept.json").read_text()
    found = json.loads(said.out)["decision"]
    page = assay("decide", "profile.yaml", "--markdown").out
    assert page.startswith("# Sorting &#124; messages\n")
    assert "| baseline/majority |" in page
    assert found["status"] in ("recommended", "not separated")


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
    assert assay("decide", "profile.yaml", *bold, "--rationale", "A person reads everything anyway.").code == 0


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
