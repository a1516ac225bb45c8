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
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats, Integers

TRIED = 4000
"""Draws from the whole simplex that are tried, to see whether rejecting those outside the ranges is quick enough."""
ENOUGH = 0.02
"""Share of them that must lie inside; else a random walk takes over."""
WALKS = 500
"""Random walks that run side by side; each gives every `apart`-th of its places as a draw."""


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

        Exact for exact weights, ranks (a point of the simplex, sorted), free criteria, and ranges as long as enough points of
        the simplex lie inside them (rejection). For narrow ranges of many criteria: hit-and-run (Smith 1984), many short walks
        that start where weights drawn from the ranges lie.
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
    """Shares, uniform on those that weights between two ends can have, shape (count, weights)."""
    import numpy as np

    if len(low) == 1:
        return np.ones((count, 1))
    tried = _simplex(len(low), TRIED, generator)
    kept = [tried[_inside(tried, low, high)]]
    if len(kept[0]) < ENOUGH * TRIED:
        return _walked(low, high, count, generator)
    while sum(map(len, kept)) < count:
        tried = _simplex(len(low), TRIED, generator)
        kept.append(tried[_inside(tried, low, high)])
    return np.concatenate(kept)[:count]


def _inside(shares: Floats, low: Floats, high: Floats) -> NDArray[np.bool_]:
    """Whether some multiple of the shares lies between the two ends: at least `low` by the one, at most `high` by the other."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        least, most = np.where(low > 0, low / shares, 0.0), high / shares
    inside: NDArray[np.bool_] = least.max(axis=1) <= most.min(axis=1)
    return inside


def _walked(low: Floats, high: Floats, count: int, generator: np.random.Generator) -> Floats:
    """Hit-and-run: from where one is a direction is drawn, then a place on the line that way, uniform on what lies inside."""
    import numpy as np

    criteria = len(low)
    places = low + (high - low) * generator.random((WALKS, criteria))
    places /= places.sum(axis=1, keepdims=True)
    spread = np.maximum(places.max(axis=0) - places.min(axis=0), 1e-12)
    first, second = (~np.eye(criteria, dtype=bool)).nonzero()
    apart, needed = criteria, -(-count // WALKS)
    kept = []
    for step in range(10 * criteria + apart * needed):
        way = generator.standard_normal((WALKS, criteria)) * spread
        way -= way.sum(axis=1, keepdims=True) * (spread / spread.sum())
        # low_j s_i <= high_i s_j for each pair, at s = place + t * way
        room = high[first] * places[:, second] - low[second] * places[:, first]
        pace = low[second] * way[:, first] - high[first] * way[:, second]
        room, pace = np.concatenate((room, places), axis=1), np.concatenate((pace, -way), axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.maximum(room, 0.0) / pace
        furthest = np.where(pace > 0, ends, np.inf).min(axis=1)
        nearest = np.where(pace < 0, ends, -np.inf).max(axis=1)
        places = places + (nearest + (furthest - nearest) * generator.random(WALKS))[:, None] * way
        places = np.maximum(places, 0.0)
        places /= places.sum(axis=1, keepdims=True)
        if step >= 10 * criteria and (step + 1) % apart == 0:
            kept.append(places)
    return np.concatenate(kept)[:count]
