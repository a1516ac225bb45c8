"""`assay compare` as a user meets it, on real runs."""

from __future__ import annotations

import json
from pathlib import Path

from assay.store.folders import SCORES
from cli_helpers import Assay

ASK = ("run", "billing_support:", "capitals:", "-n", "12", "-m", "baseline/majority", "-m", "baseline/uniform")


def test_candidates_of_the_usual_folder_are_compared_without_any_argument(assay: Assay) -> None:
    assert assay(*ASK).code == 0
    said = assay("compare", "--failures", "--variance")
    assert said.code == 0
    for words in ("tier", "no difference shown", "would have shown", "mean win rate", "Holm", "Where candidates fail"):
        assert words in said.out
    assert said.err == ""


def test_json_and_markdown_say_the_same(assay: Assay) -> None:
    assert assay(*ASK, "--perturb", "typos").code == 0
    found = json.loads(assay("compare", "runs", "--json").out)
    assert found["candidates"] == ["baseline/majority", "baseline/uniform"]
    assert [board["items"] for board in found["boards"]] == [12, 12]
    assert set(found["runs"]["capitals"]) == {"baseline/majority", "baseline/uniform"}
    assert "| baseline/majority | baseline/uniform |" in assay("compare", "runs", "--markdown").out
    parts = json.loads(assay("compare", "runs", "--by", "perturbation", "--json").out)["boards"]
    assert {board["part"] for board in parts} == {"typos"}
    groups = json.loads(assay("compare", "runs", "--by", "subgroup", "--json").out)["boards"]
    assert {"region=north", "ambiguity=clear"} <= {board["part"] for board in groups if board["scenario"] == "billing_support"}


def test_another_way_of_asking_is_refused_until_it_is_allowed(assay: Assay) -> None:
    assert assay(*ASK[:5], "-m", "baseline/majority").code == 0
    Path("suite.yaml").write_text(
        "name: default\nmax_instances: 12\n"
        "models: [{model: baseline/majority, label: terse, prompting: {instructions: Be brief.}}]\n"
        "scenarios: ['billing_support:', 'capitals:']\n"
    )
    assert assay("run", "suite.yaml").code == 0
    said = assay("compare", "runs")
    assert said.code == 2
    assert "prompting.instructions" in said.err
    assert "--allow-differences" in said.err
    assert said.err.count("\n") == 1
    allowed = assay("compare", "runs", "--allow-differences")
    assert allowed.code == 0
    assert "prompting.instructions" in allowed.out
    assert "Be brief." in allowed.out


def test_what_cannot_be_compared_is_one_line_with_a_way_out(assay: Assay) -> None:
    assert assay(*ASK).code == 0
    for arguments, words in (
        (("nowhere",), "nowhere does not exist"),
        (("--by", "subgroups"), "did you mean subgroup?"),
        (("-m", "baseline/majority"), "nothing to compare"),
        (("-m", "baseline/majorty", "-m", "baseline/uniform"), "did you mean baseline/majority"),
        (("--json", "--markdown"), "exclude each other"),
        (("--metric", "ece_10_bin"), "over many answers"),
    ):
        said = assay("compare", *arguments)
        assert said.code == 2, arguments
        assert words in said.err
        assert said.err.count("\n") == 1


def test_a_damaged_run_is_named(assay: Assay) -> None:
    assert assay(*ASK).code == 0
    damaged = sorted(Path("runs/default").glob("capitals*majority*"))[0] / SCORES
    damaged.write_bytes(damaged.read_bytes()[:50])
    said = assay("compare")
    assert said.code == 2
    assert damaged.parent.name in said.err


def test_after_an_edit_the_newest_runs_are_compared_and_failures_show_what_was_asked_and_answered(assay: Assay) -> None:
    both = ("-m", "baseline/majority", "-m", "baseline/uniform", "--quiet")
    assert assay("run", "billing_support:shots=0", "-n", "8", *both).code == 0
    assert assay("run", "billing_support:shots=2", "-n", "6", *both).code == 0
    said = assay("compare", "--failures")
    assert said.code == 0, said.err
    told = " ".join(said.out.split())
    assert "exact_match, 6 items" in told
    assert "left out, as they differ in data.instances" not in told
    assert "left out, as they differ in prompting.shots: billing_support" in told
    assert "To compare others, give their folders." in told
    for words in ("given by", " of 2 ", "answered", "baseline/majority: "):
        assert words in told
    found = json.loads(assay("compare", "--failures", "--json").out)["failures"]
    assert all(item["item"]["input"] and item["item"]["answers"] for item in [*found["suspects"], *found["flips"]])
