from __future__ import annotations

import math

import numpy as np
import pytest

from assay.statistics import packed
from assay.statistics.packed import Packed


@pytest.mark.parametrize("rows", [0, 1, 3, 7, 12])
def test_columns_are_those_of_the_rows_that_were_added(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "ROWS", 3)
    table = np.random.default_rng(0).random((rows, 4))
    table[:, 1], table[:, 2], table[3:, 3] = 0.5, math.nan, 0.25
    held = Packed(4)
    for row in table.tolist():
        held.add(row)
    np.testing.assert_array_equal(np.array(held.columns()), table.T)
    order = np.random.default_rng(1).permutation(rows)
    held.sort(order)
    np.testing.assert_array_equal(np.array(held.columns()), table[order].T)


def test_a_column_that_is_the_same_in_all_rows_takes_no_memory() -> None:
    held = Packed(3)
    for number in range(5_000):
        held.add([math.nan, 1.0, float(number)])
    assert [column.strides[0] for column in held.columns()] == [0, 0, 8]


def test_a_table_without_columns_has_none() -> None:
    held = Packed(0)
    held.add([])
    held.sort(np.arange(1))
    assert held.columns() == []


def test_whole_numbers_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "ROWS", 2)
    held = Packed(2, "i")
    for number in range(5):
        held.add((number, 7))
        assert len(held) == number + 1
    held.sort(np.array([4, 3, 2, 1, 0]))
    assert [column.tolist() for column in held.columns()] == [[4, 3, 2, 1, 0], [7] * 5]
    assert {column.dtype for column in held.columns()} == {np.dtype(np.int32)}
    assert len(held) == 5
