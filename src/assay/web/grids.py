"""A table for a page: what is shown, and the plain values behind it, which can be downloaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

from assay.records import Estimate
from assay.web.addresses import Address

Plain = str | float | int | bool | None


@dataclass(frozen=True)
class Cell:
    """A place in a table."""

    value: Plain
    """As it is downloaded and sorted."""
    text: str = ""
    """As it is shown; numbers no more precise than their interval. Escaped by whoever draws it."""
    to: Address | None = None
    """The page that it links to."""
    note: str = ""
    """Shown on hover and read out."""
    shade: float | None = None
    """From 0 (worst) to 1 (best), for heat tables."""
    estimate: Estimate | None = None
    """Downloaded as further columns: low, high, n."""
    links: tuple[tuple[str, Address], ...] = ()
    """Several pages, each with its text; shown instead of `text`."""
    below: str = ""
    """A second line under its text, in small."""
    cited: bool = False
    """Its text names sources, and shows their addresses as links."""


@dataclass(frozen=True)
class Column:
    """A column's head."""

    name: str
    """As it is called in downloads."""
    head: str = ""
    """As it is shown; empty: the name."""
    note: str = ""
    """What it means, shown on hover."""
    number: bool = True
    to: Address | None = None
    better: str = ""
    """Which end of its numbers is better, `higher` or `lower`; shown as an arrow, and what sorting begins with."""


T = TypeVar("T")
V = TypeVar("V")


class Made(Sequence[V], Generic[T, V]):
    """Parts of a large table, each made when somebody looks at it.

    Args:
        items: what they are made of.
        make: makes one.
    """

    def __init__(self, items: Sequence[T], make: Callable[[T], V]) -> None:
        self._items = items
        self._make = make

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, place: int) -> V: ...

    @overload
    def __getitem__(self, place: slice) -> Made[T, V]: ...

    def __getitem__(self, place: int | slice) -> V | Made[T, V]:
        return Made(self._items[place], self._make) if isinstance(place, slice) else self._make(self._items[place])

    def __iter__(self) -> Iterator[V]:
        return map(self._make, self._items)


Row = Sequence[Cell]


class Rows(Made[T, Row]):
    """The rows of a long table."""


WIDE = 8
"""Columns that a page of ordinary width shows at once."""


@dataclass(frozen=True)
class Grid:
    """A table."""

    name: str
    """Of the download: letters, digits and hyphens."""
    caption: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]
    notes: tuple[str, ...] = ()

    def upright(self) -> Grid:
        """A table that is too wide to be read at once and not as long, turned: its columns are rows then.

        For a page; downloads stay as they are.
        """
        if len(self.columns) <= max(WIDE, len(self.rows) + 1):
            return self
        first, *others = self.columns
        columns = (Column(first.name, "", number=False), *(_head(row[0]) for row in self.rows))
        rows = tuple(
            (Cell(column.name, column.head or column.name, column.to, column.note), *(row[place] for row in self.rows))
            for place, column in enumerate(others, 1)
        )
        return Grid(self.name, self.caption, columns, rows, self.notes)

    def records(self) -> list[Mapping[str, Plain]]:
        """The plain rows; an estimate adds its bounds and how much is behind it."""
        found: list[Mapping[str, Plain]] = []
        for row in self.rows:
            plain: dict[str, Plain] = {}
            for column, cell in zip(self.columns, row, strict=True):
                plain[column.name] = cell.value
                if cell.estimate is not None:
                    estimate = cell.estimate
                    plain |= {f"{column.name} low": estimate.low, f"{column.name} high": estimate.high}
                    plain[f"{column.name} n"] = estimate.n
            found.append(plain)
        return found


def _head(cell: Cell) -> Column:
    """The head of a row as that of a column."""
    return Column(str(cell.value), cell.text, cell.note, to=cell.to)
