"""Sums, means and quantiles of many resamples at once.

`values` has shape (answers,); `weights` has shape (resamples, answers) and says how often each answer was drawn. One value
per resample comes back. No BLAS is used: its sums depend on the processor, and stored numbers must not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers


def total(values: Floats, weights: Floats) -> Floats:
    """The sum of the values drawn."""
    import numpy as np

    return np.asarray((weights * values).sum(axis=1))


def mean(values: Floats, weights: Floats) -> Floats:
    """The mean of the values drawn."""
    import numpy as np

    return np.asarray(total(values, weights) / weights.sum(axis=1))


def drawn_at(weights: Floats, places: Floats | Integers) -> Integers:
    """Which answers stand at some places, where every resample writes each down as often as it was drawn, in their order.

    Args:
        weights: how often each was drawn, shape (resamples, answers).
        places: from 0, within what the resample drew, shape (resamples or 1, places).
    """
    import numpy as np

    size = weights.shape[1]
    totals = np.cumsum(weights.astype(np.int32), dtype=np.int32)  # of all resamples as one list, so that they ascend
    before = np.concatenate(([0], totals[size - 1 : -1 : size]))
    found = np.searchsorted(totals, (places + before[:, None]).astype(np.int32), side="right")
    return np.asarray(found - size * np.arange(len(weights))[:, None])


NEAR = 6.0
"""How many standard deviations of a share the answers around a quantile reach that are looked at one by one."""


def quantiles(values: Floats, weights: Floats, share: float) -> Floats:
    """The quantile of the values drawn, interpolated linearly between neighbours (numpy's default, type 7).

    Only the answers near the quantile are put in order for every resample; should one's quantile lie elsewhere, all are.
    """
    import numpy as np

    drawn = weights.sum(axis=1)
    place = (drawn - 1) * share
    below = np.floor(place)
    ends = np.stack((below, np.minimum(below + 1, drawn - 1)), axis=1)
    near, smaller = _near(values, weights, drawn, share)
    some, inner = weights.take(near, axis=1), ends - smaller[:, None]
    if (inner < 0).any() or (inner[:, 1] >= some.sum(axis=1)).any():
        near, inner = np.argsort(values, kind="stable"), ends
        some = weights.take(near, axis=1)
    left, right = values[near][drawn_at(some, inner)].T
    return np.asarray(left + (right - left) * (place - below))


def _near(values: Floats, weights: Floats, drawn: Floats, share: float) -> tuple[Integers, Floats]:
    """The answers near a quantile in ascending order, and how many values below them each resample drew."""
    import numpy as np

    size = len(values)
    reach = NEAR * math.sqrt(size * share * (1 - share)) + NEAR
    first, last = max(0, int(size * share - reach)), min(size, int(size * share + reach) + 1)
    order = np.argpartition(values, (first, last - 1))
    near = order[first:last]
    near = near[np.argsort(values[near], kind="stable")]
    if first <= size - last:
        return near, weights.take(order[:first], axis=1).sum(axis=1)
    return near, drawn - weights.take(order[first:], axis=1).sum(axis=1)
