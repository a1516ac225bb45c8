"""The weights that a profile allows, as shares that sum to 1: their centre, uniform draws, and the extremes of a weighted sum.

Criteria fall into three kinds, and a profile may mix them:

    weighted     a weight, or a range of it, relative to the other weighted ones
    ranked       only an order of importance: who is more important does not weigh less
    free         nothing known

Shares of weighted criteria keep to s_i / s_j <= high_i / low_j for each pair, ranked ones to their order, and how much one kind
weighs against another is free. Criteria with exact weights keep their proportions, and so count as one when shares are drawn.
All this is a polytope of shares, and "uniform" means uniform on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from assay.decisions.profile import Criterion

if TYPE_CHECKING:
    import numpy as np

    from assay.metrics.columns import Floats, Integers

STEPS = 4096
"""Places at which the distribution of a draw's size is worked out."""
NEGLIGIBLE = 40.0
"""Logarithms below its highest density at which that distribution is taken to end."""


@dataclass(frozen=True, eq=False)
class Weights:
    """The allowed shares of some criteria."""

    low: Floats
    """Smallest and largest weight of the weighted ones, NaN for others; shape (criteria,)."""
    high: Floats
    ranks: Integers
    """Rank of importance, 1 the most important; 0 for those that have none."""

    @classmethod
    def of(cls, criteria: Sequence[Criterion]) -> Weights:
        """What a profile says of its criteria's weights."""
        import numpy as np

        ends = [c.weight if isinstance(c.weight, tuple) else (c.weight, c.weight) for c in criteria]
        low, high = (np.array([np.nan if end[side] is None else end[side] for end in ends], dtype=float) for side in (0, 1))
        return cls(low, high, np.array([criterion.importance or 0 for criterion in criteria], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.low)

    @cached_property
    def exact(self) -> Integers:
        """Criteria with one weight."""
        import numpy as np

        return np.flatnonzero((self.low == self.high) & (self.high > 0))

    @cached_property
    def ranged(self) -> Integers:
        """Criteria with a range of weights."""
        import numpy as np

        return np.flatnonzero(self.low < self.high)

    @cached_property
    def ranked(self) -> Integers:
        """Criteria with a rank, the most important first."""
        import numpy as np

        there = np.flatnonzero(self.ranks > 0)
        return there[np.argsort(self.ranks[there], kind="stable")]

    @cached_property
    def free(self) -> Integers:
        """Criteria of which nothing is known."""
        import numpy as np

        return np.flatnonzero(np.isnan(self.low) & (self.ranks == 0))

    @property
    def settled(self) -> bool:
        """Only one set of shares is allowed."""
        return len(self) == len(self.exact) + int((self.high == 0).sum()) or len(self) == 1

    @property
    def _sizes(self) -> tuple[int, int, int]:
        """How many shares can move in each kind: weighted, ranked, free."""
        return len(self.ranged) + (len(self.exact) > 0), len(self.ranked), len(self.free)

    def _kinds(self) -> list[Integers]:
        import numpy as np

        return [np.concatenate((self.exact, self.ranged)), self.ranked, self.free]

    def centre(self) -> Floats:
        """The middle of the allowed shares, shape (criteria,).

        Ranges stand at their middle; ranks at the mean of all shares in that order, the rank-order centroid (Barron and Barrett
        1996), which criteria of equal rank divide evenly; each kind weighs as many parts as it has shares that can move.
        """
        import numpy as np

        shares, sizes = np.zeros(len(self)), self._sizes
        weighted, ranked, free = self._kinds()
        places = range(len(ranked))
        centroid = np.array([sum(1 / (after + 1) for after in places[place:]) for place in places])
        tied = self.ranks[ranked]
        inside = [
            (self.low[weighted] + self.high[weighted]) / 2,
            np.array([centroid[tied == rank].mean() for rank in tied]),
            np.ones(len(free)),
        ]
        for kind, size, own in zip((weighted, ranked, free), sizes, inside, strict=True):
            if len(kind):
                shares[kind] = size / sum(sizes) * own / own.sum()
        return shares

    def draw(self, count: int, generator: np.random.Generator) -> Floats:
        """Allowed shares drawn uniformly, shape (count, criteria).

        None is drawn in vain: free criteria are a point of the simplex, ranks a sorted one, and ranges one that is drawn inside
        them (`_within`).
        """
        import numpy as np

        shares, sizes = np.zeros((count, len(self))), self._sizes
        weighted, ranked, free = self._kinds()
        present = [size for size in sizes if size]
        masses = iter(generator.dirichlet(present, size=count).T if len(present) > 1 else [np.ones(count)])
        if len(weighted):
            shares[:, weighted] = next(masses)[:, None] * self._draw_weighted(count, generator)
        if len(ranked):
            inside = -np.sort(-_simplex(len(ranked), count, generator), axis=1)
            tied = self.ranks[ranked]
            for rank in np.unique(tied):
                alike = np.flatnonzero(tied == rank)
                if len(alike) > 1:
                    inside[:, alike] = generator.permuted(inside[:, alike], axis=1)
            shares[:, ranked] = next(masses)[:, None] * inside
        if len(free):
            shares[:, free] = next(masses)[:, None] * _simplex(len(free), count, generator)
        return shares

    def _draw_weighted(self, count: int, generator: np.random.Generator) -> Floats:
        """Shares among the weighted criteria, exact ones first."""
        import numpy as np

        own = self.low[self.exact]
        block = [own.sum()] if len(own) else []
        low, high = np.concatenate((block, self.low[self.ranged])), np.concatenate((block, self.high[self.ranged]))
        moving = _within(low, high, count, generator)
        if not len(own):
            return moving
        return np.concatenate((moving[:, :1] * (own / own.sum()), moving[:, 1:]), axis=1)

    def most(self, gains: Floats) -> Floats:
        """The greatest weighted sum over the allowed shares, in closed form.

        It is reached at a corner. Among weighted criteria that is where those with more than some gain have their highest
        weight and the others their lowest, as in any ratio of linear functions over a box; among ranked ones where the first
        few share evenly, more important ranks and within a rank greater gains first; among free ones it is the greatest gain.

        Args:
            gains: what each criterion contributes at a share of 1, shape (…, criteria).

        Returns:
            Shape (…).
        """
        import numpy as np

        found = []
        weighted, ranked, free = self._kinds()
        if len(weighted):
            low, high = (np.broadcast_to(end[weighted], gains[..., weighted].shape) for end in (self.low, self.high))
            order = np.argsort(-gains[..., weighted], axis=-1, kind="stable")
            gain, low, high = (np.take_along_axis(a, order, axis=-1) for a in (gains[..., weighted], low, high))
            extra = high - low
            sums = (low * gain).sum(axis=-1)[..., None] + np.cumsum(extra * gain, axis=-1)
            totals = low.sum(axis=-1)[..., None] + np.cumsum(extra, axis=-1)
            with np.errstate(invalid="ignore", divide="ignore"):
                found.append(np.where(totals > 0, sums / totals, -np.inf).max(axis=-1))
        if len(ranked):
            own = gains[..., ranked]
            order = np.lexsort((-own, np.broadcast_to(self.ranks[ranked], own.shape)), axis=-1)
            running = np.cumsum(np.take_along_axis(own, order, axis=-1), axis=-1) / np.arange(1, len(ranked) + 1)
            found.append(running.max(axis=-1))
        if len(free):
            found.append(gains[..., free].max(axis=-1))
        greatest: Floats = np.max(found, axis=0)
        return greatest


def _simplex(criteria: int, count: int, generator: np.random.Generator) -> Floats:
    """Shares that sum to 1, all equally likely."""
    import numpy as np

    return generator.dirichlet(np.ones(criteria), size=count)


def _within(low: Floats, high: Floats, count: int, generator: np.random.Generator) -> Floats:
    """Shares, uniform on those that weights between two ends can have, shape (count, weights).

    Exponential variables divided by their sum are uniform on the simplex. Their shares are allowed where some size t has all of
    them between t low and t high and one of them, i, at t high_i. So t is drawn, then i, and the others are exponential
    variables cut off at t low and t high. The density of t, with d_j(t) = exp(-low_j t) - exp(-high_j t), is in proportion to
    the sum over i of high_i exp(-high_i t) times the product over all j but i of d_j(t).

    Args:
        low: finite and not negative.
        high: above `low`; the first weight alone may be exact, and is then the one at its end.
    """
    import numpy as np

    size = _sizes_of(low, high, count, generator)[:, None]
    width = size * (high - low)
    found = np.minimum(size * low - np.log1p(generator.random((count, len(low))) * np.expm1(-width)), size * high)
    logs = _at_end(size, low, high)
    reached = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
    reached /= reached[:, -1:]
    at_end = (reached < generator.random((count, 1))).sum(axis=1).clip(max=len(low) - 1)
    found[np.arange(count), at_end] = size[:, 0] * high[at_end]
    shares: Floats = found / found.sum(axis=1, keepdims=True)
    return shares


def _sizes_of(low: Floats, high: Floats, count: int, generator: np.random.Generator) -> Floats:
    """Draws of t, shape (count,), by its cumulative distribution over log t between places where it is negligible."""
    import numpy as np

    def density(logs: Floats) -> Floats:
        sizes = np.exp(logs)[:, None]
        ends = _at_end(sizes, low, high)
        top = ends.max(axis=1)
        wide = slice(1, None) if low[0] == high[0] else slice(None)
        width = sizes * (high[wide] - low[wide])
        inside = (np.log(-np.expm1(-width)) - sizes * low[wide]).sum(axis=1)
        found: Floats = inside + top + np.log(np.exp(ends - top[:, None]).sum(axis=1)) + logs
        return found

    logs = np.linspace(-np.log(high.max()) - NEGLIGIBLE, np.log(len(high) / high.min()) + NEGLIGIBLE, STEPS)
    for _ in range(2):
        heights = density(logs)
        there = np.flatnonzero(heights > heights.max() - NEGLIGIBLE)
        logs = np.linspace(logs[max(there[0] - 1, 0)], logs[min(there[-1] + 1, STEPS - 1)], STEPS)
    heights = density(logs)
    mass = np.exp(heights - heights.max())
    below = np.concatenate(([0.0], np.cumsum((mass[1:] + mass[:-1]) / 2)))
    drawn: Floats = np.exp(np.interp(generator.random(count) * below[-1], below, logs))
    return drawn


def _at_end(sizes: Floats, low: Floats, high: Floats) -> Floats:
    """For sizes t, shape (sizes, 1), the logarithm of high_i exp(-high_i t) / d_i(t): how likely each weight is the one at its
    end. An exact weight always is, and its d_i counts as 1."""
    import numpy as np

    if low[0] == high[0]:
        alone = np.full((len(sizes), len(low)), -np.inf)
        alone[:, 0] = np.log(high[0]) - sizes[:, 0] * high[0]
        return alone
    width = sizes * (high - low)
    found: Floats = np.log(high) - width - np.log(-np.expm1(-width))
    return found
