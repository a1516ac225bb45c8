"""The allowed weights: their middle, uniform draws and the extremes of weighted sums, against what is known of such sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import ks_2samp

from assay.decisions.profile import Criterion
from assay.decisions.weights import Weights
from assay.identity import array_generator

Kind = float | tuple[float, float] | int | None
"""A weight, a range, a rank (an int), or nothing known."""


def weights(*kinds: Kind) -> Weights:
    made = []
    for number, kind in enumerate(kinds):
        rank = kind if isinstance(kind, int) else None
        weight = None if isinstance(kind, int) else kind
        made.append(Criterion(name=f"c{number}", metric="exact_match", weight=weight, importance=rank))
    return Weights.of(made)


def draws(allowed: Weights, count: int = 20_000) -> np.ndarray:
    return allowed.draw(count, array_generator("test"))


def test_exact_weights_are_one_set_of_shares() -> None:
    allowed = weights(3.0, 1.0, 0.0)
    assert allowed.settled
    assert allowed.centre().tolist() == [0.75, 0.25, 0.0]
    assert np.allclose(draws(allowed, 5), [0.75, 0.25, 0.0])
    assert allowed.most(np.array([[1.0, 5.0, 100.0]])).tolist() == [2.0]


def test_nothing_known_is_uniform_on_the_simplex() -> None:
    drawn = draws(weights(None, None, None))
    assert np.allclose(drawn.sum(axis=1), 1)
    assert drawn.mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.01)
    # One share of three is below x with the chance 1 - (1 - x)^2.
    assert (drawn[:, 0] < 0.3).mean() == pytest.approx(1 - 0.7**2, abs=0.015)


def test_ranks_have_the_rank_order_centroid_and_keep_their_order() -> None:
    allowed = weights(2, 1, 3)
    centroid = [(1 / 2 + 1 / 3) / 3, (1 + 1 / 2 + 1 / 3) / 3, (1 / 3) / 3]
    assert allowed.centre() == pytest.approx(centroid)
    drawn = draws(allowed)
    assert ((drawn[:, 1] >= drawn[:, 0]) & (drawn[:, 0] >= drawn[:, 2])).all()
    assert drawn.mean(axis=0) == pytest.approx(centroid, abs=0.01)


def test_criteria_of_one_rank_divide_it_either_way() -> None:
    allowed = weights(1, 2, 2)
    assert allowed.centre()[1] == allowed.centre()[2]
    drawn = draws(allowed)
    assert (drawn[:, 1] > drawn[:, 2]).mean() == pytest.approx(0.5, abs=0.015)
    assert (drawn[:, 0] >= drawn[:, 1:].max(axis=1)).all()
    # Uniform on the simplex where the first is the largest: as rejection from the whole simplex gives it.
    free = draws(weights(None, None, None), 60_000)
    kept = free[free[:, 0] >= free[:, 1:].max(axis=1)]
    assert drawn.mean(axis=0) == pytest.approx(kept.mean(axis=0), abs=0.01)
    assert np.quantile(drawn[:, 1], [0.1, 0.5, 0.9]) == pytest.approx(np.quantile(kept[:, 1], [0.1, 0.5, 0.9]), abs=0.015)


def test_two_ranges_are_an_interval_of_shares() -> None:
    allowed = weights((2.0, 4.0), (1.0, 1.0))
    drawn = draws(allowed)[:, 0]
    assert drawn.min() > 2 / 3
    assert drawn.max() < 4 / 5
    assert np.quantile(drawn, [0.25, 0.5, 0.75]) == pytest.approx(np.linspace(2 / 3, 4 / 5, 5)[1:4], abs=0.003)
    assert allowed.centre() == pytest.approx([0.75, 0.25])
    assert allowed.most(np.array([1.0, 0.0])) == pytest.approx(0.8)
    assert -allowed.most(np.array([-1.0, 0.0])) == pytest.approx(2 / 3)


def test_narrow_ranges_of_many_criteria_are_drawn_from_uniformly() -> None:
    """Few points of the simplex lie inside; compared with rejection from a box close around them."""
    ends = [(1.0, 1.6), (1.0, 1.5), (2.0, 3.0), (1.0, 1.4), (0.5, 0.9)]
    drawn = draws(weights(*ends), 20_000)
    low, high = np.array(ends).T
    generator = np.random.default_rng(5)
    least, most = low / (low + high.sum() - high), high / (high + low.sum() - low)
    box = least[:4] + (most - least)[:4] * generator.random((400_000, 4))
    shares = np.column_stack((box, 1 - box.sum(axis=1)))
    kept = shares[(low / shares).max(axis=1) <= (high / shares).min(axis=1)]
    assert len(kept) > 10_000
    for column in range(5):
        spread = kept[:, column].std()
        for quantile in (0.05, 0.25, 0.5, 0.75, 0.95):
            expected = np.quantile(kept[:, column], quantile)
            assert np.quantile(drawn[:, column], quantile) == pytest.approx(expected, abs=0.06 * spread)
    assert np.allclose(np.cov(drawn.T), np.cov(kept.T), atol=0.05 * kept.var(axis=0).max())


@pytest.mark.parametrize(
    "ends",
    [
        [(0.0, 1.0), (0.0, 2.0), (0.5, 4.0)],
        [(1.0, 3.0)] * 4,
        [(2.0, 2.0), (1.0, 3.0), (0.0, 5.0)],
        [(1e-6, 1e6), (1.0, 2.0), (1e-3, 1e3)],
        [(0.0, 1e-6), (0.0, 1e6)],
    ],
)
def test_ranges_are_drawn_from_as_rejection_from_the_whole_simplex_does(ends: list[tuple[float, float]]) -> None:
    low, high = np.array(ends).T
    drawn = draws(weights(*ends), 20_000)
    shares = np.random.default_rng(3).dirichlet(np.ones(len(ends)), size=200_000)
    with np.errstate(divide="ignore"):
        kept = shares[np.where(low > 0, low / shares, 0).max(axis=1) <= (high / shares).min(axis=1)]
    assert len(kept) > 15_000
    for column in range(len(ends)):
        assert ks_2samp(drawn[:, column], kept[:, column]).statistic < 0.02


def test_fifty_criteria_with_ranges_are_drawn_from_as_they_are_allowed() -> None:
    drawn = draws(weights(*[(1.0, 3.0)] * 50), 10_000)
    assert (drawn.max(axis=1) <= 3 * drawn.min(axis=1) * (1 + 1e-12)).all()
    assert drawn.mean(axis=0) == pytest.approx([1 / 50] * 50, rel=0.02)


def test_kinds_may_be_mixed_and_exact_weights_keep_their_proportions() -> None:
    allowed = weights(2.0, 1.0, 1, 2, None)
    drawn = draws(allowed)
    assert np.allclose(drawn[:, 0], 2 * drawn[:, 1])
    assert (drawn[:, 2] >= drawn[:, 3]).all()
    assert drawn.mean(axis=0) == pytest.approx(allowed.centre(), abs=0.01)


KINDS = st.one_of(
    st.none(),
    st.integers(1, 3),
    st.floats(0.5, 4),
    st.tuples(st.floats(0.1, 2), st.floats(0.1, 3)).map(lambda pair: (pair[0], pair[0] + pair[1])),
)


@given(st.lists(st.tuples(KINDS, st.floats(-1, 1)), min_size=1, max_size=6), st.integers(0, 2**32))
def test_the_greatest_weighted_sum_is_that_of_a_linear_programme(given: list[tuple[Kind, float]], seed: int) -> None:
    kinds, gains = [kind for kind, _ in given], np.array([gain for _, gain in given])
    allowed = weights(*kinds)
    rows = []
    for i, one in enumerate(kinds):
        for j, other in enumerate(kinds):
            row = np.zeros(len(kinds))
            if isinstance(one, int) and isinstance(other, int) and one < other:
                row[i], row[j] = -1, 1  # the more important one does not weigh less
            elif i != j and isinstance(one, float | tuple) and isinstance(other, float | tuple):
                high = one[1] if isinstance(one, tuple) else one
                low = other[0] if isinstance(other, tuple) else other
                row[i], row[j] = low, -high  # s_i / s_j <= high_i / low_j
            rows.append(row)
    solved = linprog(-gains, A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=np.ones((1, len(kinds))), b_eq=[1.0])
    assert float(allowed.most(gains)) == pytest.approx(-solved.fun, abs=1e-7)
    drawn = allowed.draw(50, np.random.default_rng(seed))
    assert np.allclose(drawn.sum(axis=1), 1)
    assert (drawn >= 0).all()
    assert (np.array(rows) @ drawn.T <= 1e-9).all()
    assert (np.array(rows) @ allowed.centre() <= 1e-9).all()
