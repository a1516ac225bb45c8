"""Confidence sequences: what they promise under continuous peeking, and how wide they are."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.statistics.observations import Order, drawn, interleaved
from assay.statistics.sequences import Crossing, asymptotic_interval, crosses, interval, log_capitals

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]

SERIES, LENGTH = 1000, 400
DISTRIBUTIONS: dict[str, tuple[Draw, float]] = {
    "rare": (lambda g, shape: (g.random(shape) < 0.01).astype(float), 0.01),
    "even": (lambda g, shape: (g.random(shape) < 0.5).astype(float), 0.5),
    "nearly always": (lambda g, shape: (g.random(shape) < 0.99).astype(float), 0.99),
    "three values": (lambda g, shape: g.choice([0, 0.5, 1], p=[0.2, 0.5, 0.3], size=shape), 0.55),
    "skewed": (lambda g, shape: g.beta(0.2, 1.8, size=shape), 0.1),
}
MISSES = 0.05 + 2 * math.sqrt(0.05 * 0.95 / SERIES)
"""Of that many series, the share that a sequence that misses in 5 % may miss in 98 of 100 cases."""


def ever_missed(capitals: tuple[np.ndarray, np.ndarray], alpha: float = 0.05) -> float:
    """The share of series whose interval excluded the mean at any of all moments."""
    return float((np.maximum(*capitals).max(axis=-1) >= math.log(2 / alpha)).mean())


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_looking_after_every_answer_misses_the_truth_in_5_of_100_at_most(name: str) -> None:
    draw, mean = DISTRIBUTIONS[name]
    values = draw(np.random.default_rng(1), (SERIES, LENGTH))
    assert ever_missed(log_capitals(drawn(values), np.full(SERIES, mean))) <= MISSES
    assert ever_missed(log_capitals(drawn(values), np.full(SERIES, mean), (0.05,))) <= MISSES


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_so_does_drawing_all_there_are_without_replacement(name: str) -> None:
    values = DISTRIBUTIONS[name][0](np.random.default_rng(2), (SERIES, LENGTH))
    assert ever_missed(log_capitals(drawn(values, LENGTH), values.mean(axis=1))) <= MISSES


def test_so_do_clusters_of_different_sizes_and_looking_by_an_ordinary_interval_would_not() -> None:
    generator = np.random.default_rng(3)
    sizes = generator.integers(1, 11, size=(SERIES, LENGTH))
    chances = np.where(sizes > 5, 0.8, 0.4)  # large clusters are easier, so the mean of the clusters' means is another one
    values = generator.binomial(sizes, chances) / sizes
    mean = float(np.where(np.arange(1, 11) > 5, 0.8, 0.4) @ np.arange(1, 11)) / 55
    assert ever_missed(log_capitals(drawn(values, weights=sizes / 10), np.full(SERIES, mean))) <= MISSES
    assert ever_missed(log_capitals(drawn(values), np.full(SERIES, mean))) > 0.5
    time = np.arange(1, LENGTH + 1)
    even = (generator.random((SERIES, LENGTH)) < 0.5).cumsum(axis=1) / time
    assert (np.abs(even - 0.5)[:, 20:] > 0.98 / np.sqrt(time[20:])).any(axis=1).mean() > 0.2


def test_paired_differences_lie_between_minus_one_and_one() -> None:
    generator = np.random.default_rng(4)
    both = generator.random((SERIES, 1, LENGTH)) < np.array([0.7, 0.6])[:, None]
    observations = drawn(both[:, 0].astype(float) - both[:, 1], bounds=(-1, 1))
    assert ever_missed(log_capitals(observations, np.full(SERIES, 0.1))) <= MISSES
    low, high = interval(drawn(both[:40, 0].astype(float) - both[:40, 1], bounds=(-1, 1)))
    assert ((low < 0.1) & (high > 0.1)).mean() >= 0.85
    assert (high - low).mean() < 0.15


def test_sets_drawn_at_random_sum_to_the_sum_of_their_means() -> None:
    generator = np.random.default_rng(5)
    sizes, shares = np.array([80, 30, 50]), np.array([0.5, 0.2, 0.3])
    missed = 0
    for _ in range(200):
        sets = [generator.random(size) < chance for size, chance in zip(sizes, (0.9, 0.3, 0.6), strict=True)]
        asked, order, chances, values = np.zeros(3, dtype=int), [], [], []
        while (asked < sizes).any():
            left = (1 - asked / sizes) * np.array([1.0, 0.3, 0.6])
            chance = left / left.sum()
            one = generator.choice(3, p=chance)
            values.append(shares[one] * sets[one][asked[one]])
            order.append(one)
            chances.append(chance)
            asked[one] += 1
        found = interleaved(np.array(values), (0 * shares, shares), Order(np.array(order), np.array(chances), sizes))
        truth = sum(share * one.mean() for share, one in zip(shares, sets, strict=True))
        capitals = log_capitals(found.observations(), np.array(truth))
        missed += max(side.max() for side in capitals) >= math.log(40)
    assert missed <= 200 * 0.05 + 2 * math.sqrt(200 * 0.05 * 0.95)


def test_the_width_is_what_the_literature_has() -> None:
    """At the length aimed at, at most sqrt(2 log(2 / alpha)) = 2.7 standard errors to either side, against 1.96 for one
    look."""
    values = (np.random.default_rng(6).random((60, 1000)) < 0.5).astype(float)
    aim = 0.5 * math.sqrt(2 * math.log(40) / 1000)
    low, high = interval(drawn(values), aims=(aim,))
    assert 0.8 * aim < (high - low).mean() / 2 < aim
    low, high = interval(drawn(values))  # no length aimed at: the fixed-length interval of Hoeffding is 0.086 wide
    assert 0.080 < (high - low).mean() < 0.095
    assert (high - low).mean() > 1.96 / math.sqrt(1000)
    finite, endless = (interval(drawn(values[:, :500], population), aims=(0.03,)) for population in (1000, None))
    assert (finite[1] - finite[0]).mean() < 0.8 * (endless[1] - endless[0]).mean()


def test_nothing_seen_says_nothing_and_everything_seen_says_all() -> None:
    assert interval(drawn(np.empty((2, 0)))) == (pytest.approx([0, 0]), pytest.approx([1, 1]))
    values = np.array([0.0, 1, 1, 0.5])
    low, high = interval(drawn(values, 4))
    assert low == pytest.approx(0.625)
    assert high == pytest.approx(0.625)
    low, high = interval(drawn(values[:3], 4))
    assert low >= 0.5 - 1e-9
    assert high <= 0.75 + 1e-9


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 20))
@settings(max_examples=40, deadline=None)
def test_intervals_hold_what_is_possible_and_only_shrink(values: list[float], more: int) -> None:
    whole = np.array(values)
    before = 0.0, 1.0
    for n in range(1, len(values) + 1):
        low, high = interval(drawn(whole[:n], len(values) + more))
        assert before[0] - 1e-6 <= low <= high <= before[1] + 1e-6
        before = float(low), float(high)
    seen = sum(values) / (len(values) + more)
    assert seen - 1e-6 <= before[0]
    assert before[1] <= seen + more / (len(values) + more) + 1e-6


def test_values_beyond_their_bounds_are_refused() -> None:
    with pytest.raises(ValueError, match=r"between 0\.0 and 1\.0"):
        drawn(np.array([0.5, 1.2]))
    with pytest.raises(ValueError, match="from 0 to 1"):
        drawn(np.array([0.5]), weights=np.array([2.0]))
    with pytest.raises(ValueError, match="more were drawn"):
        drawn(np.array([0.5, 0.5]), 1)


def test_the_asymptotic_sequence_holds_for_skewed_values_without_bounds() -> None:
    values = np.random.default_rng(7).lognormal(0, 0.7, size=(SERIES, 600))
    mean, missed = math.exp(0.7**2 / 2), np.zeros(SERIES, dtype=bool)
    for n in range(50, 601, 10):
        low, high = asymptotic_interval(values[:, :n], at=200)
        missed |= (low > mean) | (high < mean)
    assert missed.mean() <= MISSES
    assert (high - low).mean() < 4 * 2 * 1.96 * values.std() / math.sqrt(600) / 2


def test_a_change_is_shown_and_no_change_is_not() -> None:
    generator = np.random.default_rng(8)
    old, same, worse = ((generator.random(600) < chance).astype(float) for chance in (0.8, 0.8, 0.6))
    shown = crosses(worse, 0.8)
    assert shown.at is not None
    assert shown.at < 200
    assert shown.high < 0
    assert crosses(same, 0.8).at is None
    assert crosses(worse, old).at is not None
    assert crosses(same, old).at is None
    assert crosses(worse, old, paired=True).at is not None
    assert crosses(worse, 0.8, tolerance=0.3).at is None
    alike = crosses(old, old, paired=True)
    assert alike == Crossing(None, alike.low, alike.high)
    assert alike.low < 0 < alike.high


def test_daily_looks_at_an_unchanged_model_cry_wolf_in_5_of_100_at_most() -> None:
    generator = np.random.default_rng(9)
    alarms = {False: 0, True: 0}
    for _ in range(200):
        easy = generator.random(150)
        old, new = ((generator.random(150) < 0.5 + 0.4 * easy).astype(float) for _ in range(2))
        for paired in alarms:
            alarms[paired] += crosses(new, old, paired=paired).at is not None
    assert max(alarms.values()) <= 200 * 0.05 + 2 * math.sqrt(200 * 0.05 * 0.95)


def test_what_is_paired_must_be_as_many() -> None:
    with pytest.raises(ValueError, match="as many"):
        crosses(np.zeros(3), np.zeros(4), paired=True)
