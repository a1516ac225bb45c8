"""Rows that hold several questions each, as one row a question: the turns of a conversation, the questions of a story."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from assay.errors import AssayError
from assay.records import Split
from assay.scenarios.base import Row, Rows, Source


@dataclass(frozen=True)
class Unfolded:
    """A source whose rows are taken apart.

        Unfolded(Hub(…), lambda story: ({"question": q, "story": story["text"]} for q in story["questions"]))

    The parts of a row stand where it stood, so their positions are stable as long as the data are.
    """

    source: Source
    parts: Callable[[Row], Iterable[Row]]
    """The rows that a row holds; none drops it."""

    @property
    def identity(self) -> str:
        """The identity of the source that is taken apart."""
        return self.source.identity

    def splits(self) -> tuple[Split, ...]:
        """The splits of the source."""
        return self.source.splits()

    def read(self, split: Split) -> Rows:
        """The parts of the rows of a split, lazily.

        Raises:
            AssayError: the source cannot be read, or a row has another shape; names the row.
        """
        whole = self.source.read(split)
        return Rows(self._taken_apart(whole.rows, split), whole.files)

    def _taken_apart(self, rows: Iterable[Row], split: Split) -> Iterator[Row]:
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
