"""Who keeps the constraints of a race, and who breaks one: shown once, it stays shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.statistics.sequences import asymptotic_interval, log_capitals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.decisions.race_book import Book
    from assay.decisions.racing import Limit, Race

FEW = 30
"""Values without bounds that are too few for an asymptotic interval."""


class Limits:
    """What is shown of everybody and every limit.

    A limit is one on what the instances were drawn from, as in every decision, so it is not settled by asking all of them. A
    missing value counts as the one that shows least.

    Args:
        race: whose.
        alpha: the chance to err for one candidate and limit.
    """

    def __init__(self, race: Race, alpha: float) -> None:
        import numpy as np

        self.race, self.alpha = race, alpha
        self.met = np.zeros((race.candidates, len(race.limits)), dtype=np.bool_)
        self.violated = self.met.copy()

    def look(self, book: Book) -> None:
        """Judge those in play by what was asked."""
        for number, limit in enumerate(self.race.limits):
            above, below = self._sides(book, limit, len(self.race.goals) + number)
            met, violated = (above, below) if limit.at_least is not None else (below, above)
            self.met[book.playing, number] |= met
            self.violated[book.playing, number] |= violated

    def kept(self, playing: Sequence[int]) -> NDArray[np.bool_]:
        """Who of those in play is shown to keep all limits."""
        import numpy as np

        return np.asarray(self.met[playing].all(axis=1))

    def broken(self, playing: Sequence[int]) -> dict[int, str]:
        """Who of those in play is shown to break a limit, and which."""
        return {
            one: limit.name
            for one in playing
            for limit, violated in reversed(list(zip(self.race.limits, self.violated[one], strict=True)))
            if violated
        }

    def _sides(self, book: Book, limit: Limit, measure: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whose mean is shown to lie above the limit, and whose below."""
        import numpy as np

        at = limit.at_least if limit.at_least is not None else limit.at_most
        assert at is not None
        alpha, (low, high) = min(self.alpha, 1 - limit.confidence), limit.bounds
        nobody = np.zeros(len(book.playing), dtype=np.bool_)
        if low is not None and high is not None:
            sides = []
            for side, missing in enumerate((low, high)):
                seen = book.seen(measure, missing, finite=False)
                if seen is None:
                    return nobody, nobody
                capitals = log_capitals(seen.observations(), np.full(len(nobody), at))[side]
                sides.append(capitals.max(axis=-1) >= -math.log(alpha))
            return sides[0], sides[1]
        ends = unbounded(book, measure, 2 * alpha)
        return (ends[0] > at, ends[1] < at) if ends is not None else (nobody, nobody)


def unbounded(book: Book, measure: int, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """The asymptotic interval of a mean whose values have no bounds; `None` while there are too few."""
    import numpy as np

    means = book.means(measure)
    seen = book.seen(measure, 0.0, finite=False)
    if seen is None or seen.z.shape[-1] < FEW or np.isnan(means).any() or np.isnan(book.values[:, :, measure]).all():
        return None
    return asymptotic_interval(seen.z, alpha)
