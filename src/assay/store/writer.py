"""Writing a run so that a crash at any moment leaves either the old run or the new one, and loses no answer.

Rows are gathered into parts beside the run; the finished files are put in place one by one, the manifest last. Answers
are durable in the response cache before they come here, so what a crash destroys is rebuilt without asking again.
"""

from __future__ import annotations

import os
import shutil
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from assay.plain_files import regular
from assay.records import Record, ScoredTrial
from assay.store.columns import ColumnDigests, seals_of
from assay.store.folders import (
    CONTENT,
    MANIFEST,
    SCORES,
    SPEC,
    STATS,
    TRANSCRIPTS,
    Manifest,
    SpecFile,
    StatsFile,
    work_folder,
    write_json,
)
from assay.store.manifest import UNREADABLE, file_digest
from assay.store.transcripts import (
    Transcript,
    join_parts,
    long_scores,
    score_schema,
    table_of,
    to_row,
    transcript_schema,
    write_part,
)

TALLY = "tally.json"
ROWS_IN_MEMORY = 1000
TELL_AGAIN_S = 0.5
"""Seconds between two times at which a run on its way says how far it is, at least."""
TRANSCRIPTS_IN_GROUP, SCORES_IN_GROUP = 2_000, 20_000
"""Rows that are compressed together: a score is a hundredth of a transcript."""


class Tally(Record):
    """What a run cost, for its manifest."""

    trials: int = 0
    requests: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    first_asked: float | None = None
    last_asked: float | None = None


def tally_so_far(folder: Path) -> Tally | None:
    """What a run that is being written has cost until about a second ago; `None` where it is not, or has not said yet."""
    file = work_folder(folder) / TALLY
    try:
        return msgspec.json.decode(file.read_bytes(), type=Tally) if regular(file) else None
    except UNREADABLE:
        return None


class Counting:
    """Counts what a run cost, trial by trial."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(("trials", "requests", "failed", "prompt_tokens", "completion_tokens"), 0)
        self._asked: list[float] = []

    def add(self, transcript: Transcript) -> None:
        """Count a trial."""
        counts = self._counts
        counts["trials"] += 1
        counts["requests"] += len(transcript.responses)
        counts["failed"] += transcript.answer.outcome == "failed"
        for response in transcript.responses:
            counts["prompt_tokens"] += response.usage.prompt_tokens
            counts["completion_tokens"] += response.usage.completion_tokens
            if response.asked_at is not None:
                asked = [*self._asked, response.asked_at]
                self._asked = [min(asked), max(asked)]

    @property
    def tally(self) -> Tally:
        """Counts so far."""
        first, last = (self._asked[0], self._asked[-1]) if self._asked else (None, None)
        return Tally(**self._counts, first_asked=first, last_asked=last)


class RunWriter:
    """Takes the transcripts of a run in order and makes a run folder of them.

    Parts are written by a thread, so that whoever adds trials is not held up; one that failed is an error of the next.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._work = work_folder(folder)
        shutil.rmtree(self._work, ignore_errors=True)
        self._work.mkdir(parents=True)
        self._rows: list[dict[str, Any]] = []
        self._scores: list[dict[str, float | None]] = []
        self._parts = 0
        self._thread = ThreadPoolExecutor(1, "assay-writer")
        self._writing: Future[None] | None = None
        self._counting = Counting()
        self._columns = ColumnDigests()
        self._told = 0.0

    def add(self, transcript: Transcript, scored: ScoredTrial) -> None:
        """Add the next trial."""
        self._rows.append(to_row(transcript))
        self._scores.append(scored.scores)
        self._counting.add(transcript)
        if len(self._rows) >= ROWS_IN_MEMORY:
            self._flush()

    def tell(self) -> None:
        """Leave word of how far it is for whoever looks on, unless it was left just now; where it cannot be, nothing is lost.

        To be called after each lot of trials, so that the last of them is counted.
        """
        now = time.monotonic()
        if now - self._told >= TELL_AGAIN_S:
            self._told = now
            draft = self._work / f"{TALLY}.draft"
            with suppress(OSError):
                write_json(draft, self.tally)
                os.replace(draft, self._work / TALLY)

    @property
    def tally(self) -> Tally:
        """Counts so far."""
        return self._counting.tally

    def _flush(self) -> None:
        """Have the rows written once those before them are, so that at most two parts are in memory."""
        self._wait()
        if self._rows:
            self._writing = self._thread.submit(self._write, self._parts, self._rows, self._scores)
            self._rows, self._scores, self._parts = [], [], self._parts + 1

    def _wait(self) -> None:
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

    def _write(self, part: int, rows: list[dict[str, Any]], scores: list[dict[str, float | None]]) -> None:
        transcripts = table_of(rows, transcript_schema())
        self._columns.add(transcripts)
        write_part(self._work / f"transcripts-{part:06d}.parquet", transcripts)
        write_part(self._work / f"scores-{part:06d}.parquet", long_scores(transcripts, scores))

    def finish(self, spec: SpecFile, stats: StatsFile, cost: float | None) -> Manifest:
        """Put the finished run in place and return its manifest."""
        self._flush()
        self._wait()
        self._thread.shutdown()
        tables = ((TRANSCRIPTS, transcript_schema(), TRANSCRIPTS_IN_GROUP), (SCORES, score_schema(), SCORES_IN_GROUP))
        for file, schema, group in tables:
            parts = sorted(self._work.glob(f"{Path(file).stem}-*.parquet"))
            join_parts(parts, self._work / file, schema, group)
        write_json(self._work / SPEC, spec)
        write_json(self._work / STATS, stats)
        manifest = Manifest(
            run=spec.run,
            files={name: file_digest(self._work / name) for name in sorted(CONTENT)},
            cost=cost,
            columns=seals_of(self._columns.digests),
            **{name: getattr(self.tally, name) for name in Tally.__struct_fields__},
        ).sealed()
        write_json(self._work / MANIFEST, manifest)
        for name in (*CONTENT, MANIFEST):
            _sync(self._work / name)
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / MANIFEST).unlink(missing_ok=True)
        for name in (*CONTENT, MANIFEST):
            os.replace(self._work / name, self.folder / name)
        shutil.rmtree(self._work, ignore_errors=True)
        return manifest

    def abandon(self) -> None:
        """Remove what was gathered; the answers stay in the response cache."""
        self._thread.shutdown(cancel_futures=True)
        shutil.rmtree(self._work, ignore_errors=True)


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
