"""`assay new profile` as a user meets it, on real runs."""

from __future__ import annotations

import os
from pathlib import Path

from cli_helpers import Assay
from decision_records import no_file_larger_than

ASK = ("run", "billing_support:", "capitals:", "-n", "12", "-m", "baseline/majority", "-m", "baseline/uniform")


def test_a_profile_of_the_usual_runs_is_written_and_decided_by_at_once(assay: Assay) -> None:
    assert assay(*ASK, "--perturb", "typos").code == 0
    said = assay("new", "profile")
    assert (said.code, said.err) == (0, "")
    assert "assay decide profile.yaml" in said.out
    text = Path("profile.yaml").read_text("utf-8")
    assert 'runs: ["runs/default"]' in text
    assert "perturbation: robustness" in text
    decided = assay("decide", "profile.yaml")
    assert (decided.code, decided.err) == (0, "")
    assert "The profile does not say yet: owner and context." in decided.out


def test_a_profile_that_is_there_is_kept_unless_told_otherwise(assay: Assay) -> None:
    assert assay(*ASK).code == 0
    Path("mine.yaml").write_text("mine")
    said = assay("new", "profile", "runs", "--out", "mine.yaml")
    assert said.code == 2
    assert said.err == "error: mine.yaml is there already (edit it, give another --out, or write it anew with --force)\n"
    assert Path("mine.yaml").read_text() == "mine"
    assert assay("new", "profile", "runs", "--out", "mine.yaml", "--force", "-m", "baseline/majority").code == 0
    text = Path("mine.yaml").read_text()
    assert "baseline/majority" in text
    assert "baseline/uniform" not in text


def test_on_a_full_disk_no_half_of_a_profile_is_left(assay: Assay, tmp_path: Path) -> None:
    assert assay(*ASK[:2], *ASK[3:5], "-m", "baseline/majority").code == 0
    before = sorted(tmp_path.iterdir())
    with no_file_larger_than(50):
        said = assay("new", "profile", "runs", "-o", "mine.yaml")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert said.err.startswith("error: mine.yaml cannot be written: ")
    assert sorted(tmp_path.iterdir()) == before


def test_what_cannot_be_drafted_is_one_line_with_a_way_out(assay: Assay) -> None:
    assert assay(*ASK[:2], *ASK[3:5], "-m", "baseline/majority").code == 0
    for arguments, words in (
        (("nowhere",), "nowhere does not exist"),
        (("runs", "-m", "baseline/majorty"), "did you mean baseline/majority?"),
        (("runs", "-o", os.path.join("no", "profile.yaml")), "no is no folder (make it, or give another --out)"),
    ):
        said = assay("new", "profile", *arguments)
        assert said.code == 2
        assert words in said.err
        assert said.err.count("\n") == 1
        assert not Path("profile.yaml").exists()
