"""Rows and where they come from, before anything is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, Protocol, runtime_checkable

from assay.errors import AssayError
from assay.records import DataFile, Split

Row = Mapping[str, Any]
TOGETHER = 64
"""Rows of a block where the source has none of its own: few, for they may be long."""


@dataclass(frozen=True)
class Rows:
    """The rows of one split in order, lazily, and the files they come from; gone through once, in one of three ways."""

    rows: Iterable[Row]
    files: tuple[DataFile, ...] = ()

    def blocks(self) -> Iterator[Sequence[Row]]:
        """The rows, several at a time: what is done to whole blocks is quicker where there are many."""
        return in_blocks(self.rows)

    def marked(self, marks: Sequence[int]) -> Iterator[Row]:
        """The rows whose mark is true, given one for each. A source that can pass over the others unread does so."""
        return compress(self.rows, marks)


@dataclass(frozen=True)
class PartRows(Rows):
    """Some rows of a whole, which can pass over the others unread."""

    whole: Rows = field(kw_only=True)
    part: Callable[[], Sequence[int]] = field(kw_only=True)
    """A mark for each row of the whole: true where it belongs to the part."""

    def marked(self, marks: Sequence[int]) -> Iterator[Row]:
        """The rows whose mark is true, given one for each row of the part."""
        return self.whole.marked(within(self.part(), marks))


def within(part: Sequence[int], marks: Iterable[int]) -> bytearray:
    """The marks of rows of a part, as marks of the rows of the whole."""
    left = iter(marks)
    return bytearray(bool(one and next(left)) for one in part)


def in_blocks(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    """Rows in blocks of 64; those before an error are given before it is raised."""
    block: list[Row] = []
    try:
        for row in rows:
            block.append(row)
            if len(block) == TOGETHER:
                yield block
                block = []
    except AssayError:
        yield block
        raise
    if block:
        yield block


class Source(Protocol):
    """Where rows come from."""

    @property
    def identity(self) -> str:
        """`hub:owner/name@revision`, `file:name` or `generator:name`."""

    def splits(self) -> tuple[Split, ...]:
        """The splits it has."""

    def read(self, split: Split) -> Rows:
        """The rows of a split.

        Raises:
            AssayError: the data cannot be had or read; the message names the file, URL or row.
        """


@runtime_checkable
class Named(Protocol):
    """A source that tells the ids of its rows quicker than it gives the rows."""

    def names(self, split: Split) -> Iterator[Sequence[str | None]]:
        """The ids of all rows of a split in their order, in blocks; `None` for a row without one.

        Raises:
            AssayError: the data cannot be read, or a row cannot have an id; names the row.
        """
