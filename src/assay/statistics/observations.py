"""What a confidence sequence bets on: observations whose mean, given all before them, is known if the mean sought is.

Independent draws are such observations. So are draws from a finite set without replacement, where the randomness is in the
order alone and nothing is assumed of the values: not that they are independent, nor that they are of one distribution. With a
set of N values of mean m, of which k have been seen with the sum s, the next one has the mean (N m - s) / (N - k), and

    z = s / N + (N - k) / N x        has the mean m, and lies between  s / N + (N - k) / N low  and  s / N + (N - k) / N high

(Waudby-Smith and Ramdas 2020, arXiv 2006.04347). Of several sets whose means add up to the one sought, a set may be drawn at
random for each observation, set c with the probability q: whatever was guessed before of the mean of each set, g,

    z = sum over sets of ( s / N + (N - k) / N g )  +  (N - k) / N (x - g) / q        in the last term of the set that was drawn

has the mean sought; the better the guesses, the less it varies. The probabilities may depend on everything before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

Sides = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Observations:
    """Observations in their order, of one or several series at once; shape (..., n) each or broadcast to it."""

    values: Floats
    """Scaled so that 0 and 1 are the least and the greatest that each could have been."""
    low: Floats
    """The mean sought, if an observation had the mean 0."""
    width: Floats
    """How much more it is, if it had the mean 1."""
    weights: Floats
    """From 0 to 1: an observation of weight w says as much about the mean as w times as many answers; 0: nothing."""
    certain: tuple[Floats, Floats]
    """Between what the mean must lie after all of them, shape (...) each."""
    span: float
    """Between the smallest and the largest possible mean."""


def drawn(
    values: Floats, population: float | None = None, bounds: Sides = (0.0, 1.0), weights: Floats | None = None
) -> Observations:
    """Single values in the order they were drawn.

    Args:
        values: shape (..., n), between the bounds.
        population: how many there are to draw, without replacement; `None`: independent draws.
        bounds: smallest and largest possible value.
        weights: where a value is the mean of a cluster, its size, as a share of the largest cluster's: the mean sought is
            that over the members of all clusters. `population` is then the sum of the weights of all clusters.

    Raises:
        ValueError: a value beyond the bounds, a weight beyond 0 to 1, or more drawn than there are.
    """
    import numpy as np

    span = bounds[1] - bounds[0]
    scaled = (values - bounds[0]) / span
    if scaled.size and not (scaled.min() >= -1e-9 and scaled.max() <= 1 + 1e-9):
        raise ValueError(f"values must lie between {bounds[0]} and {bounds[1]}")
    scaled = scaled.clip(0, 1)
    heavy = np.ones(values.shape) if weights is None else np.broadcast_to(np.asarray(weights, dtype=np.float64), values.shape)
    if heavy.size and not (heavy.min() >= 0 and heavy.max() <= 1):
        raise ValueError("weights are shares of the largest, from 0 to 1")
    if population is None:
        had, left = np.zeros((*values.shape[:-1], values.shape[-1] + 1)), np.ones(())
    else:
        seen = running(heavy)
        if seen[..., -1].max() > population * (1 + 1e-9):
            raise ValueError("more were drawn than there are")
        had, left = running(heavy * scaled) / population, np.clip(1 - seen / population, 0, 1)
    low, width = bounds[0] + span * had, np.broadcast_to(span * left, had.shape)
    ends = low[..., -1], low[..., -1] + np.where(width[..., -1] > 1e-12 * span, width[..., -1], 0)
    return Observations(scaled, low[..., :-1], width[..., :-1], heavy, ends, span)


@dataclass(frozen=True, eq=False)
class Interleaved:
    """Observations, each of a set drawn at random; shape (..., steps) each."""

    z: Floats
    low: Floats
    """The least that each could have been."""
    high: Floats
    """The greatest."""
    expected: Floats
    """The mean sought, as it looked before each."""
    variance: Floats
    """Of each, as it looked before."""
    ends: tuple[Floats, Floats]
    """The smallest and the largest possible mean."""

    def observations(self) -> Observations:
        """For a confidence sequence."""
        import numpy as np

        width = self.high - self.low
        there = width > 1e-12
        values = np.clip((self.z - self.low) / np.where(there, width, 1), 0, 1)
        ends = np.broadcast_to(self.ends[0], self.z.shape[:-1]), np.broadcast_to(self.ends[1], self.z.shape[:-1])
        span = float(np.max(np.asarray(self.ends[1]) - self.ends[0]))
        return Observations(values, self.low, width, there.astype(np.float64), ends, span)


@dataclass(frozen=True, eq=False)
class Order:
    """Which set each observation is of."""

    sets: Integers
    """By number from 0, shape (steps,)."""
    chances: Floats
    """That each set had to be drawn at each step; shape (steps, sets)."""
    sizes: Integers | None
    """How many there are to draw of each set, without replacement; `None`: independent draws. Then nothing is said any more
    as soon as a set is not drawn from."""

    def of(self, steps: Integers) -> Order:
        """Only some of the steps, and only the sets that these are of."""
        import numpy as np

        there = np.unique(self.sets[steps])
        chances = self.chances[steps][:, there]
        sizes = None if self.sizes is None else self.sizes[there]
        return Order(np.searchsorted(there, self.sets[steps]), chances / chances.sum(axis=1, keepdims=True), sizes)


def interleaved(values: Floats, bounds: tuple[Floats, Floats], order: Order, first: int = 0) -> Interleaved:
    """Values of several sets, the mean sought being the sum of the sets' means.

    Args:
        values: shape (..., steps), as they came.
        bounds: smallest and largest possible value in each set, shape (..., sets) each.
        order: what they are of.
        first: the step to begin with.
    """
    import numpy as np

    after = values.shape[-1] - first
    drift = expected = variance = np.zeros((*values.shape[:-1], after))
    low, high = np.full(drift.shape, np.inf), np.full(drift.shape, -np.inf)
    whole = np.ones(after, dtype=np.bool_)
    for number in range(order.chances.shape[1]):
        mine, size = order.sets == number, None if order.sizes is None else int(order.sizes[number])
        own = np.where(mine, values, 0)
        seen = running(mine.astype(np.int64))[first:-1]
        had, squares = running(own)[..., first:-1], running(own * own)[..., first:-1]
        least, most = (bound[..., number, None] for bound in bounds)
        left = np.ones(after) if size is None else 1 - seen / size
        guess = (had + GUESSED * (least + most) / 2) / (seen + GUESSED)
        chance = order.chances[first:, number]
        open_ = chance > 0
        spread = (squares - had * had / np.maximum(seen, 1) + (most - least) ** 2 / 4) / (seen + 1)
        scale = np.where(open_, left / np.where(open_, chance, 1), 0)
        expected = expected + left * guess + (0 if size is None else had / size)
        drift = drift + np.where(mine[first:], scale * (own[..., first:] - guess), 0)
        variance = variance + scale * left * spread
        low = np.minimum(low, np.where(open_, scale * (least - guess), np.inf))
        high = np.maximum(high, np.where(open_, scale * (most - guess), -np.inf))
        whole &= open_ | (left == 0)
    low, high = np.where(whole, low, 0), np.where(whole, high, 0)
    ends = bounds[0].sum(axis=-1), bounds[1].sum(axis=-1)
    return Interleaved(expected + drift, expected + low, expected + high, expected, variance, ends)


GUESSED = 3
"""The guess of a set's mean begins in the middle between its bounds, which counts as much as so many values."""


def running(values: Floats) -> Floats:
    """Sums before each entry, and after the last; shape (..., n + 1)."""
    import numpy as np

    return np.concatenate((np.zeros((*values.shape[:-1], 1), dtype=values.dtype), np.cumsum(values, axis=-1)), axis=-1)
