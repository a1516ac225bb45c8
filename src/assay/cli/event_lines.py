"""Progress for machines: JSON lines, one an event. docs/running.md lists them with their fields."""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from assay.cli.tallies import RunTally, Tallies
from assay.cli.watching import Pulse, Watcher
from assay.errors import AssayError
from assay.text import one_line

if TYPE_CHECKING:
    from assay.engine import Event

EVERY_S = 2.0
"""Seconds between two events `progress`."""
TOLD = frozenset({"retry", "failed", "pause", "limit", "down"})
"""What is told of the engine's events; those of single answers would be one a request."""


class EventLines(Watcher):
    """Writes events to a file as they happen, after what it holds already, or to standard output where it is `-`.

    Raises:
        AssayError: the file cannot be written.
    """

    def __init__(self, target: str) -> None:
        self._tallies: Tallies | None = None
        self._pulse: Pulse | None = None
        self._began = time.monotonic()
        self._file: TextIO | None
        try:
            self._file = sys.stdout if target == "-" else Path(target).open("a", encoding="utf-8")  # noqa: SIM115 - closed in ends
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise AssayError(f"--events {target}: cannot be written: {reason}", "name another file, or -") from None

    def begins(self, tallies: Tallies) -> None:
        self._tallies = tallies
        state = tallies.state()
        self._write("suite_started", runs=state.runs, trials_at_most=state.trials_at_most)
        self._pulse = Pulse(itertools.repeat(EVERY_S), self._progress)

    def started(self, tally: RunTally) -> None:
        run = tally.run
        self._write(
            "run_started",
            run=run.name,
            scenario=one_line(run.title),
            candidate=one_line(run.label),
            model=one_line(run.spec.model.name),
            trials_at_most=tally.trials_at_most,
        )

    def finished(self, tally: RunTally) -> None:
        self._write(
            "run_finished",
            run=tally.run.name,
            folder=str(tally.run.folder),
            trials=tally.trials,
            cached=tally.cached,
            failed=tally.failed,
        )

    def happened(self, event: Event) -> None:
        if event.what in TOLD:
            message = one_line(event.message)
            self._write(event.what, model=one_line(event.model), kind=event.kind, message=message, wait_s=event.wait_s)

    def say(self, text: str) -> None:
        self._write("note", message=one_line(text))

    def ends(self, outcome: str) -> None:
        if self._pulse is not None:
            self._pulse.stop()
        state = msgspec.to_builtins(self._tallies.state()) if self._tallies else {}
        self._write("suite_finished", outcome=outcome, seconds=round(time.monotonic() - self._began, 3), **state)
        if self._file is not None and self._file is not sys.stdout:
            self._file.close()
        self._file = None

    def _progress(self) -> None:
        if self._tallies is not None:
            self._write("progress", **msgspec.to_builtins(self._tallies.state()))

    def _write(self, event: str, **fields: Any) -> None:
        if self._file is None:
            return
        line = msgspec.json.encode({"event": event, "at": round(time.time(), 3), **fields}).decode()
        try:
            self._file.write(line + "\n")
            self._file.flush()
        except (OSError, ValueError) as error:
            # Whoever read them has gone, or the disk is full: no reason to end what they tell of.
            self._file = None
            sys.stderr.write(f"warning: no more events can be written: {one_line(str(error))}\n")
