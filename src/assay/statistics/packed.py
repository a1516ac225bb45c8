"""A table of numbers that grows row by row and is read column by column; what stays the same for many rows is kept once.

Of what a run measures much never changes: what the model does not report, and outcomes that never occur.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

ROWS = 1000
"""Rows that are packed together."""


class Packed:
    """A table of a fixed number of columns; NaN is a number like others."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._new = array("d")
        self._parts: list[list[Floats]] = []

    def add(self, row: Sequence[float]) -> None:
        """Add a row."""
        self._new.extend(row)
        if len(self._new) >= ROWS * self._width > 0:
            self._pack()

    def columns(self) -> list[Floats]:
        """The columns. One that is the same in all rows takes no memory; none may be written to."""
        import numpy as np

        if self._new or not self._parts:
            self._pack()
        if len(self._parts) > 1:
            whole = []
            for place in range(self._width):
                whole.append(_packed(np.concatenate([part[place] for part in self._parts])))
                for part in self._parts:
                    part[place] = whole[-1][:0]  # column by column, so that not everything is there twice
            self._parts = [whole]
        return self._parts[0]

    def sort(self, order: Integers) -> None:
        """Put the rows into this order."""
        columns = self.columns()
        for place, column in enumerate(columns):
            columns[place] = _packed(column[order])

    def _pack(self) -> None:
        import numpy as np

        table = np.array(self._new, dtype=np.float64).reshape(-1, max(self._width, 1))
        self._parts.append([_packed(column) for column in table.T[: self._width]])
        self._new = array("d")


def _packed(column: Floats) -> Floats:
    """The same numbers, as one where all are alike."""
    import numpy as np

    if len(column) and np.array_equal(column, np.broadcast_to(column[0], column.shape), equal_nan=True):
        return np.broadcast_to(column[0], column.shape)
    return np.ascontiguousarray(column) if column.base is None else column.copy()
