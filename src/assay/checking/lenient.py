"""Rows of a file in which some are broken: the good rows, numbered, and a finding for each of the others."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from assay.checking.findings import Finding
from assay.errors import AssayError
from assay.scenarios.sources.tables import LONGEST_FIELD, read_rows

Found = tuple[int, Mapping[str, Any]] | Finding
"""A row with its number, or what is wrong."""
SAVE_AS_UTF8 = "save the file as UTF-8"


def lenient_rows(path: Path) -> Iterator[Found]:
    """Every row of a file, and what is wrong with it. A file that cannot be read any further is reported and left.

    Text that is not UTF-8 is reported by its line, and its row is not given. Rows are counted as a strict reader counts them.
    """
    plain = path.name.lower().removesuffix(".gz")
    try:
        if plain.endswith((".csv", ".tsv")):
            yield from _csv(path, "\t" if plain.endswith(".tsv") else ",")
        elif plain.endswith((".jsonl", ".ndjson")) and not path.name.lower().endswith(".parquet"):
            yield from _json_lines(path)
        else:
            yield from enumerate(read_rows(path, path.name), start=1)
    except AssayError as error:
        yield Finding(severity="error", check="file", message=error.message, hint=error.hint, file=path.name)
    except (OSError, EOFError) as error:
        problem = getattr(error, "strerror", None) or error
        yield Finding(severity="error", check="file", message=f"it cannot be read: {problem}", file=path.name)


class _Lines:
    """The lines of a text file, what is not UTF-8 in them replaced; notes the lines where that was."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.number = 0
        self.bad: dict[int, str] = {}

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self.file, start=1):
            self.number = number
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                self.bad[number] = f"byte {error.start + 1} of line {number} is {line[error.start]:#04x}"
                yield line.decode("utf-8", "replace")

    def finding(self, path: Path, first: int, row: int) -> Finding | None:
        """What is wrong with the characters of a row that began at a line."""
        bad = [self.bad[line] for line in range(first, self.number + 1) if line in self.bad]
        if not bad:
            return None
        return _wrong(path, "encoding", f"not UTF-8: {bad[0]}", SAVE_AS_UTF8, row)


def _wrong(path: Path, check: str, message: str, hint: str, *rows: int) -> Finding:
    return Finding(severity="error", check=check, message=message, hint=hint, file=path.name, rows=tuple(filter(None, rows)))


def _open(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path, "rb") if path.name.lower().endswith(".gz") else path.open("rb"))


def _csv(path: Path, separator: str) -> Iterator[Found]:
    csv.field_size_limit(LONGEST_FIELD)
    with _open(path) as file:
        lines = _Lines(file)
        table = csv.reader(iter(lines), delimiter=separator, strict=True)
        header = next(table, [])
        if problem := lines.finding(path, 1, 0):
            yield problem
        for name in dict.fromkeys(name for name in header if header.count(name) > 1):
            yield _wrong(path, "file", f"the header names the column {name!r} twice", "give each column its own name")
        row, first = 0, 2
        try:
            for values in table:
                begin, first = first, table.line_num + 1
                if not values:
                    continue
                row += 1
                if problem := lines.finding(path, begin, row):
                    yield problem
                elif len(values) != len(header):
                    message = f"line {table.line_num} has {len(values)} fields, the header {len(header)}"
                    yield _wrong(path, "fields", message, "put fields with separators or quotes into double quotes", row)
                else:
                    yield row, dict(zip(header, values, strict=True))
        except csv.Error as error:
            message = f"line {table.line_num} is not CSV: {error}; what follows was not looked at"
            yield _wrong(path, "quotes", message, "check its quotes", row + 1)
            return
        if not row:
            yield _wrong(path, "file", "it holds no rows", "put at least one case into it")


def _json_lines(path: Path) -> Iterator[Found]:
    decode = msgspec.json.Decoder().decode
    row = 0
    with _open(path) as file:
        lines = _Lines(file)
        for line in lines:
            if not line.strip():
                continue
            row += 1
            if problem := lines.finding(path, lines.number, row):
                yield problem
                continue
            try:
                value = decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                yield _wrong(path, "json", f"line {lines.number} is not JSON: {error}", "write one object a line", row)
                continue
            if isinstance(value, dict):
                yield row, value
            else:
                yield _wrong(path, "json", f"line {lines.number} holds no object", "write {…} with named fields", row)
    if not row:
        yield _wrong(path, "file", "it holds no rows", "put at least one case into it")
