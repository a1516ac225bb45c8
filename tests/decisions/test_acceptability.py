"""Acceptability over weights and noise, where closed forms say what must come out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.decisions.acceptability import DRAWS, acceptabilities, firsts, minimax_regret
from assay.decisions.profile import Criterion
from assay.decisions.weights import Weights
from assay.identity import array_generator

CLOSE = 4 * math.sqrt(0.25 / DRAWS)
"""Four standard deviations of a share of the draws."""


def weights(*given: float | tuple[float, float] | None) -> Weights:
    return Weights.of([Criterion(name=f"c{n}", metric="exact_match", weight=weight) for n, weight in enumerate(given)])


def test_without_noise_the_first_place_is_the_share_of_weights_that_favour_it() -> None:
    """Worths (0.9, 0.2) and (0.5, 0.8) meet at the share 0.6; every share is as likely."""
    worths = np.array([[0.9, 0.2], [0.5, 0.8]])
    found = acceptabilities(worths, worths[None], weights(None, None), array_generator("test"))
    assert found.first == pytest.approx([0.4, 0.6], abs=CLOSE)
    assert found.ranks.sum(axis=0) == pytest.approx([1, 1])
    assert found.ranks.sum(axis=1) == pytest.approx([1, 1])
    # Over shares above 0.6 the mean is 0.8, over those below it is 0.3.
    assert found.central == pytest.approx(np.array([[0.8, 0.2], [0.3, 0.7]]), abs=0.01)
    assert found.confidence.tolist() == [1.0, 1.0]
    # The loss is |x - 0.6|: 0.6 at the worst for one, 0.4 for the other, and on average the halves of their squares.
    assert found.regret == pytest.approx([0.6, 0.4])
    assert found.expected_regret == pytest.approx([0.6**2 / 2, 0.4**2 / 2], abs=0.005)
    assert found.preferred[0, 1] == pytest.approx(found.first[0])


def test_with_exact_weights_noise_alone_decides() -> None:
    """One candidate is 0.6 with certainty, the other normal around 0.5 with a deviation of 0.1: ahead with P(z > 1)."""
    rng = np.random.default_rng(3)
    replicates = np.full((20_000, 2, 1), 0.6)
    replicates[:, 1, 0] = rng.normal(0.5, 0.1, 20_000)
    found = acceptabilities(replicates.mean(axis=0), replicates, weights(1.0), array_generator("test"))
    expected = 0.5 * math.erfc(1 / math.sqrt(2))
    assert found.first[1] == pytest.approx(expected, abs=CLOSE)
    assert found.confidence[0] == pytest.approx(1 - expected, abs=0.01)


def test_equal_candidates_share_their_ranks() -> None:
    worths = np.array([[0.5, 0.5], [0.5, 0.5], [0.1, 0.2]])
    found = acceptabilities(worths, worths[None], weights(None, None), array_generator("test"))
    assert found.ranks.tolist() == [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    assert found.preferred[0, 1] == 0.5
    assert np.isnan(found.central[2]).all()
    assert math.isnan(found.confidence[2])
    assert found.regret.tolist() == pytest.approx([0.0, 0.0, 0.4])


def test_noise_that_all_share_does_not_blur_who_is_first() -> None:
    rng = np.random.default_rng(4)
    common = rng.normal(0, 0.3, (500, 1, 1))
    replicates = np.array([[0.50], [0.49]])[None] + common
    found = acceptabilities(np.array([[0.5], [0.49]]), replicates, weights(1.0), array_generator("test"))
    assert found.first.tolist() == [1.0, 0.0]


def test_the_greatest_regret_is_the_greatest_over_many_weights() -> None:
    worths = np.random.default_rng(6).random((5, 4))
    allowed = weights((1.0, 3.0), (0.5, 2.0), 1.0, (0.2, 0.4))
    drawn = allowed.draw(20_000, array_generator("regret"))
    scores = drawn @ worths.T
    seen = (scores.max(axis=1, keepdims=True) - scores).max(axis=0)
    found = minimax_regret(worths, allowed)
    assert (found >= seen - 1e-12).all()
    assert found == pytest.approx(seen, abs=0.03)


def test_the_same_seed_gives_the_same_numbers() -> None:
    replicates = np.random.default_rng(9).random((50, 3, 2))
    one, other = (acceptabilities(replicates[0], replicates, weights(None, None), array_generator(1, "x")) for _ in range(2))
    assert one.ranks.tolist() == other.ranks.tolist()
    assert one.expected_regret.tolist() == other.expected_regret.tolist()


def test_first_at_given_weights_counts_resamples() -> None:
    replicates = np.array([[[1.0], [0.0]], [[0.0], [1.0]], [[1.0], [1.0]], [[1.0], [0.0]]])
    assert firsts(replicates, np.array([1.0])).tolist() == [0.625, 0.375]
