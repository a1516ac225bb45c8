"""Whoever watches a suite being carried out: told of each run's beginning and end, and from time to time how far it is."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.cli.amounts import shown_span
from assay.cli.tallies import RunTally, State, Tallies
from assay.text import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from assay.engine import Engine, Event
    from assay.planning import Run
    from assay.store.transcripts import Transcript

PLAIN_PAUSES_S = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0)
"""Seconds between lines where nobody sits at a terminal; the last one stays."""
MOST_REASONS = 3
"""Kinds of failures that the last line names."""


class Watcher:
    """Is told how it goes; does nothing with it."""

    def begins(self, tallies: Tallies) -> None:
        """The first request is about to be sent."""

    def started(self, tally: RunTally) -> None:
        """A run's first trial is about to be asked."""

    def finished(self, tally: RunTally) -> None:
        """A run has been written."""

    def happened(self, event: Event) -> None:
        """The engine did something worth showing."""

    def say(self, text: str) -> None:
        """Something a person should read."""

    def ends(self, outcome: str) -> None:
        """Nothing more is asked. Called once, whether anything began or not."""


class SuiteProgress:
    """Follows `assay.runs.carry_out`, and tells the watchers.

    Args:
        engine: its counts are shown.
        watchers: are told.
        on_begin: called in the event loop, by the task that carries the suite out.
    """

    def __init__(self, engine: Engine, watchers: Sequence[Watcher], on_begin: Callable[[], None] = lambda: None) -> None:
        self.tallies: Tallies | None = None
        self._engine = engine
        self._watchers = watchers
        self._on_begin = on_begin
        self._waits = False

    def begins(self, runs: Sequence[Run]) -> None:
        self._on_begin()
        if self.tallies is not None:  # runs that were another process's until now
            self.tallies.add(runs)
            return
        self.tallies = Tallies(runs, self._engine)
        for watcher in self._watchers:
            watcher.begins(self.tallies)

    def started(self, run: Run) -> None:
        tally = self._tally(run)
        tally.started = True
        for watcher in self._watchers:
            watcher.started(tally)

    def waiting(self, run: Run) -> None:
        if not self._waits:
            self._waits = True
            self.say(one_line(f"waiting for another process that writes {run.title} · {run.label}"))

    def rebuilding(self, run: Run, problem: str) -> None:
        said = f"{run.title} · {run.label}: made again from the answers kept, since its files are damaged: {problem}"
        self.say(one_line(said))

    def advanced(self, run: Run, transcript: Transcript) -> None:
        assert self.tallies is not None
        self.tallies.advance(run, transcript)

    def finished(self, run: Run) -> None:
        tally = self._tally(run)
        tally.finished = True
        tally.trials_at_most = tally.trials
        for watcher in self._watchers:
            watcher.finished(tally)

    def say(self, text: str) -> None:
        """Have all watchers say something."""
        for watcher in self._watchers:
            watcher.say(text)

    def ends(self, outcome: str) -> None:
        """Nothing more is asked: `finished`, `interrupted`, `stopped` (too many failures, an endpoint down) or `error`."""
        for watcher in self._watchers:
            watcher.ends(outcome)

    def _tally(self, run: Run) -> RunTally:
        assert self.tallies is not None
        return self.tallies.runs[run.name]


class Pulse:
    """Calls a function after each of some pauses, in a thread of its own, until it is stopped."""

    def __init__(self, pauses_s: Iterable[float], beat: Callable[[], None]) -> None:
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(iter(pauses_s), beat), name="assay-progress", daemon=True)
        self._thread.start()

    def _run(self, pauses_s: Iterator[float], beat: Callable[[], None]) -> None:
        while not self._stopped.wait(next(pauses_s)):
            beat()

    def stop(self) -> None:
        """Call it no more; returns when a call under way has ended."""
        self._stopped.set()
        self._thread.join()


class PlainLines(Watcher):
    """A line now and then, ever more seldom, for logs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tallies: Tallies | None = None
        self._pulse: Pulse | None = None

    def begins(self, tallies: Tallies) -> None:
        self._tallies = tallies
        state = tallies.state()
        self.say(f"asking {plural(state.runs, 'run')}, at most {plural(state.trials_at_most, 'trial')}")
        pauses = itertools.chain(PLAIN_PAUSES_S, itertools.repeat(PLAIN_PAUSES_S[-1]))
        self._pulse = Pulse(pauses, lambda: self.say("  " + " · ".join(itertools.chain(*summary(tallies.state())))))

    def say(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def ends(self, outcome: str) -> None:
        if self._pulse is not None:
            self._pulse.stop()
        if self._tallies is not None:
            self.say(closing(self._tallies.state()))


def summary(state: State) -> tuple[list[str], list[str]]:
    """The state of a suite in parts: how far it is, and how fast, as far as there is a pace yet."""
    at_most = "" if state.trials == state.trials_at_most else "at most "
    far = [f"{state.trials:,} of {at_most}{state.trials_at_most:,} trials"]
    far.append(f"{state.runs_finished} of {plural(state.runs, 'run')}")
    far += [f"{state.cached:,} cached"] if state.cached else []
    far += [f"{state.failed:,} failed"] if state.failed else []
    if state.paused_s:
        far.append(f"paused for {shown_span(state.paused_s)}: {state.paused_why}")
    elif state.left_s is not None:
        far.append(f"{shown_span(state.left_s)} left")
    fast = [f"{rate(state.requests_per_s)} requests/s"] if state.requests_per_s else []
    fast += [f"{state.tokens_per_s:,.0f} tokens/s"] if state.tokens_per_s >= 0.5 else []
    fast += [f"{state.in_flight:,} in flight of {state.limit:,}"] if state.limit else []
    fast += [f"computing {plural(state.computing, 'request')}"] if state.computing else []
    fast += [f"{state.rate_limited:,} rate-limited"] if state.rate_limited else []
    if state.cost is not None:
        expected = "" if state.cost_expected is None else f" of about {cost(state.cost_expected)}"
        fast.append(f"cost {cost(state.cost)}{expected}")
    return far, fast


def closing(state: State) -> str:
    """What was done, in a line."""
    parts = [f"{plural(state.trials, 'trial')} done, {plural(state.requests, 'new answer')}"]
    why = ["a trial that scores options takes one for each"]
    if state.requests - state.judged < 2 * max(1, state.trials - state.cached):
        why.clear()
    if state.judged:
        why.append("the judge's are among them")
    parts[0] += f" ({'; '.join(why)})" if why else ""
    parts += [f"{state.cached:,} cached"] if state.cached else []
    parts += [f"{state.failed:,} failed"] if state.failed else []
    parts += [f"{plural(state.retries, 'retry', 'retries')} ({_reasons(state.retried)})"] if state.retries else []
    parts += [f"cost {cost(state.cost)}"] if state.cost is not None else []
    return " · ".join(parts)


def _reasons(retried: Mapping[str, int]) -> str:
    """`connection 14, rate limit 2`: the commonest kinds of failures, most frequent first."""
    said = [f"{one_line(kind).replace('_', ' ')} {count:,}" for kind, count in itertools.islice(retried.items(), MOST_REASONS)]
    others = sum(retried.values()) - sum(itertools.islice(retried.values(), MOST_REASONS))
    return ", ".join([*said, *([f"others {others:,}"] if others else [])])


def plural(number: int, one: str, many: str = "") -> str:
    """`1 run`, `2 runs`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def rate(a_second: float) -> str:
    """`0.41`, `17.3`, `1,740`."""
    return f"{a_second:.3g}" if a_second < 999.5 else f"{a_second:,.0f}"


def cost(amount: float) -> str:
    """An amount in the currency of the prices: two digits after the point, or two that are not 0."""
    return f"{amount:,.2f}" if amount >= 1 or amount == 0 else f"{amount:.2g}" if amount >= 1e-4 else "under 0.0001"
