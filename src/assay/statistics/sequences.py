"""Confidence sequences: intervals for a mean that hold at every moment at once, however often and whenever one looks.

An ordinary 95 % interval misses in 5 of 100 cases at a number of answers that was fixed before; whoever looks again and again
and stops when it looks good misses far more often. Here a capital is bet, answer by answer, against each value m that the mean
might have. If m is the mean, no bet gains on average, so the capital grows to 1/alpha with a probability of at most alpha,
ever (Ville's inequality). The sequence holds what has not been refuted so: of two capitals, one betting that the mean is above
m, one below,

    K+(m) = prod of 1 + l w (y - m)    K-(m) = prod of 1 - l w (y - m)        neither has reached 2 / alpha

with bets l that depend on the past alone and venture no more than 3/4 of the capital (hedged capital: Waudby-Smith and Ramdas
2024, JRSS B 86(1)). A bet of d / variance gains fastest where the mean is d away from m, so an interval is narrowest about
when d is half its width; the capital is divided into parts that aim at different d, which together are a bet as well.

Values need only lie between two bounds; see `assay.statistics.observations` for what m is where values are drawn without
replacement, in clusters or by strata.

Values without bounds have only an asymptotic sequence: right for many answers, with no promise for few (Waudby-Smith, Arbour,
Sinha, Kennedy and Ramdas 2024, Annals of Statistics 52(6)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.statistics.observations import Observations, Sides, drawn

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

MOST = 0.75
"""Of what a bet could lose, the share that is ventured at most."""
AIMS = (0.2, 0.1, 0.05, 0.025, 0.0125)
"""Half widths at which an interval is to be narrow where none is looked for in particular, as shares of the range."""
HALVINGS = 20
"""Bisections: bounds are exact to a millionth of the range, and never too narrow."""
EXACT = 1e-9
"""Of the span: what sums of many values may be off."""


def log_capitals(observations: Observations, mean: Floats | float, aims: Sequence[float] = AIMS) -> tuple[Floats, Floats]:
    """The capitals that bet that the mean is above, and below, some value.

    Args:
        observations: of series of shape (..., n).
        mean: the value bet against, shape (...).
        aims: how far from the mean a value is against which a part of the capital does best, as shares of the span of the
            values and chosen before looking. Each part is as large as the others.

    Returns:
        Their natural logarithms after each observation, shape (..., n).
    """
    units = _units(observations)
    return _log_capital(observations, units, mean, aims, 0), _log_capital(observations, units, mean, aims, 1)


def _log_capital(observations: Observations, units: Floats, mean: Floats | float, aims: Sequence[float], side: int) -> Floats:
    """One of the two: side 0 bets that the mean is above, side 1 that it is below."""
    import numpy as np

    width = np.where(observations.width > 0, observations.width, 1)
    beyond = np.asarray(mean)[..., None] - observations.low
    here, gain = beyond / width, observations.values - beyond / width
    if side:
        beyond, here, gain = observations.width - beyond, 1 - here, -gain
    most = MOST / np.maximum(here, 1e-12)
    bets = np.minimum(np.multiply.outer(np.asarray(aims), units), most)
    logs = np.cumsum(np.log1p(bets * (observations.weights * gain)), axis=-1)
    capital: Floats = np.logaddexp.reduce(logs, axis=0) - math.log(len(aims))
    impossible = (observations.weights > 0) & (beyond < -EXACT * observations.span)
    capital[np.logical_or.accumulate(impossible, axis=-1)] = np.inf
    return capital


def interval(
    observations: Observations, alpha: float = 0.05, aims: Sequence[float] = AIMS, *, halvings: int = HALVINGS
) -> tuple[Floats, Floats]:
    """The confidence sequence after all observations, everything that was refuted on the way left out.

    Args:
        observations: of series of shape (..., n).
        alpha: the probability with which any of all these intervals may miss.
        aims: the half widths at which it is to be narrow, as shares of the span of the values and chosen before looking; the
            fewer, the narrower it is there.
        halvings: how exactly the bounds are found, always from outside: to this power of 1/2 of what is possible.

    Returns:
        Low and high, shape (...), never beyond what is certain.
    """
    import numpy as np

    enough, units = math.log(2 / alpha), _units(observations)
    low, high = (np.asarray(end, dtype=np.float64) for end in observations.certain)
    ends = []
    for side, (outer, inner) in enumerate(((low, high), (high, low))):
        for _ in range(halvings):
            middle = (outer + inner) / 2
            refuted = _log_capital(observations, units, middle, aims, side).max(axis=-1, initial=0) >= enough
            outer, inner = np.where(refuted, middle, outer), np.where(refuted, inner, middle)
        ends.append(outer)
    return np.minimum(ends[0], ends[1]), np.maximum(ends[0], ends[1])


def asymptotic_interval(values: Floats, alpha: float = 0.05, at: int = 100) -> tuple[Floats, Floats]:
    """The asymptotic confidence sequence of a mean after all values, which need no bounds; narrowest at about `at` values.

    Args:
        values: shape (..., n), at least two.
        alpha: the probability with which any of all these intervals may miss, for many values.
        at: a number of values, chosen before looking.

    Returns:
        Low and high, shape (...).
    """
    import numpy as np

    n = values.shape[-1]
    rho2 = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / at
    reach = math.sqrt(2 * (n * rho2 + 1) / (n * n * rho2) * math.log(math.sqrt(n * rho2 + 1) / alpha))
    middle, spread = values.mean(axis=-1), values.std(axis=-1, ddof=1)
    return np.asarray(middle - reach * spread), np.asarray(middle + reach * spread)


@dataclass(frozen=True)
class Crossing:
    """What a sequential test of a mean against a baseline found."""

    at: int | None
    """After how many values the change was shown; `None`: it is not shown."""
    low: float
    """The change, mean minus baseline, lies between this …"""
    high: float
    """… and this."""


def crosses(
    values: Floats,
    baseline: Floats | float,
    *,
    paired: bool = False,
    alpha: float = 0.05,
    bounds: Sides = (0.0, 1.0),
    tolerance: float = 0.0,
) -> Crossing:
    """Whether a mean differs from a baseline, tested after every value: it cries wolf with a probability of `alpha`, ever.

    Args:
        values: in the order they came, shape (n,).
        baseline: a known mean; or values that were measured before.
        paired: the baseline's values are of the same instances as `values`, one by one.
        alpha: the probability of a false alarm, however often one looks.
        bounds: smallest and largest possible value.
        tolerance: a change of no more than this is none.

    Raises:
        ValueError: paired values that are not as many as the baseline's, or values beyond the bounds.
    """
    import numpy as np

    before = np.asarray(baseline, dtype=np.float64)
    if paired:
        if before.shape != values.shape:
            raise ValueError("paired values must be as many as the baseline's")
        span = bounds[1] - bounds[0]
        return crosses(values - before, 0.0, alpha=alpha, bounds=(-span, span), tolerance=tolerance)
    if before.ndim == 0:
        known = float(before), float(before)
    else:  # half of the chance to err for each of the two means
        alpha = alpha / 2
        low, high = interval(drawn(before, bounds=bounds), alpha)
        known = float(low), float(high)
    observations = drawn(values, bounds=bounds)
    above = log_capitals(observations, known[1] + tolerance)[0]
    below = log_capitals(observations, known[0] - tolerance)[1]
    shown = np.flatnonzero(np.maximum(above, below) >= math.log(2 / alpha))
    low, high = interval(observations, alpha)
    return Crossing(int(shown[0]) + 1 if len(shown) else None, float(low) - known[1], float(high) - known[0])


def _units(observations: Observations) -> Floats:
    """Bets for an aim of the whole span: what it is to one observation, times its mean weight, divided by the variance of
    weighted values, both as they were known before each. Before the first the weight is 1 and the variance a quarter."""
    import numpy as np

    values, weights = observations.values, observations.weights
    count, heavy = 2 + np.arange(values.shape[-1]), np.cumsum(weights, axis=-1)
    middle = (0.5 + np.cumsum(weights * values, axis=-1)) / (1 + heavy)
    variance = (0.25 + np.cumsum((weights * (values - middle)) ** 2, axis=-1)) / count
    width = np.where(observations.width > 0, observations.width, 1)
    return observations.span / width * _shifted((1 + heavy) / count, 1.0) / _shifted(variance, 0.25)


def _shifted(values: Floats, first: float) -> Floats:
    """Each entry one place later, and another one first."""
    import numpy as np

    return np.concatenate((np.full((*values.shape[:-1], 1), first), values), axis=-1)[..., :-1]
