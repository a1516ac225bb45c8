"""Who is beaten in everything, and how sure that is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.pareto import dominance_shares, front

UP = np.array([1.0, -1.0])


def test_the_front_follows_the_directions() -> None:
    values = np.array([[0.9, 2.0], [0.8, 1.0], [0.8, 1.5], [0.7, 3.0]])
    assert front(values, UP).tolist() == [True, True, False, False]


def test_equal_candidates_do_not_dominate_each_other() -> None:
    values = np.array([[0.9, 2.0], [0.9, 2.0], [0.9, 2.5]])
    assert front(values, UP).tolist() == [True, True, False]


def test_shares_over_resamples_count_each_one() -> None:
    replicates = np.array([[[0.9, 2.0], [0.8, 3.0]], [[0.9, 2.0], [0.9, 2.0]], [[0.7, 2.0], [0.8, 1.0]], [[0.9, 2], [0.8, 1]]])
    undominated, dominates = dominance_shares(replicates, UP)
    assert undominated.tolist() == [0.75, 0.75]
    assert dominates.tolist() == [[0.0, 0.25], [0.25, 0.0]]


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=8))
def test_the_front_is_what_comparing_one_by_one_gives(rows: list[tuple[int, int, int]]) -> None:
    signs = np.array([1.0, -1.0, 1.0])

    def beaten(one: tuple[int, ...], by: tuple[int, ...]) -> bool:
        ahead = [sign * (b - a) for sign, a, b in zip(signs, one, by, strict=True)]
        return min(ahead) >= 0 and max(ahead) > 0

    expected = [not any(beaten(row, other) for other in rows) for row in rows]
    assert front(np.array(rows, dtype=float), signs).tolist() == expected


def test_blocks_do_not_change_the_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    replicates = np.random.default_rng(2).random((50, 4, 3))
    whole = dominance_shares(replicates, np.ones(3))
    monkeypatch.setattr("assay.decisions.pareto.BLOCK", 100)
    again = dominance_shares(replicates, np.ones(3))
    assert (whole[0] == again[0]).all()
    assert (whole[1] == again[1]).all()
