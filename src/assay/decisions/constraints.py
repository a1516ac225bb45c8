"""Whether a candidate keeps to a limit: shown that it does, shown that it does not, or neither.

A limit is met where the one-sided bound on the side that would break it lies within, violated where the other one lies beyond.
At the confidence 1 - a each bound is on the wrong side of the truth in at most a of all cases, so that either verdict is wrong
in at most a. The bounds go with the estimate's own interval:

    shares                     the exact bound of Clopper and Pearson (1934); 0 of n stays below about 3 / n
    other means between two    the same idea for values that are no plain counts: one more cluster is assumed, with the bound as
    bounds                     its value, and each may weigh anything (Gaffke 2005; Learned-Miller and Thomas 2019). Such a mean
                               has a distribution whose first two moments are known; the bound is the quantile of the beta
                               distribution that shares them, which is Clopper and Pearson's where values are 0 and 1, with
                               Student's t for the normal quantile. Where the resamples are skewed that way, no nearer than
                               Johnson's bound, as for other means. What is rare and was not seen is so never taken for absent
    other means                Student's t; where the resamples are skewed that way, further out by twice the first term of
                               Johnson (1978), since few values show too little of their skewness; away from a lower bound, such
                               as 0 seconds, on a logarithmic scale
    everything else            the distance of the 95 % bound from the value, times the ratio of normal quantiles (its square
                               where that is larger); no nearer than the quantile of the resamples where the interval is made of
                               them, nor, for means over scenarios and shares of sums, than the first of these bounds

In simulations with 10 to 300 units and limits just at the truth a verdict is wrong in at most 5 of 100: for shares; for values
between two bounds, graded, skewed, or rare and high beside others (900 mixtures of three values each with 20, 40, 100 and 300
units: 5.4 at most, which is 5 and chance); for clusters of like size; for normal and exponential values; log-normal ones with a
logarithmic spread of 0.5 from 20 units on, of 1 from 50 (5.6). Not for clusters of very unequal size, as if drawn from an
exponential distribution, whose answers agree entirely: up to 9 of 100.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.decisions.profile import Constraint
from assay.decisions.results import ConstraintVerdict, Held
from assay.decisions.worth import bounds_of
from assay.metrics import Metric
from assay.records import Estimate
from assay.statistics.estimates import Z95, Bounds, clipped, rounded

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

LARGEST_EXPONENT = 100.0
"""Of a bound on a logarithmic scale; beyond it nothing is known anyway."""
MOST_TIMES = 2**20
"""So many times the evidence at hand is the most that is said to be needed; beyond that nothing is."""


Reach = Callable[[int, float], float]
"""`(side, times) -> bound`: above (1) or below (-1) the value, with so many times the evidence at hand."""


def held(constraint: Constraint, metric: Metric, estimate: Estimate | None, replicates: Floats, confidence: float) -> Held:
    """The verdict on one candidate.

    Args:
        constraint: with one limit.
        metric: of the constraint.
        estimate: of the candidate; `None` where nothing was measured.
        replicates: the measure over instances drawn anew, shape (resamples,).
        confidence: where the constraint has none of its own, above 0.5 and below 1.
    """
    from assay.decisions.reading_out import limit_in_words, limit_of

    sure = confidence if constraint.confidence is None else constraint.confidence
    side, limit = (1 if constraint.at_most is not None else -1), limit_of(constraint)
    found = None if estimate is None else reach_of(estimate, bounds_of(constraint, metric), replicates, sure)
    words = limit_in_words(constraint, metric)
    if estimate is None or found is None:
        value = None if estimate is None else estimate.value
        return Held(
            constraint=constraint.name,
            limit=words,
            threshold=limit,
            confidence=sure,
            value=value,
            bound=None,
            verdict="undetermined",
        )
    bound, near = rounded(found(side, 1.0)), rounded(found(-side, 1.0))
    verdict: ConstraintVerdict = "undetermined"
    if side * bound <= side * limit:
        verdict = "met"
    elif side * near > side * limit:
        verdict, bound = "violated", near
    more = _more(found, estimate, limit, side) if verdict == "undetermined" else None
    return Held(
        constraint=constraint.name,
        limit=words,
        threshold=limit,
        confidence=sure,
        value=estimate.value,
        bound=bound,
        verdict=verdict,
        more=more,
    )


def _more(reach: Reach, estimate: Estimate, limit: float, side: int) -> int | None:
    """About how many more independent units settle it if the value stays; `None` where the value is at the limit."""
    towards = side if side * estimate.value <= side * limit else -side

    def settled(times: float) -> bool:
        bound = towards * reach(towards, times)
        return bound <= towards * limit if towards == side else bound < towards * limit

    most = 2.0
    while not settled(most):
        most *= 2
        if most > MOST_TIMES:
            return None
    least = most / 2
    while (most - least) * estimate.clusters > 0.5:
        middle = (least + most) / 2
        least, most = (least, middle) if settled(middle) else (middle, most)
    return max(1, math.ceil((most - 1) * estimate.clusters))


def reach_of(estimate: Estimate, bounds: Bounds, replicates: Floats, confidence: float) -> Reach | None:
    """The one-sided bounds of an estimate; `None` where it has no interval."""
    if estimate.low is None or estimate.high is None:
        return None
    if estimate.method in ("wilson", "wilson, effective size") and None not in bounds:
        return _of_share(estimate, bounds, replicates, confidence)
    if estimate.method == "t":
        return _of_mean(estimate, bounds, replicates, confidence)
    away = _of_distances(estimate, bounds, replicates, confidence)
    if None in bounds or not estimate.method.startswith(("mover", "wilson")):
        return away
    counted = _of_share(estimate, bounds, replicates, confidence)

    def further(side: int, times: float) -> float:
        return max((reach(side, times) for reach in (away, counted)), key=lambda bound: side * bound)

    return further


def _of_share(estimate: Estimate, bounds: Bounds, replicates: Floats, confidence: float) -> Reach:
    from scipy.special import ndtri, stdtrit

    low, high = bounds
    assert low is not None
    assert high is not None
    width, counted = high - low, estimate.method == "wilson"
    share = min(max((estimate.value - low) / width, 0.0), 1.0)
    stderr = (estimate.stderr or 0.0) / width
    variance = share * (1 - share) if counted else (estimate.clusters - 1) * stderr * stderr
    skewed = 0.0 if counted else skewness(replicates)
    of_mean = _of_mean(estimate, bounds, replicates, confidence, logarithmic=False)

    def reach(side: int, times: float) -> float:
        clusters = estimate.clusters * times
        ratio = 1.0 if counted else float(ndtri(confidence) / stdtrit(clusters - 1, confidence))
        further = _highest_mean(share if side > 0 else 1 - share, variance, clusters, (ratio, confidence))
        bound = low + width * (further if side > 0 else 1 - further)
        return max(bound, of_mean(side, times), key=lambda end: side * end) if side * skewed > 0 else bound

    return reach


def _highest_mean(mean: float, variance: float, clusters: float, ratio_and_confidence: tuple[float, float]) -> float:
    """The quantile of the mean of clusters and of one more of value 1, with weights drawn evenly from all that sum to 1.

    That mean has the expectation m of the C + 1 values and their variance divided by C + 2, as has the beta distribution of
    size s = (C + 2) m (1 - m) / variance - 1; see Rubin (1981) for such weights.

    Args:
        mean: of the clusters, 0 to 1.
        variance: between them (divided by their number).
        clusters: how many they are.
        ratio_and_confidence: the normal quantile by that of Student's t, 1 where the variance is not estimated; and the share
            of the distribution that is to lie below.
    """
    from scipy.special import betaincinv

    ratio, confidence = ratio_and_confidence
    middle = (clusters * mean + 1) / (clusters + 1)
    between = (clusters * (variance + mean * mean) + 1) / (clusters + 1) - middle * middle
    if middle >= 1 or between <= 0:
        return 1.0
    size = max(1.0, (clusters + 2) * middle * (1 - middle) / between - 1) * ratio * ratio
    return float(betaincinv(size * middle, size * (1 - middle), confidence))


def _of_mean(estimate: Estimate, bounds: Bounds, replicates: Floats, confidence: float, *, logarithmic: bool = True) -> Reach:
    from scipy.special import stdtrit

    stderr, skew = estimate.stderr or 0.0, skewness(replicates)
    away = math.inf if bounds[0] is None else estimate.value - bounds[0]

    def reach(side: int, times: float) -> float:
        quantile = float(stdtrit(estimate.clusters * times - 1, confidence))
        further = max(0.0, side * skew) / math.sqrt(times) * (1 + 2 * quantile * quantile) / 3
        distance = stderr / math.sqrt(times) * (quantile + further)
        if logarithmic and side > 0 and 0 < away < math.inf:
            distance = away * math.expm1(min(distance / away, LARGEST_EXPONENT))
        return clipped(estimate.value + side * distance, bounds)

    return reach


def skewness(values: Floats) -> float:
    """The third standardised moment of the values that are there; 0 where they do not differ."""
    import numpy as np

    away = values[np.isfinite(values)]
    away = away - away.mean() if len(away) else away
    spread = math.sqrt(float((away**2).mean())) if len(away) else 0.0
    return float((away**3).mean()) / spread**3 if spread > 0 else 0.0


def _of_distances(estimate: Estimate, bounds: Bounds, replicates: Floats, confidence: float) -> Reach:
    import numpy as np
    from scipy.special import ndtri

    assert estimate.low is not None
    assert estimate.high is not None
    ratio = float(ndtri(confidence)) / Z95
    ratio = max(ratio, ratio * ratio)
    there = replicates[np.isfinite(replicates)]
    resampled = estimate.method.startswith("bootstrap, ") and "inversion" not in estimate.method and len(there) > 0
    away = {1: (estimate.high - estimate.value) * ratio, -1: (estimate.value - estimate.low) * ratio}
    if resampled:
        for side, share in ((1, confidence), (-1, 1 - confidence)):
            away[side] = max(away[side], side * (float(np.quantile(there, share)) - estimate.value))

    def reach(side: int, times: float) -> float:
        return clipped(estimate.value + side * away[side] / math.sqrt(times), bounds)

    return reach
