"""What was asked in a race, step by step: the scenario of each step, drawn at random, and what came of those in play."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.identity import array_generator
from assay.statistics.observations import Interleaved, Order, interleaved

if TYPE_CHECKING:
    from assay.decisions.racing import Race
    from assay.metrics.columns import Floats, Integers

LEAST_CHANCE = 0.2
"""Of the most important scenario's chance to be drawn, what every other has at least."""


@dataclass
class Book:
    """The record of a race on its way."""

    race: Race
    playing: list[int]
    sizes: Integers
    asked: Integers
    """Instances of each scenario."""
    shares: Floats
    """How much a scenario's mean counts in each measure, shape (scenarios, measures)."""
    values: Floats
    """Of those in play, shape (candidates, steps, measures)."""
    sets: Integers
    """The scenario of each step."""
    chances: Floats
    """That each scenario had to be drawn, shape (steps, scenarios)."""

    @classmethod
    def begin(cls, race: Race) -> Book:
        """Nothing is asked yet."""
        import numpy as np

        scenarios, measures = len(race.sizes), race.measures
        shares = np.zeros((scenarios, len(measures)))
        for place, measure in enumerate(measures):
            shares[list(measure.scenarios), place] = 1 / max(1, len(measure.scenarios))
        none = np.zeros(0, dtype=np.int64)
        sizes, values = np.array(race.sizes, dtype=np.int64), np.zeros((race.candidates, 0, len(measures)))
        return cls(race, list(range(race.candidates)), sizes, 0 * sizes, shares, values, none, np.zeros((0, scenarios)))

    @property
    def steps(self) -> int:
        """How many instances were asked."""
        return len(self.sets)

    @property
    def everything(self) -> bool:
        """Nothing is left to ask."""
        return bool((self.asked == self.sizes).all())

    @property
    def order(self) -> Order:
        """Which scenario each step is of."""
        return Order(self.sets, self.chances, self.sizes)

    def draw(self, count: int, importance: Floats) -> None:
        """Draw the scenarios of the next steps, each as likely as it is important and as much of it is left."""
        import numpy as np

        importance = np.maximum(importance, LEAST_CHANCE * importance.max())
        sets, chances = [], []
        for place in array_generator(self.race.seed, "race", self.steps).random(count):
            weights = importance * (1 - self.asked / self.sizes)
            if not weights.any():
                break
            weights /= weights.sum()
            drawn = min(int(np.searchsorted(np.cumsum(weights), place, side="right")), int(np.flatnonzero(weights)[-1]))
            self.asked[drawn] += 1
            sets.append(drawn)
            chances.append(weights)
        self.sets = np.concatenate((self.sets, np.array(sets, dtype=np.int64)))
        self.chances = np.concatenate((self.chances, np.array(chances)))

    def add(self, came: Sequence[Floats], first: int) -> None:
        """Enter what came for the steps from `first` on: of each scenario an array (candidates, instances, measures)."""
        import numpy as np

        new = np.empty((len(self.playing), self.steps - first, self.values.shape[2]))
        for scenario, values in enumerate(came):
            new[:, self.sets[first:] == scenario] = values
        self.values = np.concatenate((self.values, new), axis=1)

    def leave(self, out: Collection[int]) -> None:
        """Some candidates are asked no more."""
        kept = [place for place, one in enumerate(self.playing) if one not in out]
        self.playing, self.values = [self.playing[place] for place in kept], self.values[kept]

    def means(self, measure: int) -> Floats:
        """A measure as it looks, of those in play; NaN where nothing is known."""
        import numpy as np

        total = np.zeros(len(self.playing))
        for scenario in np.flatnonzero(self.shares[:, measure]):
            own = self.values[:, self.sets == scenario, measure]
            there = (~np.isnan(own)).sum(axis=1)
            total += self.shares[scenario, measure] * np.nansum(own, axis=1) / np.where(there > 0, there, np.nan)
        return total if self.shares[:, measure].any() else np.full(len(total), np.nan)

    def seen(self, measure: int, missing: float, *, finite: bool) -> Interleaved | None:
        """A measure of those in play as observations; `None` before there are any.

        Args:
            measure: which.
            missing: what stands for a value that is not there.
            finite: of the mean over all instances there are; else over those that these were drawn from.
        """
        import numpy as np

        steps = np.flatnonzero(self.shares[self.sets, measure])
        if not len(steps):
            return None
        order = Order(self.sets, self.chances, self.sizes if finite else None).of(steps)
        shares = self.shares[:, measure]
        own, there = self.values[:, steps, measure], shares[np.unique(self.sets[steps])]
        low, high = self.race.measures[measure].bounds
        if low is None or high is None:
            low = high = 0.0
        bounds = tuple(np.broadcast_to(there * end, (len(own), len(there))) for end in (low, high))
        return interleaved(np.where(np.isnan(own), missing, own) * shares[self.sets[steps]], (bounds[0], bounds[1]), order)
