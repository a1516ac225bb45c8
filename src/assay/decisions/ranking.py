"""Candidates ranked by what they are worth: all that is computed of those in play, before it is put into words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from assay.decisions.acceptability import ALIKE, Acceptabilities, acceptabilities, firsts
from assay.decisions.measured import Measured
from assay.decisions.pareto import dominance_shares, front
from assay.decisions.profile import Criterion
from assay.decisions.weights import Weights
from assay.decisions.worth import direction, worths
from assay.identity import array_generator
from assay.metrics import Metric
from assay.records import Estimate
from assay.statistics.estimates import rounded, t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats


@dataclass(frozen=True, eq=False)
class Ranking:
    """Some candidates, all of whose criteria were measured."""

    candidates: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    metrics: tuple[Metric, ...]
    estimates: tuple[tuple[Estimate, ...], ...]
    """[candidate][criterion]"""
    values: Floats
    """Measured values, shape (candidates, criteria)."""
    replicates: Floats
    """Values over instances drawn anew, moved so that their mean is the measured value, because chance makes distances such as
    calibration errors larger in every resample; shape (resamples, candidates, criteria), no NaN."""
    seed: int

    @classmethod
    def of(cls, measured: Measured, criteria: Sequence[Criterion], columns: Sequence[int], seed: int) -> Ranking:
        """All candidates of some measurements. Resamples in which one has no value are left out; without any, noise is none."""
        import numpy as np

        chosen = list(columns)
        values = measured.values[:, chosen]
        drawn = measured.replicates[:, :, chosen]
        drawn = drawn[np.isfinite(drawn).all(axis=(1, 2))]
        moved = drawn + (values - drawn.mean(axis=0)) if len(drawn) else values[None]
        known = tuple(tuple(e for place in chosen if (e := row[place]) is not None) for row in measured.estimates)
        metrics = tuple(measured.metrics[place] for place in chosen)
        return cls(measured.candidates, tuple(criteria), metrics, known, values, moved, seed)

    @cached_property
    def worths(self) -> Floats:
        """Of the measured values, shape (candidates, criteria)."""
        return self._worths(self.values)

    @cached_property
    def resampled_worths(self) -> Floats:
        """Shape (resamples, candidates, criteria)."""
        return self._worths(self.replicates)

    def _worths(self, values: Floats) -> Floats:
        import numpy as np

        each = zip(self.criteria, self.metrics, strict=True)
        found: Floats = np.stack([worths(values[..., place], *pair) for place, pair in enumerate(each)], axis=-1)
        return found

    @cached_property
    def weights(self) -> Weights:
        """Those that the profile allows."""
        return Weights.of(self.criteria)

    @cached_property
    def centre(self) -> Floats:
        """Their middle, shares of shape (criteria,)."""
        return self.weights.centre()

    @cached_property
    def scores(self) -> Floats:
        """Weighted worth at the centre, shape (candidates,)."""
        found: Floats = self._weighted(self.worths[None])[0]
        return found

    @cached_property
    def resampled_scores(self) -> Floats:
        """The same over instances drawn anew, shape (resamples, candidates)."""
        return self._weighted(self.resampled_worths)

    def _weighted(self, some: Floats) -> Floats:
        import numpy as np

        found: Floats = np.einsum("rck,k->rc", some, self.centre)
        return found

    @cached_property
    def acceptabilities(self) -> Acceptabilities:
        """Over all allowed weights and over noise."""
        generator = array_generator(self.seed, "acceptability")
        return acceptabilities(self.worths, self.resampled_worths, self.weights, generator)

    @cached_property
    def order(self) -> list[int]:
        """Best first: by weighted worth; equal ones by the share of draws in which they are first, then as they were given."""
        import numpy as np

        order: list[int] = np.lexsort((-self.acceptabilities.first, -self.scores.round(ALIKE))).tolist()
        return order

    @property
    def leader(self) -> int:
        """The first of them."""
        return self.order[0]

    def contenders(self, confidence: float) -> list[int]:
        """The leader, and those that are most often first, until together they are first in that share of all draws."""
        first = self.acceptabilities.first
        others = [place for place in self.order if place != self.leader]
        others.sort(key=lambda place: -first[place])
        found, together = [self.leader], float(first[self.leader])
        while together < confidence and others:
            found.append(others.pop(0))
            together += float(first[found[-1]])
        return found

    @cached_property
    def upward(self) -> Floats:
        """1 for criteria of which more is better, -1 for the others, shape (criteria,)."""
        import numpy as np

        return np.array([direction(*pair) for pair in zip(self.criteria, self.metrics, strict=True)], dtype=float)

    @cached_property
    def front(self) -> NDArray[np.bool_]:
        """Who is on the Pareto front, shape (candidates,)."""
        return front(self.values, self.upward)

    @cached_property
    def dominance(self) -> tuple[Floats, Floats]:
        """See `pareto.dominance_shares`."""
        return dominance_shares(self.replicates, self.upward)

    def worth(self, candidate: int) -> Estimate:
        """Weighted worth at the centre, with a percentile interval over noise; n is that of the criterion with fewest units."""
        import numpy as np

        value, drawn = rounded(float(self.scores[candidate])), self.resampled_scores[:, candidate]
        low, high = (rounded(float(end)) for end in np.quantile(drawn, [0.025, 0.975]))
        fewest = min(self.estimates[candidate], key=lambda estimate: estimate.clusters)
        return Estimate(
            value=value,
            low=min(low, value),
            high=max(high, value),
            n=fewest.n,
            clusters=fewest.clusters,
            stderr=rounded(float(drawn.std(ddof=1))) if len(drawn) > 1 else None,
            method=f"bootstrap, {len(drawn)} joint replicates",
        )

    def units(self, *candidates: int) -> int:
        """Independent units behind the criterion that has most: those of a subgroup are some of them."""
        return max(estimate.clusters for place in candidates for estimate in self.estimates[place])

    def first_at_centre(self, candidate: int) -> float:
        """The share of resamples in which a candidate is first at the central weights."""
        return float(firsts(self.resampled_worths, self.centre)[candidate])

    def difference(self, one: int, other: int, criterion: int) -> Estimate:
        """How much more one candidate has of a criterion than the other, paired by the resamples.

        The interval combines the distances of both candidates' bounds from their values with the correlation r of their
        resamples (MOVER: Zou and Donner 2008), so that values at 0 or 1 keep their uncertainty:
        low = d - sqrt(a^2 + b^2 - 2 r a b), a and b the distances that make the difference smaller.
        """
        first, second = self.estimates[one][criterion], self.estimates[other][criterion]
        value, units = first.value - second.value, min(first.clusters, second.clusters)
        bare = Estimate(value=value, low=None, high=None, n=min(first.n, second.n), clusters=units)
        if first.low is None or first.high is None or second.low is None or second.high is None:
            return self._by_resamples(bare, one, other, criterion)
        alike = _correlation(self.replicates[:, one, criterion], self.replicates[:, other, criterion])

        def reach(a: float, b: float) -> float:
            return math.sqrt(max(0.0, a * a + b * b - 2 * alike * a * b))

        low = value - reach(first.value - first.low, second.high - second.value)
        high = value + reach(first.high - first.value, second.value - second.low)
        return _between(bare, low, high, "mover")

    def _by_resamples(self, bare: Estimate, one: int, other: int, criterion: int) -> Estimate:
        """Of values without an interval of their own: Student's t with the spread of the resamples, none without any spread."""
        away = self.replicates[:, one, criterion] - self.replicates[:, other, criterion]
        spread = float(away.std(ddof=1)) if len(away) > 1 else 0.0
        if spread == 0 or bare.clusters < 2:
            return bare
        reach = t_quantile(bare.clusters - 1) * spread
        return _between(bare, bare.value - reach, bare.value + reach, "t")

    def more(self, one: int, other: int, confidence: float) -> int | None:
        """About how many more units would show that one candidate is worth more than the other.

        n (z / y)^2 units in all, where y is how many standard deviations of its noise the difference of their worth lies above
        0, which grows with the root of n; where weights are left open, y is the normal quantile of the share of draws in which
        the one is worth more. `None` where it is not ahead.
        """
        from scipy.special import ndtri

        if self.weights.settled:
            away = self.resampled_scores[:, one] - self.resampled_scores[:, other]
            spread = float(away.std(ddof=1)) if len(away) > 1 else 0.0
            ahead = float(self.scores[one] - self.scores[other]) / spread if spread > 0 else 0.0
        else:
            ahead = float(ndtri(self.acceptabilities.preferred[one, other]))
        if ahead < 10.0**-ALIKE:
            return None
        units = self.units(one, other)
        return max(1, math.ceil(units * (float(ndtri(confidence)) / ahead) ** 2) - units)


def _between(bare: Estimate, low: float, high: float, method: str) -> Estimate:
    import msgspec

    low, high = rounded(low), rounded(high)
    return msgspec.structs.replace(bare, low=min(low, bare.value), high=max(high, bare.value), method=method)


def _correlation(first: Floats, second: Floats) -> float:
    """Pearson's; 0 where one of them does not vary."""
    import numpy as np

    one, other = first - first.mean(), second - second.mean()
    size = math.sqrt(float(np.einsum("r,r->", one, one)) * float(np.einsum("r,r->", other, other)))
    return float(np.einsum("r,r->", one, other)) / size if size > 0 else 0.0
