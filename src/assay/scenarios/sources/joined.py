"""Rows that are pieces of a document, put together again: the lines of an article."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.records import Split
from assay.scenarios.base import Row
from assay.scenarios.sources.derived import Derived


@dataclass(frozen=True)
class Joined(Derived):
    """A source whose consecutive rows make up documents.

    A document begins where `begins` says so of the rows before it, nearest last, and the row itself; what stands before the
    first beginning belongs to the first document.
    """

    begins: Callable[[Sequence[Row], Row], bool]
    """Whether a row begins a document, given the rows of the document so far."""
    join: Callable[[Sequence[Row]], Row]
    """The document that some rows make up, as one row."""

    def _changed(self, rows: Iterable[Row], split: Split) -> Iterator[Row]:
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
