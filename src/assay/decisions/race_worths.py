"""What those in a race are worth, and how their worths differ from instance to instance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.decisions.race_limits import unbounded
from assay.decisions.slopes import chosen
from assay.statistics.sequences import interval

if TYPE_CHECKING:
    from assay.decisions.race_book import Book
    from assay.decisions.racing import Goal, Race
    from assay.metrics.columns import Floats

AGAIN = 1.4
"""Intervals of means are computed again once so many times as much was asked."""
AIMS = (0.1, 0.03)
"""Half widths at which they are to be narrow, as shares of the range."""


class Worths:
    """How worths follow measured means, by what was known at the last look.

    Args:
        race: whose.
        alpha: the chance to err for the interval of one mean.
    """

    def __init__(self, race: Race, alpha: float) -> None:
        import numpy as np

        self.race, self.alpha = race, alpha
        unknown = np.full(race.candidates, np.nan)
        self._ends = [_possible(goal, race.candidates) for goal in race.goals]
        self._slopes = [self._chosen(place, unknown, list(range(race.candidates))) for place in range(len(race.goals))]
        self._due = 0.0

    def look(self, book: Book) -> None:
        """Learn from what was asked: the slopes for the next round."""
        if book.steps >= self._due:
            self._due = AGAIN * book.steps
            for place, goal in enumerate(self.race.goals):
                if goal.bent:
                    self._narrow(book, place)
        for place in range(len(self.race.goals)):
            self._slopes[place] = self._chosen(place, book.means(place), book.playing)

    def total(self, book: Book) -> Floats:
        """The weighted worth of those in play as it looks; a goal of which nothing is known counts as nothing."""
        import numpy as np

        total = np.zeros(len(book.playing))
        for place, goal in enumerate(self.race.goals):
            at, worths = zip(*goal.curve, strict=True)
            total += goal.share * np.nan_to_num(np.interp(book.means(place), at, worths))
        return total

    def against(self, book: Book, place: int) -> tuple[Floats, Floats, Floats]:
        """How much more everybody in play is worth than one of them, which stands at `place`.

        Returns:
            At each instance, shape (candidates, steps), 0 where either lacks a value; the most it can be in each scenario,
            shape (candidates, scenarios); and what the worths may differ less than that, shape (candidates,).
        """
        import numpy as np

        count = len(book.playing)
        differences, reach, off = np.zeros((count, book.steps)), np.zeros((count, len(book.sizes))), np.zeros(count)
        for number, goal in enumerate(self.race.goals):
            slope, less = (goal.share * one[place] for one in self._slopes[number])
            off += less
            low, high = goal.bounds
            if low is None or high is None or not slope.any():
                continue
            own, by_scenario = book.values[:, :, number], slope[:, None] * book.shares[:, number]
            differences += by_scenario[:, book.sets] * np.nan_to_num(own - own[place])
            reach += np.abs(by_scenario) * (high - low)
        return differences, reach, off

    def importance(self, book: Book) -> Floats:
        """How much the worths of the leader and of its rivals differ from instance to instance, in each scenario."""
        import numpy as np

        differences, reach, _ = self.against(book, int(self.total(book).argmax()))
        found = np.zeros(len(book.sizes))
        for scenario in range(len(found)):
            own = differences[:, book.sets == scenario]
            n = own.shape[1]
            spread = (n * own.var(axis=1) if n else 0) + reach[:, scenario] ** 2 / 4
            found[scenario] = math.sqrt(spread.sum() / (n + 1))
        return found if found.any() else np.ones(len(found))

    def _narrow(self, book: Book, place: int) -> None:
        """The intervals of those in play by all that was asked; narrower than before, never wider."""
        import numpy as np

        low, high = self.race.goals[place].bounds
        if low is None or high is None:
            found = unbounded(book, place, self.alpha)
        else:
            ends = []
            for side, missing in enumerate((low, high)):
                seen = book.seen(place, missing, finite=True)
                ends.append(None if seen is None else interval(seen.observations(), self.alpha, AIMS, halvings=12)[side])
            found = None if ends[0] is None or ends[1] is None else (ends[0], ends[1])
        if found is not None:
            kept = self._ends[place]
            kept[0][book.playing] = np.maximum(kept[0][book.playing], found[0])
            kept[1][book.playing] = np.maximum(kept[0][book.playing], np.minimum(kept[1][book.playing], found[1]))

    def _chosen(self, place: int, means: Floats, playing: list[int]) -> tuple[Floats, Floats]:
        """Slope and what is off, for every ordered pair in play."""
        goal = self.race.goals[place]
        low, high = (ends[playing] for ends in self._ends[place])
        return chosen(goal.curve, means, low, high, steepest=bool(goal.scenarios) and None not in goal.bounds)


def _possible(goal: Goal, candidates: int) -> tuple[Floats, Floats]:
    """Between what means lie before anything is asked; infinite where nothing bounds them or nothing will be known."""
    import numpy as np

    low, high = goal.bounds if goal.scenarios else (None, None)
    return np.full(candidates, -np.inf if low is None else low), np.full(candidates, np.inf if high is None else high)
