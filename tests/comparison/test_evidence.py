"""Which runs speak for which candidates."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from assay.comparison import Question, compare
from assay.comparison.evidence import gather
from assay.errors import AssayError
from assay.records import ModelIdentity, NamedSpec
from assay.store import RunFolder
from assay.store.folders import CONTENT, MANIFEST, SPEC
from assay.store.planned import PlannedRun, SuitePlan, write_plan
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


def test_the_run_with_more_instances_speaks_and_so_does_the_one_scored_by_more_metrics(tmp_path: Path) -> None:
    write_run(tmp_path, "made/b", TWO)
    write_run(tmp_path, "made/a", TWO, max_instances=2, asked_at=90)
    more = write_run(tmp_path, "made/a", [*TWO, trial_of(2, 1.0)], max_instances=3, asked_at=10)
    assert gather([tmp_path]).runs["made"]["made/a"].folder.path == more
    both = (NamedSpec(name="exact_match"), NamedSpec(name="f1_score"))
    again = write_run(tmp_path, "made/a", TWO, max_instances=3, asked_at=10, metrics=both)
    os.utime(again / MANIFEST, ns=(10**18, 10**18))
    assert gather([tmp_path]).runs["made"]["made/a"].folder.path == again
    newer = write_run(
        tmp_path, "made/a", TWO, max_instances=3, asked_at=10, metrics=(NamedSpec(name="exact_match", version=3),)
    )
    assert gather([tmp_path]).runs["made"]["made/a"].folder.path == newer
    late = write_run(tmp_path, "made/a", TWO, max_instances=3, asked_at=11, metrics=())
    assert gather([tmp_path]).runs["made"]["made/a"].folder.path == late


@pytest.mark.parametrize("first", [0, 1])
def test_which_run_is_the_newest_survives_a_touch_and_a_copy(tmp_path: Path, first: int) -> None:
    write_run(tmp_path / "s", "made/b", TWO, seed=1)
    runs = [write_run(tmp_path / "s", "made/a", TWO, seed=seed, asked_at=seed) for seed in (1, 2)]
    os.utime(runs[first] / MANIFEST, ns=(4 * 10**18, 4 * 10**18))
    (tmp_path / "copy").mkdir()
    for run in (runs[1 - first], runs[first]):
        shutil.copytree(run, tmp_path / "copy" / run.name, copy_function=shutil.copyfile)
    for place in ("s", "copy"):
        found = gather([tmp_path / place], ["made/a"], alone=True)
        assert found.runs["made"]["made/a"].folder.name == runs[1].name
        assert runs[0].name in found.notes[0]


def test_what_the_last_suite_asked_is_the_newest_though_its_answers_are_older(tmp_path: Path) -> None:
    runs = [write_run(tmp_path, "made/a", TWO, seed=seed, asked_at=10 * seed) for seed in (1, 2, 3)]
    planned = PlannedRun(run=runs[1].name, title="made", label="made/a")
    write_plan(tmp_path, SuitePlan(runs=(planned,)))
    assert gather([tmp_path], alone=True).runs["made"]["made/a"].folder.path == runs[1]
    scored = write_run(tmp_path, "made/a", TWO, seed=2, asked_at=20, metrics=(NamedSpec(name="exact_match", version=9),))
    assert gather([tmp_path], alone=True).runs["made"]["made/a"].folder.path == scored
    assert gather(runs, alone=True).runs["made"]["made/a"].folder.path == runs[1]


@pytest.mark.parametrize("name", [SPEC, MANIFEST])
def test_a_run_that_stands_back_for_another_must_be_as_it_was_written(tmp_path: Path, name: str) -> None:
    old, _ = (write_run(tmp_path, "made/a", TWO, seed=seed, asked_at=seed) for seed in (1, 2))
    (old / name).write_bytes((old / name).read_bytes() + b" ")
    with pytest.raises(AssayError, match=f"not whole: .*{name}: changed"):
        gather([tmp_path], alone=True)


@pytest.mark.parametrize("kept", [*CONTENT, MANIFEST])
def test_a_run_that_lost_its_spec_is_refused_by_whatever_is_left_of_it(tmp_path: Path, kept: str) -> None:
    write_run(tmp_path, "made/a", TWO, seed=1)
    lost = write_run(tmp_path, "made/a", TWO, seed=2)
    for file in lost.iterdir():
        if file.name not in (kept, MANIFEST):
            file.unlink()
    if kept == SPEC:
        assert gather([tmp_path], alone=True).candidates == ("made/a",)
        return
    with pytest.raises(AssayError, match=rf"{lost}/spec\.json does not exist .restore it"):
        gather([tmp_path], alone=True)


def test_what_was_planned_and_is_not_there_is_noted_for_those_that_it_concerns(tmp_path: Path) -> None:
    suite = tmp_path / "ci"
    runs = [write_run(suite, name, TWO) for name in ("made/a", "made/b")]
    there = [PlannedRun(run=run.name, title="made", label=label) for run, label in zip(runs, ("made/a", "made/b"), strict=True)]
    lost = [
        PlannedRun(run=f"x{n},b-{n:012x}", title=f"x{n}:seed=1", label="b 1", scenario=f"x{n}", candidate="made/b")
        for n in range(7)
    ]
    write_plan(suite, SuitePlan(runs=(*there, *lost)))
    said = "ci: planned by the last `assay run` and not finished, so not measured: x0 of made/b; x1 of made/b;"
    for place in (suite, tmp_path):
        (note,) = gather([place], alone=True).notes
        assert note.startswith(said)
        assert note.endswith("x4 of made/b; and 2 more.")
        assert gather([place], ["made/a"], alone=True).notes == ()
    assert gather(runs, alone=True).notes == ()


def test_after_an_edit_the_newest_runs_are_compared_and_the_others_named(tmp_path: Path) -> None:
    old = [write_run(tmp_path, name, TWO, seed=1, asked_at=10) for name in ("made/a", "made/b")]
    new = [
        write_run(tmp_path, name, TWO, prompting={"method": "generation", "shots": 5}, asked_at=20)
        for name in ("made/a", "made/b")
    ]
    found = gather([tmp_path])
    assert [run.folder.path for run in found.runs["made"].values()] == new
    (note,) = found.notes
    assert "differ in prompting.max_tokens, prompting.shots, seed" in note
    assert all(folder.name in note for folder in old)
    assert not any(folder.name in note for folder in new)
    assert gather([tmp_path], alone=True).notes == found.notes


def test_where_the_newest_were_not_asked_alike_the_newest_way_that_all_share_counts(tmp_path: Path) -> None:
    shared = [write_run(tmp_path, name, TWO, seed=seed, asked_at=10 * seed) for seed in (1, 2) for name in ("made/a", "made/b")]
    write_run(tmp_path, "made/a", TWO, seed=3, asked_at=90)
    assert [run.folder.path for run in gather([tmp_path]).runs["made"].values()] == shared[2:]


def test_where_nothing_is_shared_each_has_its_newest_and_the_contract_says_what_differs(tmp_path: Path) -> None:
    for seed in (1, 2):
        write_run(tmp_path, "made/a", TWO, seed=seed, asked_at=10 * seed)
    write_run(tmp_path, "made/b", TWO, seed=3)
    found = gather([tmp_path])
    assert [run.file.spec.seed for run in found.runs["made"].values()] == [2, 3]
    with pytest.raises(AssayError, match=r"differ in seed of made \(made/a: 2; made/b: 3\)"):
        compare(found, Question())


def test_another_version_of_a_model_under_the_same_name_counts_from_when_it_was_asked(tmp_path: Path) -> None:
    write_run(tmp_path, "made/b", TWO)
    write_run(tmp_path, "made/a", TWO, max_instances=None, asked_at=10)
    newer = ModelIdentity(name="made/a", revision="2")
    new = write_run(tmp_path, "made/a", TWO, max_instances=2, model=newer, asked_at=20)
    found = gather([tmp_path])
    assert found.runs["made"]["made/a"].folder.path == new
    assert "differ in model.revision" in found.notes[0]


def test_copies_asked_besides_do_not_keep_the_newest_apart(tmp_path: Path) -> None:
    write_run(tmp_path, "made/b", TWO)
    write_run(tmp_path, "made/a", TWO, asked_at=10)
    disturbed = write_run(tmp_path, "made/a", TWO, perturbations=(NamedSpec(name="typos"),), asked_at=20)
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
