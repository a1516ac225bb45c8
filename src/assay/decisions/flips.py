"""How far the weights may move before another candidate is first. All in closed form: a weighted sum is linear in the weights.

With shares c at the centre and g_i = worth of another candidate - worth of the leader in criterion i, the other leads by
sum of c_i g_i, which is not above 0. Two ways of moving the weights are looked at.

One share moves, the others keep their proportions: at the share x of criterion i the lead is x g_i + (1 - x) r with
r = (sum over j != i of c_j g_j) / (1 - c_i). It is linear in x, so somebody is first on one interval of x.

Any shares move: what is moved from i to j gains g_j - g_i for each part moved. So the least change moves weight to the
criterion in which the other is most ahead, from those first in which it is most behind. The size of a change is the weight that
is moved, half the sum of absolute changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.decisions.acceptability import ALIKE

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

SAME = 10.0**-ALIKE
"""Worths closer than this are equal."""


@dataclass(frozen=True)
class Region:
    """Where a candidate is first while one criterion's share moves."""

    low: float
    high: float
    below: int | None
    """Who takes over just below `low`; `None` where `low` is 0."""
    above: int | None


def first_region(worths: Floats, centre: Floats, criterion: int, candidate: int) -> Region | None:
    """The shares of a criterion at which a candidate is first, the other criteria keeping their proportions.

    Args:
        worths: shape (candidates, criteria).
        centre: the shares, which sum to 1.
        criterion: whose share moves between 0 and 1. If it is all that counts, the others share evenly what it gives up.
        candidate: the one that is to be first.

    Returns:
        The interval of shares; `None` where it is first nowhere.
    """
    import numpy as np

    others = np.delete(centre, criterion)
    if not len(others):
        return Region(1.0, 1.0, None, None)
    others = others / others.sum() if others.sum() > 0 else np.full(len(others), 1 / len(others))
    gains = worths - worths[candidate]
    at_all = gains[:, criterion]
    at_none = np.einsum("ck,k->c", np.delete(gains, criterion, axis=1), others)
    low, high, below, above = 0.0, 1.0, None, None
    for other, (end, start) in enumerate(zip(at_all.tolist(), at_none.tolist(), strict=True)):
        if max(end, start) <= SAME:
            continue
        if min(end, start) > SAME:
            return None
        crossing = min(max(start / (start - end), 0.0), 1.0)
        if start > end and crossing > low:
            low, below = crossing, other
        elif start < end and crossing < high:
            high, above = crossing, other
    return Region(low, high, below, above) if low <= high + SAME else None


def flip_distance(worths: Floats, centre: Floats, leader: int) -> float | None:
    """The least weight that must move until another candidate is worth as much as the leader; `None` where none ever is."""
    import numpy as np

    found = []
    for other in range(len(worths)):
        gains = worths[other] - worths[leader]
        if other == leader or gains.max() <= SAME:
            continue
        found.append(_moved(gains, centre, int(np.argmax(gains))))
    return min(found, default=None)


def _moved(gains: Floats, centre: Floats, to: int) -> float:
    """The least weight moved to one criterion that brings the weighted gain up to 0."""
    import numpy as np

    lacking, moved = -float(np.einsum("k,k->", centre, gains)), 0.0
    for place in np.argsort(gains, kind="stable").tolist():
        gain = float(gains[to] - gains[place])
        if lacking <= SAME or gain <= 0:
            break
        part = min(float(centre[place]), lacking / gain)
        moved, lacking = moved + part, lacking - part * gain
    return moved
