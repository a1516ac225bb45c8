"""Run folders that somebody has tampered with: reported, never trusted and never a crash."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from assay.errors import AssayError
from assay.store import RunWriter, find_runs, verify
from assay.store.folders import MANIFEST
from assay.store.transcripts import join_parts, read_transcripts
from cli_helpers import Assay, assay

__all__ = ["assay"]

RUN = ("run", "billing_support:", "-m", "baseline/majority", "-n", "3")


@pytest.mark.parametrize(
    "manifest",
    [
        b"[" * 100_000,
        b'{"run":' + b"[" * 5000,
        b"\xff",
        b"",
        b"null",
        b'{"run": "x", "files": {"a\\u0000b": "", "../x": "", "": ""}, "trials": 1, "requests": 1, "failed": 0}',
        b'{"run": "x", "files": {}, "trials": 1e400, "requests": 1, "failed": 0}',
    ],
)
def test_an_odd_manifest_is_reported_as_changed(manifest: bytes, assay: Assay) -> None:
    assert assay(*RUN).code == 0
    (run,) = find_runs(Path("runs"))
    text = manifest.replace(b'"failed": 0}', b'"failed": 0, "prompt_tokens": 0, "completion_tokens": 0}')
    (run.path / MANIFEST).write_bytes(text)
    said = assay("verify", "runs")
    assert said.code == 1, said
    assert "manifest.json: changed" in said.out
    assert said.err.count("\n") == 1
    assert said.err.endswith(" in 1 run\n")


def test_a_link_in_place_of_a_file_and_a_folder_in_place_of_a_file_are_reported(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    (run,) = find_runs(Path("runs"))
    (run.path / "stats.json").rename("stats.json")
    (run.path / "stats.json").symlink_to(Path("stats.json").resolve())
    assert any("stats.json: replaced by a link" in problem for problem in verify(run.path))
    (run.path / "stats.json").unlink()
    (run.path / "stats.json").mkdir()
    assert any("stats.json: replaced by what is no file" in problem for problem in verify(run.path))


def test_a_panic_of_the_parquet_reader_or_writer_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("index out of bounds")

    (tmp_path / "t.parquet").touch()
    monkeypatch.setattr(pl, "scan_parquet", panic)
    monkeypatch.setattr(pl.LazyFrame, "sink_parquet", panic)
    with pytest.raises(AssayError, match=r"t\.parquet cannot be read: index out of bounds"):
        list(read_transcripts(tmp_path / "t.parquet"))
    with pytest.raises(AssayError, match=r"t\.parquet cannot be written: index out of bounds"):
        join_parts([tmp_path / "part"], tmp_path / "t.parquet", {}, 2000)


def test_verification_is_also_for_machines(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    assert json.loads(assay("verify", "runs", "--json").out)[0]["problems"] == []
    (run,) = find_runs(Path("runs"))
    (run.path / "\x1b[31m").write_text("")
    said = assay("verify", "runs", "--json")
    assert said.code == 1
    assert len(json.loads(said.out)[0]["problems"]) == 1
    assert said.err == "error: 1 problem in 1 run\n"
    assert "\x1b" not in assay("verify", "runs").out


def test_a_deeply_nested_spec_is_refused_in_one_line(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    (run,) = find_runs(Path("runs"))
    (run.path / "spec.json").write_bytes(b'{"card":' + b"[" * 100_000)
    for verb in ("rescore", "verify"):
        said = assay(verb, "runs")
        assert said.code in (1, 2)
        assert said.err.count("\n") == 1


def test_nothing_of_a_finished_run_is_touched_before_the_new_one_is_complete(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / MANIFEST).write_text("old")
    writer = RunWriter(folder)
    writer.abandon()
    assert [file.name for file in tmp_path.rglob("*")] == ["run", MANIFEST]
