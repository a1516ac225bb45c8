"""Rows made by a seeded function: data that no model can have seen, and that needs no download."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import get_args

from assay.errors import AssayError
from assay.identity import canonical, generator
from assay.records import Split
from assay.scenarios.base import Row, Rows

TRIES = 200
"""Draws for one row before a generator counts as exhausted."""


@dataclass(frozen=True)
class Generator:
    """Rows of a function of a random generator and a split.

    Each row has a generator of its own, seeded by (name, split, position, try), so the same declaration gives the same rows on
    every machine. No row appears twice: test is made first, then valid, then train, and a row that exists already is drawn
    again. The few-shot examples are therefore never among the questions, and a smaller train split changes no test item.
    """

    name: str
    function: Callable[[random.Random, Split], Row]
    """Makes one row; it may make other rows for other splits."""
    sizes: Mapping[Split, int]
    """Rows of each split; anything else is an `AssayError`."""

    def __post_init__(self) -> None:
        wrong = [name for name in self.sizes if name not in get_args(Split)]
        wrong += [name for name, size in self.sizes.items() if type(size) is not int or size < 0]
        if wrong:
            raise AssayError(
                f"{self.identity} has no possible size of the split {wrong[0]!r}",
                "sizes give train, valid or test a whole number",
            )

    @property
    def identity(self) -> str:
        """`generator:name`."""
        return f"generator:{self.name}"

    def splits(self) -> tuple[Split, ...]:
        """The splits with at least one row."""
        return tuple(split for split in ("train", "valid", "test") if self.sizes.get(split, 0) > 0)

    def read(self, split: Split) -> Rows:
        """The rows of a split.

        Raises:
            AssayError: the function has fewer different rows than the sizes ask for.
        """
        return Rows(self._made[split])

    @functools.cached_property
    def _made(self) -> dict[Split, list[Row]]:
        seen: set[bytes] = set()
        order: tuple[Split, ...] = ("test", "valid", "train")
        return {split: [self._new(split, position, seen) for position in range(self.sizes.get(split, 0))] for split in order}

    def _new(self, split: Split, position: int, seen: set[bytes]) -> Row:
        for attempt in range(TRIES):
            where = f"{self.identity}, split {split}, row {position + 1}"
            try:
                row = self.function(generator("generated scenario", self.name, split, position, attempt), split)
                key = canonical(row)
            except AssayError:
                raise
            except (Exception, SystemExit) as error:
                raise AssayError(f"{where} cannot be made: {type(error).__name__}: {error}", "repair its function") from error
            if key not in seen:
                seen.add(key)
                return row
        raise AssayError(
            f"{self.identity} made no new row in {TRIES} tries for split {split}, row {position + 1}",
            "ask for fewer rows or for a larger task",
        )
