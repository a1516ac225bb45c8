"""A part of a source's rows: those that a test admits, or the first of each group."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass

from assay.records import Split
from assay.scenarios.base import Row, Rows, Source


@dataclass(frozen=True)
class Filtered:
    """A source of whose rows only some are used.

    Filtered(Hub(…), keep=lambda row: len(row["text"].split()) < 150, only="train")
    """

    source: Source
    keep: Callable[[Row], bool]
    only: Split | None = None
    """The one split that is filtered; `None` for all."""

    @property
    def identity(self) -> str:
        """The identity of the source that is filtered."""
        return self.source.identity

    def splits(self) -> tuple[Split, ...]:
        """The splits of the source."""
        return self.source.splits()

    def read(self, split: Split) -> Rows:
        """The rows of a split that are kept, lazily, in the order of the source.

        Raises:
            AssayError: the source cannot be read.
        """
        whole = self.source.read(split)
        return whole if self.only not in (None, split) else Rows(filter(self.keep, whole.rows), whole.files)


@dataclass(frozen=True)
class FirstOfEach:
    """A source of whose rows only the first of each group is used: one question a story."""

    source: Source
    group: Callable[[Row], Hashable]

    @property
    def identity(self) -> str:
        """The identity of the source that is thinned out."""
        return self.source.identity

    def splits(self) -> tuple[Split, ...]:
        """The splits of the source."""
        return self.source.splits()

    def read(self, split: Split) -> Rows:
        """The first row of each group of a split, lazily, in the order of the source.

        Raises:
            AssayError: the source cannot be read.
        """
        whole = self.source.read(split)
        return Rows(self._firsts(whole.rows), whole.files)

    def _firsts(self, rows: Iterable[Row]) -> Iterator[Row]:
        seen: set[Hashable] = set()
        for row in rows:
            name = self.group(row)
            if name not in seen:
                seen.add(name)
                yield row
