"""Candidates ranked at weights that a reader chooses, by the formulas that decisions are made with.

    worth of a candidate  = sum over criteria of share of the weight × worth in the criterion
    interval, first in …  = the same over joint resamples of the instances

The script of the pages does the same from the same numbers, and so must say the same: what it is given is rounded here first,
and what is shown is rounded half up, to within a billionth, in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Any

from assay.decisions.acceptability import ALIKE, firsts
from assay.decisions.measured import Measured
from assay.decisions.profile import Profile
from assay.decisions.ranking import Ranking
from assay.decisions.results import Decision

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

DIGITS = 5
"""Digits after the point of the worths that ranking begins with."""
RESAMPLES = 400
"""Joint resamples that are kept at most: shares are exact to about five in a hundred."""
NUMBERS = 24_000
"""Worths of resamples that a page may hold; of many candidates fewer resamples are kept."""
NARROW = 0.04
"""An interval that is narrower has three digits after the point, as tables have it."""
SLACK = 1e-9


@dataclass(frozen=True)
class Placed:
    """A candidate at some weights."""

    candidate: str
    number: int
    """Its place in `Weighing.candidates`."""
    text: str
    """Its worth, with its interval over the noise of measurement where that is known."""
    value: float
    first: str
    """The share of resamples in which it is worth most; empty where noise is not known."""
    own: tuple[str, ...]
    """Its worth in each criterion."""


@dataclass(frozen=True, eq=False)
class Weighing:
    """What ranking at other weights needs."""

    candidates: tuple[str, ...]
    """Those in play: acceptable, or where none is, not shown to be unacceptable."""
    criteria: tuple[str, ...]
    centre: tuple[float, ...]
    """The shares at the middle of what the profile allows."""
    worths: Floats
    """Shape (candidates, criteria)."""
    replicates: Floats
    """The same over instances drawn anew, shape (resamples, candidates, criteria); no resamples where they are not at hand."""

    def shares(self, weights: Sequence[float]) -> tuple[float, ...]:
        """Weights as shares that sum to 1; where all are 0, the middle of what is allowed."""
        total = sum(weights)
        return tuple(weight / total for weight in weights) if total > 0 else self.centre

    def placed(self, shares: Sequence[float]) -> list[Placed]:
        """All candidates, best first: by worth; equal ones by how often they are first, then as they were given."""
        import numpy as np

        weights = np.array(shares)
        scores = (self.worths @ weights).round(ALIKE)
        there = len(self.replicates) > 0
        first = firsts(self.replicates, weights).round(ALIKE) if there else np.zeros(len(scores))
        drawn = np.einsum("rck,k->rc", self.replicates, weights)
        bounds = np.quantile(drawn, [0.025, 0.975], axis=0).T.tolist() if there else [None] * len(scores)
        return [
            Placed(
                candidate=self.candidates[place],
                number=place,
                text=worth_text(scores[place], bounds[place]),
                value=float(scores[place]),
                first=share_text(float(first[place])) if there else "",
                own=tuple(fixed(worth, 2) for worth in self.worths[place].tolist()),
            )
            for place in np.lexsort((-first, -scores)).tolist()
        ]

    def data(self) -> dict[str, Any]:
        """What the script needs; it holds no text of anybody's."""
        flat = self.replicates.reshape(-1).tolist()
        return {"centre": self.centre, "worths": self.worths.tolist(), "replicates": flat}


def fixed(number: float, digits: int) -> str:
    """A number from 0 on with so many digits after the point, rounded half up."""
    by = 10**digits
    return f"{floor(number * by + 0.5 + SLACK) / by:.{digits}f}"


def share_text(share: float) -> str:
    """A share in whole percent; never 0 or 100 where it is neither."""
    if 0 < share < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < share < 1 else f"{fixed(100 * share, 0)} %"


def weight_text(weight: float, share: float) -> str:
    """A weight as a reader sets it, and what it comes to."""
    return f"weight {fixed(weight, 0)} → {fixed(100 * share, 0)} % of all"


def worth_text(value: float, bounds: Sequence[float] | None) -> str:
    """A worth with its interval, with as many digits as that supports."""
    if bounds is None:
        return fixed(value, 2)
    low, high = min(bounds[0], value), max(bounds[1], value)
    digits = 3 if SLACK < high - low < NARROW - SLACK else 2
    return f"{fixed(value, digits)} [{fixed(low, digits)}, {fixed(high, digits)}]"


def weighing_of(decision: Decision, profile: Profile, measured: Measured | None = None) -> Weighing | None:
    """What a decision can be weighed anew with; `None` where there is but one criterion, or one candidate in play.

    Args:
        decision: what was decided.
        profile: by which.
        measured: what it was decided on, for the noise of measurement.
    """
    import numpy as np

    names = [criterion.name for criterion in profile.criteria]
    in_play = [standing for standing in decision.standings if standing.acceptability is not None]
    if len(names) < 2 or len(in_play) < 2 or decision.weights.keys() != set(names):
        return None
    measured_by = [[held.measure for held in standing.measurements[: len(names)]] for standing in in_play]
    own = [[held.worth for held in standing.measurements[: len(names)]] for standing in in_play]
    shares = [decision.weights[name] for name in names]
    if any(row != names for row in measured_by) or not all(map(_is_share, [*shares, *(worth for row in own for worth in row)])):
        return None  # of a record that contradicts itself
    candidates = tuple(standing.candidate for standing in in_play)
    replicates = np.zeros((0, len(candidates), len(names)))
    if measured is not None:
        ranking = Ranking.of(measured.of(candidates), profile.criteria, range(len(names)), profile.seed)
        count = min(RESAMPLES, max(1, NUMBERS // (len(candidates) * len(names))), len(ranking.replicates))
        chosen = np.linspace(0, len(ranking.replicates) - 1, count).round().astype(np.int64)
        replicates = ranking.resampled_worths[chosen].round(DIGITS)
    return Weighing(
        candidates=candidates,
        criteria=tuple(names),
        centre=tuple(shares),
        worths=np.array(own, dtype=float).round(DIGITS),
        replicates=replicates,
    )


def _is_share(number: float | None) -> bool:
    return number is not None and 0 <= number <= 1
