"""`assay run --until`: every run grows until its intervals are narrow enough, whenever that is.

The interval is a confidence sequence over the instances in the order of selection, which is random: it holds after each of
them, so that stopping when it looks good does no harm. It is one for all instances of the scenario, drawn without replacement:
between what lies the value that asking every one of them would give. An instance without a value could have any.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.adaptive.rounds import Growing, Rounds, narrowed, population
from assay.adaptive.targets import Target, check_followed
from assay.engine import Engine
from assay.errors import AssayError, unknown
from assay.metrics import Metric
from assay.planning import Run
from assay.runs import Progress
from assay.statistics.observations import drawn
from assay.statistics.sequences import interval
from assay.store import RunFolder

if TYPE_CHECKING:
    pass

ALPHA = 0.05
FIRST, EARLIEST = 50, 10
"""Instances of the first round, at most and at least: half of those that settle it whatever the answers are."""
LEAST, MOST = 1.1, 2.0
"""After a round so many times as many instances are asked, at least and at most."""


@dataclass(frozen=True)
class Reached:
    """How sure a metric of a run is."""

    target: Target
    metric: Metric
    low: float
    high: float
    value: float
    """NaN where no instance has one."""

    @property
    def settled(self) -> bool:
        """The interval is as narrow as was wanted."""
        return self.high - self.low <= 2 * self.target.within


@dataclass
class Settling:
    """A run with what is wanted of it."""

    growing: Growing
    targets: tuple[tuple[Target, Metric], ...]
    population: int

    def reached(self) -> list[Reached]:
        """How sure each metric is by what was asked."""
        return [self._reached(target, metric) for target, metric in self.targets]

    def _reached(self, target: Target, metric: Metric) -> Reached:
        import numpy as np

        values = self.growing.values[metric.name]
        low_end, high_end = bounds_of(metric)
        aims = (target.within / (high_end - low_end),)
        ends = []
        for side, missing in enumerate((low_end, high_end)):
            filled = np.where(np.isnan(values), missing, values)
            ends.append(float(interval(drawn(filled, self.population, (low_end, high_end)), ALPHA, aims)[side]))
        value = float(np.nanmean(values)) if not np.isnan(values).all() else math.nan
        return Reached(target, metric, ends[0], ends[1], value)

    def more(self) -> int:
        """How many instances the next round asks: about as many as it seems to take, 0 where nothing is wanted any more."""
        asked, most = self.growing.asked, len(self.growing.order)
        if not asked:
            worst = max(self._expected(target, metric) for target, metric in self.targets)
            return min(most, max(EARLIEST, min(FIRST, math.ceil(worst / 2))))
        open_ = [one for one in self.reached() if not one.settled]
        if not open_:
            return 0
        expected = max(self._expected(one.target, one.metric) for one in open_)
        return min(most, max(math.ceil(LEAST * asked), min(expected, math.ceil(MOST * asked)))) - asked

    def _expected(self, target: Target, metric: Metric) -> int:
        """Instances that will settle it, if they vary as those seen, or as much as any can where none is: n / (1 - n / N) =
        2 log(2 / alpha) variance / width^2."""
        import numpy as np

        low, high = bounds_of(metric)
        values = self.growing.values[metric.name]
        seen = np.nanvar(values) * len(values) if len(values) else 0.0
        spread = (seen + (high - low) ** 2 / 4) / (len(values) + 1)
        endless = 2 * math.log(2 / ALPHA) * float(spread) / target.within**2
        return math.ceil(endless / (1 + endless / self.population))


def bounds_of(metric: Metric) -> tuple[float, float]:
    """The smallest and the largest value of a metric that has both."""
    low, high = metric.range
    assert low is not None
    assert high is not None
    return low, high


@dataclass(frozen=True)
class Grown:
    """Runs that were asked until they were sure enough."""

    runs: list[Run]
    """As they were asked, in the order in which they were planned."""
    folders: list[RunFolder]
    notes: list[str]
    """A line on each: how sure it is, and what was saved."""


def grow(planned: Sequence[Run], targets: Sequence[Target], engine: Engine, progress: Progress) -> Grown:
    """Carry out runs until each is sure enough, or has nothing left to ask.

    Args:
        planned: the runs, with all the instances they may ask.
        targets: what each is to be sure of, where it measures that; a run that measures none of it is carried out as planned.
        engine: asks.
        progress: is told.

    Raises:
        AssayError: no run measures a metric that was named, or one of them is not followed; or as `carry_out`.
    """
    settling = [_settling(run, targets) for run in planned]
    for target in targets:
        if not any(target in [wanted for wanted, _ in one.targets] for one in settling):
            known = dict.fromkeys(metric.name for run in planned for metric in run.metrics if metric.of_answer is not None)
            raise unknown("metric of these runs", target.metric, list(known))
    rounds = Rounds(planned, engine, progress)
    while parts := [(one.growing, count) for one in settling if one.targets and (count := one.more())]:
        rounds.ask(parts)
    runs = [_as_asked(one) for one in settling]
    folders = rounds.write(runs, planned)
    return Grown(runs, folders, [_told(one, folder) for one, folder in zip(settling, folders, strict=True)])


def check_suitable(run: Run) -> None:
    """Refuse a run that cannot grow instance by instance.

    Raises:
        AssayError: HELM's way of picking instances, or several splits.
    """
    if run.spec.helm_compat:
        raise AssayError("--until does not go with --helm-compat, which asks what HELM asks", "leave one of them out")
    if len(run.spec.split) > 1:
        raise AssayError(f"--until follows one split, and {run.title} asks {' and '.join(run.spec.split)}", "choose one split")


def _settling(run: Run, targets: Sequence[Target]) -> Settling:
    check_suitable(run)
    wanted = tuple((target, metric) for target in targets if (metric := target.of(run.metrics)) is not None)
    for _, metric in wanted:
        check_followed(metric)
    metrics = [metric for _, metric in wanted] or [run.metrics[0]]
    return Settling(Growing.begin(run, metrics), wanted, population(run) if wanted else len(run.selection.asked))


def _as_asked(one: Settling) -> Run:
    """The run that holds what was asked, which is the planned one where that was everything."""
    growing = one.growing
    return growing.run if not one.targets or growing.asked == len(growing.order) else narrowed(growing.run, growing.asked)


def _told(one: Settling, folder: RunFolder) -> str:
    run, asked, most = one.growing.run, one.growing.asked, len(one.growing.order)
    name = f"{run.title} · {run.label}"
    if not one.targets:
        return f"{name}: asked as planned, for it measures nothing that --until names."
    parts = []
    for found in one.reached():
        within = f"±{found.target.within:g}"
        verdict = f"within {within}" if found.settled else f"not within {within}"
        parts.append(f"{found.metric.name} {verdict}: {found.low:.3f} to {found.high:.3f}")
    requests = folder.manifest().requests
    saved = round(requests * (most - asked) / asked)
    spared = f"about {saved:,} requests fewer than all {most:,} take" if saved else "which is all that it may ask"
    of = f"the value over all {one.population:,} instances, with 95 % at every look"
    return f"{name}: {'; '.join(parts)} ({of}), after {asked:,} of them: {spared}."
