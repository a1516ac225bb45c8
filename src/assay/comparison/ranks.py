"""Ranks that the data support: an interval for each candidate, and tiers of those that they do not separate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def rank_intervals(better: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The best and worst rank of each candidate: 1 + those shown better, and all less those shown worse.

    Where the comparisons are corrected together, all intervals hold at once (Mogstad and others 2024, arXiv 1812.11018).

    Args:
        better: shape (candidates, candidates), true where the row's candidate is shown to be better than the column's.
    """
    count = len(better)
    return [(1 + int(better[:, place].sum()), count - int(better[place].sum())) for place in range(count)]


def tiers(better: NDArray[np.bool_], order: Sequence[int]) -> list[int]:
    """The tier of each candidate, from 1: a tier begins with the best that the first of the tier before is shown to beat.

    So nobody in a tier is shown to be worse than its first. The last of one tier and the first of the next may be close.

    Args:
        better: as in `rank_intervals`.
        order: the candidates, best first.
    """
    found = [1] * len(order)
    first, tier = order[0], 1
    for place in order[1:]:
        if better[first, place]:
            first, tier = place, tier + 1
        found[place] = tier
    return found
