"""Paired differences: known right values, what cancels, what is missing."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.comparison import pairs as pairs_room
from assay.comparison.pairs import paired_differences
from assay.identity import array_generator
from comparison_helpers import matrix

B, C, BOTH, NEITHER = 8, 1, 21, 20
"""Items that only the first, only the second, both and neither have right."""
FIRST = [1] * B + [0] * C + [1] * BOTH + [0] * NEITHER
SECOND = [0] * B + [1] * C + [1] * BOTH + [0] * NEITHER


def test_yes_or_no_is_tested_exactly_and_bounded_by_bonett_and_price() -> None:
    found = paired_differences(matrix([FIRST, SECOND]))
    tails = 2 * sum(math.comb(9, k) for k in range(C + 1)) / 2**9
    assert found.p[0] == pytest.approx(tails) == pytest.approx(0.0390625)
    n = len(FIRST) + 2
    one, other = (B + 1) / n, (C + 1) / n
    error = math.sqrt((one + other - (one - other) ** 2) / n)
    assert found.value[0] == pytest.approx((B - C) / len(FIRST))
    assert found.low[0] == pytest.approx(one - other - 1.959964 * error, abs=1e-6)
    assert found.high[0] == pytest.approx(one - other + 1.959964 * error, abs=1e-6)
    assert (found.first_ahead[0], found.second_ahead[0]) == (B, C)
    assert found.correlation[0] == pytest.approx(np.corrcoef(FIRST, SECOND)[0, 1])


def test_values_between_get_the_t_test_of_the_differences() -> None:
    from scipy.stats import ttest_rel

    values = array_generator("test", "pairs").random((3, 25))
    found = paired_differences(matrix(values, "f1_score"))
    assert found.first.tolist() == [0, 0, 1]
    for place, (first, second) in enumerate(((0, 1), (0, 2), (1, 2))):
        right = ttest_rel(values[first], values[second])
        assert found.p[place] == pytest.approx(right.pvalue)
        assert (found.low[place], found.high[place]) == pytest.approx(tuple(right.confidence_interval()))


def test_clusters_count_as_often_as_they_are_independent() -> None:
    values = array_generator("test", "clusters").random((2, 12))
    tripled = np.repeat(values, 3, axis=1)
    once = paired_differences(matrix(values, "f1_score"))
    together = paired_differences(matrix(tripled, "f1_score", clusters=np.repeat(np.arange(12), 3)))
    assert together.stderr[0] == pytest.approx(once.stderr[0])
    assert together.p[0] == pytest.approx(once.p[0])
    assert paired_differences(matrix(tripled, "f1_score")).stderr[0] < 0.7 * once.stderr[0]


def test_a_pair_leaves_out_only_what_one_of_the_two_lacks() -> None:
    values = array_generator("test", "missing").random((3, 30))
    values[0, :5] = np.nan
    found = paired_differences(matrix(values, "f1_score"))
    assert found.items.tolist() == [25, 25, 30]
    assert found.value[0] == pytest.approx((values[0, 5:] - values[1, 5:]).mean())
    assert found.correlation[1] == pytest.approx(np.corrcoef(values[0, 5:], values[2, 5:])[0, 1])
    alone = paired_differences(matrix(values[:2, 5:], "f1_score"))
    assert found.stderr[0] == pytest.approx(alone.stderr[0])


@pytest.mark.parametrize("metric", ["exact_match", "f1_score"])
def test_equal_answers_show_no_difference_but_prove_no_equality(metric: str) -> None:
    found = paired_differences(matrix([FIRST, FIRST], metric))
    assert found.value[0] == 0
    assert found.p[0] == 1
    assert -0.1 < found.low[0] < 0 < found.high[0] < 0.1
    assert 0 < found.detectable(1)[0] < 0.15


def test_values_without_bounds_that_never_differ_have_no_interval() -> None:
    found = paired_differences(matrix([[3, 4, 5], [3, 4, 5]], "latency_s"))
    assert found.p[0] == 1
    assert np.isnan([found.low[0], found.high[0], found.stderr[0]]).all()
    assert paired_differences(matrix([[4.0] * 9, [3.0] * 9], "latency_s")).p[0] == pytest.approx(2 / 2**9)


def test_one_cluster_says_nothing() -> None:
    found = paired_differences(matrix([[1, 0, 1], [0, 0, 1]], clusters=[0, 0, 0]))
    assert found.value[0] == pytest.approx(1 / 3)
    assert np.isnan([found.p[0], found.low[0], found.high[0]]).all()


def test_what_is_called_detectable_is_found_four_times_in_five() -> None:
    generator = array_generator("test", "power")
    noise = generator.standard_normal((1500, 100))
    shift = float(paired_differences(matrix([noise[0], noise[0] * 0], "latency_s")).detectable(1)[0]) / noise[0].std(ddof=1)
    found = [paired_differences(matrix([row + shift, row * 0], "latency_s")).p[0] <= 0.05 for row in noise]
    assert 0.76 < np.mean(found) < 0.84
    assert (
        paired_differences(matrix([FIRST, SECOND])).detectable(45)[0]
        > paired_differences(matrix([FIRST, SECOND])).detectable(1)[0]
    )


@given(st.lists(st.tuples(st.sampled_from([0, 1, np.nan]), st.sampled_from([0, 1, np.nan])), min_size=3, max_size=40))
def test_exchanging_the_two_turns_the_difference_and_keeps_its_p(pairs: list[tuple[float, float]]) -> None:
    values = np.array(pairs, dtype=float).T
    there, back = paired_differences(matrix(values)), paired_differences(matrix(values[::-1]))
    assert there.value[0] == pytest.approx(-back.value[0], nan_ok=True)
    assert there.p[0] == pytest.approx(back.p[0], nan_ok=True)
    assert there.low[0] == pytest.approx(-back.high[0], nan_ok=True)
    if there.items[0] > 1:
        assert there.low[0] <= there.value[0] <= there.high[0]


def test_a_difference_that_hardly_varies_is_not_certain() -> None:
    """Always half a point ahead, as where the other's credit is that of a tie: nobody knows that it is always so."""
    found = paired_differences(matrix([[1.0] * 60, [0.5] * 60]))
    assert found.value[0] == 0.5
    assert 0.40 < found.low[0] < 0.46
    assert 0.52 < found.high[0] < 0.56
    once = paired_differences(matrix([[1.0] * 59 + [0.0], [0.5] * 60]))
    assert once.low[0] < found.low[0]
    assert once.high[0] - once.low[0] > found.high[0] - found.low[0]


@given(seed=st.integers(0, 99), at_once=st.integers(1, 200), yes=st.booleans())
def test_pairs_in_portions_are_the_same_to_the_last_bit(seed: int, at_once: int, yes: bool) -> None:
    generator = array_generator("portions", seed)
    values = generator.random((7, 12))
    values = np.where(values < 0.1, np.nan, values > 0.5 if yes else values)
    held = matrix(values, "exact_match")
    whole = paired_differences(held)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_room, "AT_ONCE", at_once)
        portions = paired_differences(held)
    for each in fields(whole):
        assert getattr(whole, each.name).tobytes() == getattr(portions, each.name).tobytes(), each.name
