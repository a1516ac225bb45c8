"""Which runs speak for which candidates."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.comparison.evidence import gather
from assay.errors import AssayError
from assay.records import NamedSpec
from assay.store import RunFolder
from assay.store.folders import MANIFEST
from comparison_helpers import trial_of, write_run

TWO = [trial_of(0, 1.0), trial_of(1, 0.0)]


def test_candidates_are_found_by_label_and_can_be_chosen(tmp_path: Path) -> None:
    for name in ("made/a", "made/b", "made/c"):
        write_run(tmp_path, name, TWO)
    write_run(tmp_path, "made/a", TWO, scenario="alone")
    found = gather([tmp_path])
    assert found.candidates == ("made/a", "made/b", "made/c")
    assert list(found.runs) == ["made"]
    assert "alone" in found.notes[0]
    assert gather([tmp_path], ["made/c", "made/a"]).candidates == ("made/c", "made/a")
    with pytest.raises(AssayError, match=r"unknown candidate 'made/d' \(did you mean made/"):
        gather([tmp_path], ["made/d", "made/a"])


def test_the_same_label_in_two_suites_is_two_candidates(tmp_path: Path) -> None:
    write_run(tmp_path / "monday", "made/a", TWO)
    write_run(tmp_path / "tuesday", "made/a", TWO)
    assert gather([tmp_path]).candidates == ("made/a (monday)", "made/a (tuesday)")


def test_a_folder_given_twice_counts_once(tmp_path: Path) -> None:
    a, b = (write_run(tmp_path, name, TWO) for name in ("made/a", "made/b"))
    assert gather([a, b, tmp_path, tmp_path / "." / a.name]).candidates == ("made/a", "made/b")


def test_the_run_with_more_instances_speaks_and_so_does_the_one_scored_last(tmp_path: Path) -> None:
    write_run(tmp_path, "made/b", TWO)
    write_run(tmp_path, "made/a", TWO, max_instances=2)
    more = write_run(tmp_path, "made/a", [*TWO, trial_of(2, 1.0)], max_instances=3)
    again = write_run(
        tmp_path, "made/a", TWO, max_instances=3, metrics=(NamedSpec(name="exact_match"), NamedSpec(name="f1_score"))
    )
    os.utime(again / MANIFEST, ns=(10**18, 10**18))
    assert gather([tmp_path]).runs["made"]["made/a"].folder.path == more
    os.utime(again / MANIFEST, ns=(4 * 10**18, 4 * 10**18))
    assert gather([tmp_path]).runs["made"]["made/a"].folder.path == again


def test_runs_that_cannot_stand_for_each_other_are_named(tmp_path: Path) -> None:
    write_run(tmp_path, "made/b", TWO)
    write_run(tmp_path, "made/a", TWO, seed=1)
    write_run(tmp_path, "made/a", TWO, seed=2)
    with pytest.raises(
        AssayError, match=r"made/a has several runs of made that differ in seed: made,made_a-\w+ and made,made_a"
    ):
        gather([tmp_path])


def test_fewer_than_two_candidates_are_no_comparison(tmp_path: Path) -> None:
    only = write_run(tmp_path, "made/a", TWO)
    with pytest.raises(AssayError, match="nothing to compare: there is only made/a"):
        gather([tmp_path])
    other = write_run(tmp_path, "made/b", TWO, scenario="other")
    with pytest.raises(AssayError, match="no scenario was asked of two candidates"):
        gather([only, other])
    (other / MANIFEST).unlink()
    assert not RunFolder(other).complete()
    with pytest.raises(AssayError, match="there is only made/a"):
        gather([tmp_path])
