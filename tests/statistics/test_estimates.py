from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.records import Estimate
from assay.statistics import mean_estimate, weighted_mean
from assay.statistics.estimates import t_quantile, unit_means


def numbered(values: list[float]) -> list[int]:
    return list(range(len(values)))


def test_v11_the_mean_of_nothing_is_no_number() -> None:
    assert mean_estimate([], [], (0, 1)) is None
    assert mean_estimate([None, None], ["a", "b"], (0, 1)) is None


@pytest.mark.parametrize(("values", "clusters"), [([1.0], ["a"]), ([1.0, 0.0, 1.0], ["a", "a", "a"])])
def test_v11_one_cluster_has_no_interval_instead_of_one_of_no_width(values: list[float], clusters: list[str]) -> None:
    estimate = mean_estimate(values, clusters, (0, 1))
    assert estimate is not None
    assert (estimate.low, estimate.high, estimate.stderr) == (None, None, None)
    assert (estimate.n, estimate.clusters) == (len(values), 1)


def test_missing_values_are_left_out_and_not_counted_as_zero() -> None:
    assert mean_estimate([1.0, None, 0.0, 1.0], "abcd", (0, 1)) == mean_estimate([1.0, 0.0, 1.0], "acd", (0, 1))


@pytest.mark.parametrize("right", [0, 1, 7, 50, 99, 100])
def test_single_proportions_get_wilsons_interval(right: int) -> None:
    estimate = mean_estimate([1.0] * right + [0.0] * (100 - right), list(range(100)), (0, 1))
    expected = stats.binomtest(right, 100).proportion_ci(0.95, method="wilson")
    assert estimate is not None
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert estimate.method == "wilson"


@pytest.mark.parametrize("n", [20, 100, 1000])
def test_nothing_wrong_in_n_still_allows_about_three_in_n(n: int) -> None:
    estimate = mean_estimate([0.0] * n, list(range(n)), (0, 1))
    assert estimate is not None
    assert estimate.low == 0.0
    assert estimate.high is not None
    assert 3 / n * 0.9 < estimate.high < 4 / n
    repeated = mean_estimate([1.0] * 3 * n, [i // 3 for i in range(3 * n)], (0, 1))
    assert repeated is not None
    assert repeated.high == 1.0
    assert repeated.low is not None
    assert 3 / n * 0.9 < 1 - repeated.low < 6 / n


def test_what_is_rare_and_high_is_not_taken_for_absent() -> None:
    """39 zeros and one 0.02 say no more of values near 1 than 40 zeros do: a share t^2 / (n + t^2) may have gone unseen."""
    none, little = (mean_estimate([0.0] * 39 + [last], numbered([0.0] * 40), (0, 1)) for last in (0.0, 0.02))
    assert none is not None
    assert little is not None
    unseen = float(stats.t.ppf(0.975, 39)) ** 2 / (40 + float(stats.t.ppf(0.975, 39)) ** 2)
    assert little.high == pytest.approx(0.0005 + 0.9995 * unseen, rel=1e-9)
    assert little.high > none.high


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=60))
def test_no_values_have_an_upper_end_below_that_of_noughts_nor_a_lower_one_above_that_of_ones(values: list[float]) -> None:
    given_, noughts, ones = (
        mean_estimate(some, numbered(values), (0, 1)) for some in (values, [0] * len(values), [1] * len(values))
    )
    assert given_ is not None
    assert noughts is not None
    assert ones is not None
    assert given_.high >= noughts.high - 1e-9
    assert given_.low <= ones.low + 1e-9


@pytest.mark.parametrize("n", [40, 100])
def test_rare_high_values_beside_small_ones_are_held_in_93_of_100(n: int) -> None:
    """90 % nothing, 9 % a little, 1 % everything, as scores of toxicity are."""
    generator, studies, held = np.random.default_rng(n), 400, 0
    for _ in range(studies):
        values = generator.choice([0, 0.02, 1], n, p=[0.9, 0.09, 0.01]).tolist()
        estimate = mean_estimate(values, numbered(values), (0, 1))
        assert estimate is not None
        held += estimate.low <= 0.0118 <= estimate.high
    assert held / studies >= 0.93 - 2 * (0.05 * 0.95 / studies) ** 0.5


def clustered_error(values: list[float], clusters: list[int]) -> float:
    """Miller's formula as printed: the plain error, and all pairs within a cluster."""
    n, mean = len(values), sum(values) / len(values)
    deviations = [value - mean for value in values]
    plain = sum(d * d for d in deviations) / n**2
    pairs = sum(deviations[i] * deviations[j] for i in range(n) for j in range(n) if i != j and clusters[i] == clusters[j])
    count = len(set(clusters))
    return math.sqrt(max(0.0, (plain + pairs / n**2) * count / (count - 1)))


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), min_size=2, max_size=25))
def test_the_clustered_error_is_the_printed_formula(rows: list[tuple[float, int]]) -> None:
    values, clusters = [value for value, _ in rows], [cluster for _, cluster in rows]
    estimate = mean_estimate(values, clusters, (0, 1))
    assert estimate is not None
    if len(set(clusters)) > 1:
        assert estimate.stderr == pytest.approx(clustered_error(values, clusters), abs=1e-9)


def test_unbounded_values_get_students_t() -> None:
    values = [1.5, 2.0, 8.25, 3.0, 4.5]
    estimate = mean_estimate(values, numbered(values))
    expected = stats.t.interval(0.95, 4, loc=np.mean(values), scale=stats.sem(values))
    assert estimate is not None
    assert (estimate.low, estimate.high) == pytest.approx(expected, rel=1e-9)
    assert mean_estimate(values, numbered(values), (0, None)).low >= 0


@pytest.mark.parametrize("bounds", [(None, None), (0, None)])
def test_unbounded_values_that_are_all_alike_claim_no_certainty(bounds: tuple[float | None, float | None]) -> None:
    estimate = mean_estimate([0.1] * 7, numbered([0.1] * 7), bounds)
    assert estimate is not None
    assert (estimate.value, estimate.low, estimate.high) == (pytest.approx(0.1), None, None)
    assert estimate.method == "no variation seen: no interval"
    varied = mean_estimate([0.1] * 6 + [0.2], numbered([0.1] * 7), bounds)
    assert varied is not None
    assert varied.low is not None


def test_copying_every_trial_claims_no_more_than_the_instances_do() -> None:
    values = [float(i % 3 == 0) for i in range(60)]
    once = mean_estimate(values, numbered(values), (0, 1))
    copied = mean_estimate(values * 4, numbered(values) * 4, (0, 1))
    assert once is not None
    assert copied is not None
    assert copied.stderr == pytest.approx(once.stderr)
    assert copied.clusters == once.clusters == 60
    assert copied.n == 240
    assert copied.high - copied.low == pytest.approx(once.high - once.low, rel=0.05)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6)), min_size=1), st.tuples(st.floats(-5, 5), st.floats(0.5, 10)))
def test_a_bounded_interval_stays_inside_and_holds_the_value(rows: list[tuple[float, int]], scale: tuple[float, float]) -> None:
    low, width = scale
    values = [min(low + width * share, low + width) for share, _ in rows]
    estimate = mean_estimate(values, [cluster for _, cluster in rows], (low, low + width))
    assert estimate is not None
    if estimate.low is not None and estimate.high is not None:
        slack = 1e-9
        assert low - slack <= estimate.low <= estimate.value <= estimate.high <= low + width + slack
        assert estimate.low < estimate.high


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 3)), min_size=1, max_size=40), st.integers())
def test_the_mean_is_the_same_in_any_order_to_the_last_bit(rows: list[tuple[float, int]], seed: int) -> None:
    shuffled = rows.copy()
    random.Random(seed).shuffle(shuffled)
    first, second = (mean_estimate([v for v, _ in some], [c for _, c in some]) for some in (rows, shuffled))
    assert first is not None
    assert second is not None
    assert first.value == second.value


def subjects(sizes: list[int], share: float) -> list[Estimate]:
    parts = [mean_estimate([float(i < share * n) for i in range(n)], list(range(n)), (0, 1)) for n in sizes]
    return [part for part in parts if part is not None]


def test_v2_the_error_of_a_macro_mean_is_not_the_pooled_one() -> None:
    sizes = [2000, 100, 50]
    generator = np.random.default_rng(5)
    simulated = np.mean([generator.binomial(n, 0.6, 4000) / n for n in sizes], axis=0).std()
    estimate = weighted_mean(subjects(sizes, 0.6))
    assert estimate is not None
    assert estimate.stderr == pytest.approx(simulated, rel=0.05)
    pooled = mean_estimate([float(i < 1290) for i in range(2150)], list(range(2150)), (0, 1))
    assert pooled is not None
    assert estimate.stderr > 2 * pooled.stderr


def test_a_mean_weighted_by_size_has_the_pooled_error() -> None:
    sizes = [2000, 100, 50]
    estimate = weighted_mean(subjects(sizes, 0.6), [float(n) for n in sizes])
    assert estimate is not None
    assert estimate.value == pytest.approx(0.6)
    assert estimate.stderr == pytest.approx(math.sqrt(0.24 / 2150), rel=0.01)


def test_a_part_without_errors_keeps_its_uncertainty() -> None:
    estimate = weighted_mean(subjects([40, 40], 1.0))
    assert estimate is not None
    assert (estimate.value, estimate.high) == (1.0, 1.0)
    assert estimate.low is not None
    assert 0.9 < estimate.low < 0.97


def test_parts_without_interval_give_a_mean_without_interval() -> None:
    estimate = weighted_mean([*subjects([40], 0.5), Estimate(value=1.0, low=None, high=None, n=1, clusters=1)])
    assert estimate is not None
    assert (estimate.value, estimate.low, estimate.n) == (0.75, None, 41)
    assert weighted_mean([]) is None
    with pytest.raises(ValueError, match="weights"):
        weighted_mean(subjects([40], 0.5), [1.0, 2.0])


@given(st.one_of(st.floats(1, 50), st.floats(50, 2_000), st.floats(2_000, 1e9)))
def test_the_quantile_of_students_t_is_that_of_scipy(freedom: float) -> None:
    assert t_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-10)


def test_the_quantile_of_students_t_is_that_of_the_printed_tables() -> None:
    assert [round(t_quantile(freedom), 3) for freedom in (1, 2, 5, 10, 30, 120)] == [12.706, 4.303, 2.571, 2.228, 2.042, 1.98]


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from([0.0, 0.5, 1.0, math.nan])), max_size=20), st.randoms())
def test_units_are_averaged_alike_in_whatever_order_their_values_come(
    rows: list[tuple[int, float]], chance: random.Random
) -> None:
    ordered, mixed = sorted(rows, key=lambda row: row[0]), chance.sample(rows, len(rows))
    there = {unit: [value for own, value in rows if own == unit and not math.isnan(value)] for unit, _ in rows}
    expected = sorted((unit // 2, sum(values) / len(values)) for unit, values in there.items() if values)
    for some in (ordered, mixed):
        units = np.array([unit for unit, _ in some], dtype=np.int64)
        means, clusters = unit_means(np.array([value for _, value in some], dtype=np.float64), units, units // 2)
        assert sorted(zip(clusters.tolist(), means.tolist(), strict=True)) == expected
