"""Which candidates no other one beats in everything, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats

BLOCK = 2_000_000
"""Numbers compared at once."""


def dominance(values: Floats, upward: Floats) -> NDArray[np.bool_]:
    """Who dominates whom: is at least as good in every criterion, and better in one. Equal candidates do not.

    Args:
        values: shape (…, candidates, criteria).
        upward: 1 where more is better, -1 where less is, shape (criteria,).

    Returns:
        Shape (…, candidates, candidates): the row's candidate dominates the column's.
    """
    import numpy as np

    signed = values * upward
    row, column = signed[..., :, None, :], signed[..., None, :, :]
    as_good, better = np.all(row >= column, axis=-1), np.any(row > column, axis=-1)
    dominates: NDArray[np.bool_] = np.logical_and(as_good, better)
    return dominates


def front(values: Floats, upward: Floats) -> NDArray[np.bool_]:
    """Which candidates no other dominates, shape (candidates,); values have shape (candidates, criteria)."""
    import numpy as np

    dominated: NDArray[np.bool_] = np.any(dominance(values, upward), axis=0)
    return ~dominated


def dominance_shares(replicates: Floats, upward: Floats) -> tuple[Floats, Floats]:
    """How often each candidate is on the front, and how often it dominates each other one.

    Args:
        replicates: values over instances drawn anew, the same for all candidates, shape (resamples, candidates, criteria).
        upward: as in `dominance`.

    Returns:
        Shares of resamples of shape (candidates,) and (candidates, candidates), the row's candidate dominating the column's.
    """
    import numpy as np

    count, candidates, criteria = replicates.shape
    dominated, dominating = np.zeros(candidates), np.zeros((candidates, candidates))
    at_once = max(1, BLOCK // max(1, candidates * candidates * criteria))
    for start in range(0, count, at_once):
        found = dominance(replicates[start : start + at_once], upward)
        dominated += found.any(axis=1).sum(axis=0)
        dominating += found.sum(axis=0)
    return 1 - dominated / count, dominating / count
