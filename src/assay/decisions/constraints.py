"""Whether a candidate keeps to a limit: shown that it does, shown that it does not, or neither.

A limit is met where the one-sided bound on the side that would break it lies within, violated where the other one lies beyond.
At the confidence 1 - a each bound is on the wrong side of the truth in at most a of all cases, so that either verdict is wrong
in at most a. The bounds go with the estimate's own interval:

    means between two bounds   the exact bound of Clopper and Pearson (1934) for as many yes-or-no observations as tell as much
                               (Korn and Graubard 1998), with Student's t in place of the normal quantile where that number is
                               estimated; 0 of n stays below about 3 / n
    other means                Student's t; where the resamples are skewed that way, further out by twice the first term of
                               Johnson (1978), since few values show too little of their skewness; away from a lower bound, such
                               as 0 seconds, on a logarithmic scale
    everything else            the distance of the 95 % bound from the value, times the ratio of normal quantiles (its square
                               where that is larger); no nearer than the quantile of the resamples where the interval is made of
                               them, nor, for means over scenarios and shares of sums, than the first of these bounds

In simulations with 10 to 300 units and limits just at the truth a verdict is wrong in at most 5 of 100: for shares and bounded
values of any kind, normal and exponential ones; log-normal ones with a logarithmic spread of 0.5 from 20 units on, of 1 from
50.
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
from assay.statistics.estimates import Z95, Bounds, clipped, effective_size, rounded

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
        return _of_share(estimate, bounds, confidence)
    if estimate.method == "t":
        return _of_mean(estimate, bounds, replicates, confidence)
    away = _of_distances(estimate, bounds, replicates, confidence)
    if None in bounds or not estimate.method.startswith(("mover", "wilson")):
        return away
    counted = _of_share(estimate, bounds, confidence)

    def further(side: int, times: float) -> float:
        return max((reach(side, times) for reach in (away, counted)), key=lambda bound: side * bound)

    return further


def _of_share(estimate: Estimate, bounds: Bounds, confidence: float) -> Reach:
    from scipy.special import betaincinv, ndtri, stdtrit

    low, high = bounds
    assert low is not None
    assert high is not None
    width, counted = high - low, estimate.method == "wilson"
    share = min(max((estimate.value - low) / width, 0.0), 1.0)
    stderr = (estimate.stderr or 0.0) / width

    def reach(side: int, times: float) -> float:
        clusters = estimate.clusters * times
        size = clusters
        if not counted:
            ratio = float(ndtri(confidence) / stdtrit(clusters - 1, confidence))
            size = effective_size(share, stderr / math.sqrt(times), clusters) * ratio * ratio
        part = share if side > 0 else 1 - share
        further = 1.0 if part >= 1 else float(betaincinv(size * part + 1, size * (1 - part), confidence))
        return low + width * (further if side > 0 else 1 - further)

    return reach


def _of_mean(estimate: Estimate, bounds: Bounds, replicates: Floats, confidence: float) -> Reach:
    from scipy.special import stdtrit

    stderr, skew = estimate.stderr or 0.0, skewness(replicates)
    away = math.inf if bounds[0] is None else estimate.value - bounds[0]

    def reach(side: int, times: float) -> float:
        quantile = float(stdtrit(estimate.clusters * times - 1, confidence))
        further = max(0.0, side * skew) / math.sqrt(times) * (1 + 2 * quantile * quantile) / 3
        distance = stderr / math.sqrt(times) * (quantile + further)
        if side > 0 and 0 < away < math.inf:
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
