"""How wide a 95 % interval will be, before anything is measured, and how many items make it narrower.

A mean of values between two bounds varies most where half of them lie at each bound, so Wilson's interval at one half is the
widest that n independent items can give:

    half width = (high - low) z / (2 sqrt(n + z^2))        from Wilson (1927), p = 1/2

For other means the spread between items must be known from values that are there:  half width = t(n - 1) sd / sqrt(n).
"""

from __future__ import annotations

import math

from assay.records import Estimate
from assay.statistics.estimates import Z95, Bounds, t_quantile


def half_width_of_share(clusters: int, bounds: Bounds = (0, 1)) -> float | None:
    """Half of the widest 95 % interval that a mean of independent values between two bounds can have.

    Args:
        clusters: independent units, at least one.
        bounds: smallest and largest possible value.

    Returns:
        Half of the width; `None` where a bound is missing.
    """
    low, high = bounds
    return None if low is None or high is None else (high - low) * Z95 / (2 * math.sqrt(clusters + Z95 * Z95))


def clusters_for_share(half_width: float, bounds: Bounds = (0, 1)) -> int | None:
    """How many independent units keep that interval within `half_width` of its centre, whatever the values are.

    Raises:
        ValueError: the half width is not above 0.
    """
    if half_width <= 0:
        raise ValueError("a half width must be above 0")
    low, high = bounds
    if low is None or high is None:
        return None
    return max(1, math.ceil((Z95 * (high - low) / (2 * half_width)) ** 2 - Z95 * Z95))


def spread_of(estimate: Estimate) -> float | None:
    """The standard deviation between the independent units behind a mean; `None` where its standard error is not known."""
    return None if estimate.stderr is None else estimate.stderr * math.sqrt(estimate.clusters)


def half_width_of_mean(spread: float, clusters: int) -> float | None:
    """Half of the 95 % interval of a mean of values with that standard deviation; `None` for fewer than two units."""
    return t_quantile(clusters - 1) * spread / math.sqrt(clusters) if clusters > 1 else None
