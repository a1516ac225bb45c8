"""Carrying out a suite from the terminal: live progress, then the table and where everything lies."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from assay.cli.console import make_console
from assay.engine import Engine, ResponseCache
from assay.runs import carry_out
from assay.settings import cache_folder
from assay.store.folders import TRANSCRIPTS
from assay.store.transcripts import read_transcripts
from assay.suites import Suite
from assay.tables import suite_table, write_summary
from assay.text import one_line, visible

if TYPE_CHECKING:
    from assay.planning import Planner, Run
    from assay.records import Answer
    from assay.store import RunFolder

PLAIN_EVERY_S = 10.0
"""Seconds between progress lines where the output is not a terminal."""


class TerminalProgress:
    """A bar for each run under way: done, failed, rate, tokens, time left; plain lines where nobody is watching."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._tallies: dict[str, Tally] = {}
        self._said = time.monotonic()
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> TerminalProgress:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def started(self, run: Run) -> None:
        title = one_line(f"{run.title} · {run.label}", 200)
        self._tallies[run.name] = Tally(self._bars.add_task(title, total=run.trials_at_most, note=""))
        self._line(f"asking {title}")

    def rebuilding(self, run: Run, problem: str) -> None:
        said = one_line(f"made again from the answers kept, since its files are damaged: {problem}")
        self.console.print(said, highlight=False, markup=False, soft_wrap=True)

    def advanced(self, run: Run, answer: Answer) -> None:
        tally = self._tallies[run.name]
        tally.add(answer)
        self._bars.update(tally.task, advance=1, note=tally.note())
        if time.monotonic() - self._said > PLAIN_EVERY_S:
            self._said = time.monotonic()
            title = one_line(f"{run.title} · {run.label}", 200)
            self._line(f"  {title}: {tally.done} of at most {run.trials_at_most}, {tally.note()}")

    def finished(self, run: Run) -> None:
        tally = self._tallies[run.name]
        self._bars.update(tally.task, total=tally.done, completed=tally.done)

    def _line(self, text: str) -> None:
        if not self.console.is_terminal:
            self.console.print(text, highlight=False, markup=False, soft_wrap=True)


@dataclass
class Tally:
    """A run's progress."""

    task: TaskID
    done: int = 0
    failed: int = 0
    tokens: int = 0
    since: float = field(default_factory=time.monotonic)

    def add(self, answer: Answer) -> None:
        self.done += 1
        self.failed += answer.outcome == "failed"
        self.tokens += (answer.prompt_tokens or 0) + (answer.completion_tokens or 0)

    def note(self) -> str:
        """`3 failed, 12/s, 4,096 tokens`."""
        rate = self.done / max(time.monotonic() - self.since, 0.1)
        failed = f"{self.failed} failed, " if self.failed else ""
        return f"{failed}{rate:.3g}/s, {self.tokens:,} tokens"


def carry_out_suite(planner: Planner, suite: Suite, allowed: tuple[float, bool], as_json: bool) -> int:
    """Carry out a suite and print the result; the exit code.

    Args:
        planner: resolves the suite.
        suite: what to run.
        allowed: failed trials allowed, and whether as a share.
        as_json: print JSON on standard output and progress on standard error.
    """
    console = make_console(stderr=as_json)
    cache = ResponseCache(cache_folder() / "responses.sqlite")
    planner.engine = Engine(cache)
    try:
        runs = planner.plan(suite)
        with TerminalProgress(console) as progress:
            folders = carry_out(runs, planner.engine, progress)
    except KeyboardInterrupt:
        sys.stderr.write("stopped; every answer so far is kept, and the same command goes on from here\n")
        return 130
    finally:
        cache.close()
    report(folders, console, as_json)
    return _exit_code(folders, allowed)


def report(folders: list[RunFolder], console: Console, as_json: bool) -> None:
    """Print the table of some runs and write their summary beside them."""
    summary = write_summary(folders)
    if as_json:
        import msgspec

        plain = [{"folder": str(folder.path), **msgspec.to_builtins(folder.stats())} for folder in folders]
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n")
        return
    table = suite_table([folder.stats() for folder in folders])
    table.print(console)
    console.print(f"\nreport:   {summary}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"runs:     {folders[0].path.parent}/", highlight=False, markup=False, soft_wrap=True)
    console.print(f"look in:  assay show {folders[0].path} --trials 3", highlight=False, markup=False, soft_wrap=True)


def _exit_code(folders: list[RunFolder], allowed: tuple[float, bool]) -> int:
    stats = [folder.stats() for folder in folders]
    failed, trials = sum(run.failed for run in stats), sum(run.trials for run in stats)
    limit, share = allowed
    if failed > (limit * trials if share else limit):
        why = most_frequent_failure(folders)
        sys.stderr.write(f"error: {failed} of {trials} trials failed ({why}); the same command asks them again\n")
        return 3
    return 0


def most_frequent_failure(folders: list[RunFolder]) -> str:
    """The commonest reason of failed trials, on one line."""
    reasons = Counter(
        row["error"] for folder in folders for row in read_transcripts(folder.path / TRANSCRIPTS) if row["error"] is not None
    )
    reason, count = reasons.most_common(1)[0]
    return f"{count} of them: {visible(' '.join(reason.split()), 300)}"
