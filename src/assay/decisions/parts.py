"""A measure in one scenario: what it is for each candidate, who lacks it, and what its resamples need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from assay.decisions.answers import ORIGINAL, Asked, Trials
from assay.decisions.counting import counted, meant, pairs, rows_of
from assay.decisions.profile import Costs, Measure
from assay.decisions.resampled import Means, Resampled, Summaries, Totals
from assay.metrics import Columns, Metric
from assay.records import Estimate
from assay.statistics.bootstrap import bootstrap_estimate
from assay.statistics.estimates import Bounds, clustered_mean, unit_means
from assay.statistics.table import Place
from assay.statistics.totals import Clustered, Counts, totals_change, totals_estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats, Integers


@dataclass(frozen=True, eq=False)
class Part:
    """A measure in one scenario, of the candidates that have a run of it."""

    estimates: tuple[Estimate | None, ...]
    """Over the common instances; `None` where nothing was measured."""
    missing: tuple[int, ...]
    """Instances without a value that another candidate has, or whose requests failed."""
    instances: int
    """That have a value for any candidate."""
    resampled: Resampled


def part_of(asked: Asked, measure: Measure, metric: Metric, costs: Costs | None = None) -> Part:
    """A measure in one scenario.

    Args:
        asked: the scenario's trials, with all that the metric needs.
        measure: what is measured.
        metric: its metric.
        costs: what makes the values, where the measure is the expected cost.

    Raises:
        AssayError: a metric fails, or the estimates of a run cannot be read.
    """
    if metric.of_answers is not None:
        return _summary(asked, measure, metric)
    if metric.of_counts is not None:
        return _totals(asked, measure, metric)
    return _means(asked, measure, metric, costs)


def _means(asked: Asked, measure: Measure, metric: Metric, costs: Costs | None) -> Part:
    import numpy as np

    sums, counts = np.zeros((2, len(asked.trials), asked.units))
    estimates, there = [], np.zeros((len(asked.trials), asked.instances), dtype=np.bool_)
    low, high = metric.range
    bounds: Bounds = metric.range
    if measure.on == "change":
        bounds = (None, None) if low is None or high is None else (low - high, high - low)
    for place, trials in enumerate(asked.trials.values()):
        values = trials.value(metric.name) if costs is None else expected_cost(trials, costs)
        found = counted(asked, trials, measure, metric, values)
        there[place, found.instances] = True
        found = found.of(asked.common[found.instances])
        means, clusters = unit_means(found.values, found.units, asked.clusters[found.instances])
        estimate = clustered_mean(means, clusters, bounds)
        estimates.append(None if estimate is None else _counting(estimate, len(found.values)))
        sums[place] = np.bincount(clusters, means, asked.units)
        counts[place] = np.bincount(clusters, minlength=asked.units)
    return Part(tuple(estimates), *_lacking(asked, measure, there), Means(sums, counts))


def _counting(estimate: Estimate, answers: int) -> Estimate:
    """The estimate with the number of answers behind it."""
    return estimate if estimate.n == answers else msgspec.structs.replace(estimate, n=answers)


def expected_cost(trials: Trials, costs: Costs) -> Floats:
    """What each trial costs the deployment: error, abstention or neither, waiting, and the price of its tokens.

    NaN where an answer came and a part that costs something is not known of it: whether it is right, or how long it took.
    """
    import numpy as np

    answered = trials.value("answered") == 1
    error = costs.error * (1 - trials.value(costs.metric or trials.run.main_metric)) if costs.error else 0.0
    wrong = np.where(answered, error, costs.abstention)
    seconds, price = trials.value("latency_s"), np.nan_to_num(trials.value("cost"))
    waiting = costs.latency * np.where(answered, seconds, np.nan_to_num(seconds)) if costs.latency else 0.0
    found: Floats = wrong + waiting + price + costs.answer
    return found


def unknown_costs(asked: Asked, costs: Costs) -> Iterator[str]:
    """A note for each candidate of whose answers a part of the expected cost is known of none, or a price of others only."""
    import numpy as np

    priced = {name: bool(np.isfinite(trials.value("cost")).any()) for name, trials in asked.trials.items()}
    for name, trials in asked.trials.items():
        answered = trials.value("answered") == 1
        metric = costs.metric or trials.run.main_metric
        parts = {"latency_s": (costs.latency, "how long they took (latency_s)")}
        parts[metric] = (costs.error, f"whether they are right ({metric})")
        for column, (price, said) in parts.items():
            if price and answered.any() and not np.isfinite(trials.value(column)[answered]).any():
                yield f"{asked.scenario}: what answers of {name} cost is not known, since of none it is known {said}."
        if not priced[name] and any(priced.values()):
            yield f"{asked.scenario}: what the tokens of {name} cost is not known, and counts as nothing."


def _summary(asked: Asked, measure: Measure, metric: Metric) -> Part:
    import numpy as np

    estimates, answers = [], []
    there = np.zeros((len(asked.trials), asked.instances), dtype=np.bool_)
    for place, trials in enumerate(asked.trials.values()):
        rows = rows_of(asked, trials, measure)
        columns = _some(trials.columns, rows)
        known = columns.known(metric.needs)
        there[place, trials.instance[rows[known]]] = True
        common = asked.common[trials.instance[rows]]
        clusters = asked.clusters[trials.instance[rows]]
        estimate = _cell(asked, trials, measure, metric)
        if estimate is None:
            cell = _place(asked, trials, measure)
            estimate = bootstrap_estimate(metric, columns.take(common), clusters[common], *cell)
        estimates.append(estimate)
        answers.append((_some(columns, np.flatnonzero(known & common)), clusters[known & common]))
    return Part(tuple(estimates), *_lacking(asked, measure, there), Summaries(metric, tuple(answers)))


def _some(columns: Columns, rows: Integers) -> Columns:
    """The columns of some answers, given in order: as a rule of all."""
    return columns if len(rows) == len(columns) else columns.take(rows)


def _cell(asked: Asked, trials: Trials, measure: Measure, metric: Metric) -> Estimate | None:
    """What the run's own tables say, where they are about the very same answers; the interval of a summary takes long."""
    if not bool(asked.common[trials.instance].all()) or (measure.on != "original" and not measure.perturbation):
        return None
    return trials.cells.get((metric.name, asked.split, measure.subgroup or None, measure.perturbation or None, measure.on))


def _place(asked: Asked, trials: Trials, measure: Measure) -> tuple[int, str]:
    """Seed and name that fix the resamples of an estimate, the same ones as in the run's own tables."""
    place = Place(asked.split, measure.subgroup or None, measure.perturbation or None, measure.on)
    return trials.run.file.spec.seed, place.seed_name


def _totals(asked: Asked, measure: Measure, metric: Metric) -> Part:
    """An additive metric over originals or copies, or what it changes from these to those."""
    import numpy as np

    estimates, sums, less = [], [], []
    there = np.zeros((len(asked.trials), asked.instances), dtype=np.bool_)
    for place, trials in enumerate(asked.trials.values()):
        counts = trials.counts[metric.name]
        change = measure.on == "change"
        rows, originals = pairs(asked, trials, measure) if change else (rows_of(asked, trials, measure), None)
        valued = counts.there[rows] if originals is None else counts.there[rows] & counts.there[originals]
        there[place, trials.instance[rows[valued]]] = True
        valued &= asked.common[trials.instance[rows]]
        rows, originals = rows[valued], None if originals is None else originals[valued]
        clusters = asked.clusters[trials.instance[rows]]
        estimate = _cell(asked, trials, measure, metric)
        if estimate is None and len(rows):
            cell = _place(asked, trials, measure)
            estimate = (
                totals_estimate(metric, counts, rows, clusters, cell)
                if originals is None
                else totals_change(metric, counts, (rows, originals), clusters, cell)
            )
        estimates.append(estimate)
        sums.append(_by_cluster(counts, rows, clusters))
        less += [] if originals is None else [_by_cluster(counts, originals, clusters)]
    return Part(tuple(estimates), *_lacking(asked, measure, there), Totals(metric, tuple(sums), tuple(less)))


def _by_cluster(counts: Counts, rows: Integers, clusters: Integers) -> tuple[Clustered, Integers] | None:
    import numpy as np

    if not len(rows):
        return None
    numbers, codes = np.unique(clusters, return_inverse=True)
    return counts.by_cluster(rows, codes), numbers


def _lacking(asked: Asked, measure: Measure, there: NDArray[np.bool_]) -> tuple[tuple[int, ...], int]:
    """Of each candidate: instances without a value (`there`: which have one) that another has, or whose requests failed.

    And how many instances have a value for anybody.
    """
    import numpy as np

    names = [asked.perturbations.index(name) for name in meant(asked, measure)] if measure.on != "original" else []
    lacking = ~there & there.any(axis=0)
    members = asked.members(measure.subgroup)
    for place, trials in enumerate(asked.trials.values()):
        originals = trials.perturbation == ORIGINAL
        copies = np.isin(trials.perturbation, names) if names else np.zeros_like(originals)
        about = np.zeros(asked.instances, dtype=np.bool_)
        about[trials.instance[copies if measure.on != "original" else originals]] = True
        if measure.on == "worst" and names and measure.perturbation not in asked.perturbations:
            about[trials.instance] = True
        failed = np.zeros(asked.instances, dtype=np.bool_)
        failed[trials.instance[(trials.value("failed") == 1) & (copies | originals)]] = True
        lacking[place] |= ~there[place] & failed & about & members
    return tuple(int(count) for count in lacking.sum(axis=1)), int(there.any(axis=0).sum())
