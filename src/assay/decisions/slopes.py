"""How worths follow measured means while those are only known to lie in intervals.

A worth is a piecewise linear curve v of a mean. Wherever two means x and y lie in their intervals,

    v(y) - v(x)  >=  s (y - x) - off        off = largest v - s x over the interval of x, less the smallest v - s y over that
    of y

for any slope s. Where both intervals lie on one line of the curve, its slope makes off 0 and the two sides equal; where nothing
is known of the means, s = 0 takes off the whole worth.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

Curve = Sequence[tuple[float, float]]
"""Corners (mean, worth) by rising mean; constant beyond the outermost."""


def is_line(curve: Curve, low: float | None, high: float | None) -> bool:
    """Whether a curve has no corner between two bounds."""
    inside = [at for at, _ in curve if (low is None or at > low) and (high is None or at < high)]
    return low is not None and high is not None and not inside


def slopes_of(curve: Curve) -> list[float]:
    """The slopes of its lines, 0 among them."""
    lines = [(worth - before) / (at - last) for (last, before), (at, worth) in itertools.pairwise(curve)]
    return list(dict.fromkeys([0.0, *lines]))


def chosen(curve: Curve, means: Floats, low: Floats, high: Floats, steepest: bool = True) -> tuple[Floats, Floats]:
    """For every ordered pair (x, y) of candidates the slope that leaves most of the difference v(y) - v(x) as it looks.

    Args:
        curve: the worth.
        means: as they look, NaN where they are not known; shape (candidates,).
        low: lower ends of their intervals, may be infinite.
        high: upper ends.
        steepest: slopes other than 0 may be chosen.

    Returns:
        Slope and what is taken off, shape (candidates, candidates) each, x first.
    """
    import numpy as np

    slopes = np.array(slopes_of(curve) if steepest else [0.0])
    most, least = (np.array([_extreme(curve, slope, low, high, sign) for slope in slopes]) for sign in (1, -1))
    off = most[:, :, None] - least[:, None, :]
    differences = np.nan_to_num(means[None, :] - means[:, None])
    best = (slopes[:, None, None] * differences - off).argmax(axis=0)
    return slopes[best], np.take_along_axis(off, best[None], axis=0)[0]


def _extreme(curve: Curve, slope: float, low: Floats, high: Floats, sign: int) -> Floats:
    """The largest (sign 1) or smallest (-1) `v(x) - slope x` over each interval."""
    import numpy as np

    corners = np.array([at for at, _ in curve])
    worths = np.array([worth for _, worth in curve])
    places = np.concatenate((low[None], high[None], np.clip(corners[:, None], low, high)))
    tilted = np.interp(places, corners, worths) - (slope * places if slope else 0.0)
    found: Floats = (sign * tilted).max(axis=0) * sign
    return found
