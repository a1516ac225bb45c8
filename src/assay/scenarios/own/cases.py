"""A source of cases: the rows of another source, numbered as a user sees them, and what is wrong with the file as a whole."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import compress, count, islice, repeat
from typing import Any

from assay.errors import AssayError, unknown
from assay.records import Split
from assay.scenarios.base import Draft
from assay.scenarios.own.cells import SHOWN, CaseError, Cells, texts_of
from assay.scenarios.own.layout import Layout
from assay.scenarios.rows import Row, Rows, Source, within
from assay.scenarios.sources.heldout import HeldOut, others
from assay.scenarios.sources.local import SPLIT_WORDS, SPLITS
from assay.text import one_line
from assay.yaml_files import at_line

LOOKED_AT = 1000
"""Rows in which a column is looked for that one row lacks."""
TOGETHER = 1024
"""Ids that are handed on together."""


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
        whole = self._whole(split)
        mine = self._marks(split) if self.split_column else None

        def marked(marks: Sequence[int]) -> Iterator[Row]:
            return self._cases(whole, marks if mine is None else within(mine, marks))

        return CaseRows(self._cases(whole, mine), whole.files, of=marked)

    def names(self, split: Split) -> Iterator[Sequence[str | None]]:
        """The ids of the cases of a split, in blocks; `None` for one without.

        Raises:
            CaseError: a row lacks a column, or has something as its id that is no text.
            AssayError: as with `read`.
        """
        marks = iter(self._marks(split)) if self.split_column else repeat(1)
        for before, rows in self._blocks(self._whole(split)):
            yield list(compress(self.ids_of(rows, before), marks))

    def named_groups(self, split: Split) -> Iterator[tuple[Sequence[str | None], Sequence[str]]]:
        """The ids of the cases of a split and what is held out together with each, in blocks; without a split column.

        Raises:
            CaseError: as with `names` and `group`.
        """
        for before, rows in self._blocks(self._whole(split)):
            yield self.ids_of(rows, before), self.layout.groups_of(rows, self.file, before)

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
        known = dict.fromkeys(name.strip() for name in map(str, cells.row))
        for split in self.source.splits():
            with suppress(AssayError):  # what else is wrong with the file is told where it is read
                for row in islice(self.source.read(split).rows, LOOKED_AT):
                    if column in fitted(row, (column,)):
                        return cells.wrong("", f"lacks {one_line(column, 80)!r}", "fill it in or leave the row out")
                    known.update(dict.fromkeys(name.strip() for name in map(str, row)))
        steps = self.layout.places.get(column, ("source", "split_column"))
        where = f"{at_line(self.layout.path, *steps)}, {'split_column' if steps[0] == 'source' else steps[0]}"
        return AssayError(f"{where}: {self.file} has no column {one_line(column, 80)!r}", unknown("", column, known).hint)

    @functools.cached_property
    def _present(self) -> tuple[Split, ...]:
        found = set(self._splits)
        return tuple(split for code, split in enumerate(SPLITS) if code in found)

    @functools.cached_property
    def _splits(self) -> bytes:
        """The split of each row, as its place among `SPLITS`. Reads the file once."""
        codes = bytearray()
        known: dict[Any, int] = {}
        column = self.split_column
        for before, rows in self._blocks(self._whole("test")):
            try:
                codes += bytes([known[row[column]] for row in rows])
            except (KeyError, TypeError):  # a word that was not there before, or no word
                for number, row in enumerate(rows, before + 1):
                    code = SPLITS.index(split_of(Cells(row, self.file, number), column))
                    codes.append(code)
                    if isinstance(row[column], str):
                        known[row[column]] = code
        return bytes(codes)

    def _marks(self, split: Split) -> bytes:
        """1 for each row of the file that is of a split, else 0."""
        code = SPLITS.index(split)
        return self._splits.translate(bytes(code == other for other in range(256)))

    def _whole(self, split: Split) -> Rows:
        """The rows of the file that a split stands in."""
        return self.source.read("test" if self.split_column else split)

    def _blocks(self, whole: Rows) -> Iterator[tuple[int, Sequence[Row]]]:
        """Blocks of rows that have every column, each with the number of rows before it."""
        before, columns = 0, frozenset(self.columns)
        for found in whole.blocks():
            rows = found
            if not all(columns <= row.keys() for row in found):
                rows = [self._complete(row, number) for number, row in enumerate(found, before + 1)]
            yield before, rows
            before += len(rows)

    def _complete(self, row: Row, number: int) -> Row:
        """A row in which every column stands under the name that the declaration has for it."""
        found = fitted(row, self.columns)
        missing = next((column for column in self.columns if column not in found), None)
        if missing is not None:
            raise self.lacking(Cells(found, self.file, number), missing)
        return found

    def ids_of(self, rows: Sequence[Row], before: int) -> Sequence[str | None]:
        """The ids of rows that follow each other, `before` of them being before these in the file.

        Raises:
            CaseError: one is no text.
        """
        column = self.layout.id
        if not column:
            return [None] * len(rows)
        found = texts_of([row[column] for row in rows])
        if found is None:
            found = [Cells(row, self.file, number).label(column) for number, row in enumerate(rows, before + 1)]
        return [text.strip() or None for text in found]

    def _cases(self, whole: Rows, marks: Sequence[int] | None) -> Iterator[Row]:
        """The cases of all rows, or of those that are marked."""
        numbers: Iterable[int] = count(1)
        if marks is not None:
            numbers = (number for number, mark in enumerate(marks, 1) if mark)
        columns = frozenset(self.columns)
        for number, found in zip(numbers, whole.rows if marks is None else whole.marked(marks), strict=False):
            row = found if columns <= found.keys() else self._complete(found, number)
            name = Cells(row, self.file, number).label(self.layout.id) if self.layout.id else ""
            yield {"row": row, "number": number, "id": name or None}


@dataclass(frozen=True)
class CaseRows(Rows):
    """The cases of a split."""

    of: Callable[[Sequence[int]], Iterator[Row]] = field(kw_only=True)
    """Those that are marked."""

    def marked(self, marks: Sequence[int]) -> Iterator[Row]:
        """The cases whose mark is true; the source passes over the other rows."""
        return self.of(marks)


@dataclass(frozen=True)
class HeldOutCases(HeldOut):
    """Cases of which a share becomes examples; ids and groups are told in one pass."""

    source: Cases

    def names(self, split: Split) -> Iterator[Sequence[str | None]]:
        """The ids of the cases that are, or are not, held out, in blocks; `None` for one without.

        Raises:
            CaseError: a row lacks a column, or its id, group or input is no text.
            AssayError: the source cannot be read.
        """
        names: list[str | None] = []

        def groups() -> Iterator[str]:
            for ids, found in self.source.named_groups(self.split):
                names.extend(ids)
                yield from found

        vars(self)["held_out"] = marks = self.marks(groups())  # so that it is not found out again
        wanted = compress(names, marks if split == "train" else others(marks))
        return iter(lambda: list(islice(wanted, TOGETHER)), [])


def fitted(row: Row, columns: Iterable[str]) -> Row:
    """A row that lacks one of some columns, with its names also as they are without white space around them."""
    return row if row.keys() >= set(columns) else {**{str(name).strip(): cell for name, cell in row.items()}, **row}


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
