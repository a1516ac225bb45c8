"""How wide an interval will be, and how many items make it narrower."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.statistics.estimates import mean_estimate, wilson
from assay.statistics.precision import (
    clusters_for_share,
    half_width_of_mean,
    half_width_of_share,
    spread_of,
)  # fmt: skip


@given(st.integers(2, 100_000))
def test_no_share_of_so_many_items_has_a_wider_interval(clusters: int) -> None:
    widest = half_width_of_share(clusters)
    assert widest is not None
    for right in {0, 1, clusters // 3, clusters // 2}:
        low, high = wilson(right / clusters, clusters)
        assert (high - low) / 2 <= widest + 1e-12
    low, high = wilson(0.5, clusters)
    assert (high - low) / 2 == pytest.approx(widest)


@given(st.floats(0.005, 0.4))
def test_so_many_items_are_enough_and_one_fewer_is_not(half_width: float) -> None:
    needed = clusters_for_share(half_width)
    assert needed is not None
    assert (half_width_of_share(needed) or 1) <= half_width + 1e-12
    assert needed == 1 or (half_width_of_share(needed - 1) or 0) > half_width


def test_known_numbers_of_items() -> None:
    # (1.959964 / (2 * 0.05))^2 = 384.146, less 1.959964^2 = 3.8415: 380.3
    assert clusters_for_share(0.05) == 381
    assert clusters_for_share(0.02) == 2398
    assert clusters_for_share(5.0, (0, 100)) == 381
    assert clusters_for_share(0.05, (0, None)) is None
    assert half_width_of_share(10, (None, 1)) is None
    with pytest.raises(ValueError, match="above 0"):
        clusters_for_share(0)


def test_the_spread_behind_an_estimate_predicts_the_interval_it_has() -> None:
    values = [1.0, 4.0, 2.0, 8.0, 5.0, 7.0]
    estimate = mean_estimate(values, range(6))
    assert estimate is not None
    spread = spread_of(estimate)
    assert spread == pytest.approx(2.7386, abs=1e-4)
    assert spread is not None
    assert estimate.high is not None
    assert half_width_of_mean(spread, 6) == pytest.approx(estimate.high - estimate.value)
    assert half_width_of_mean(spread, 1) is None
