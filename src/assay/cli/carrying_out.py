"""Carrying out a suite from the terminal: live progress, then the table and where everything lies."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from assay.cli.console import make_console
from assay.cli.stopping import CODE, STOPPED, STOPS, StopSignals
from assay.cli.watching import PlainLines, SuiteProgress, Watcher
from assay.engine import Engine, FailureBudget, ResponseCache
from assay.engine.stopping import Stopped
from assay.errors import AssayError
from assay.runs import Progress, carry_out
from assay.settings import responses_file
from assay.store.folders import TRANSCRIPTS
from assay.store.planned import PlannedRun, SuitePlan, write_plan
from assay.store.transcripts import marks, read_transcripts
from assay.suites import Suite
from assay.tables import advice, plan_notes, stats_of, suite_table, told_apart, write_summary
from assay.text import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console

    from assay.engine import Event
    from assay.planning import Planner, Run
    from assay.store import RunFolder

FEW_NAMED = 3
"""Scenarios that a note names."""
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


Work = Callable[["Planner", Suite, Engine, Progress], list["RunFolder"]]
"""What is to be done with a suite: the finished runs."""


def everything(planner: Planner, suite: Suite, engine: Engine, progress: Progress) -> list[RunFolder]:
    """All runs of a suite, to their ends."""
    runs = planner.plan(suite)
    write_down(suite, runs, planner.left_out)
    return carry_out(runs, engine, progress)


def carry_out_suite(planner: Planner, suite: Suite, allowed: Allowed, telling: Telling, work: Work = everything) -> int:
    """Carry out a suite and print the result; the exit code. Progress goes to standard error."""
    folders = asked(planner, suite, allowed, telling, work)
    if isinstance(folders, int):
        return folders
    report(folders, make_console(stderr=telling.events == "-"), telling.as_json)
    sys.stderr.writelines(f"{line}\n" for line in (*few_usable(folders), *without_marks(folders)))
    return _exit_code(folders, allowed)


def asked(planner: Planner, suite: Suite, allowed: Allowed, telling: Telling, work: Work) -> list[RunFolder] | int:
    """Do some work that asks models, as stoppable and watched as any; the runs, or the exit code of work that was stopped."""
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
                folders = work(planner, suite, engine, progress)
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
    return folders


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


def write_down(suite: Suite, runs: Sequence[Run], left_out: Sequence[str], notes: Sequence[str] = ()) -> None:
    """What is to be in the suite's folder: a suite that is broken off says then what it lacks."""
    names = told_apart([run.spec for run in runs], [run.title for run in runs])
    planned = [
        PlannedRun(
            run=run.name,
            title=title,
            label=label,
            scenario="" if title == run.title else run.title,
            candidate="" if label == run.label else run.label,
            trials_at_most=run.trials_at_most,
        )
        for run, (title, label) in zip(runs, names, strict=True)
    ]
    said = (*notes, *peeking(runs))
    plan = SuitePlan(runs=tuple(planned), left_out=tuple(left_out), notes=said, suite=msgspec.to_builtins(suite))
    write_plan(runs[0].folder.parent, plan)


def peeking(runs: Sequence[Run]) -> list[str]:
    """A note of the baselines that know the answers of the items they are asked."""
    labels = dict.fromkeys(run.label for run in runs if run.peeks)
    titles = dict.fromkeys(run.title for run in runs if run.peeks)
    more = f" and {len(titles) - FEW_NAMED} more" if len(titles) > FEW_NAMED else ""
    shown = ", ".join(list(titles)[:FEW_NAMED]) + more
    told = f"{', '.join(labels)}: where there are no train rows ({shown}), shares of answers are those of the items asked."
    return [told] if labels else []


def _worked(progress: SuiteProgress) -> bool:
    """The models cannot all be named or described wrongly."""
    return progress.tallies is not None and progress.tallies.worked


def report(folders: list[RunFolder], console: Console, as_json: bool) -> None:
    """Print the table of some runs and write their summary beside them."""
    summary = write_summary(folders)
    if as_json:
        plain = [{"folder": str(folder.path), **msgspec.to_builtins(folder.stats())} for folder in folders]
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n")
        return
    table = suite_table(stats_of(folders))
    table.notes += plan_notes(folders[0].path.parent, told=True)
    table.print(console)
    console.print(f"\nreport:   {summary}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"runs:     {folders[0].path.parent}/", highlight=False, markup=False, soft_wrap=True)
    console.print(f"look in:  assay show {folders[0].path} --trials 3", highlight=False, markup=False, soft_wrap=True)


def few_usable(folders: Sequence[RunFolder]) -> Iterator[str]:
    """A line for each run with few usable answers: the likely reason, and what would mend it."""
    specs = [folder.spec_file().spec for folder in folders]
    yield from (f"warning: {one_line(line)}" for line in advice(list(zip(specs, stats_of(folders), strict=True))))


def without_marks(folders: Sequence[RunFolder]) -> Iterator[str]:
    """A line for each run whose judge left answers without a mark: how many, why, and how to have it asked again."""
    for folder in folders:
        judged = any("judge" in named.parameters for named in folder.spec_file().spec.metrics)
        found = marks(folder.path / TRANSCRIPTS) if judged else None
        if found is None or not (found.failed or found.unread):
            continue
        stats, judge = folder.stats(), visible(found.judge)
        reasons, hints = [], [f"`assay show {folder.path} --trials 3` shows its replies"]
        if found.unread:
            reasons.append(f"{found.unread} replies hold no mark on the scale")
            hints.append("docs/own_cases.md says how to have it asked again")
        if found.failed:
            reasons.append(f"{found.failed} requests failed")
            hints.append("the same command asks those that failed again")
        gave = f"judge {judge} gave no mark for {found.failed + found.unread} of {found.asked} answers"
        yield f"warning: {one_line(f'{stats.title} · {stats.label}')}: {gave}: {', '.join(reasons)}; {'; '.join(hints)}"


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
