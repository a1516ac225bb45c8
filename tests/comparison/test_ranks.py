"""Rank intervals and tiers."""

from __future__ import annotations

import numpy as np

from assay.comparison.ranks import rank_intervals, tiers


def shown(*pairs: tuple[int, int], count: int = 4) -> np.ndarray:
    better = np.zeros((count, count), dtype=bool)
    for first, second in pairs:
        better[first, second] = True
    return better


def test_without_any_shown_difference_every_rank_is_possible() -> None:
    assert rank_intervals(shown()) == [(1, 4)] * 4
    assert tiers(shown(), [2, 0, 1, 3]) == [1, 1, 1, 1]


def test_ranks_are_bounded_by_who_is_shown_to_be_better_and_worse() -> None:
    better = shown((0, 2), (0, 3), (1, 3))
    assert rank_intervals(better) == [(1, 2), (1, 3), (2, 4), (3, 4)]


def test_a_tier_begins_with_whom_the_first_of_the_last_is_shown_to_beat() -> None:
    assert tiers(shown((0, 2), (0, 3), (1, 3)), [0, 1, 2, 3]) == [1, 1, 2, 2]
    assert tiers(shown((3, 2), (3, 1), (3, 0), (2, 0), (1, 0)), [3, 2, 1, 0]) == [3, 2, 2, 1]
