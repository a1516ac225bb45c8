"""Run folders: what is written can be read back, and a changed byte is found and named."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.records import (
    Answer,
    Completion,
    DataIdentity,
    Instance,
    Message,
    ModelIdentity,
    NamedSpec,
    Reference,
    Request,
    Response,
    RunSpec,
    ScoredTrial,
    Token,
    Trial,
)
from assay.store import RunFolder, RunWriter, find_runs, run_name, verify
from assay.store.folders import CONTENT, MANIFEST, RUN_FILES, SpecFile, StatsFile, distinct, safe, writing
from assay.store.transcripts import Transcript, from_row, read_transcripts, to_row


def spec(**changes: object) -> RunSpec:
    plain = RunSpec(
        scenario=NamedSpec(name="mmlu", parameters={"subject": "anatomy"}),
        data=DataIdentity(source="generator:x"),
        prompting={"method": "generation"},
        model=ModelIdentity(name="local/tiny"),
    )
    return msgspec.structs.replace(plain, **changes)


def transcript(index: int) -> Transcript:
    instance = Instance(
        id=f"test{index}",
        input=f"question {index}\x00 ünï",
        references=(Reference(text="a", correct=True),),
        subgroups={"d": "x"},
    )
    response = Response(
        completions=(Completion(text="a\x1b[31m", tokens=(Token(text="a", logprob=-0.1, top={"b": -3.0}),)),),
        latency_s=0.25,
        asked_at=1000.0 + index,
    )
    trial = Trial(instance=instance, requests=(Request(prompt="few shot"),), shots=("train1",))
    return Transcript(trial=trial, responses=(response,), answer=Answer(outcome="answered", prediction="a"))


def write(folder: Path, count: int = 5, made: RunSpec | None = None) -> RunFolder:
    made = made or spec()
    place = folder / run_name(made)
    writer = RunWriter(place)
    for index in range(count):
        scored = ScoredTrial(
            instance_id=f"test{index}", answer=Answer(outcome="answered"), scores={"exact_match": 1.0, "x": None}
        )
        writer.add(transcript(index), scored)
    stats = StatsFile(
        run=place.name,
        label="l",
        title="mmlu",
        main_metric="exact_match",
        instances=count,
        trials=count,
        failed=0,
        cells=(),
    )
    writer.finish(SpecFile(run=place.name, title="mmlu", spec=made), stats, cost=None)
    return RunFolder(place)


def test_a_run_is_written_whole_and_verifies(tmp_path: Path) -> None:
    run = write(tmp_path, 2500)
    assert list(verify(run.path)) == []
    assert sorted(file.name for file in run.path.iterdir()) == sorted((*CONTENT, MANIFEST))
    rows = list(read_transcripts(run.path / "transcripts.parquet", batch=700))
    assert [row["instance_id"] for row in rows] == [f"test{index}" for index in range(2500)]
    scores = pl.read_parquet(run.path / "scores.parquet")
    assert scores.height == 5000
    assert scores["value"].null_count() == 2500
    assert (run.manifest().first_asked, run.manifest().last_asked) == (1000.0, 3499.0)
    assert [folder.name for folder in find_runs(tmp_path)] == [run.name]
    assert not list(tmp_path.glob(".*"))


def test_the_same_trials_give_the_same_bytes(tmp_path: Path) -> None:
    one, other = write(tmp_path / "one", 2500), write(tmp_path / "other", 2500)
    for name in (*CONTENT, MANIFEST):
        assert (one.path / name).read_bytes() == (other.path / name).read_bytes()


def test_every_changed_byte_is_found_and_its_file_named(tmp_path: Path) -> None:
    run = write(tmp_path)
    for name in (*CONTENT, MANIFEST):
        file = run.path / name
        good = file.read_bytes()
        for position in {0, 1, len(good) // 3, len(good) // 2, len(good) - 2, len(good) - 1}:
            file.write_bytes(good[:position] + bytes([good[position] ^ 1]) + good[position + 1 :])
            problems = list(verify(run.path))
            assert any(str(file) in problem for problem in problems), (name, position)
        file.write_bytes(good)
    assert list(verify(run.path)) == []


def test_missing_added_and_renamed_files_are_found(tmp_path: Path) -> None:
    run = write(tmp_path)
    (run.path / "extra.txt").write_text("x")
    assert any("extra.txt: not part of the run" in problem for problem in verify(run.path))
    (run.path / "extra.txt").unlink()
    (run.path / "scores.parquet").rename(tmp_path / "elsewhere")
    assert any("scores.parquet: missing" in problem for problem in verify(run.path))
    (tmp_path / "elsewhere").rename(run.path / "scores.parquet")
    moved = run.path.rename(tmp_path / "renamed")
    assert any("renamed" in problem for problem in verify(moved))


@given(st.tuples(st.text(max_size=4), st.text(max_size=4)), st.tuples(st.text(max_size=4), st.text(max_size=4)))
def test_different_parts_never_share_a_folder(some: tuple[str, str], others: tuple[str, str]) -> None:
    names = {distinct(*some), distinct(*others)}
    assert len({tuple(filter(None, some)), tuple(filter(None, others))}) == len(names)
    assert all(name == safe(name) or name == "" for name in names)


def test_a_plain_name_stays_as_it_is_and_every_other_gets_a_digest() -> None:
    assert distinct("nightly", "2026-11-30") == "nightly,2026-11-30"
    assert distinct("nightly", "") == "nightly"
    digested = [
        ("cj2", "月曜日"),
        ("cj2", "火曜日"),
        ("a,b", ""),
        ("a,b", "c"),
        ("a", "b,c"),
        ("..", ""),
        ("x" * 200, ""),
        ("x" * 201, ""),
    ]
    names = [distinct(*parts) for parts in digested]
    assert len(set(names)) == len(names)
    assert names[0].startswith("cj2,___-")
    assert max(map(len, names)) < 140
    assert distinct("cj2", "月曜日") == names[0]


def test_different_specs_never_share_a_name_and_names_are_safe_paths() -> None:
    names = {run_name(spec()), run_name(spec(seed=1)), run_name(spec(max_instances=5)), run_name(spec(repeats=2))}
    assert len(names) == 4
    assert safe("../../etc/passwd:a b") == "_.._etc_passwd_a_b"
    wild = spec(label="../../x", scenario=NamedSpec(name="s", parameters={"path": "/etc/passwd\x00\n"}))
    assert "/" not in run_name(wild)
    assert not run_name(wild).startswith(".")


def test_two_files_of_a_run_make_a_folder_one_and_so_does_its_name(tmp_path: Path) -> None:
    for place, names in enumerate(pairwise(sorted(RUN_FILES))):
        (tmp_path / "s" / f"run{place}").mkdir(parents=True)
        for name in names:
            (tmp_path / "s" / f"run{place}" / name).touch()
    emptied = tmp_path / "s" / run_name(spec())
    for folder in (emptied, tmp_path / "s" / ".locks", tmp_path / "s" / f".{emptied.name}.part", tmp_path / "s" / "notes"):
        folder.mkdir()
    (tmp_path / "s" / f".{emptied.name}.part" / "spec.json").touch()
    there = [emptied.name, *(f"run{place}" for place in range(4))]
    for place in (tmp_path, tmp_path / "s"):
        assert [folder.name for folder in find_runs(place)] == there
    (tmp_path / "linked").symlink_to(tmp_path / "s")
    assert len(find_runs(tmp_path)) == 10
    assert [folder.path for folder in find_runs(emptied)] == [emptied]


def test_a_single_file_makes_a_run_where_assay_wrote_it_or_the_folder_has_the_name_of_one(tmp_path: Path) -> None:
    kept = [write(tmp_path / "s").path.rename(tmp_path / "s" / f"kept{place}") for place in range(3)]
    for folder, name in zip(kept, ("manifest.json", "spec.json", "stats.json"), strict=True):
        for other in RUN_FILES - {name}:
            (folder / other).unlink()
    for name in sorted(RUN_FILES):
        folder = tmp_path / "s" / f"of others, {name}"
        folder.mkdir()
        (folder / name).write_text('{"name": "extension", "files": []}')
    long = tmp_path / "s" / ("m" * 120 + "-0123456789ab")
    long.mkdir()
    (long / "scores.parquet").touch()
    assert [folder.path for folder in find_runs(tmp_path)] == [*kept, long]


def test_a_run_that_lost_its_spec_is_one_though_another_lies_in_it(tmp_path: Path) -> None:
    outer = write(tmp_path / "s").path
    inner = write(outer).path
    (outer / "spec.json").unlink()
    assert [folder.path for folder in find_runs(tmp_path / "s")] == [outer, inner]
    renamed = outer.rename(outer.with_name("renamed"))
    assert [folder.path for folder in find_runs(tmp_path / "s")] == [renamed, renamed / inner.name]


def test_another_manifest_beside_runs_makes_no_run_of_the_folder_that_they_lie_in(tmp_path: Path) -> None:
    run = write(tmp_path / "runs" / "s")
    for place in (tmp_path / "runs", tmp_path / "runs" / "s"):
        (place / "manifest.json").write_text("{}")
        assert [folder.path for folder in find_runs(place)] == [run.path]


def test_two_processes_cannot_write_one_run(tmp_path: Path) -> None:
    with writing(tmp_path / "run"), pytest.raises(AssayError, match="another process"), writing(tmp_path / "run"):
        pass


def test_unreadable_runs_are_refused_with_the_file(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="does not exist"):
        find_runs(tmp_path / "nothing")
    with pytest.raises(AssayError, match="holds no run"):
        find_runs(tmp_path)
    run = write(tmp_path)
    (run.path / "stats.json").write_text("{")
    with pytest.raises(AssayError, match=r"stats\.json is not what assay writes"):
        run.stats()
    (run.path / "transcripts.parquet").write_bytes(b"PAR1")
    with pytest.raises(AssayError, match=r"transcripts\.parquet cannot be read"):
        list(read_transcripts(run.path / "transcripts.parquet"))


texts = st.text(max_size=40)


@given(texts, st.lists(st.tuples(texts, st.booleans()), max_size=3), texts, st.floats(-1e3, 0), st.integers(0, 3))
def test_rows_give_back_trial_and_responses(
    question: str, references: list[tuple[str, bool]], output: str, logprob: float, repeat: int
) -> None:
    inputs = (question, (Message(role="user", content=question), Message(role="assistant", content=output)))
    for given_input in inputs:
        instance = Instance(id="i", input=given_input, references=tuple(Reference(text=t, correct=c) for t, c in references))
        trial = Trial(instance=instance, requests=(Request(prompt=given_input, continuation=output),), repeat=repeat)
        response = Response(completions=(Completion(text=output, tokens=(Token(text=output, logprob=logprob),)),))
        row = to_row(Transcript(trial=trial, responses=(response,), answer=Answer(outcome="answered")))
        assert from_row(row) == (trial, (response,))
