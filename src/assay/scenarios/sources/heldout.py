"""A train split cut out of a source that has none, so that few-shot examples never come from the questions asked."""

from __future__ import annotations

import functools
import heapq
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assay.errors import AssayError
from assay.identity import ranking
from assay.records import Split
from assay.scenarios.base import Row, Rows, Source

LEAST = 2
"""Groups that become train however small the share."""


@dataclass(frozen=True)
class HeldOut:
    """A source whose train split is a share of the groups of another split.

    Whole groups are moved: the groups are ranked by the digest of (name, group), and the first `share` of them, at least
    `least`, become train. Which group goes depends on the groups alone, never on the order of the rows.
    """

    source: Source
    name: str
    group: Callable[[Row], str]
    """The group of a row: its document, template, or its own text where rows are independent."""
    split: Split = "test"
    share: float = 0.05
    """Share of the groups that becomes train, 0 to 1."""
    least: int = LEAST
    """Groups that become train however small the share; one group always stays."""

    @property
    def identity(self) -> str:
        """The identity of the source that is cut."""
        return self.source.identity

    def splits(self) -> tuple[Split, ...]:
        """Train, and the split that it is cut from."""
        return ("train", self.split)

    def read(self, split: Split) -> Rows:
        """The rows of the groups that are (train) or are not (the other split) held out, in the order of the source.

        Raises:
            AssayError: the source cannot be read.
        """
        whole = self.source.read(self.split)
        wanted = split == "train"
        rows = (row for place, row in enumerate(whole.rows) if (place in self._held_out) == wanted)
        return Rows(rows, whole.files)

    def _of(self, row: Row) -> str:
        try:
            return self.group(row)
        except (KeyError, TypeError) as error:
            raise AssayError(
                f"{self.identity}: a row of split {self.split} has no {error}", "its columns are " + ", ".join(map(str, row))
            ) from error

    @functools.cached_property
    def _held_out(self) -> frozenset[int]:
        """The places of the rows that become train."""
        return self.places(self._of(row) for row in self.source.read(self.split).rows)

    def places(self, groups: Iterable[str]) -> frozenset[int]:
        """The places of the rows that become train, where these are the groups of all rows in their order."""
        rank = ranking("held out", self.name)
        ranks = [rank(group) for group in groups]
        different = set(ranks)
        held_out = frozenset(heapq.nsmallest(held_out_of(len(different), self.share, self.least), different))
        return frozenset(place for place, group in enumerate(ranks) if group in held_out)


def held_out_of(groups: int, share: float, least: int = LEAST) -> int:
    """How many of so many groups become train."""
    return min(max(least, math.ceil(share * groups)), groups - 1)
