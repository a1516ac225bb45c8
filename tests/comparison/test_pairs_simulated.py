"""Where the truth is known: intervals of differences hold it, and equal candidates are rarely told apart."""

from __future__ import annotations

import numpy as np
import pytest

from assay.comparison.boards import make_boards
from assay.comparison.pairs import paired_differences
from assay.identity import array_generator
from comparison_helpers import matrix

REPEATS = 2000


def binary(generator: np.random.Generator, rates: tuple[float, ...], items: int, sharing: float) -> np.ndarray:
    """Yes or no for each candidate and item; with probability `sharing` an item's luck is the same for all candidates."""
    own = generator.random((len(rates), items))
    shared = np.where(generator.random(items) < sharing, generator.random(items), np.nan)
    return np.where(np.isnan(shared), own, shared) < np.array(rates)[:, None]


@pytest.mark.parametrize(
    ("rates", "items", "sharing"),
    [((0.6, 0.5), 50, 0.5), ((0.75, 0.7), 200, 0.8), ((0.9, 0.8), 100, 0.3), ((0.5, 0.5), 400, 0.7), ((0.8, 0.6), 30, 0.5)],
)
def test_intervals_of_binary_differences_hold_the_truth_95_times_in_100(
    rates: tuple[float, float], items: int, sharing: float
) -> None:
    generator = array_generator("coverage", items)
    held = 0
    for _ in range(REPEATS):
        found = paired_differences(matrix(binary(generator, rates, items, sharing)))
        held += bool(found.low[0] <= rates[0] - rates[1] <= found.high[0])
    assert 0.93 <= held / REPEATS <= 0.97


@pytest.mark.parametrize(("clusters", "size"), [(40, 1), (30, 4), (200, 3)])
def test_intervals_of_clustered_differences_hold_the_truth_95_times_in_100(clusters: int, size: int) -> None:
    generator = array_generator("clustered coverage", clusters)
    codes = np.repeat(np.arange(clusters), size)
    held = 0
    for _ in range(REPEATS):
        quality = generator.beta(2, 2, (2, clusters))[:, codes]  # of one mean: the true difference is 0
        values = 0.7 * quality + 0.3 * generator.random((2, clusters * size))
        found = paired_differences(matrix(values, "f1_score", clusters=codes))
        held += bool(found.low[0] <= 0 <= found.high[0])
    assert 0.93 <= held / REPEATS <= 0.97


@pytest.mark.parametrize(("metric", "items"), [("exact_match", 150), ("f1_score", 40)])
def test_of_tables_of_equal_candidates_at_most_5_in_100_show_any_difference(metric: str, items: int) -> None:
    generator = array_generator("family-wise error", items)
    tables, wrong = 800, 0
    for _ in range(tables):
        values = binary(generator, (0.65,) * 5, items, 0.4)
        if metric == "f1_score":
            values = 0.5 * values + 0.5 * generator.random(values.shape)
        board = make_boards([matrix(values, metric)])[0]
        wrong += any(pair.verdict != "no difference shown" for pair in board.pairs)
    assert wrong / tables <= 0.05 + 2 * (0.05 * 0.95 / tables) ** 0.5


def test_real_differences_are_found_and_ranks_hold_the_true_order() -> None:
    generator = array_generator("ranks hold")
    rates = (0.80, 0.70, 0.60, 0.50)
    held = found = 0
    for _ in range(300):
        board = make_boards([matrix(binary(generator, rates, 300, 0.6))])[0]
        by_name = {standing.candidate: standing for standing in board.standings}
        held += all(by_name[name].best_rank <= rank <= by_name[name].worst_rank for rank, name in enumerate("abcd", start=1))
        found += by_name["a"].tier < by_name["d"].tier
    assert held / 300 >= 0.95
    assert found / 300 > 0.95
