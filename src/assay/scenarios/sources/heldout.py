"""A train split cut out of a source that has none, so that few-shot examples never come from the questions asked."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from assay.errors import AssayError
from assay.identity import ranking
from assay.records import Split
from assay.scenarios.rows import PartRows, Row, Rows, Source

LEAST = 2
"""Groups that become train however small the share."""
BEGINNING = 8
"""Bytes of a group's digest that it is ranked and told apart by: a million rows take 8 MB."""


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
        return PartRows(self._part(split, whole), whole.files, whole=whole, part=lambda: self._marks(split))

    def _part(self, split: Split, whole: Rows) -> Iterator[Row]:
        """The rows of one side. Which these are is found out when the first is wanted."""
        yield from whole.marked(self._marks(split))

    def _marks(self, split: Split) -> bytes:
        """1 for each row of the source that is of a split, else 0."""
        return self.held_out if split == "train" else others(self.held_out)

    def _of(self, row: Row) -> str:
        try:
            return self.group(row)
        except (KeyError, TypeError) as error:
            raise AssayError(
                f"{self.identity}: a row of split {self.split} has no {error}", "its columns are " + ", ".join(map(str, row))
            ) from error

    @functools.cached_property
    def held_out(self) -> bytes:
        """For each row of the source in order: 1 if it becomes train, else 0. Reads them once."""
        return self.marks(map(self._of, self.source.read(self.split).rows))

    def marks(self, groups: Iterable[str]) -> bytes:
        """1 for each row that becomes train, 0 for the others, where these are the groups of all rows in their order."""
        beginnings = bytearray()
        for group in groups:
            beginnings += self.beginning(group)
        return self.moved(beginnings)

    def beginning(self, group: str) -> bytes:
        """The 8 bytes that a group is ranked by.

        Two of a million groups have the same with a probability of 3e-8, and would then go together.
        """
        return self._rank(group)[:BEGINNING]

    def moved(self, beginnings: bytes | bytearray) -> bytes:
        """1 for each row that becomes train, 0 for the others, given the `beginning` of each row's group, one after another."""
        import numpy as np

        ranks = np.frombuffer(beginnings, dtype=f">u{BEGINNING}").astype(f"u{BEGINNING}")
        rising = np.sort(ranks)
        different = rising[np.append(True, rising[1:] != rising[:-1])[: len(rising)]]
        moved = held_out_of(len(different), self.share, self.least)
        return bytes((ranks <= different[moved - 1]).tobytes() if moved > 0 else len(ranks))

    @functools.cached_property
    def _rank(self) -> Callable[[str], bytes]:
        return ranking("held out", self.name)


def others(marks: bytes) -> bytes:
    """True where these are not."""
    return marks.translate(_OTHERS)


_OTHERS = bytes([1]) + bytes(255)


def held_out_of(groups: int, share: float, least: int = LEAST) -> int:
    """How many of so many groups become train."""
    return min(max(least, math.ceil(share * groups)), groups - 1)
