"""How far a suite has come: counts of each run and model, the recent pace, what is left and what it costs.

Whatever shows progress, bars, lines or events, reads the same `State`.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from assay.models import Endpoint
from assay.records import Record
from assay.runs import cost_of
from assay.text import one_line

if TYPE_CHECKING:
    from assay.engine import Counters, Engine
    from assay.models import Model, ModelConfig
    from assay.planning import Run
    from assay.records import Response
    from assay.store.transcripts import Transcript

RECENT_S = 30.0
"""Seconds the pace is measured over."""
LONGEST_TITLE = 120


class State(Record):
    """Where a suite stands."""

    runs: int
    """Runs that are to be carried out; those that lay complete on the disk are not among them."""
    runs_finished: int
    trials: int
    """Trials done, failed ones included."""
    trials_at_most: int
    """All trials, if every perturbation changes every instance."""
    cached: int
    """Trials done whose answers were all kept from before."""
    failed: int
    requests: int
    """Requests newly answered by models, those that judge among them."""
    judged: int
    """Trials done whose answers a judge was newly asked about."""
    retries: int
    retried: dict[str, int]
    """The retries by the kind of the failure before, most frequent first."""
    rate_limited: int
    """Attempts that a rate limit refused."""
    in_flight: int
    """Requests under way to endpoints."""
    computing: int
    """Requests in the batches that models in this process compute."""
    limit: int
    """Most requests under way at once, as the endpoints seem to bear at present."""
    requests_per_s: float
    """New answers a second, recently; those of baselines and recordings, which take no time, left out."""
    tokens_per_s: float
    """Tokens of these answers a second, read and written."""
    prompt_tokens: int
    """Tokens of new answers."""
    completion_tokens: int
    cost: float | None = None
    """What the new answers cost; `None` where no price is known."""
    cost_expected: float | None = None
    """What they will have cost at the end."""
    left_s: float | None = None
    """Seconds that what is still to be asked will take at the recent pace; `None` where there is no pace yet."""
    paused_s: float = 0.0
    """Seconds for which a model is not asked; 0 where none is paused."""
    paused_why: str = ""


@dataclass
class RunTally:
    """How far one run has come."""

    run: Run
    title: str
    trials_at_most: int
    trials: int = 0
    cached: int = 0
    failed: int = 0
    originals: int = 0
    """Trials done that ask an item as it is, and not a copy of it."""
    copied: int = 0
    """Copies done, of those that the first format asks: the others ask none."""
    requests: int = 0
    judged: int = 0
    """Trials done whose answers were put to the judge."""
    newly_judged: int = 0
    started: bool = False
    finished: bool = False

    @property
    def trials_expected(self) -> float | None:
        """About how many trials it has, if as many perturbations go on to change an item as did so far; `None` before any."""
        if self.finished:
            return self.trials
        if not self.trials:
            return None
        spec = self.run.spec
        originals = len(self.run.selection.asked) * spec.draws * spec.repeats
        share = self.copied / max(1, self.originals)
        return max(self.trials, min(self.trials_at_most, originals * (spec.formats + share)))


class _Sample(NamedTuple):
    """A model's counts at a moment."""

    at: float
    asked: int
    kept: int
    """Requests that need no answer of their own: cached, or shared with another in flight."""
    answered: int
    tokens: int


class Tallies:
    """Counts of a suite's runs, with the engine's counts of the models they ask. `state` may be called from any thread."""

    def __init__(self, runs: Sequence[Run], engine: Engine) -> None:
        self.runs: dict[str, RunTally] = {}
        self._engine = engine
        self._models: dict[Model, tuple[Counters, ModelConfig | None]] = {}
        self._recent: dict[Model, deque[_Sample]] = {}
        self._timed: set[Model] = set()
        """Models whose answers took time."""
        self._began = time.time()
        self._lock = threading.Lock()
        self.add(runs)

    def add(self, runs: Sequence[Run]) -> None:
        """Count these runs as well."""
        with self._lock:
            for run in runs:
                for helper in run.helpers.values():
                    self._models.setdefault(helper, (self._engine.counters(helper), None))
                if run.judge is not None:
                    judge = run.judge.model
                    self._models.setdefault(judge, (self._engine.counters(judge), run.judge.config))
                self._models[run.model] = (self._engine.counters(run.model), run.config)
            for model in self._models:
                self._recent.setdefault(model, deque())
            # A new mapping: whoever draws the old one goes on undisturbed.
            self.runs = {**self.runs, **{run.name: RunTally(run, title_of(run), run.trials_at_most) for run in runs}}
        self.state()

    def under_way(self) -> Iterator[RunTally]:
        """The run of each model whose answers come in now: a model's runs are asked ahead, and answered one after the other."""
        seen: set[int] = set()
        for tally in self.runs.values():
            if tally.started and not tally.finished and id(tally.run.model) not in seen:
                seen.add(id(tally.run.model))
                yield tally

    @property
    def worked(self) -> bool:
        """Some model answered something, now or before."""
        return any(counters.answered or counters.cached for counters, _ in self._models.values())

    def counters(self, run: Run) -> Counters:
        """The engine's counts of the model that a run asks."""
        return self._models[run.model][0]

    def advance(self, run: Run, transcript: Transcript) -> None:
        """Count a trial that is done."""
        tally = self.runs[run.name]
        tally.trials += 1
        if transcript.trial.format == 0:
            copied = transcript.trial.instance.perturbation is not None
            tally.copied += copied
            tally.originals += not copied
        if any(response.latency_s is not None for response in transcript.responses):
            self._timed.add(run.model)
        tally.requests += len(transcript.responses)
        tally.failed += transcript.answer.outcome == "failed"
        if transcript.judging is not None:
            tally.judged += 1
            tally.newly_judged += self._new(transcript.judging.response)
        tally.cached += all(self._kept(response) for response in transcript.responses)

    def _kept(self, response: Response) -> bool:
        return response.asked_at is not None and response.asked_at < self._began

    def _new(self, response: Response) -> bool:
        return response.asked_at is not None and not self._kept(response)

    def state(self) -> State:
        """Where the suite stands now."""
        with self._lock:
            return self._state(time.monotonic())

    def _state(self, now: float) -> State:
        tallies = list(self.runs.values())
        counts = [counters for counters, _ in self._models.values()]
        remote = [counters for model, (counters, _) in self._models.items() if isinstance(model, Endpoint)]
        local = [counters for model, (counters, _) in self._models.items() if not isinstance(model, Endpoint)]
        paces = {model: self._pace(model, now) for model in self._models}
        slow = [pace for model, pace in paces.items() if not self._instant(model)]
        spent = [self._spent(model, paces[model]) for model in self._models]
        paused = max(counts, key=lambda one: one.paused_until, default=None)
        retried = sum((one.retried.copy() for one in counts), Counter[str]())
        paused_s = max(0.0, paused.paused_until - now) if paused else 0.0
        return State(
            runs=len(tallies),
            runs_finished=sum(tally.finished for tally in tallies),
            trials=sum(tally.trials for tally in tallies),
            trials_at_most=sum(tally.trials_at_most for tally in tallies),
            cached=sum(tally.cached for tally in tallies),
            failed=sum(tally.failed for tally in tallies),
            requests=sum(one.answered for one in counts),
            judged=sum(tally.newly_judged for tally in tallies),
            retries=retried.total(),
            retried=dict(retried.most_common()),
            rate_limited=sum(one.refused for one in counts),
            in_flight=sum(one.in_flight for one in remote),
            computing=sum(one.in_flight for one in local),
            limit=sum(one.limit for one in remote),
            requests_per_s=sum(pace.requests_per_s for pace in slow),
            tokens_per_s=sum(pace.tokens_per_s for pace in slow),
            prompt_tokens=sum(one.prompt_tokens for one in counts),
            completion_tokens=sum(one.completion_tokens for one in counts),
            cost=_sum([cost for cost, _ in spent]),
            cost_expected=_sum([expected for _, expected in spent]),
            left_s=_longest([pace.left_s for pace in slow]),
            paused_s=paused_s,
            paused_why=one_line(paused.paused_why, 200) if paused and paused_s else "",
        )

    def _instant(self, model: Model) -> bool:
        """A model in this process whose answers take no time: a baseline, a recording."""
        answered = any(tally.trials for tally in self.runs.values() if tally.run.model is model)
        return answered and not isinstance(model, Endpoint) and model not in self._timed

    def _pace(self, model: Model, now: float) -> _Pace:
        """How fast a model answers, and for how long it will at that pace.

        What is kept takes no time to speak of, so only new answers count: those recently given, for the pace; and for what is
        left, the requests that wait for one, and of those that are still to come the share that needed one recently.
        """
        counters = self._models[model][0]
        kept = counters.cached + counters.shared
        recent = self._recent[model]
        tokens = counters.prompt_tokens + counters.completion_tokens
        recent.append(_Sample(now, counters.asked, kept, counters.answered, tokens))
        while len(recent) > 2 and recent[1].at < now - RECENT_S:
            recent.popleft()
        first, last = recent[0], recent[-1]
        seconds, asked = max(last.at - first.at, 1e-3), last.asked - first.asked
        pace = (last.answered - first.answered) / seconds
        share = 1 - (last.kept - first.kept) / asked if asked else 1.0
        to_come = self._to_come(model)
        waiting = last.asked - kept - counters.answered - counters.failed
        # While all that is asked turns out to be kept, nobody knows where that ends.
        to_ask = None if to_come is None or (to_come and not share) else waiting + to_come * share
        left_s = 0.0 if to_ask == 0 else None if to_ask is None or pace == 0 else to_ask / pace
        return _Pace(pace, (last.tokens - first.tokens) / seconds, to_ask, left_s)

    def _to_come(self, model: Model) -> float | None:
        """About how many requests have not been asked yet; `None` before the first trial is done."""
        answers = [(tally, tally.requests) for tally in self.runs.values() if tally.run.model is model]
        judges = [tally for tally in self.runs.values() if tally.run.judge is not None and tally.run.judge.model is model]
        parts = [_expected(part) for part in (answers, [(tally, tally.judged) for tally in judges]) if part]
        known = [part for part in parts if part is not None]
        return max(0.0, sum(known) - self._models[model][0].asked) if len(known) == len(parts) else None

    def _spent(self, model: Model, pace: _Pace) -> tuple[float | None, float | None]:
        """What a model's new answers cost so far, and will have cost at the end."""
        counters, config = self._models[model]
        cost = cost_of(config, counters.prompt_tokens, counters.completion_tokens)
        if cost is None or pace.to_ask is None:
            return cost, None
        return cost, cost + pace.to_ask * cost / max(1, counters.answered)


def _expected(runs: Sequence[tuple[RunTally, int]]) -> float | None:
    """About how many requests some runs make in all, of what each made so far; `None` before the first trial is done."""
    if all(tally.finished for tally, _ in runs):
        return float(sum(made for _, made in runs))
    if not any(tally.trials for tally, _ in runs):
        return None
    begun = [(tally, made, expected) for tally, made in runs if (expected := tally.trials_expected) is not None]
    # Runs that have not begun are taken to be like those that have.
    of_begun = sum(expected * made / max(1, tally.trials) for tally, made, expected in begun)
    at_most = sum(tally.trials_at_most for tally, _, _ in begun)
    others = sum(tally.trials_at_most for tally, _ in runs) - at_most
    return of_begun + others * of_begun / max(1, at_most)


class _Pace(NamedTuple):
    requests_per_s: float
    tokens_per_s: float
    to_ask: float | None
    """Requests that will need a new answer."""
    left_s: float | None


def title_of(run: Run) -> str:
    """A run's scenario and candidate, fit to show."""
    return one_line(f"{run.title} · {run.label}", LONGEST_TITLE)


def _sum(amounts: Sequence[float | None]) -> float | None:
    """The sum of those that are known; `None` where none is."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None


def _longest(spans: Sequence[float | None]) -> float | None:
    """The longest, which decides; `None` where one is not known."""
    known = [span for span in spans if span is not None]
    return max(known) if known and len(known) == len(spans) else None
