"""Which runs speak for which candidates."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.comparison import Question, compare
from assay.comparison.evidence import gather
from assay.errors import AssayError
from assay.records import ModelIdentity, NamedSpec
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


def test_changed_evidence_is_refused_and_an_unfinished_run_is_named(tmp_path: Path) -> None:
    paths = [write_run(tmp_path, name, TWO) for name in ("made/a", "made/b", "made/c")]
    (paths[2] / MANIFEST).unlink()
    found = gather([tmp_path])
    assert (found.candidates, found.notes) == (
        ("made/a", "made/b"),
        (f"{paths[2]}: left out, as it has no manifest.json: it was never finished, or that file was removed.",),
    )
    assert compare(found, Question()).notes == found.notes
    scores = paths[0] / "scores.parquet"
    scores.write_bytes(scores.read_bytes() + b" ")
    with pytest.raises(AssayError, match=r"not whole: .*scores\.parquet: changed"):
        compare(gather([tmp_path]), Question())


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


def at(folder: Path, second: int) -> Path:
    """The run, finished at that time."""
    os.utime(folder / MANIFEST, (second, second))
    return folder


def test_after_an_edit_the_newest_runs_are_compared_and_the_others_named(tmp_path: Path) -> None:
    old = [at(write_run(tmp_path, name, TWO, seed=1), 10) for name in ("made/a", "made/b")]
    new = [
        at(write_run(tmp_path, name, TWO, prompting={"method": "generation", "shots": 5}), 20) for name in ("made/a", "made/b")
    ]
    found = gather([tmp_path])
    assert [run.folder.path for run in found.runs["made"].values()] == new
    (note,) = found.notes
    assert "differ in prompting.max_tokens, prompting.shots, seed" in note
    assert all(folder.name in note for folder in old)
    assert not any(folder.name in note for folder in new)
    assert gather([tmp_path], alone=True).notes == found.notes


def test_where_the_newest_were_not_asked_alike_the_newest_way_that_all_share_counts(tmp_path: Path) -> None:
    shared = [at(write_run(tmp_path, name, TWO, seed=seed), 10 * seed) for seed in (1, 2) for name in ("made/a", "made/b")]
    at(write_run(tmp_path, "made/a", TWO, seed=3), 90)
    assert [run.folder.path for run in gather([tmp_path]).runs["made"].values()] == shared[2:]


def test_where_nothing_is_shared_each_has_its_newest_and_the_contract_says_what_differs(tmp_path: Path) -> None:
    for seed in (1, 2):
        at(write_run(tmp_path, "made/a", TWO, seed=seed), 10 * seed)
    write_run(tmp_path, "made/b", TWO, seed=3)
    found = gather([tmp_path])
    assert [run.file.spec.seed for run in found.runs["made"].values()] == [2, 3]
    with pytest.raises(AssayError, match=r"differ in seed of made \(made/a: 2; made/b: 3\)"):
        compare(found, Question())


def test_another_version_of_a_model_under_the_same_name_counts_from_when_it_was_asked(tmp_path: Path) -> None:
    write_run(tmp_path, "made/b", TWO)
    at(write_run(tmp_path, "made/a", TWO, max_instances=None), 10)
    newer = ModelIdentity(name="made/a", revision="2")
    new = at(write_run(tmp_path, "made/a", TWO, max_instances=2, model=newer), 20)
    found = gather([tmp_path])
    assert found.runs["made"]["made/a"].folder.path == new
    assert "differ in model.revision" in found.notes[0]


def test_copies_asked_besides_do_not_keep_the_newest_apart(tmp_path: Path) -> None:
    write_run(tmp_path, "made/b", TWO)
    at(write_run(tmp_path, "made/a", TWO), 10)
    disturbed = at(write_run(tmp_path, "made/a", TWO, perturbations=(NamedSpec(name="typos"),)), 20)
    assert gather([tmp_path]).runs["made"]["made/a"].folder.path == disturbed


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


def test_one_candidate_alone_is_evidence_where_that_is_enough(tmp_path: Path) -> None:
    write_run(tmp_path, "made/a", TWO)
    found = gather([tmp_path], alone=True)
    assert (found.candidates, list(found.runs)) == (("made/a",), ["made"])
    write_run(tmp_path, "made/b", TWO, scenario="other")
    both = gather([tmp_path], alone=True)
    assert {scenario: list(runs) for scenario, runs in both.runs.items()} == {"made": ["made/a"], "other": ["made/b"]}
    assert list(gather([tmp_path], ["made/b"], alone=True).runs) == ["other"]
