"""The mean of clustered values with a 95 % interval, in closed form.

Trials of one instance (repeats, few-shot draws) and instances of one document are one cluster: they agree more than
independent ones do, and count accordingly. The standard error is that of Miller 2024 (arXiv 2411.00640, section 2.2)
with the C/(C-1) correction:

    se = sqrt(C / (C - 1) * sum over clusters of (sum over the cluster of (value - mean))^2) / n

Values with two bounds get a Wilson interval (Wilson 1927) with an effective sample size (Korn and Graubard 1998), which
stays inside the bounds and has a width at both ends; all others get Student's t with C - 1 degrees of freedom. Values without
two bounds that are all alike have no interval: how far the next one may lie cannot be known from them.

An effective size exceeds C where values vary less than yes or no would, and C clusters may by chance hold none of those that
are rare and far away. A share u = q^2 / (C + q^2) of all, Wilson's upper end at 0 of C (about 3.8 / C), may have gone unseen,
so both ends reach at least as far as if a share u had the bound on that side as its value. It decides where the standard
deviation between clusters is below about 2 / sqrt(C) of the distance to that bound, and never for shares. Raising a value above
the lower bound can so never bring the upper end below that of values which are all at the lower bound.

In simulations with 20 to 1,000 clusters of one size the interval holds the truth in 93 to 99.9 of 100 cases, be the values
right or wrong, graded, or rare and high beside others, and is conservative where u decides. Exceptions: rare values of which
fewer than three are to be expected (91 to 98, as of any Wilson interval), and clusters of very unequal size, as if drawn from
an exponential distribution, whose answers agree entirely (90 to 95).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.records import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats, Integers

Bounds = tuple[float | None, float | None]

Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
DIGITS = 12
"""Significant digits kept in standard errors and bounds, fewer than a processor's last bits can touch."""

ALIKE = "no variation seen: no interval"
"""The method of an estimate from unbounded values that do not differ."""


def mean_estimate(
    values: Sequence[float | None], clusters: Sequence[Hashable], bounds: Bounds = (None, None)
) -> Estimate | None:
    """The mean of the values that are there.

    Args:
        values: one a trial; `None` is missing and left out.
        clusters: the independent unit of each trial.
        bounds: smallest and largest possible value, `None` where there is no bound.

    Returns:
        The estimate, or `None` where no value is there: the mean of nothing is not 0.
    """
    import numpy as np

    there = [(value, cluster) for value, cluster in zip(values, clusters, strict=True) if value is not None]
    numbers = {cluster: code for code, cluster in enumerate(dict.fromkeys(cluster for _, cluster in there))}
    codes = np.array([numbers[cluster] for _, cluster in there], dtype=np.int64)
    return clustered_mean(np.array([value for value, _ in there], dtype=np.float64), codes, bounds)


def clustered_mean(values: Floats, clusters: Integers, bounds: Bounds) -> Estimate | None:
    """`mean_estimate` for arrays without missing values; clusters are numbers from 0."""
    n = len(values)
    if n == 0:
        return None
    value = math.fsum(values.tolist()) / n
    sizes, sums = _by_cluster(values - value, clusters)
    count = len(sizes)
    if count < 2:
        return Estimate(value=value, low=None, high=None, n=n, clusters=count, method="one cluster: no interval")
    stderr = math.sqrt(count / (count - 1) * math.fsum((sums * sums).tolist())) / n
    if None in bounds and (stderr == 0 or bool((values == values[0]).all())):
        return Estimate(value=value, low=None, high=None, n=n, clusters=count, method=ALIKE)
    alone = count == n and bool(((values == bounds[0]) | (values == bounds[1])).all())
    interval = interval_of_mean(value, stderr, count, bounds, alone)
    method = "t" if None in bounds else "wilson" if alone else "wilson, effective size"
    return _estimate(value, interval, (n, count), stderr, method)


def interval_of_mean(
    value: float, stderr: float, clusters: float, bounds: Bounds, counted: bool = False, quantile: float | None = None
) -> tuple[float, float]:
    """The interval of a clustered mean.

    Args:
        value: the mean.
        stderr: its standard error.
        clusters: independent units behind it, at least two.
        bounds: smallest and largest possible value.
        counted: every cluster is one value at one of two bounds, so that the mean is a plain share.
        quantile: how many standard errors it reaches; by default those that hold the mean in 95 of 100 cases.
    """
    low_bound, high_bound = bounds
    if low_bound is None or high_bound is None:
        reach = stderr * (t_quantile(clusters - 1) if quantile is None else quantile)
        return clipped(value - reach, bounds), clipped(value + reach, bounds)
    width = high_bound - low_bound
    share = min(max((value - low_bound) / width, 0.0), 1.0)
    size = float(clusters) if counted else effective_size(share, stderr / width, clusters)
    if quantile is None:
        quantile = Z95 if counted else t_quantile(clusters - 1)
    low, high = wilson(share, size, quantile)
    unseen = quantile * quantile / (clusters + quantile * quantile)
    low, high = min(low, share * (1 - unseen)), max(high, share + (1 - share) * unseen)
    return low_bound + width * low, low_bound + width * high


def unit_means(values: Floats, units: Integers, clusters: Integers) -> tuple[Floats, Integers]:
    """Values averaged within units (an instance's repeats and draws), missing ones left out; and the cluster of each unit.

    An instance that lost a repeat so counts as much as one that lost none.
    """
    import numpy as np

    there = ~np.isnan(values)
    values, units, clusters = values[there], units[there], clusters[there]
    if bool((units[1:] > units[:-1]).all()):
        return values, clusters
    _, first, codes, sizes = np.unique(units, return_index=True, return_inverse=True, return_counts=True)
    if len(sizes) == len(values):
        return values, clusters
    return np.bincount(codes, weights=values) / sizes, clusters[first]


def _by_cluster(deviations: Floats, clusters: Integers) -> tuple[NDArray[np.int64], Floats]:
    """The size of each cluster that occurs, and the sum of its deviations."""
    import numpy as np

    sizes = np.bincount(clusters)
    sums = np.bincount(clusters, weights=deviations).astype(np.float64)
    return sizes[sizes > 0], sums[sizes > 0]


def effective_size(share: float, stderr: float, clusters: float) -> float:
    """How many independent yes-or-no observations tell as much: p(1-p) / se^2, guarded against too little variance.

    One observation of the greatest possible variance p(1-p) is added to the C observed clusters. That changes nothing
    much in general, and keeps a few clusters that agree by chance from claiming certainty. C where all are at one bound; more
    than C where values vary less than yes or no would: it says nothing of values that are too rare to be seen.
    """
    greatest = share * (1 - share)
    if greatest <= 0:
        return float(clusters)
    variance = clusters * stderr * stderr
    return clusters * clusters * greatest / ((clusters - 1) * variance + greatest)


def wilson(share: float, size: float, quantile: float = Z95) -> tuple[float, float]:
    """Wilson's interval for a share among `size` observations. At 0 of n it reaches up to about 3.8 / n."""
    square = quantile * quantile
    centre = (share + square / (2 * size)) / (1 + square / size)
    half = quantile * math.sqrt(share * (1 - share) / size + square / (4 * size * size)) / (1 + square / size)
    low = 0.0 if share == 0 else max(0.0, min(centre - half, share))
    high = 1.0 if share == 1 else min(1.0, max(centre + half, share))
    return low, high


MANY = 400
"""Degrees of freedom from which the expansion of Student's t is as exact as a sum of logarithms of gamma functions."""


@lru_cache(maxsize=4096)
def t_quantile(freedom: float) -> float:
    """The 97.5 % quantile of Student's t, to about 1e-12.

    The expansion in 1/freedom of Abramowitz and Stegun (26.7.5) for many degrees of freedom; for fewer it is where Newton's
    method begins, which comes nearer from below at every step because the distribution function is concave there.

    Args:
        freedom: degrees of freedom, at least 1, not necessarily whole.
    """
    x = Z95
    terms = (
        x,
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    found = sum(term / freedom**order for order, term in enumerate(terms))
    if freedom >= MANY:
        return found
    half = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    step = math.inf
    while abs(step) > 1e-12 * found:
        density = math.exp(half - (freedom + 1) / 2 * math.log1p(found * found / freedom)) / math.sqrt(math.pi * freedom)
        step = (0.475 - density * _mass_by_density(found, freedom)) / density
        found += step
    return found


def _mass_by_density(t: float, freedom: float) -> float:
    """The mass of Student's t between 0 and t, divided by the density at t, as a series (Abramowitz and Stegun 26.5.4)."""
    share = t * t / (freedom + t * t)
    total, term, order = 0.0, t, 1.0
    while term > 1e-17 * total:
        total += term
        term *= share * (freedom + order) / (order + 2)
        order += 2
    return total


def weighted_mean(estimates: Sequence[Estimate], weights: Sequence[float] | None = None) -> Estimate | None:
    """The mean of independent estimates, such as the subjects of a benchmark; each weighs the same where no weights are given.

    Its standard error is that of this very mean, sqrt(sum of (w_i se_i)^2), and its interval combines the distances of the
    parts' bounds from their values (MOVER: Zou and Donner 2008), so that a part at 0 or 1 keeps its uncertainty.

    Returns:
        The estimate, without bounds where a part has none; `None` where there are no estimates.

    Raises:
        ValueError: weights and estimates differ in number, or the weights do not have a positive sum.
    """
    if not estimates:
        return None
    given = [1.0] * len(estimates) if weights is None else list(weights)
    sum_of_weights = math.fsum(given)
    if len(given) != len(estimates) or sum_of_weights <= 0:
        raise ValueError("as many weights as estimates are needed, with a positive sum")
    shares = [weight / sum_of_weights for weight in given]
    value = math.fsum(share * part.value for share, part in zip(shares, estimates, strict=True))
    counts = (sum(part.n for part in estimates), sum(part.clusters for part in estimates))
    below: list[float] = []
    above: list[float] = []
    errors: list[float] = []
    for share, part in zip(shares, estimates, strict=True):
        if part.low is None or part.high is None or part.stderr is None:
            return Estimate(value=value, low=None, high=None, n=counts[0], clusters=counts[1], method="a part has no interval")
        below.append((share * (part.value - part.low)) ** 2)
        above.append((share * (part.high - part.value)) ** 2)
        errors.append((share * part.stderr) ** 2)
    interval = (value - math.sqrt(math.fsum(below)), value + math.sqrt(math.fsum(above)))
    return _estimate(value, interval, counts, math.sqrt(math.fsum(errors)), "mover")


def clipped(value: float, bounds: Bounds) -> float:
    """The value, brought inside the bounds."""
    low, high = bounds
    return min(max(value, -math.inf if low is None else low), math.inf if high is None else high)


def rounded(value: float) -> float:
    """The value with the significant digits that are the same on every machine."""
    return float(f"{value:.{DIGITS}g}")


def _estimate(value: float, interval: tuple[float, float], counts: tuple[int, int], stderr: float, method: str) -> Estimate:
    low, high = min(rounded(interval[0]), value), max(rounded(interval[1]), value)
    return Estimate(value=value, low=low, high=high, n=counts[0], clusters=counts[1], stderr=rounded(stderr), method=method)
