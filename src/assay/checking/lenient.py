"""Rows of a file in which some are broken: the good rows, numbered, and a finding for each of the others."""

from __future__ import annotations

import csv
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import msgspec

from assay.checking.findings import Finding
from assay.errors import AssayError
from assay.scenarios.sources.json_text import may_repeat, repeated_key, why_not_json
from assay.scenarios.sources.tables import LONGEST_FIELD, line_blocks, read_rows, text_file
from assay.scenarios.sources.text_files import SAVE_AS_UTF8, not_utf8, shape_of, why_not_csv

Found = tuple[int, Mapping[str, Any]] | Finding
"""A row with its number, or what is wrong."""


def lenient_rows(path: Path) -> Iterator[Found]:
    """Every row of a file, and what is wrong with it. A file that cannot be read any further is reported and left.

    Text that is not UTF-8 is reported by its line, and its row is not given. Rows are counted as a strict reader counts them.
    """
    plain = path.name.lower().removesuffix(".gz")
    try:
        if plain.endswith((".csv", ".tsv")):
            yield from _csv(path)
        elif plain.endswith((".jsonl", ".ndjson")) and not path.name.lower().endswith(".parquet"):
            yield from _json_lines(path)
        else:
            yield from enumerate(read_rows(path, path.name), start=1)
    except AssayError as error:
        file = "" if error.message.startswith(path.name) else path.name
        yield Finding(severity="error", check="file", message=error.message, hint=error.hint, file=file)
    except (OSError, EOFError, zlib.error) as error:
        problem = getattr(error, "strerror", None) or error
        yield Finding(severity="error", check="file", message=f"it cannot be read: {problem}", file=path.name)


class _Lines:
    """The lines of a text file, what is not UTF-8 in them replaced; notes the lines where that was, and the rows."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.file = file
        self.name = name
        self.number = 0
        self.bad: dict[int, str] = {}
        self.rows: list[int] = []

    def __iter__(self) -> Iterator[str]:
        lines = chain.from_iterable(line_blocks(self.file, self.name))
        for number, line in enumerate(lines, start=1):
            self.number = number
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                self.bad[number] = f"line {number}, {not_utf8(line, error)}"
                yield line.decode("utf-8", "replace")

    def spoilt(self, first: int, row: int) -> bool:
        """Whether a row that began at a line, and ends at the one read last, holds what is not UTF-8."""
        if not any(line in self.bad for line in range(first, self.number + 1)):
            return False
        self.rows.append(row)
        return True

    def findings(self, path: Path) -> Iterator[Finding]:
        """One for the whole file: it was saved in another encoding."""
        if self.bad:
            first, *others = self.bad.values()
            more = f", and {len(others):,} more lines" if others else ""
            yield _wrong(path, "encoding", f"it is not UTF-8: {first}{more}", SAVE_AS_UTF8, *self.rows)


def _wrong(path: Path, check: str, message: str, hint: str, *rows: int) -> Finding:
    return Finding(severity="error", check=check, message=message, hint=hint, file=path.name, rows=tuple(filter(None, rows)))


def _csv(path: Path) -> Iterator[Found]:
    csv.field_size_limit(LONGEST_FIELD)
    with text_file(path, path.name) as (file, head):
        shape = shape_of(head, path.name)
        lines = _Lines(file, path.name)
        table = csv.reader(iter(lines), delimiter=shape.separator, strict=True)
        yield from _table(path, table, lines, shape.before)
        yield from lines.findings(path)


def _table(path: Path, table: Any, lines: _Lines, before: int) -> Iterator[Found]:
    row, first = 0, 1
    try:
        header: list[str] = next(islice(table, before, None), [])
        for name in dict.fromkeys(name for name, times in Counter(header).items() if times > 1):
            yield _wrong(path, "file", f"the header names the column {name!r} twice", "give each column its own name")
        first = table.line_num + 1
        for values in table:
            begin, first = first, table.line_num + 1
            if not values:
                continue
            row += 1
            if lines.spoilt(begin, row):
                continue
            if len(values) != len(header):
                message = f"line {table.line_num} has {len(values)} fields, the header {len(header)}"
                yield _wrong(path, "fields", message, "put fields with separators or quotes into double quotes", row)
            else:
                yield row, dict(zip(header, values, strict=True))
    except csv.Error as error:
        problem, hint = why_not_csv(error, first, table.line_num)
        yield _wrong(path, "quotes", f"{problem}; what follows was not looked at", hint, row + 1)
        return
    if not row:
        yield _wrong(path, "file", "it holds no rows", "put at least one case into it")


def _json_lines(path: Path) -> Iterator[Found]:
    decode = msgspec.json.Decoder().decode
    row = 0
    with text_file(path, path.name) as (file, _):
        lines = _Lines(file, path.name)
        for line in lines:
            if not line.strip():
                continue
            row += 1
            if lines.spoilt(lines.number, row):
                continue
            try:
                value = decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                problem, hint = why_not_json(line.encode(), error, "write one object a line")
                yield _wrong(path, "json", f"line {lines.number} {problem}", hint, row)
                continue
            written = line.encode()
            if not isinstance(value, dict):
                yield _wrong(path, "json", f"line {lines.number} holds no object", "write {…} with named fields", row)
            elif may_repeat(written, len(value)) and (twice := repeated_key(written)) is not None:
                yield _wrong(path, "json", f"line {lines.number} gives {twice[:80]!r} twice", "leave one out", row)
            else:
                yield row, value
    yield from lines.findings(path)
    if not row:
        yield _wrong(path, "file", "it holds no rows", "put at least one case into it")
