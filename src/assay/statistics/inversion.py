"""A sum of sizes of gaps, such as a calibration error, with a 95 % interval by inverting a test.

    value = sum over the parts of |sum of the gaps of the answers in the part| / n

Chance makes every gap larger in size, so the value is too large, most where the gaps are small, and so is every resample of it.
The interval therefore holds each true value under which the one at hand is not unusual (test inversion: Carpenter 1999): for a
true value t, gaps of the same size t in every part, with the signs at hand, plus deviations as the bootstrap of clusters shows
them, give the 2.5 % and the 97.5 % quantile between which the value lies. Deviations are enlarged by sqrt(m / (m - 1)), where m
is the number of clusters in a part, because a resample of m varies by so much less.

A sum of sizes is at least the size of the sum. So both ends are at least those of the interval of the mean gap.

In simulations with n = 50 to 1000 the interval of a calibration error over ten bins holds the truth in 93 to 98 of 100, and
in 99 of 100 where 50 answers are too sure in some bins and too humble in others.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.records import Estimate
from assay.statistics.estimates import Bounds, clipped, rounded, t_quantile
from assay.statistics.resampling import replicates_for, resamples, sums_of_lists

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

STEPS = 40
"""True values that are tried, between which the quantiles are interpolated."""
FURTHEST = 5.0
"""How many standard deviations above the value the largest of them lies."""


def interval_of_sizes(
    value: float, gaps: tuple[Floats, Integers], clusters: Integers, bounds: Bounds, seed_and_cell: tuple[int, str]
) -> Estimate:
    """A sum of sizes of gaps over one cell.

    Args:
        value: the metric, which may have been freed from what chance adds; the interval is for the true sum all the same.
        gaps: the gap of each answer, and the number of its part.
        clusters: number of the independent unit of each answer, all of those from 0, at least two.
        bounds: smallest and largest possible value.
        seed_and_cell: the run's seed and the name of the cell, which fix every draw.
    """
    import numpy as np

    own, shares, moved = _deviations(gaps, clusters, seed_and_cell)
    n, count = len(clusters), int(clusters.max()) + 1
    error = float(moved.sum(axis=1).std(ddof=1))
    low, high = _inverted(own, shares, moved)
    reach = t_quantile(count - 1) * error
    size = abs(float(own.sum()))
    low, high = (rounded(clipped(end, bounds)) for end in (max(low, size - reach), max(high, size + reach)))
    return Estimate(
        value=value,
        low=min(low, value),
        high=max(high, value),
        n=n,
        clusters=count,
        stderr=rounded(float(np.abs(own + moved).sum(axis=1).std(ddof=1))),
        method=f"bootstrap, test inversion, {len(moved)} replicates",
    )


def _deviations(
    gaps: tuple[Floats, Integers], clusters: Integers, seed_and_cell: tuple[int, str]
) -> tuple[Floats, Floats, Floats]:
    """The gap and the share of each part, shape (parts,), and how far each resample moves the gaps, (resamples, parts)."""
    import numpy as np

    each, part = gaps
    n, count, parts = len(each), int(clusters.max()) + 1, int(part.max()) + 1
    sizes = np.bincount(part, minlength=parts)
    own, shares = np.bincount(part, weights=each, minlength=parts) / n, sizes / n
    by_part = np.argsort(part, kind="stable")
    values = np.concatenate((each[by_part], np.ones(n)))  # the last list counts answers, which clusters of unequal size need
    places = np.concatenate((clusters[by_part], clusters))
    starts = np.concatenate(([0], np.cumsum(sizes)))
    blocks = resamples(np.arange(count), replicates_for(n), *seed_and_cell)
    drawn = np.concatenate([sums_of_lists(values, places, starts, weights) for weights in blocks])
    in_a_part = max(2.0, count / parts)
    return own, shares, (drawn[:, :-1] / drawn[:, -1:] - own) * math.sqrt(in_a_part / (in_a_part - 1))


def _inverted(own: Floats, shares: Floats, moved: Floats) -> tuple[float, float]:
    """The smallest and the largest true sum under which the one at hand is not unusual."""
    import numpy as np

    value = float(np.abs(own).sum())
    signs = np.where(own < 0, -1.0, 1.0) * shares
    truths = np.linspace(0.0, value + FURTHEST * float(np.abs(moved).sum(axis=1).mean() + moved.sum(axis=1).std()), STEPS)
    values = np.array([np.abs(truth * signs + moved).sum(axis=1) for truth in truths])
    ends = np.maximum.accumulate(np.quantile(values, [0.025, 0.975], axis=1).T, axis=0)
    low = 0.0 if ends[0, 1] >= value else float(np.interp(value, ends[:, 1], truths))
    return low, float(np.interp(value, ends[:, 0], truths))
