"""Rows that hold several questions each, as one row a question: the turns of a conversation, the questions of a story."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from assay.errors import AssayError
from assay.records import Split
from assay.scenarios.base import Row
from assay.scenarios.sources.derived import Derived


@dataclass(frozen=True)
class Unfolded(Derived):
    """A source whose rows are taken apart.

        Unfolded(Hub(…), lambda story: ({"question": q, "story": story["text"]} for q in story["questions"]))

    The parts of a row stand where it stood, so their positions are stable as long as the data are.
    """

    parts: Callable[[Row], Iterable[Row]]
    """The rows that a row holds; none drops it."""

    def _changed(self, rows: Iterable[Row], split: Split) -> Iterator[Row]:
        for number, row in enumerate(rows, 1):
            try:
                parts = list(self.parts(row))
            except (KeyError, TypeError, IndexError, ValueError) as error:
                raise AssayError(
                    f"{self.identity}, split {split}, row {number} does not have the expected shape: "
                    f"{type(error).__name__}: {error}",
                    "its columns are " + ", ".join(map(str, row)),
                ) from error
            yield from parts
