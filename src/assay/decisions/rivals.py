"""Who is shown not to be the best, while answers still come in.

Instances are asked one by one, of all candidates in play alike, the scenario of each drawn at random. By how much a rival is
worth more than a candidate at an instance is an observation whose mean, given the past, is the difference of their worths over
all instances (`assay.statistics.observations`, Interleaved). If the candidate is the best, that is not above 0 against anybody.
So a capital that is bet on its being above 0 gains nothing on average, whoever the rival is at each step, and reaches 1 / alpha
with a probability of at most alpha, ever (Ville's inequality): the best candidate is lost with no more than that, however many
candidates there are and however often one looks.

The rival is the one that looks most sure to be better by what was seen before, among those known to keep the constraints. Half
of the capital aims at a difference that all instances would show at 2 standard errors, half at one that they would show at 4:
a bet of d / (variance + d^2) gains fastest where the difference is d.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.statistics.observations import Order, interleaved

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.decisions.race_book import Book
    from assay.decisions.race_worths import Worths
    from assay.metrics.columns import Floats

AIMS = (2.0, 4.0)
"""Standard errors of the difference over all instances."""
MOST = 0.75
"""Of the capital, the share that is ventured at most."""
TINY = 1e-12


class Capitals:
    """What has been won against each candidate."""

    def __init__(self, candidates: int) -> None:
        import numpy as np

        self._logs = np.zeros((candidates, len(AIMS)))

    def beaten(self, book: Book, worths: Worths, keeping: NDArray[np.bool_], first: int, alpha: float) -> list[int]:
        """Bet on the steps from `first` on; who of those in play is shown to be worth less than a rival.

        Args:
            book: what was asked.
            worths: as they were known before `first`.
            keeping: who of those in play was shown before `first` to keep all constraints.
            first: the first step of the round.
            alpha: the chance to err.
        """
        import numpy as np

        out = []
        for place, one in enumerate(book.playing):
            allowed = keeping.copy()
            allowed[place] = False
            grown = growth(*worths.against(book, place), book.order, allowed, first)
            path = self._logs[one][:, None] + np.cumsum(grown, axis=1)
            self._logs[one] = path[:, -1]
            if np.logaddexp.reduce(path, axis=0).max() - math.log(len(AIMS)) >= -math.log(alpha):
                out.append(one)
        return out


def growth(differences: Floats, reach: Floats, off: Floats, order: Order, allowed: NDArray[np.bool_], first: int) -> Floats:
    """How the logarithms of one candidate's capitals grow, step by step from `first` on.

    Args:
        differences: how much more each rival is worth than the candidate at each instance, shape (rivals, steps).
        reach: the largest such difference there can be, either way, in each scenario; shape (rivals, scenarios).
        off: what the worths may differ less than their means, shape (rivals,), chosen by what was seen before `first`.
        order: the scenario of each step.
        allowed: which rivals may be bet on.
        first: the first step to look at.

    Returns:
        A capital for each aim, shape (aims, steps - first).
    """
    import numpy as np

    assert order.sizes is not None
    steps = np.arange(differences.shape[1] - first)
    if not allowed.any():
        return np.zeros((len(AIMS), len(steps)))
    found = interleaved(differences[allowed], (-reach[allowed], reach[allowed]), order, first)
    off = off[allowed][:, None]
    rival = ((found.expected - off) / np.sqrt(found.variance + TINY)).argmax(axis=0)
    z, low = ((one - off)[rival, steps] for one in (found.z, found.low))
    hopeful = (found.expected > off)[rival, steps] | (off[rival, 0] <= TINY)
    variance, size = found.variance[rival, steps], int(order.sizes.sum())
    left = 1 - (first + steps) / size
    grown = []
    for aim in AIMS:
        gap = aim * np.sqrt(variance / size) / left
        bets = np.minimum(gap / (variance + gap * gap + TINY), MOST / np.maximum(-low, TINY))
        grown.append(np.log1p(np.where(hopeful, bets, 0) * np.maximum(z, low)))
    return np.array(grown)
