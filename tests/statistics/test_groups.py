from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.records import Estimate
from assay.statistics.estimates import clustered_mean
from assay.statistics.groups import Group, compare_groups


def groups(*members: tuple[float, int]) -> list[Group]:
    """Groups of other instances each: (share that is right, size)."""
    found, start = [], 0
    for share, size in members:
        values = (np.arange(size) < round(share * size)).astype(float)
        found.append(Group(values, np.arange(start, start + size), size))
        start += size
    return found


def compare(members: list[Group], better: str = "higher", seed: int = 0) -> dict[str, Estimate]:
    return compare_groups(members, (0, 1), better, seed, "cell")


def test_gap_ratio_and_worst_group_of_known_shares() -> None:
    found = compare(groups((0.9, 100), (0.75, 100), (0.6, 100)))
    assert found["gap"].value == pytest.approx(0.3)
    assert found["ratio"].value == pytest.approx(0.6 / 0.9)
    assert found["worst_group"].value == pytest.approx(0.6)
    assert (found["gap"].n, found["gap"].clusters) == (300, 300)
    assert found["gap"].stderr == pytest.approx((0.9 * 0.1 / 99 + 0.6 * 0.4 / 99) ** 0.5)
    assert found["gap"].low > 0.1


def test_the_worst_group_is_the_highest_where_lower_is_better() -> None:
    members = groups((0.1, 50), (0.3, 50))
    assert compare(members, "lower")["worst_group"].value == pytest.approx(0.3)
    assert compare(members, "higher")["worst_group"].value == pytest.approx(0.1)


def test_groups_that_may_be_the_extreme_ones_widen_the_interval() -> None:
    two, many = compare(groups((0.8, 120), (0.6, 120))), compare(groups((0.8, 120), (0.6, 120), *[(0.7, 120)] * 8))
    assert two["gap"].value == many["gap"].value
    assert many["gap"].low < two["gap"].low
    assert many["worst_group"].high > two["worst_group"].high
    assert many["ratio"].high > two["ratio"].high


def test_where_one_pair_stands_out_the_gap_is_as_sure_as_their_difference() -> None:
    extremes = (0.9, 400), (0.2, 400)
    alone, among_others = compare(groups(*extremes)), compare(groups(*extremes, (0.5, 400), (0.6, 400)))
    assert (among_others["gap"].low, among_others["gap"].high) == (alone["gap"].low, alone["gap"].high)
    assert among_others["ratio"].high == alone["ratio"].high
    worst = clustered_mean(groups((0.2, 400))[0].values, np.arange(400), (0, 1))
    assert worst is not None
    assert (alone["worst_group"].low, alone["worst_group"].high) == (worst.low, worst.high)


def test_two_single_proportions_have_the_ratio_of_a_textbook() -> None:
    """MOVER-R by hand, from Wilson's bounds of 15 of 50 and of 40 of 50 (Donner and Zou 2012)."""
    ratio = compare(groups((0.3, 50), (0.8, 50)))["ratio"]
    (low_a, high_a), (low_b, high_b) = (stats.binomtest(k, 50).proportion_ci(0.95, method="wilson") for k in (15, 40))
    a, b = 0.3, 0.8
    by_hand = (
        (a * b - ((a * b) ** 2 - low_a * high_b * (2 * a - low_a) * (2 * b - high_b)) ** 0.5) / (high_b * (2 * b - high_b)),
        (a * b + ((a * b) ** 2 - high_a * low_b * (2 * a - high_a) * (2 * b - low_b)) ** 0.5) / (low_b * (2 * b - low_b)),
    )
    assert (ratio.low, ratio.high) == pytest.approx(by_hand, rel=1e-9)


def test_unbounded_values_that_are_alike_give_a_gap_without_interval() -> None:
    alike = [Group(np.full(30, 5.0), np.arange(30), 30), Group(np.full(30, 7.0), np.arange(30, 60), 30)]
    gap = compare_groups(alike, (0, None), "lower", 0, "cell")["gap"]
    assert (gap.value, gap.low, gap.high) == (2.0, None, None)
    assert "no variation seen" in gap.method


def test_groups_that_are_too_few_are_left_out_and_counted() -> None:
    found = compare(groups((0.8, 60), (0.6, 60), (0.0, 9)))
    assert found["gap"].value == pytest.approx(0.2)
    assert "1 too few" in found["gap"].method
    assert compare(groups((0.8, 60), (0.6, 9))) == {}
    assert compare([]) == {}


def test_documents_not_questions_make_a_group_large_enough() -> None:
    nine_documents = Group(np.ones(90), np.repeat(np.arange(9), 10), 90)
    assert compare([*groups((0.8, 60)), nine_documents]) == {}


def test_groups_of_the_same_instances_are_compared_paired() -> None:
    right = (np.random.default_rng(0).random(200) < 0.6).astype(float)
    worse = right.copy()
    worse[np.flatnonzero(right)[:8]] = 0.0
    same = [Group(right, np.arange(200), 200), Group(worse, np.arange(200), 200)]
    others = [Group(right, np.arange(200), 200), Group(worse, np.arange(200, 400), 200)]
    paired, unpaired = compare(same)["gap"], compare(others)["gap"]
    assert paired.value == unpaired.value == pytest.approx(0.04)
    assert paired.high - paired.low < (unpaired.high - unpaired.low) / 2
    assert paired.low > 0
    assert unpaired.low == 0


def test_groups_without_any_error_keep_their_uncertainty() -> None:
    found = compare(groups((1.0, 30), (1.0, 30)))
    assert (found["gap"].value, found["gap"].low) == (0.0, 0.0)
    assert found["gap"].high > 0.05
    assert found["worst_group"].low < 0.95
    assert found["ratio"].low < 0.95


def test_where_nothing_is_right_there_is_no_ratio() -> None:
    assert "ratio" not in compare(groups((0.0, 30), (0.0, 30)))
    assert "ratio" not in compare_groups(groups((0.2, 30), (0.5, 30)), (None, None), "higher", 0, "cell")


def test_seed_and_name_fix_the_draws() -> None:
    members = groups((0.83, 70), (0.61, 50), (0.7, 40))
    assert compare(members) == compare(members)
    assert compare(members) != compare(members, seed=1)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(10, 40)), min_size=2, max_size=5))
def test_intervals_hold_their_values_and_stay_in_range(members: list[tuple[float, int]]) -> None:
    for estimate in compare(groups(*members)).values():
        assert estimate.low is not None
        assert estimate.high is not None
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
