"""Carrying out a suite from the terminal: live progress, then the table and where everything lies."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.cli.console import make_console
from assay.cli.stopping import CODE, STOPPED, STOPS, StopSignals
from assay.cli.watching import PlainLines, SuiteProgress, Watcher
from assay.engine import Engine, FailureBudget, ResponseCache
from assay.engine.stopping import Stopped
from assay.errors import AssayError
from assay.runs import carry_out
from assay.settings import responses_file
from assay.store.folders import TRANSCRIPTS
from assay.store.planned import PlannedRun, SuitePlan, write_plan
from assay.store.transcripts import read_transcripts
from assay.suites import Suite
from assay.tables import plan_notes, stats_of, suite_table, told_apart, write_summary
from assay.text import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console

    from assay.engine import Event
    from assay.planning import Planner, Run
    from assay.store import RunFolder

TOO_MANY_FAILURES = 3
"""Exit code."""


@dataclass(frozen=True)
class Allowed:
    """Failed trials that a suite may have."""

    most: float = 0
    """Their number, or their share of all."""
    share: bool = False
    early: bool = False
    """Asking ends as soon as there are more; else only the exit code tells."""


@dataclass(frozen=True)
class Telling:
    """What is shown, and how."""

    as_json: bool = False
    """The result as JSON instead of a table."""
    quiet: bool = False
    """No progress."""
    events: str = ""
    """A file for events as JSON lines, `-` for standard output; empty for none."""

    def __post_init__(self) -> None:
        if self.as_json and self.events == "-":
            raise AssayError("--json and --events - both write to standard output", "give --events the name of a file")


def carry_out_suite(planner: Planner, suite: Suite, allowed: Allowed, telling: Telling) -> int:
    """Carry out a suite and print the result; the exit code. Progress goes to standard error."""
    watchers: list[Watcher] = []
    cache: ResponseCache | None = None
    outcome = "error"
    try:
        watchers += watchers_for(telling)
        cache = ResponseCache(responses_file(), lambda text: _say(watchers, text))
        planner.engine = engine = _engine(cache, allowed, watchers)
        with StopSignals(lambda text: progress.say(text)) as stop:
            progress = SuiteProgress(engine, watchers, stop.began)
            try:
                runs = planner.plan(suite)
                _write_down(runs, planner.left_out)
                folders = carry_out(runs, engine, progress)
                outcome = "finished"
            except STOPS as error:
                if not stop.requested and not isinstance(error, Stopped):
                    raise
                outcome = "interrupted" if stop.requested else "stopped"
                if not stop.requested and not _worked(progress):
                    raise
                problem = STOPPED if stop.requested else f"error: {one_line(str(error))}"
    finally:
        for watcher in watchers:
            watcher.ends(outcome)
        if cache is not None:
            cache.close()
    if outcome != "finished":
        sys.stderr.write(f"{problem}\n")
        return CODE if outcome == "interrupted" else TOO_MANY_FAILURES
    report(folders, make_console(stderr=telling.events == "-"), telling.as_json)
    return _exit_code(folders, allowed)


def watchers_for(telling: Telling) -> list[Watcher]:
    """Who tells the user, as asked for."""
    watchers: list[Watcher] = []
    if telling.events:
        from assay.cli.event_lines import EventLines

        watchers.append(EventLines(telling.events))
    console = make_console(stderr=True)
    if telling.quiet:
        return watchers
    if not console.is_terminal or console.is_dumb_terminal:
        return [*watchers, PlainLines(console)]
    from assay.cli.live import LiveBars

    return [*watchers, LiveBars(console)]


def _say(watchers: Sequence[Watcher], text: str) -> None:
    for watcher in watchers:
        watcher.say(text)


def _engine(cache: ResponseCache, allowed: Allowed, watchers: list[Watcher]) -> Engine:
    def happened(event: Event) -> None:
        for watcher in watchers:
            watcher.happened(event)

    heard = any(type(watcher).happened is not Watcher.happened for watcher in watchers)
    budget = FailureBudget(allowed.most, share=allowed.share) if allowed.early else FailureBudget()
    return Engine(cache, budget=budget, on_event=happened if heard else None)


def _write_down(runs: Sequence[Run], left_out: Sequence[str]) -> None:
    """What is to be in the suite's folder: a suite that is broken off says then what it lacks."""
    names = told_apart([run.spec for run in runs], [run.title for run in runs])
    planned = [PlannedRun(run=run.name, title=title, label=label) for run, (title, label) in zip(runs, names, strict=True)]
    write_plan(runs[0].folder.parent, SuitePlan(runs=tuple(planned), left_out=tuple(left_out)))


def _worked(progress: SuiteProgress) -> bool:
    """The models cannot all be named or described wrongly."""
    return progress.tallies is not None and progress.tallies.worked


def report(folders: list[RunFolder], console: Console, as_json: bool) -> None:
    """Print the table of some runs and write their summary beside them."""
    summary = write_summary(folders)
    if as_json:
        import msgspec

        plain = [{"folder": str(folder.path), **msgspec.to_builtins(folder.stats())} for folder in folders]
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n")
        return
    table = suite_table(stats_of(folders))
    table.notes += plan_notes(folders[0].path.parent)
    table.print(console)
    console.print(f"\nreport:   {summary}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"runs:     {folders[0].path.parent}/", highlight=False, markup=False, soft_wrap=True)
    console.print(f"look in:  assay show {folders[0].path} --trials 3", highlight=False, markup=False, soft_wrap=True)


def _exit_code(folders: list[RunFolder], allowed: Allowed) -> int:
    stats = [folder.stats() for folder in folders]
    failed, trials = sum(run.failed for run in stats), sum(run.trials for run in stats)
    if failed > (allowed.most * trials if allowed.share else allowed.most):
        why = most_frequent_failure(folders)
        sys.stderr.write(f"error: {failed} of {trials} trials failed ({why}); the same command asks them again\n")
        return TOO_MANY_FAILURES
    return 0


def most_frequent_failure(folders: list[RunFolder]) -> str:
    """The commonest reason of failed trials, on one line."""
    reasons = Counter(
        row["error"] for folder in folders for row in read_transcripts(folder.path / TRANSCRIPTS) if row["error"] is not None
    )
    reason, count = reasons.most_common(1)[0]
    return f"{count} of them: {visible(' '.join(reason.split()), 300)}"
