"""Sums, means and quantiles of many resamples at once.

`values` has shape (answers,); `weights` has shape (resamples, answers) and says how often each answer was drawn. One value
per resample comes back. No BLAS is used: its sums depend on the processor, and stored numbers must not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.metrics.columns import Floats


def total(values: Floats, weights: Floats) -> Floats:
    """The sum of the values drawn."""
    import numpy as np

    return np.asarray((weights * values).sum(axis=1))


def mean(values: Floats, weights: Floats) -> Floats:
    """The mean of the values drawn."""
    import numpy as np

    return np.asarray(total(values, weights) / weights.sum(axis=1))


def quantiles(values: Floats, weights: Floats, share: float) -> Floats:
    """The quantile of the values drawn, interpolated linearly between neighbours (numpy's default, type 7)."""
    import numpy as np

    order = np.argsort(values, kind="stable")
    ascending, counts = values[order], np.cumsum(weights[:, order], axis=1)
    place = (counts[:, -1] - 1) * share
    below = np.floor(place)
    above = np.minimum(below + 1, counts[:, -1] - 1)
    left = ascending[(counts <= below[:, None]).sum(axis=1)]
    right = ascending[(counts <= above[:, None]).sum(axis=1)]
    return np.asarray(left + (right - left) * (place - below))
