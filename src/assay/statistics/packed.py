"""A table of numbers that grows row by row and is read column by column; what stays the same for many rows is kept once.

Of what a run measures much never changes: what the model does not report, and outcomes that never occur.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics.columns import Integers

    Column = NDArray[Any]

ROWS = 1000
"""Rows that are packed together."""


class Packed:
    """A table of a fixed number of columns; NaN is a number like others.

    Args:
        width: how many columns.
        kind: the type of all numbers, as in `array`: `d` for floating-point ones, `i` for whole ones of 32 bits.
    """

    def __init__(self, width: int, kind: str = "d") -> None:
        self._width = width
        self._new: array[Any] = array(kind)
        self._parts: list[list[Column]] = []

    def __len__(self) -> int:
        return len(self._new) // max(self._width, 1) + sum(len(part[0]) for part in self._parts if part)

    def add(self, row: Sequence[float]) -> None:
        """Add a row."""
        self._new.extend(row)
        if len(self._new) >= ROWS * self._width > 0:
            self._pack()

    def columns(self) -> list[Column]:
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
            if column.strides != (0,):
                columns[place] = column[order]

    def _pack(self) -> None:
        import numpy as np

        table = np.asarray(self._new).reshape(-1, max(self._width, 1))
        self._parts.append([_packed(column) for column in table.T[: self._width]])
        self._new = array(self._new.typecode)


def _packed(column: Column) -> Column:
    """The same numbers, as one where all are alike."""
    import numpy as np

    if len(column) and np.array_equal(column, np.broadcast_to(column[0], column.shape), equal_nan=True):
        return np.broadcast_to(column[0], column.shape)
    return np.ascontiguousarray(column) if column.base is None else column.copy()
