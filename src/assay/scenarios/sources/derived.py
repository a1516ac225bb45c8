"""What sources have in common that change the rows of another: which data it is, its splits, its files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.records import Split
from assay.scenarios.base import Row, Rows, Source


@dataclass(frozen=True)
class Derived(ABC):
    """A source whose rows are made of another's."""

    source: Source

    @property
    def identity(self) -> str:
        """The identity of the source that the rows come from."""
        return self.source.identity

    def splits(self) -> tuple[Split, ...]:
        """The splits of that source."""
        return self.source.splits()

    def read(self, split: Split) -> Rows:
        """The changed rows of a split, lazily, in the order of that source.

        Raises:
            AssayError: that source cannot be read, or a row has another shape; names the row.
        """
        whole = self.source.read(split)
        return Rows(self._changed(whole.rows, split), whole.files)

    @abstractmethod
    def _changed(self, rows: Iterable[Row], split: Split) -> Iterator[Row]:
        """The rows that the rows of a split become."""
