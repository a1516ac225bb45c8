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


NEAR = 6.0
"""How many standard deviations of a share the answers around a quantile reach that are looked at one by one."""


def quantiles(values: Floats, weights: Floats, share: float) -> Floats:
    """The quantile of the values drawn, interpolated linearly between neighbours (numpy's default, type 7).

    Only the answers near the quantile are put in order for every resample; should one's quantile lie elsewhere, all are.
    """
    import numpy as np

    size = len(values)
    reach = NEAR * math.sqrt(size * share * (1 - share)) + NEAR
    first, last = max(0, int(size * share - reach)), min(size, int(size * share + reach) + 1)
    order = np.argpartition(values, (first, last - 1))
    smaller, near = np.zeros(size), order[first:last]
    smaller[order[:first]] = 1.0
    drawn = weights.sum(axis=1)
    found = _quantiles(values, weights, near, (share, total(smaller, weights), drawn))
    if found is None:
        found = _quantiles(values, weights, order, (share, np.zeros(len(weights)), drawn))
        assert found is not None
    return found


def _quantiles(values: Floats, weights: Floats, chosen: Integers, wanted: tuple[float, Floats, Floats]) -> Floats | None:
    """The quantiles, if they are among the chosen values, else `None`.

    `wanted` is which share, how many values were drawn that are smaller than the chosen ones, and how many in all.
    """
    import numpy as np

    share, smaller, drawn = wanted
    chosen = chosen[np.argsort(values[chosen], kind="stable")]
    ascending, counts = values[chosen], np.cumsum(weights.take(chosen, axis=1), axis=1)
    place = (drawn - 1) * share
    below = np.floor(place)
    above = np.minimum(below + 1, drawn - 1)
    if (below < smaller).any() or (above - smaller >= counts[:, -1]).any():
        return None
    left, right = (ascending[(counts <= (end - smaller)[:, None]).sum(axis=1)] for end in (below, above))
    return np.asarray(left + (right - left) * (place - below))
