"""A train split cut out of a source that has none, so that few-shot examples never come from the questions asked."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

from assay.errors import AssayError
from assay.identity import seed_for
from assay.records import Split
from assay.scenarios.base import Row, Rows, Source


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
    least: int = 2
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
        return Rows((row for row in whole.rows if (self._of(row) in self._groups) == wanted), whole.files)

    def _of(self, row: Row) -> str:
        try:
            return self.group(row)
        except (KeyError, TypeError) as error:
            raise AssayError(
                f"{self.identity}: a row of split {self.split} has no {error}", "its columns are " + ", ".join(map(str, row))
            ) from error

    @functools.cached_property
    def _groups(self) -> frozenset[str]:
        names = {self._of(row) for row in self.source.read(self.split).rows}
        ranked = sorted(names, key=lambda name: seed_for("held out", self.name, name))
        count = min(max(self.least, math.ceil(self.share * len(ranked))), len(ranked) - 1)
        return frozenset(ranked[:count])
