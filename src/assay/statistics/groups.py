"""The largest difference between groups, the ratio and the worst mean, each with an interval meant to hold 95 times in 100.

A gap is the largest of many differences, and the largest is large by chance alone. Its two ends need different care.

- The upper end: the true gap is the difference of one pair, whichever that is, so the largest of the pairs' own upper ends
  holds it without any correction for their number (intersection-union: Berger and Hsu 1996).
- The lower end is the largest of the pairs' lower ends, each with one common critical value: the 95 % quantile of the largest
  standardised deviation among all pairs that may be the widest, by resampling clusters, and never less than for a single pair
  (intersection bounds: Chernozhukov, Lee and Rosen 2013). A pair that is further from the widest one than
  sqrt(2 ln clusters) standard errors is none that may be (moment selection: Andrews and Soares 2010).

So the gap's interval is a difference's where one pair stands out, and starts at 0 in 95 of 100 cases where all are alike.
The interval is for the gap itself, not for every pair at once. Where several pairs are about equally wide, or a gap is small
beside its error, it is conservative (up to 100 %); for groups of fewer than 20 units the simulated coverage is 91 to 99 %. The
point estimate of a gap is too large by chance all the same. Ratio and worst mean are bounded likewise.

Means between bounds get Wilson intervals; differences and ratios are combined from these (MOVER with correlation: Zou 2007,
Donner and Zou 2012), so that a group without any error keeps its uncertainty.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from assay.records import ComputedOn, Estimate
from assay.statistics.estimates import ALIKE, Z95, Bounds, clipped, clustered_mean, interval_of_mean, rounded, t_quantile
from assay.statistics.resampling import replicates_for, resamples, sums_of_lists

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
        Nothing where fewer than two groups are large enough. No bounds where the values of a group have no interval.
        No ratio where means may be negative or all are 0.
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
    """The means of several groups, their covariance, and how far chance carries those that may be the extreme ones."""

    def __init__(self, groups: Sequence[Group], bounds: Bounds, seed: int, cell: str) -> None:
        import numpy as np

        self.bounds = bounds
        self.parts = [part for g in groups if (part := clustered_mean(g.values, g.clusters, bounds)) is not None]
        self.values = np.array([part.value for part in self.parts])
        self.n = sum(group.n for group in groups)
        everyone, codes = np.unique(np.concatenate([group.clusters for group in groups]), return_inverse=True)
        self.clusters = len(everyone)
        starts = np.cumsum([0] + [len(group.values) for group in groups])
        pulls = np.concatenate(
            [
                (group.values - part.value) * math.sqrt(part.clusters / (part.clusters - 1)) / len(group.values)
                for group, part in zip(groups, self.parts, strict=True)
            ]
        )
        own = [slice(*ends) for ends in itertools.pairwise(starts)]
        influence = [np.bincount(codes[there], pulls[there], minlength=self.clusters) for there in own]
        self.covariance = np.array([[math.fsum((a * b).tolist()) for a in influence] for b in influence])
        self.errors = np.sqrt(np.diag(self.covariance))
        self.between = _errors_between(self.covariance)
        blocks = resamples(np.arange(self.clusters), replicates_for(self.clusters), seed, cell)
        self._moved = np.concatenate([sums_of_lists(pulls, codes, starts[:-1], weights) for weights in blocks])
        self._patience = math.sqrt(2 * math.log(self.clusters))
        counted = all(part.method == "wilson" for part in self.parts)
        self._heavier = 1.0 if counted else t_quantile(min(part.clusters for part in self.parts) - 1) / Z95
        self._own = self._intervals(self._heavier * Z95)

    def gap(self, method: str) -> Estimate:
        """The largest difference between two means."""
        value = float(self.values.max() - self.values.min())
        low = self._differences(self._intervals(self._reach_of_pairs))[0].max()
        high = self._differences(self._own)[1].max()
        return self._estimate(value, (max(0.0, float(low)), float(high)), float(self.between[self._widest]), method)

    def worst(self, better: str, method: str) -> Estimate:
        """The lowest mean, or the highest where lower is better."""
        sign = -1.0 if better == "lower" else 1.0
        outer, inner = self._own, self._intervals(self._reach_of_means(sign))
        place = int((sign * self.values).argmin())
        interval = (outer[0].min(), inner[1].min()) if sign > 0 else (inner[0].max(), outer[1].max())
        return self._estimate(float(self.values[place]), interval, float(self.errors[place]), method)

    def ratio(self, method: str) -> Estimate | None:
        """The smallest mean divided by the largest, 0 to 1."""
        largest, smallest = self._widest
        high_mean = float(self.values[largest])
        if self.bounds[0] is None or self.bounds[0] < 0 or high_mean <= 0:
            return None
        ratio = float(self.values[smallest]) / high_mean
        low, high = self._ratios(self._own)[0].min(), self._ratios(self._intervals(self._reach_of_pairs))[1].min()
        errors = (self.covariance[smallest, smallest], self.covariance[largest, largest], self.covariance[smallest, largest])
        variance = (errors[0] + ratio * ratio * errors[1] - 2 * ratio * errors[2]) / (high_mean * high_mean)
        return self._estimate(ratio, (float(low), min(1.0, float(high))), math.sqrt(max(0.0, variance)), method)

    @property
    def _widest(self) -> tuple[int, int]:
        return int(self.values.argmax()), int(self.values.argmin())

    @cached_property
    def _reach_of_pairs(self) -> float:
        """The critical value for the pairs that may be the widest."""
        import numpy as np

        first, second = self._widest
        furthest = np.full(len(self._moved), -math.inf)
        for i, errors in enumerate(self.between):
            apart = self.values[first] - self.values[second] - (self.values[i] - self.values)
            rival = (errors > 0) & (apart <= self._patience * self._error_to_widest(i))
            if rival.any():
                standardised = (self._moved[:, [i]] - self._moved[:, rival]) / errors[rival]
                np.maximum(furthest, standardised.max(axis=1), out=furthest)
        return self._critical(furthest)

    def _reach_of_means(self, sign: float) -> float:
        """The critical value for the means that may be the lowest, or with a negative sign the highest."""
        import numpy as np

        values = sign * self.values
        rival = (values - values.min() <= self._patience * self.between[int(values.argmin())]) & (self.errors > 0)
        if not rival.any():
            return self._heavier * Z95
        return self._critical(np.asarray((-sign * self._moved[:, rival] / self.errors[rival]).max(axis=1)))

    def _critical(self, furthest: Floats) -> float:
        """The 95 % quantile of the largest standardised deviation, at least that of a single two-sided interval."""
        import numpy as np

        reach = float(np.quantile(furthest, 0.95)) if np.isfinite(furthest).all() else Z95
        return self._heavier * max(Z95, reach)

    def _error_to_widest(self, i: int) -> Floats:
        """The standard error of the widest pair's difference less that of each pair of group i."""
        import numpy as np

        (a, b), c = self._widest, self.covariance
        own = self.between[a, b] ** 2 + self.between[i] ** 2
        shared = c[a, i] - c[a] - c[b, i] + c[b]
        return np.asarray(np.sqrt(np.maximum(0.0, own - 2 * shared)))

    def _intervals(self, reach: float) -> tuple[Floats, Floats]:
        """The lower and the upper end of each mean."""
        import numpy as np

        found = [
            interval_of_mean(part.value, part.stderr or 0.0, part.clusters, self.bounds, part.method == "wilson", reach)
            for part in self.parts
        ]
        return np.array([low for low, _ in found]), np.array([high for _, high in found])

    def _differences(self, intervals: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """The ends of each mean (rows) less each other one (columns); a mean less itself is 0."""
        import numpy as np

        below, above = self.values - intervals[0], intervals[1] - self.values
        products = np.outer(self.errors, self.errors)
        correlation = np.divide(self.covariance, products, out=np.eye(len(self.values)), where=products > 0)
        value = self.values[:, None] - self.values
        down = below[:, None] ** 2 + above**2 - 2 * correlation * below[:, None] * above
        up = above[:, None] ** 2 + below**2 - 2 * correlation * above[:, None] * below
        low, high = value - np.sqrt(np.maximum(0.0, down)), value + np.sqrt(np.maximum(0.0, up))
        np.fill_diagonal(low, 0.0)
        np.fill_diagonal(high, 0.0)
        return low, high

    def _ratios(self, intervals: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """The ends of each mean (rows) divided by each other one (columns), where a mean by itself is 1.

        A ratio r is inside where the interval of (mean - r * other mean) holds 0, which is a quadratic equation in r.
        """
        import numpy as np

        products = np.outer(self.errors, self.errors)
        correlation = np.divide(self.covariance, products, out=np.eye(len(self.values)), where=products > 0)
        a, b = self.values[:, None], self.values
        ends = []
        for x, y, side in ((intervals[0][:, None], intervals[1], -1), (intervals[1][:, None], intervals[0], 1)):
            # (a - r b)^2 = (a - x)^2 + r^2 (b - y)^2 + 2 * correlation * r * (a - x) * (b - y)
            square, constant = y * (2 * b - y), x * (2 * a - x)
            half = a * b + correlation * (a - x) * (b - y)
            root = np.sqrt(np.maximum(0.0, half * half - square * constant))
            unknown = 0.0 if side < 0 else math.inf
            ends.append(np.divide(half + side * root, square, out=np.full_like(half, unknown), where=square > 0))
        for end in ends:
            np.fill_diagonal(end, 1.0)
        return ends[0], ends[1]

    def _estimate(self, value: float, interval: tuple[float, float], stderr: float, method: str) -> Estimate:
        if any(part.low is None for part in self.parts):
            return Estimate(value=value, low=None, high=None, n=self.n, clusters=self.clusters, method=f"{method}; {ALIKE}")
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


def _errors_between(covariance: Floats) -> Floats:
    """The standard error of the difference of each two means."""
    import numpy as np

    own = np.diag(covariance)
    return np.asarray(np.sqrt(np.maximum(0.0, own[:, None] + own - 2 * covariance)))
