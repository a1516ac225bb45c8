"""Which runs a gate goes by: the newest, whatever touched or copied it, and never past one that is lost or was not finished."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as xml

import msgspec
import pytest

from assay.decisions.gate_reports import as_junit, as_markdown, sentences
from assay.decisions.gating import Gate, gate
from assay.decisions.measuring import measure
from assay.decisions.profile import Constraint, Criterion, Deployment, Profile
from assay.errors import AssayError
from assay.store.folders import CONTENT, MANIFEST, SPEC
from assay.store.planned import PLAN, PlannedRun, SuitePlan, write_plan
from scored_runs import Said, scored_run


def asked(suite: Path, right: int, at: float, name: str = "m/a", **more: Any) -> Path:
    said = [Said(item, "yes" if item < right else "no", asked_at=at + item) for item in range(40)]
    return scored_run(suite, name, said, **more)


def gated(home: Path, *scenarios: str, candidates: tuple[str, ...] = (), runs: str = "runs/s", model: str = "m/a") -> Gate:
    limit = Constraint(name="right", metric="exact_match", at_least=0.6, scenarios=scenarios)
    owner = Deployment(owner="a", context="b")
    profile = Profile(name="p", deployment=owner, runs=(runs,), constraints=(limit,), candidates=candidates)
    return gate(profile, home, model)


def planned(suite: Path, *runs: Path | str, label: str = "m/a") -> None:
    names = [run if isinstance(run, str) else run.name for run in runs]
    write_plan(suite, SuitePlan(runs=tuple(PlannedRun(run=name, title=name.split(",")[0], label=label) for name in names)))


@pytest.mark.parametrize("late", [0, 1])
def test_a_touch_or_a_copy_does_not_let_an_older_run_speak(tmp_path: Path, late: int) -> None:
    runs = [
        asked(tmp_path / "runs" / "s", 40 - 30 * (place == late), at=1e9 + 1e6 * (place == late), seed=place)
        for place in (0, 1)
    ]
    assert not gated(tmp_path).passed
    os.utime(runs[1 - late] / MANIFEST, (4e9, 4e9))
    found = gated(tmp_path)
    assert not found.passed
    assert any(runs[1 - late].name in note for note in found.notes)
    (tmp_path / "copy").mkdir()
    for run in (runs[late], runs[1 - late]):
        shutil.copytree(run, tmp_path / "copy" / "s" / run.name, copy_function=shutil.copyfile)
    assert not gated(tmp_path, runs="copy").passed


def test_a_run_that_was_left_out_is_told_of_everywhere(tmp_path: Path) -> None:
    old, _ = (asked(tmp_path / "runs" / "s", 40, at=1e9 * (seed + 1), seed=seed) for seed in (0, 1))
    found = gated(tmp_path)
    assert found.passed
    at = datetime(2026, 11, 30, tzinfo=UTC)
    out = xml.fromstring(as_junit(found, at)).findtext("testsuite/system-out")
    for text in ("\n".join(sentences(found)), as_markdown(found), out or ""):
        assert old.name in text


@pytest.mark.parametrize("gone", [(SPEC,), (SPEC, MANIFEST), CONTENT, (*CONTENT, MANIFEST)])
@pytest.mark.parametrize("candidates", [(), ("m/a",)])
def test_no_part_of_the_newest_run_can_be_lost_so_that_an_older_one_speaks(
    tmp_path: Path, gone: tuple[str, ...], candidates: tuple[str, ...]
) -> None:
    _, newest = (asked(tmp_path / "runs" / "s", 40 - 30 * seed, at=1e9 * (seed + 1), seed=seed) for seed in (0, 1))
    assert not gated(tmp_path, candidates=candidates).passed
    for name in gone:
        (newest / name).unlink()
    with pytest.raises(AssayError, match=rf"{newest}/(spec|manifest)\.json"):
        gated(tmp_path, candidates=candidates)


@pytest.mark.parametrize("word", ['"m/a"', '"seed": 1'])
def test_nor_can_it_be_given_to_somebody_else(tmp_path: Path, word: str) -> None:
    _, newest = (asked(tmp_path / "runs" / "s", 40 - 30 * seed, at=1e9 * (seed + 1), seed=seed) for seed in (0, 1))
    spec = (newest / SPEC).read_text()
    assert word in spec
    (newest / SPEC).write_text(spec.replace(word, {'"m/a"': '"m/z"', '"seed": 1': '"seed": 7'}[word]))
    with pytest.raises(AssayError, match=r"not whole: .*spec\.json: changed"):
        gated(tmp_path, candidates=("m/a",))


def test_what_was_planned_and_never_written_is_not_measured(tmp_path: Path) -> None:
    suite = tmp_path / "runs" / "s"
    quiz = asked(suite, 40, at=1e9, scenario="quiz")
    other = asked(suite, 40, at=1e9, scenario="quiz2")
    planned(suite, quiz, other)
    assert gated(tmp_path).passed
    shutil.move(other, suite / f".{other.name}.part")  # as a killed run leaves it
    for scenarios in ((), ("quiz*",), ("quiz2",), ("quiz", "quiz2")):
        for runs in ("runs/s", "runs"):
            found = gated(tmp_path, *scenarios, runs=runs)
            (checked,) = found.constraints
            assert (found.passed, checked.verdict) == (False, "undetermined")
            assert "not measured: m/a was not asked quiz2, or not to the end" in checked.reason
            assert "s: planned by the last `assay run` and not finished, so not measured: quiz2 of m/a." in found.notes
    assert gated(tmp_path, "quiz").passed
    assert gated(tmp_path, runs=f"runs/s/{quiz.name}").passed


def test_a_finished_run_of_before_does_not_stand_for_the_one_that_was_planned_last(tmp_path: Path) -> None:
    suite = tmp_path / "runs" / "s"
    asked(suite, 40, at=1e9)
    again = asked(suite, 10, at=2e9, seed=1)
    planned(suite, again)
    shutil.rmtree(again)
    assert "not to the end" in gated(tmp_path).constraints[0].reason
    suite.rename(tmp_path / "runs" / "t")
    assert "not to the end" in gated(tmp_path, runs="runs").constraints[0].reason


def test_what_others_were_not_asked_to_the_end_is_no_reason_to_fail(tmp_path: Path) -> None:
    suite = tmp_path / "runs" / "s"
    mine = asked(suite, 40, at=1e9)
    other = asked(suite, 40, at=1e9, name="m/b", scenario="quiz2")
    planned(suite, other, label="m/b")
    shutil.rmtree(other)
    found = gated(tmp_path)
    assert (found.passed, found.notes) == (True, ())
    planned(suite, mine, other, label="m/a")
    assert not gated(tmp_path).passed


def test_a_decision_says_what_was_planned_and_not_measured(tmp_path: Path) -> None:
    suite = tmp_path / "runs" / "s"
    planned(suite, *(asked(suite, 40, at=1e9, name=name) for name in ("m/a", "m/b")), "quiz2,a-0123456789ab")
    owner, right = Deployment(owner="a", context="b"), Criterion(name="right", metric="exact_match", weight=1.0)
    profile = Profile(name="p", deployment=owner, runs=("runs",), criteria=(right,))
    note = "s: planned by the last `assay run` and not finished, so not measured: quiz2 of m/a."
    assert note in measure(profile, tmp_path).notes
    assert note not in measure(msgspec.structs.replace(profile, candidates=("m/b",)), tmp_path).notes


def test_of_two_suites_each_lacks_its_own(tmp_path: Path) -> None:
    for name in ("s", "t"):
        suite = tmp_path / "runs" / name
        planned(suite, asked(suite, 40, at=1e9), *(["quiz2,a-0123456789ab"] if name == "t" else []))
    assert gated(tmp_path, runs="runs", model="m/a (s)").passed
    assert not gated(tmp_path, runs="runs", model="m/a (t)").passed


def test_what_could_not_be_asked_is_told(tmp_path: Path) -> None:
    suite = tmp_path / "runs" / "s"
    asked(suite, 40, at=1e9)
    write_plan(suite, SuitePlan(runs=(), left_out=("left out: quiz3 of m/a: no\x1b file",)))
    found = gated(tmp_path)
    assert (found.passed, found.notes) == (True, ("s: left out: quiz3 of m/a: no\\x1b file",))


@pytest.mark.parametrize("kind", ["text", "folder", "pipe"])
def test_a_plan_that_cannot_be_read_passes_nothing(tmp_path: Path, kind: str) -> None:
    suite = tmp_path / "runs" / "s"
    asked(suite, 40, at=1e9)
    plan = suite / "suite.json"
    {"text": lambda: plan.write_text("{"), "folder": plan.mkdir, "pipe": lambda: os.mkfifo(plan)}[kind]()
    with pytest.raises(AssayError, match=r"suite\.json is no"):
        gated(tmp_path)


def test_a_run_that_was_broken_off_is_lacking_whatever_was_planned_since(tmp_path: Path) -> None:
    suite = tmp_path / "runs" / "s"
    quiz = asked(suite, 40, at=1e9, scenario="quiz")
    other = asked(suite, 40, at=1e9, scenario="quiz2")
    shutil.move(other, suite / f".{other.name}.part")
    note = "s: begun by an earlier `assay run` and broken off, so not measured: quiz2 of m_a."
    for plan in (lambda: planned(suite, quiz), lambda: planned(suite), (suite / PLAN).unlink):
        plan()
        for runs in ("runs/s", "runs"):
            found = gated(tmp_path, runs=runs)
            assert not found.passed
            assert note in found.notes
            assert gated(tmp_path, "quiz", runs=runs).passed
    asked(suite, 40, at=1e9, name="m/b", scenario="quiz")
    assert gated(tmp_path, model="m/b").passed
    (suite / PLAN).symlink_to("nowhere")
    with pytest.raises(AssayError, match=r"suite\.json is a link to nothing"):
        gated(tmp_path)


def test_a_run_that_was_broken_off_is_not_lacking_once_another_of_its_kind_was_planned_and_finished(tmp_path: Path) -> None:
    suite = tmp_path / "runs" / "s"
    other = asked(suite, 40, at=1e9, seed=1)
    shutil.move(other, suite / f".{other.name}.part")
    planned(suite, asked(suite, 40, at=1e9))
    found = gated(tmp_path)
    assert (found.passed, found.notes) == (True, ())


def test_files_of_others_among_the_runs_change_nothing(tmp_path: Path) -> None:
    suite = tmp_path / "runs" / "s"
    planned(suite, asked(suite, 40, at=1e9))
    for place, name in ((tmp_path / "runs" / "notes", MANIFEST), (suite / "notes", "stats.json")):
        place.mkdir()
        (place / name).write_text("{}")
    assert gated(tmp_path, runs="runs").passed


@pytest.mark.parametrize("gone", [(MANIFEST,), (*CONTENT, MANIFEST)])
def test_nor_is_anything_decided_past_a_run_that_lost_its_manifest(tmp_path: Path, gone: tuple[str, ...]) -> None:
    suite = tmp_path / "runs" / "s"
    _, newest, _ = (asked(suite, 30, at=1e9 * (n + 1), name=name, seed=n) for n, name in enumerate(("m/a", "m/a", "m/b")))
    for name in gone:
        (newest / name).unlink()
    owner, right = Deployment(owner="a", context="b"), Criterion(name="right", metric="exact_match", weight=1.0)
    profile = Profile(name="p", deployment=owner, runs=("runs",), criteria=(right,))
    with pytest.raises(AssayError, match=rf"not whole: .*{newest.name}.manifest\.json: missing"):
        measure(profile, tmp_path)
    alone = measure(msgspec.structs.replace(profile, candidates=("m/b",)), tmp_path)
    assert any(f"{newest.name}: left out, as it has no manifest.json" in note for note in alone.notes)
