"""How candidates fare over all allowed weights and over the noise of measurement at once.

Stochastic multicriteria acceptability analysis (SMAA-2: Lahdelma and Salminen 2001, Operations Research 49): draw weights
from those that the profile allows and measurements from how they would have come out again, rank the candidates by their
weighted worth, and count. Candidates that are worth the same share the ranks that they take up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.decisions.weights import Weights

if TYPE_CHECKING:
    import numpy as np

    from assay.metrics.columns import Floats

DRAWS = 10_000
"""Weights drawn, each with one resample of the measurements: shares are exact to about one in a hundred."""
BLOCK = 1_000_000
"""Numbers worked on at once."""
ALIKE = 12
"""Digits after the point to which sums of worths must agree to be a tie."""


@dataclass(frozen=True, eq=False)
class Acceptabilities:
    """The result for all candidates."""

    ranks: Floats
    """Share of draws in which a candidate has a rank, shape (candidates, ranks)."""
    central: Floats
    """Mean weights over the draws that a candidate wins, shape (candidates, criteria); NaN where it wins none."""
    confidence: Floats
    """Its chance to be first at those weights, over noise alone, shape (candidates,); NaN where it wins none."""
    preferred: Floats
    """Share of draws in which the row's candidate is worth more than the column's, ties half; (candidates, candidates)."""
    regret: Floats
    """Greatest loss over the allowed weights against whoever is best at them, by the measured values; shape (candidates,)."""
    expected_regret: Floats
    """The loss averaged over the draws, shape (candidates,)."""

    @property
    def first(self) -> Floats:
        """Share of draws in which a candidate is first."""
        return self.ranks[:, 0]


def acceptabilities(worths: Floats, replicates: Floats, weights: Weights, generator: np.random.Generator) -> Acceptabilities:
    """Rank, compare and count over `DRAWS` draws.

    Args:
        worths: of the measured values, shape (candidates, criteria), no NaN.
        replicates: worths over instances drawn anew, shape (resamples, candidates, criteria), no NaN.
        weights: the allowed ones.
        generator: draws weights, and a resample for each.
    """
    import numpy as np

    candidates, criteria = worths.shape
    drawn = weights.draw(DRAWS, generator)
    rows = generator.integers(len(replicates), size=DRAWS)
    ranks, won = np.zeros((candidates, candidates)), np.zeros((candidates, criteria))
    preferred, lost = np.zeros((candidates, candidates)), np.zeros(candidates)
    at_once = max(1, BLOCK // (candidates * max(candidates, criteria)))
    for start in range(0, DRAWS, at_once):
        some = drawn[start : start + at_once]
        scores = np.einsum("dk,dck->dc", some, replicates[rows[start : start + at_once]])
        shares, above = _ranked(scores)
        ranks += shares.sum(axis=0)
        won += np.einsum("dc,dk->ck", shares[:, :, 0], some)
        preferred += above
        lost += (scores.max(axis=1, keepdims=True) - scores).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        central = won / ranks[:, :1]
    confidence = np.array([firsts(replicates, own)[place] for place, own in enumerate(central)])
    return Acceptabilities(ranks / DRAWS, central, confidence, preferred / DRAWS, minimax_regret(worths, weights), lost / DRAWS)


def firsts(replicates: Floats, weights: Floats) -> Floats:
    """Each candidate's chance to be first at these weights, over the noise of measurement; NaN where the weights are."""
    import numpy as np

    if np.isnan(weights).any():
        return np.full(replicates.shape[1], np.nan)
    scores = np.einsum("rck,k->rc", replicates, weights).round(ALIKE)
    leading = scores == scores.max(axis=1, keepdims=True)
    found: Floats = (leading / leading.sum(axis=1, keepdims=True)).mean(axis=0)
    return found


def minimax_regret(worths: Floats, weights: Weights) -> Floats:
    """The most that each candidate can fall behind the best one at any allowed weights, shape (candidates,)."""
    behind = worths[None, :, :] - worths[:, None, :]
    found: Floats = weights.most(behind).max(axis=1)
    return found


def _ranked(scores: Floats) -> tuple[Floats, Floats]:
    """The share of each rank that each candidate has, shape (draws, candidates, ranks), and how often one is above another."""
    import numpy as np

    scores = scores.round(ALIKE)
    above = scores[:, :, None] > scores[:, None, :]
    better, tied = above.sum(axis=1), 0
    tied = len(scores[0]) - better - above.sum(axis=2)
    places = np.arange(len(scores[0]))
    inside = (places >= better[:, :, None]) & (places < (better + tied)[:, :, None])
    wins = above.sum(axis=0)
    return inside / tied[:, :, None], wins + (len(scores) - wins - wins.T) / 2
