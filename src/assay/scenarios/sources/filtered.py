"""A part of a source's rows: those that a test admits, or the first of each group."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass

from assay.records import Split
from assay.scenarios.base import Row
from assay.scenarios.sources.derived import Derived


@dataclass(frozen=True)
class Filtered(Derived):
    """A source of whose rows only some are used.

    Filtered(Hub(…), keep=lambda row: len(row["text"].split()) < 150, only="train")
    """

    keep: Callable[[Row], bool]
    only: Split | None = None
    """The one split that is filtered; `None` for all."""

    def _changed(self, rows: Iterable[Row], split: Split) -> Iterator[Row]:
        return iter(rows) if self.only not in (None, split) else filter(self.keep, rows)


@dataclass(frozen=True)
class FirstOfEach(Derived):
    """A source of whose rows only the first of each group is used: one question a story."""

    group: Callable[[Row], Hashable]

    def _changed(self, rows: Iterable[Row], split: Split) -> Iterator[Row]:
        seen: set[Hashable] = set()
        for row in rows:
            name = self.group(row)
            if name not in seen:
                seen.add(name)
                yield row
