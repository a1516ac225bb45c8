"""A summary of many answers with a 95 % interval, by resampling clusters.

Whole clusters are drawn with replacement (Davison and Hinkley 1997, section 3.8), as many as there are. The interval is the
percentile one; its standard error is the standard deviation of the replicates. For a distance from an ideal, chance makes every
replicate too large, and the percentile interval never reaches an ideal that is attained. Sums of sizes of gaps, such as
calibration errors, have their interval from `inversion`; other distances (smooth calibration, bias) a lower end at the value
minus the 97.5 % quantile of the distance that chance alone produces: by the triangle inequality far enough, often further.

Few clusters that agree must not claim certainty: where the range has two bounds the interval reaches at least as far as that of
a mean with the same standard error (see `estimates`), and for summaries of right and wrong as far as `unseen` says. A summary
that is a plain mean has the interval of a mean in place of a bootstrap; so has a share of sums (F1, a rate; see `totals`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from assay.metrics import Columns, Metric
from assay.metrics.checks import called, number, within
from assay.records import Estimate
from assay.statistics.estimates import ALIKE, Bounds, clipped, clustered_mean, interval_of_mean, rounded
from assay.statistics.inversion import interval_of_sizes
from assay.statistics.resampling import FEWEST, REPLICATES, replicates_for, resamples
from assay.statistics.unseen import unseen

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

SLOW_DRAWS = 500_000
"""Answers drawn in all, at most, for metrics that offer no fast way to compute many resamples at once."""


def bootstrap_estimate(metric: Metric, columns: Columns, clusters: Integers, seed: int, cell: str) -> Estimate | None:
    """A summary metric over one cell.

    Args:
        metric: a metric with `of_answers`.
        columns: the answers of the cell; those without the columns the metric needs are left out.
        clusters: number of the independent unit of each answer, shape (answers,).
        seed: the run's seed.
        cell: name of the cell; seed and name fix every draw.

    Returns:
        The estimate, without bounds where there are fewer than two clusters or where the metric has no value for half of
        the replicates; `None` where the metric has no value at all.

    Raises:
        AssayError: the metric failed, or its value is no finite number inside the range that it declares.
    """
    import numpy as np

    there = columns.known(metric.needs)
    n = int(there.sum())
    if metric.of_answers is None or n == 0:
        return None
    known = columns if n == len(columns) else columns.take(there)
    value = _value(metric, known)
    if value is None:
        return None
    value = within(metric, value, metric.of_answers)
    codes = np.unique(clusters[there], return_inverse=True)[1]
    count = int(codes.max()) + 1
    if count < 2:
        return Estimate(value=value, low=None, high=None, n=n, clusters=count, method="one cluster: no interval")
    mean = clustered_mean(metric.each(known), codes, metric.range) if metric.each else None
    if metric.gaps is not None:
        gaps = called(metric, metric.gaps, known, over="the answers of a cell")
        mean = interval_of_sizes(value, gaps, codes, metric.range, (seed, cell))
    elif mean is None:
        replicates, noise = _replicates(metric, known, codes, seed, cell)
        mean = with_replicates(metric.range, value, (n, count), replicates, noise)
    return _widened(mean, called(metric, unseen, metric, known, count, over="a resample"), metric.range)


def _value(metric: Metric, columns: Columns) -> float | None:
    """A summary of some answers.

    Raises:
        AssayError: the metric failed or gave no number.
    """
    assert metric.of_answers is not None
    return number(metric, called(metric, metric.of_answers, columns, over="the answers of a cell"), metric.of_answers)


def _widened(estimate: Estimate, away: tuple[float, float] | None, bounds: Bounds) -> Estimate:
    """The estimate with an interval that reaches at least so far below and above its value."""
    low, high = (estimate.value, estimate.value) if estimate.method == ALIKE else (estimate.low, estimate.high)
    if away is None or low is None or high is None or (estimate.method == ALIKE and away == (0.0, 0.0)):
        return estimate
    least, greatest = (rounded(clipped(estimate.value + reach, bounds)) for reach in away)
    return msgspec.structs.replace(estimate, low=min(low, least), high=max(high, greatest))


def with_replicates(
    bounds: Bounds,
    value: float,
    counts: tuple[int, int],
    replicates: Floats,
    noise: Floats | None,
    bearing: float | None = None,
) -> Estimate:
    """The estimate that the replicates of a value support.

    Args:
        bounds: smallest and largest possible value.
        value: over the data at hand.
        counts: answers and clusters behind it.
        replicates: the value of each resample, NaN where it has none.
        noise: the distance of each resample from the data, where the metric is a distance from an ideal.
        bearing: clusters that bear a value of sums, which is share-like where it has two bounds: its interval is then that of
            a mean with the spread of the replicates.
    """
    import numpy as np

    n, clusters = counts
    finite = np.sort(replicates[np.isfinite(replicates)])
    if len(finite) < 2 or 2 * len(finite) < len(replicates):
        return Estimate(value=value, low=None, high=None, n=n, clusters=clusters, method="no interval")
    if None in bounds and finite[0] == finite[-1]:
        return Estimate(value=value, low=None, high=None, n=n, clusters=clusters, method=ALIKE)
    low, high = np.quantile(finite, [0.025, 0.975]).tolist()
    method = f"bootstrap, {len(finite)} replicates"
    if noise is not None and np.isfinite(noise).any():
        low = value - float(np.nanquantile(noise, 0.975))
        method = f"bootstrap with noise floor, {len(finite)} replicates"
    spread = rounded(float(finite.std(ddof=1)))
    if None not in bounds:
        least, greatest = interval_of_mean(value, spread, bearing or clusters, bounds)
        share_like = bearing is not None and noise is None
        low, high = (least, greatest) if share_like else (min(low, least), max(high, greatest))
    low, high = (rounded(clipped(bound, bounds)) for bound in (low, high))
    return Estimate(
        value=value, low=min(low, value), high=max(high, value), n=n, clusters=clusters, stderr=spread, method=method
    )


def _replicates(metric: Metric, columns: Columns, clusters: Integers, seed: int, cell: str) -> tuple[Floats, Floats | None]:
    """The metric of each resample, and its noise where it has one."""
    import numpy as np

    blocks = list(_blocks(metric, columns, clusters, seed, cell))
    values = np.concatenate([block for block, _ in blocks])
    noise = None if metric.noise is None else np.concatenate([block for _, block in blocks if block is not None])
    return values, noise


def _blocks(
    metric: Metric, columns: Columns, clusters: Integers, seed: int, cell: str
) -> Iterator[tuple[Floats, Floats | None]]:
    n = len(columns)
    replicates = replicates_for(n) if metric.resampled else max(FEWEST, min(REPLICATES, SLOW_DRAWS // n))
    for weights in resamples(clusters, replicates, seed, cell):
        function = metric.resampled or partial(one_by_one, metric)
        values = called(metric, function, columns, weights, over="a resample")
        yield values, called(metric, metric.noise, columns, weights, over="a resample") if metric.noise else None


def one_by_one(metric: Metric, columns: Columns, weights: Floats) -> Floats:
    """The metric of each resample, NaN where it has no value."""
    import numpy as np

    positions = np.arange(len(columns))
    values = [_value(metric, columns.take(np.repeat(positions, drawn.astype(np.int64)))) for drawn in weights]
    return np.array(values, dtype=np.float64)
