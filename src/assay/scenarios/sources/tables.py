"""Rows of one file, lazily: Parquet, JSON lines, JSON and CSV, the last three plain or gzipped.

A reader holds one batch of rows in memory (a `.json` array excepted: it is one value and is read whole). Values keep the
file's own types; CSV has none, so its values are texts and never depend on what other rows hold.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from assay.errors import AssayError
from assay.scenarios.base import Row
from assay.scenarios.sources.text_files import HEAD, MARK, SAVE_AS_UTF8, check_encoding, not_utf8, shape_of

BATCH = 1024
"""Rows of a Parquet file decoded at a time."""
LONGEST_FIELD = 2**27
"""Characters a CSV field may have; Python's own limit of 131,072 is less than a long document."""
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
KINDS = ".parquet, .jsonl, .json, .csv or .tsv, the text kinds also with .gz"


def read_rows(path: Path, name: str) -> Iterator[Row]:
    """The rows of a file, its kind told by the ending of `name`.

    Args:
        path: where the file lies.
        name: what to call it in messages.

    Raises:
        AssayError: the file is missing, empty, of an unknown kind or malformed; names the file and, for text, the line.
    """
    if "\0" in str(path) or any("\ud800" <= character <= "\udfff" for character in str(path)):
        raise AssayError(f"{name!r} cannot be the path of a file", "it holds a character that no path has")
    reader = _reader(name)
    count = 0
    try:
        for row in reader(path, name):
            count += 1
            yield row
    except FileNotFoundError:
        raise AssayError(f"{name} does not exist", "check the path") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise AssayError(f"{name} is not a complete gzip file: {error}", "compress or fetch it again") from error
    except OSError as error:
        raise AssayError(f"{name} cannot be read: {error.strerror or error}", "check what it is and its permissions") from error
    if not count:
        raise AssayError(f"{name} holds no rows", "put at least one case into it")


def _reader(name: str) -> Callable[[Path, str], Iterator[Row]]:
    plain = name.lower().removesuffix(".gz")
    if name.lower().endswith(".parquet"):
        return _parquet
    if plain.endswith((".jsonl", ".ndjson", ".json")):
        return _json
    if plain.endswith((".csv", ".tsv")):
        return _csv
    if plain.endswith(SPREADSHEETS):
        raise AssayError(f"{name} is a spreadsheet", "export it as CSV, in UTF-8")
    raise AssayError(f"{name} is of no known kind", f"its name must end in {KINDS}")


def _parquet(path: Path, name: str) -> Iterator[Row]:
    import polars as pl
    from polars.exceptions import PanicException, PolarsError

    if not path.is_file():
        raise FileNotFoundError(name)
    try:
        for batch in pl.scan_parquet(path, glob=False).collect_batches(chunk_size=BATCH, lazy=True):
            yield from batch.iter_rows(named=True)
    except (PolarsError, PanicException) as error:
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise AssayError(
            f"{name} is not readable as Parquet: {detail}", "it may be cut off; write or fetch it again"
        ) from error


@contextmanager
def text_file(path: Path, name: str) -> Iterator[tuple[IO[bytes], bytes]]:
    """A text file, unpacked where it is gzipped, and its first bytes; it is closed again at the end.

    Raises:
        AssayError: it is UTF-16.
    """
    with cast("IO[bytes]", gzip.open(path, "rb") if name.lower().endswith(".gz") else path.open("rb")) as file:
        head = file.read(HEAD)
        check_encoding(head, name)
        file.seek(0)
        yield file, head


def _lines(file: IO[bytes], name: str) -> Iterator[str]:
    """The lines of a UTF-8 text, a byte order mark left out."""
    for number, line in enumerate(file, 1):
        yield _decoded(line.removeprefix(MARK) if number == 1 else line, f"{name}, line {number}")


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise AssayError(f"{where} is not UTF-8: {not_utf8(line, error)}", SAVE_AS_UTF8) from error


def _json(path: Path, name: str) -> Iterator[Row]:
    with text_file(path, name) as (file, head):
        array = head.removeprefix(MARK).lstrip().startswith(b"[")
        yield from (_json_array(file, name) if array else _json_lines(file, name))


def _json_lines(file: IO[bytes], name: str) -> Iterator[Row]:
    decode = msgspec.json.Decoder().decode
    for number, line in enumerate(file, 1):
        text = line.removeprefix(MARK) if number == 1 else line
        if text.isspace():
            continue
        try:
            row = decode(text)
        except msgspec.DecodeError as error:
            _decoded(text, f"{name}, line {number}")  # what is no text is told as that
            raise AssayError(f"{name}, line {number} is not JSON: {error}", "each line must hold one object") from error
        except RecursionError:
            raise AssayError(
                f"{name}, line {number} is nested too deeply to be read", "each line must hold one object"
            ) from None
        yield row if type(row) is dict else _object(row, f"{name}, line {number}")


def _json_array(file: IO[bytes], name: str) -> Iterator[Row]:
    text = "".join(_lines(file, name))
    try:
        rows = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise AssayError(f"{name} is not JSON: {error}", "it must hold an array of objects, or one object a line") from error
    except RecursionError:
        raise AssayError(f"{name} is nested too deeply to be read", "it must hold an array of objects") from None
    for number, row in enumerate(rows, 1):
        yield _object(row, f"{name}, item {number}")


def _object(row: Any, where: str) -> Row:
    if not isinstance(row, dict):
        kind = "null" if row is None else type(row).__name__
        raise AssayError(f"{where} holds a value of type {kind}", "it must be an object with named fields")
    return row


def _csv(path: Path, name: str) -> Iterator[Row]:
    csv.field_size_limit(LONGEST_FIELD)
    with text_file(path, name) as (file, head):
        shape = shape_of(head, name)
        table = csv.reader(_lines(file, name), delimiter=shape.separator, strict=True)
        try:
            header = next(islice(table, shape.before, None), [])
            repeated = [column for column in header if header.count(column) > 1]
            if repeated:
                where = f"{name}, line {table.line_num}"
                raise AssayError(f"{where} names the column {repeated[0]!r} twice", "give each column its own name")
            for values in table:
                if not values:
                    continue
                if len(values) != len(header):
                    raise AssayError(
                        f"{name}, line {table.line_num} has {len(values)} fields, its header {len(header)}",
                        "put fields that hold a separator or quotes into double quotes",
                    )
                yield dict(zip(header, values, strict=True))
        except csv.Error as error:
            raise AssayError(f"{name}, line {table.line_num} is not CSV: {error}", "check its quotes") from error
