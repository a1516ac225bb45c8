"""Parts that are written while trials are added."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.records import Answer, Instance, Request, Response, ScoredTrial, Trial
from assay.store import RunWriter
from assay.store.transcripts import Transcript
from assay.store.writer import ROWS_IN_MEMORY


def add(writer: RunWriter, count: int) -> None:
    answer = Answer(outcome="answered")
    trial = Trial(instance=Instance(id="a", input="?"), requests=(Request(prompt="?"),))
    for _ in range(count):
        transcript = Transcript(trial=trial, responses=(Response(),), answer=answer)
        writer.add(transcript, ScoredTrial(instance_id="a", answer=answer, scores={"exact_match": 1.0}))


def test_a_part_that_could_not_be_written_is_said_with_the_next(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path / "run")
    shutil.rmtree(tmp_path / ".run.part")
    add(writer, ROWS_IN_MEMORY)
    with pytest.raises(AssayError, match=r"transcripts-000000\.parquet cannot be written"):
        add(writer, ROWS_IN_MEMORY)
    writer.abandon()
    assert not list(tmp_path.iterdir())


def test_a_run_that_is_abandoned_while_a_part_is_written_leaves_nothing(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path / "run")
    add(writer, 3 * ROWS_IN_MEMORY + 1)
    writer.abandon()
    assert not list(tmp_path.iterdir())
