"""A source of cases: the rows of another source, numbered as a user sees them, and what is wrong with the file as a whole."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from assay.errors import AssayError, unknown
from assay.records import Split
from assay.scenarios.base import Draft, Row, Rows, Source
from assay.scenarios.own.cells import SHOWN, CaseError, Cells
from assay.scenarios.own.layout import Layout
from assay.scenarios.sources.local import SPLIT_WORDS, SPLITS
from assay.text import one_line
from assay.yaml_files import at_line

LOOKED_AT = 1000
"""Rows in which a column is looked for that one row lacks."""


@dataclass(frozen=True)
class Cases:
    """A source of cases: each row of another source with its number under `number`, itself under `row`, its id under `id`.

    Rows are numbered as they stand in their file, whatever their split, so that a message names the row a user sees. What
    stands in them is looked at when their drafts are made; that they have every column, an id and a split, as they are read.
    """

    source: Source
    layout: Layout
    split_column: str = ""

    @property
    def identity(self) -> str:
        """The identity of the other source."""
        return self.source.identity

    def splits(self) -> tuple[Split, ...]:
        """The splits that have rows; with a split column this reads the file once.

        Raises:
            AssayError: the file cannot be read, or a row names no split.
        """
        return self._present if self.split_column else self.source.splits()

    def read(self, split: Split) -> Rows:
        """The cases of a split, lazily, in the order of the source.

        Raises:
            CaseError: a row lacks a column that others have, or names no split.
            AssayError: the source cannot be read, or the declaration names a column that no row has.
        """
        whole = self.source.read("test" if self.split_column else split)
        return Rows(self._cases(whole.rows, split), whole.files)

    def draft(self, case: Row) -> Draft:
        """The draft that a case becomes.

        Raises:
            CaseError: something in it is missing, no text, or contradicts the rest.
        """
        return self.layout.draft(Cells(case["row"], self.file, case["number"]))

    def group(self, case: Row) -> str:
        """What is held out together with a case: its group, or all with the same input.

        Raises:
            CaseError: the group or the input is missing or no text.
        """
        return self.layout.group_of(Cells(case["row"], self.file, case["number"]))

    @functools.cached_property
    def file(self) -> str:
        """The file, or files, as messages name them."""
        return self.identity.partition(":")[2]

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it reads."""
        return (*self.layout.columns, *([self.split_column] if self.split_column else []))

    def lacking(self, cells: Cells, column: str) -> AssayError:
        """What to tell of a row without a column: where no row has it, not the row is wrong but the declaration."""
        known = dict.fromkeys(map(str, cells.row))
        for split in self.source.splits():
            with suppress(AssayError):  # what else is wrong with the file is told where it is read
                for row in islice(self.source.read(split).rows, LOOKED_AT):
                    if column in row:
                        return cells.wrong("", f"lacks {one_line(column, 80)!r}", "fill it in or leave the row out")
                    known.update(dict.fromkeys(map(str, row)))
        steps = self.layout.places.get(column, ("source", "split_column"))
        where = f"{at_line(self.layout.path, *steps)}, {'split_column' if steps[0] == 'source' else steps[0]}"
        return AssayError(f"{where}: {self.file} has no column {one_line(column, 80)!r}", unknown("", column, known).hint)

    @functools.cached_property
    def _present(self) -> tuple[Split, ...]:
        found = {split_of(cells, self.split_column) for cells in self._whole(self.source.read("test").rows)}
        return tuple(split for split in SPLITS if split in found)

    def _whole(self, rows: Iterable[Row]) -> Iterator[Cells]:
        """The rows, numbered; each has every column. The same object for all rows: there may be millions."""
        columns = frozenset(self.columns)
        cells = Cells({}, self.file, 0)
        for cells.number, cells.row in enumerate(rows, start=1):
            if not columns <= cells.row.keys():
                raise self.lacking(cells, next(column for column in self.columns if column not in cells.row))
            yield cells

    def _cases(self, rows: Iterable[Row], split: Split) -> Iterator[Row]:
        for cells in self._whole(rows):
            if self.split_column and split_of(cells, self.split_column) != split:
                continue
            name = cells.label(self.layout.id) if self.layout.id else ""
            yield {"row": cells.row, "number": cells.number, "id": name or None}


def split_of(cells: Cells, column: str) -> Split:
    """The split that a row says it belongs to.

    Raises:
        CaseError: it says none.
    """
    word = cells.label(column)
    split = SPLIT_WORDS.get(word.lower())
    if split is None:
        raise cells.wrong(column, f"{word[:SHOWN]!r} is no split", "it must be train, valid (validation, dev) or test")
    return split


def check_id(cells: Cells, column: str, name: str, seen: dict[str, int]) -> None:
    """Note an id and the row it stands in.

    Raises:
        CaseError: another row has it.
    """
    before = seen.setdefault(name, cells.number)
    if before != cells.number:
        raise repeated_id(cells, column, name, before)


def repeated_id(cells: Cells, column: str, name: str, before: int) -> CaseError:
    """What to tell of a row with the id of the row numbered `before`."""
    return cells.wrong(column, f"the id {name[:SHOWN]!r} is also that of row {before}", "ids must be unique")
