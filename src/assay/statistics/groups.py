"""Differences between groups, with intervals that hold for all of them at once.

The largest of many differences is large by chance alone. So every difference gets an interval of one common critical value,
the 95 % quantile of the largest |difference from its mean| / standard error among all of them, found by resampling clusters
(max-t: Westfall and Young 1993; sup-t: Montiel Olea and Plagborg-Møller 2019). With at least 95 % probability all
intervals hold, hence the true gap lies between the largest of the lower and the largest of the upper ends. That is
conservative where several groups are about equally good; the point estimate of a gap is too large by chance all the same.

Means between bounds get Wilson intervals of that critical value, and their differences are combined from these (MOVER with
correlation: Zou 2007), so that a group without any error keeps its uncertainty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.records import ComputedOn, Estimate
from assay.statistics.bootstrap import replicates_for, resamples
from assay.statistics.estimates import Z95, Bounds, clipped, clustered_mean, interval_of_mean, rounded, t_quantile

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

FEWEST_CLUSTERS = 10
"""A group of fewer independent units is too few to be compared."""


@dataclass(frozen=True)
class Group:
    """The values of one group, a unit each, and their clusters; clusters may appear in several groups."""

    values: Floats
    clusters: Integers
    n: int
    """Trials behind the values."""

    @property
    def is_too_few(self) -> bool:
        """Whether it has too few independent units to be compared."""
        import numpy as np

        return len(np.unique(self.clusters)) < FEWEST_CLUSTERS


def compare_groups(groups: Sequence[Group], bounds: Bounds, better: str, seed: int, cell: str) -> dict[ComputedOn, Estimate]:
    """The largest difference, the ratio of the smallest to the largest mean, and the worst mean.

    Args:
        groups: those that are compared; too small ones are left out and counted in `method`.
        bounds: smallest and largest possible value.
        better: `higher`, `lower` or `neither`; the worst mean is the largest one where lower is better.
        seed: the run's seed.
        cell: name of the comparison; seed and name fix every draw.

    Returns:
        Nothing where fewer than two groups are large enough. No ratio where means may be negative or all are 0.
    """
    compared = [group for group in groups if not group.is_too_few]
    if len(compared) < 2:
        return {}
    means = Means(compared, bounds, seed, cell)
    left_out = len(groups) - len(compared)
    method = f"max-t over {len(compared)} groups" + (f", {left_out} too few" if left_out else "")
    found: dict[ComputedOn, Estimate] = {"gap": means.gap(method), "worst_group": means.worst(better, method)}
    ratio = means.ratio(method)
    return found if ratio is None else found | {"ratio": ratio}


class Means:
    """The means of several groups, their covariance, and how far chance carries the furthest of them."""

    def __init__(self, groups: Sequence[Group], bounds: Bounds, seed: int, cell: str) -> None:
        import numpy as np

        self.bounds = bounds
        self.parts = [part for g in groups if (part := clustered_mean(g.values, g.clusters, bounds)) is not None]
        self.values = [part.value for part in self.parts]
        self.n = sum(group.n for group in groups)
        everyone, codes = np.unique(np.concatenate([group.clusters for group in groups]), return_inverse=True)
        self.clusters = len(everyone)
        influence = np.zeros((self.clusters, len(groups)))
        start = 0
        for column, (group, part) in enumerate(zip(groups, self.parts, strict=True)):
            own = codes[start : start + len(group.values)]
            start += len(group.values)
            correction = math.sqrt(part.clusters / (part.clusters - 1)) / len(group.values)
            influence[:, column] = np.bincount(own, (group.values - part.value) * correction, minlength=self.clusters)
        self.covariance = np.array([[math.fsum((a * b).tolist()) for a in influence.T] for b in influence.T])
        moved = _moved(influence, replicates_for(self.clusters), seed, cell)
        heavier = t_quantile(min(part.clusters for part in self.parts) - 1) / Z95
        self.reach_of_means = heavier * self._reach(moved, np.sqrt(np.diag(self.covariance)))
        first, second = np.triu_indices(len(groups), 1)
        between = [self._error_between(i, j) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
        self.reach_of_differences = heavier * self._reach(moved[:, first] - moved[:, second], np.array(between))

    def gap(self, method: str) -> Estimate:
        """The largest difference between two means."""
        pairs = [(i, j) for i in range(len(self.parts)) for j in range(len(self.parts)) if i != j]
        intervals = {pair: self._difference(*pair) for pair in pairs}
        widest = max(pairs, key=lambda pair: self.values[pair[0]] - self.values[pair[1]])
        value = self.values[widest[0]] - self.values[widest[1]]
        low, high = max(low for low, _ in intervals.values()), max(high for _, high in intervals.values())
        return self._estimate(value, (max(0.0, low), high), self._error_between(*widest), method)

    def worst(self, better: str, method: str) -> Estimate:
        """The lowest mean, or the highest where lower is better."""
        choose = max if better == "lower" else min
        intervals = [self._interval(index, self.reach_of_means) for index in range(len(self.parts))]
        worst = choose(self.parts, key=lambda part: part.value)
        bounds = choose(low for low, _ in intervals), choose(high for _, high in intervals)
        return self._estimate(worst.value, bounds, worst.stderr or 0.0, method)

    def ratio(self, method: str) -> Estimate | None:
        """The smallest mean divided by the largest, 0 to 1; conservative, from the intervals of the means."""
        smallest, largest = self.values.index(min(self.values)), self.values.index(max(self.values))
        low_mean, high_mean = self.values[smallest], self.values[largest]
        if self.bounds[0] is None or self.bounds[0] < 0 or high_mean <= 0:
            return None
        intervals = [self._interval(index, self.reach_of_means) for index in range(len(self.parts))]
        lows, highs = [low for low, _ in intervals], [high for _, high in intervals]
        ratio = low_mean / high_mean
        upper = min(1.0, min(highs) / max(lows)) if max(lows) > 0 else 1.0
        errors = (self.covariance[smallest, smallest], self.covariance[largest, largest], self.covariance[smallest, largest])
        variance = (errors[0] + ratio * ratio * errors[1] - 2 * ratio * errors[2]) / (high_mean * high_mean)
        return self._estimate(ratio, (min(lows) / max(highs), upper), math.sqrt(max(0.0, variance)), method)

    def _reach(self, moved: Floats, errors: Floats) -> float:
        """The 95 % quantile of the largest standardised deviation."""
        import numpy as np

        certain = errors > 0
        if not certain.any():
            return Z95
        return max(Z95, float(np.quantile(np.abs(moved[:, certain] / errors[certain]).max(axis=1), 0.95)))

    def _interval(self, index: int, reach: float) -> tuple[float, float]:
        part = self.parts[index]
        return interval_of_mean(part.value, part.stderr or 0.0, part.clusters, self.bounds, part.method == "wilson", reach)

    def _difference(self, i: int, j: int) -> tuple[float, float]:
        (low_i, high_i), (low_j, high_j) = (self._interval(index, self.reach_of_differences) for index in (i, j))
        errors = math.sqrt(self.covariance[i, i] * self.covariance[j, j])
        correlation = self.covariance[i, j] / errors if errors > 0 else 0.0
        value = self.values[i] - self.values[j]

        def reach(one: float, other: float) -> float:
            return math.sqrt(max(0.0, one * one + other * other - 2 * correlation * one * other))

        below = reach(self.values[i] - low_i, high_j - self.values[j])
        above = reach(high_i - self.values[i], self.values[j] - low_j)
        return value - below, value + above

    def _error_between(self, i: int, j: int) -> float:
        return math.sqrt(max(0.0, self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]))

    def _estimate(self, value: float, interval: tuple[float, float], stderr: float, method: str) -> Estimate:
        low, high = self.bounds
        limits = (None, None) if low is None or high is None else (min(low, 0.0), max(high, high - low))
        return Estimate(
            value=value,
            low=min(value, rounded(clipped(interval[0], limits))),
            high=max(value, rounded(clipped(interval[1], limits))),
            n=self.n,
            clusters=self.clusters,
            stderr=rounded(stderr),
            method=method,
        )


def _moved(influence: Floats, replicates: int, seed: int, cell: str) -> Floats:
    """How far each mean moves in each resample, shape (resamples, groups)."""
    import numpy as np
    from scipy.sparse import csr_array

    sparse = csr_array(influence.T)
    everyone = np.arange(len(influence))
    blocks = [(sparse @ (weights - 1.0).T).T for weights in resamples(everyone, replicates, seed, cell)]
    return np.concatenate(blocks)
