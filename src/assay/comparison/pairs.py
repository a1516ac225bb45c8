"""Paired differences of all pairs of candidates on the same instances, at once.

The difference of two candidates is the mean of d = value of the first - value of the second over the instances that both have
a value for. What makes instances hard is in both values and cancels (Miller 2024, arXiv 2411.00640, sections 2.2 and 4):

    se = sqrt(C / (C - 1) * sum over clusters of (sum over the cluster of (d - mean))^2) / n

with C clusters, and Student's t with C - 1 degrees of freedom. Where every instance is its own cluster and every value one yes
or no, the interval is that of Bonett and Price (2012, J. Educ. Behav. Stat. 37), which adds one instance to either kind of
disagreement, and the test is the exact one of McNemar: given b + c disagreements, those for the first are as heads of a coin.
Where bounded values are such that fewer than ten instances differ from the usual difference, two instances are added in the
same way, so that no finite number of instances shows equality. Unbounded values that never vary get no interval.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from assay.comparison.matrices import Matrix
from assay.statistics.estimates import Z95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats, Integers

SAME = 1e-12
"""Values that differ by no more are equal: they are means of the same few numbers."""
POWER_QUANTILE = 0.8416212335729143
"""The 80 % quantile of the normal distribution: a detectable difference is found 4 times in 5."""
FEW = 10
"""Instances apart from the usual difference, below which a t interval is not to be trusted."""
AT_ONCE = 4_000_000
"""Paired values that are held against each other at once: 32 megabytes, several times."""
LEVEL = 0.05
"""Chance of a finding where there is nothing to find."""


@dataclass(frozen=True)
class Differences:
    """All pairs, first before second in the order of the matrix; each field has one number a pair, NaN where there is none."""

    first: Integers
    second: Integers
    value: Floats
    low: Floats
    high: Floats
    stderr: Floats
    items: Integers
    clusters: Integers
    first_ahead: Integers
    second_ahead: Integers
    p: Floats
    correlation: Floats
    exact: NDArray[np.bool_]
    """Whether the test is McNemar's."""

    def detectable(self, comparisons: int) -> Floats:
        """The true difference that is found 4 times in 5 at the level shared by so many comparisons (Bonferroni's)."""
        from scipy.special import ndtri

        found: Floats = (POWER_QUANTILE - float(ndtri(LEVEL / (2 * max(1, comparisons))))) * self.stderr
        return found


def paired_differences(matrix: Matrix) -> Differences:
    """The differences of all pairs of candidates."""
    import numpy as np

    first, second = np.triu_indices(len(matrix.candidates), k=1)
    counted, correlation = _counted(matrix), _correlations(matrix.values, first, second)
    step = max(1, AT_ONCE // matrix.values.shape[1])
    some = [slice(start, start + step) for start in range(0, max(1, len(first)), step)]
    parts = [_differences(matrix, (first[held], second[held]), counted, correlation[held]) for held in some]
    if len(parts) == 1:
        return parts[0]
    return Differences(**{each.name: np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(parts[0])})


def _differences(
    matrix: Matrix, pairs: tuple[Integers, Integers], counted: NDArray[np.bool_], correlation: Floats
) -> Differences:
    """Those of some pairs, given which candidates have values that are all one of two bounds."""
    import numpy as np
    from scipy.special import stdtr, stdtrit

    first, second = pairs
    apart = matrix.values[first] - matrix.values[second]
    there = ~np.isnan(apart)
    items = there.sum(axis=1)
    apart = np.where(there & (np.abs(apart) > SAME), apart, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = apart.sum(axis=1) / items
        sums, has = _by_cluster(np.where(there, apart - value[:, None], 0.0), there, matrix.clusters)
        clusters = has.sum(axis=1)
        stderr = np.sqrt(clusters / (clusters - 1) * (sums * sums).sum(axis=1)) / items
    ahead, behind = (apart > 0).sum(axis=1), (apart < 0).sum(axis=1)
    enough = clusters > 1
    stderr = np.where(enough, stderr, np.nan)
    alike = enough & (stderr <= SAME * (1 + np.abs(value)))
    quantile = np.where(enough, stdtrit(np.maximum(clusters - 1, 1), 0.975), np.nan)
    low, high = value - quantile * stderr, value + quantile * stderr
    with np.errstate(invalid="ignore", divide="ignore"):
        p = np.where(enough, 2 * stdtr(np.maximum(clusters - 1, 1), -np.abs(value) / stderr), np.nan)
    p = np.where(alike, np.where(ahead + behind == 0, 1.0, np.minimum(1.0, 2.0 * 0.5 ** clusters.astype(float))), p)
    exact = enough & counted[first] & counted[second] & (clusters == items)
    p = np.where(exact, _mcnemar(ahead, behind), p)
    width = _width(matrix)
    if width is not None:
        added = exact.copy()
        added[~exact] = enough[~exact] & _is_rare(apart[~exact], there[~exact])
        centre, error = _with_two_more(value, stderr, clusters, width)
        quantile = np.where(exact, Z95, quantile)
        stderr = np.where(added, error, stderr)
        low = np.where(added, centre - quantile * error, low)
        high = np.where(added, centre + quantile * error, high)
        low, high = np.minimum(np.maximum(low, -width), value), np.maximum(np.minimum(high, width), value)
    else:
        low, high, stderr = (np.where(alike, np.nan, ends) for ends in (low, high, stderr))
    counts = (items, clusters, ahead, behind)
    return Differences(first, second, value, low, high, stderr, *counts, p, correlation, exact)


def _by_cluster(values: Floats, there: NDArray[np.bool_], clusters: Integers) -> tuple[Floats, NDArray[np.bool_]]:
    """Sums over clusters, and whether a cluster has a value at all; both of shape (pairs, clusters)."""
    import numpy as np

    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    if len(starts) == len(order):
        return values, there
    return np.add.reduceat(values[:, order], starts, axis=1), np.logical_or.reduceat(there[:, order], starts, axis=1)


def _width(matrix: Matrix) -> float | None:
    """The largest possible difference of two values; `None` where there is none."""
    low, high = matrix.metric.range
    return None if low is None or high is None else high - low


def _counted(matrix: Matrix) -> NDArray[np.bool_]:
    """Whether each candidate's values are all one of two bounds."""
    import numpy as np

    if _width(matrix) is None:
        return np.zeros(len(matrix.candidates), dtype=bool)
    low, high = matrix.metric.range
    found: NDArray[np.bool_] = np.all(np.isnan(matrix.values) | (matrix.values == low) | (matrix.values == high), axis=1)
    return found


def _mcnemar(first: Integers, second: Integers) -> Floats:
    """The exact two-sided p value of McNemar: 2 P(X <= min(b, c)) for X of b + c tosses of a coin."""
    import numpy as np
    from scipy.special import bdtr

    found: Floats = np.minimum(1.0, 2 * bdtr(np.minimum(first, second), first + second, 0.5))
    return found


def _is_rare(apart: Floats, there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether nearly all differences of a pair are the same one: fewer than ten are another, and fewer than half."""
    import numpy as np

    usual = np.zeros(len(apart))
    for row in range(len(apart)):
        if there[row].any():
            usual[row] = np.median(apart[row, there[row]])
    others = (there & (np.abs(apart - usual[:, None]) > SAME)).sum(axis=1)
    found: NDArray[np.bool_] = others < np.minimum(FEW, there.sum(axis=1) / 2)
    return found


def _with_two_more(value: Floats, stderr: Floats, clusters: Integers, width: float) -> tuple[Floats, Floats]:
    """The mean and its standard error if two clusters were added, the one with the largest difference, the other with the
    smallest. Of yes and no this is Bonett's and Price's: ((b + 1) - (c + 1)) / (n + 2), and so on."""
    import numpy as np

    size = clusters + 2
    centre = clusters * value / size
    squares = (clusters * ((clusters - 1) * stderr**2 + value**2) + 2 * width**2) / size
    return centre, np.sqrt((squares - centre**2) / size)


def _correlations(values: Floats, first: Integers, second: Integers) -> Floats:
    """Pearson's correlation of each pair over the instances that both have a value for; NaN where one does not vary."""
    import numpy as np

    there = ~np.isnan(values)
    shift = np.nanmean(values, axis=1, keepdims=True) if there.any(axis=1).all() else 0.0
    held = np.where(there, values - shift, 0.0)
    seen = there.astype(float)
    n = seen @ seen.T
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (held @ seen.T) / n  # [i, j]: of i where j has a value
        squares = (held * held) @ seen.T / n - means * means
        products = (held @ held.T) / n - means * means.T
        deviations = np.sqrt(np.maximum(squares * squares.T, 0.0))
        matrix = np.where(deviations > SAME, products / deviations, np.nan)
    found: Floats = np.clip(matrix[first, second], -1.0, 1.0)
    return found
