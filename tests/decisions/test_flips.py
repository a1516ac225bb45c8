"""How far weights may move, against a fine grid of weights and a linear programme."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from assay.decisions.flips import first_region, flip_distance

TWO = np.array([[0.9, 0.2], [0.5, 0.8]])


def test_with_two_criteria_the_flip_is_where_the_weighted_sums_meet() -> None:
    # 0.9 x + 0.2 (1 - x) = 0.5 x + 0.8 (1 - x) at x = 0.6.
    centre = np.array([0.7, 0.3])
    region = first_region(TWO, centre, 0, 0)
    assert region is not None
    assert (region.low, region.high, region.below, region.above) == (pytest.approx(0.6), 1.0, 1, None)
    other = first_region(TWO, centre, 1, 1)
    assert other is not None
    assert (other.low, other.high, other.below) == (pytest.approx(0.4), 1.0, 0)
    assert flip_distance(TWO, centre, 0) == pytest.approx(0.1)


def test_a_candidate_that_is_worse_in_everything_is_first_nowhere() -> None:
    worths = np.array([[0.9, 0.9], [0.8, 0.7]])
    assert first_region(worths, np.array([0.5, 0.5]), 0, 1) is None
    assert flip_distance(worths, np.array([0.5, 0.5]), 0) is None


def test_equal_candidates_leave_everything_as_it_is() -> None:
    worths = np.array([[0.5, 0.7], [0.5, 0.7]])
    region = first_region(worths, np.array([0.5, 0.5]), 0, 0)
    assert region is not None
    assert (region.low, region.high) == (0.0, 1.0)


def test_a_tie_at_the_centre_has_no_distance() -> None:
    assert flip_distance(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.5, 0.5]), 0) == pytest.approx(0.0, abs=1e-9)


def test_where_one_criterion_is_all_that_counts_the_others_share_alike() -> None:
    worths = np.array([[0.9, 0.0, 0.1], [0.5, 0.6, 0.7]])
    region = first_region(worths, np.array([1.0, 0.0, 0.0]), 0, 0)
    # 0.4 x = 0.6 (1 - x) at x = 0.6.
    assert region is not None
    assert region.low == pytest.approx(0.6)


TABLES = st.integers(2, 4).flatmap(
    lambda criteria: st.tuples(
        st.lists(st.lists(st.integers(0, 20), min_size=criteria, max_size=criteria), min_size=2, max_size=4),
        st.lists(st.integers(1, 5), min_size=criteria, max_size=criteria),
    )
)


@given(TABLES)
def test_the_interval_of_a_share_is_that_of_a_fine_grid(made: tuple[list[list[int]], list[int]]) -> None:
    worths, centre = np.array(made[0]) / 20, np.array(made[1]) / sum(made[1])
    grid = np.linspace(0, 1, 1001)
    for criterion, candidate in itertools.product(range(len(centre)), range(len(worths))):
        others = np.delete(centre, criterion)
        region = first_region(worths, centre, criterion, candidate)
        weights = np.insert(np.outer(1 - grid, others / others.sum()), criterion, grid, axis=1)
        scores = weights @ worths.T
        ahead = scores[:, candidate] - np.delete(scores, candidate, axis=1).max(axis=1)
        inside = np.zeros(len(grid), dtype=bool) if region is None else (region.low <= grid) & (grid <= region.high)
        assert inside[ahead > 1e-9].all()
        assert not inside[ahead < -1e-9].any()


@given(TABLES)
def test_the_distance_is_that_of_a_linear_programme(made: tuple[list[list[int]], list[int]]) -> None:
    worths, centre = np.array(made[0]) / 20, np.array(made[1]) / sum(made[1])
    leader = int(np.argmax((worths * centre).sum(axis=1)))
    count, found = len(centre), []
    for other in range(len(worths)):
        gains = worths[other] - worths[leader]
        if other == leader or gains.max() <= 1e-9:
            continue
        # Shares are centre + up - down; as much goes up as down, and half the sum of both is what moves.
        solved = linprog(
            np.full(2 * count, 0.5),
            A_ub=[-np.concatenate((gains, -gains))],
            b_ub=[float((gains * centre).sum())],
            A_eq=[[1.0] * count + [-1.0] * count],
            b_eq=[0.0],
            bounds=[(0, 1)] * count + [(0, share) for share in centre],
        )
        found.append(solved.fun)
    distance = flip_distance(worths, centre, leader)
    assert distance == (pytest.approx(min(found), abs=1e-7) if found else None)
