"""Rows that are pieces of a document, put together again: the lines of an article."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.records import Split
from assay.scenarios.base import Row, Rows, Source


@dataclass(frozen=True)
class Joined:
    """A source whose consecutive rows make up documents.

    A document begins where `begins` says so of the rows before it, nearest last, and the row itself; what stands before the
    first beginning belongs to the first document.
    """

    source: Source
    begins: Callable[[Sequence[Row], Row], bool]
    """Whether a row begins a document, given the rows of the document so far."""
    join: Callable[[Sequence[Row]], Row]
    """The document that some rows make up, as one row."""

    @property
    def identity(self) -> str:
        """The identity of the source whose rows are put together."""
        return self.source.identity

    def splits(self) -> tuple[Split, ...]:
        """The splits of the source."""
        return self.source.splits()

    def read(self, split: Split) -> Rows:
        """The documents of a split, lazily, in the order of the source.

        Raises:
            AssayError: the source cannot be read.
        """
        whole = self.source.read(split)
        return Rows(self._documents(whole.rows), whole.files)

    def _documents(self, rows: Iterable[Row]) -> Iterator[Row]:
        held: list[Row] = []
        started = False
        for row in rows:
            if self.begins(held, row):
                if started:
                    yield self.join(held)
                    held = []
                started = True
            held.append(row)
        if held:
            yield self.join(held)
