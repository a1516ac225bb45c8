"""Rows of one file, lazily: Parquet, JSON lines, JSON and CSV, the last three plain or gzipped.

A reader holds one block of rows in memory (a `.json` array excepted: it is one value and is read whole). Values keep the
file's own types; CSV has none, so its values are texts and never depend on what other rows hold.
"""

from __future__ import annotations

import csv
import functools
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, compress, islice
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from assay.errors import AssayError
from assay.plain_files import check_file
from assay.scenarios.rows import Row, in_blocks
from assay.scenarios.sources.json_text import may_repeat, repeated_key, why_not_json
from assay.scenarios.sources.parquet import parquet_blocks
from assay.scenarios.sources.text_files import HEAD, MARK, SAVE_AS_UTF8, check_encoding, not_utf8, shape_of, why_not_csv

BLOCK = 1 << 16
"""Bytes of JSON lines decoded at a time, and the rest of the last line."""
LONGEST_FIELD = 2**27
"""Characters a CSV field may have; Python's own limit of 131,072 is less than a long document."""
LOOKED_AT = 10_000
"""Lines of JSON in which it is looked for a key that stands twice, and rows that are picked: the others are too many."""
LONGEST_LINE = 2**27
"""Bytes of one line, unpacked."""
LARGEST_ARRAY = 2**30
"""Bytes of a `.json` array, unpacked: it is one value and is read whole."""
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
_decode = msgspec.json.Decoder().decode
KINDS = ".parquet, .jsonl, .json, .csv or .tsv, the text kinds also with .gz"


Block = Sequence[Row]
"""Rows that follow each other."""


def read_rows(path: Path, name: str, marks: Sequence[int] | None = None, trusted: bool = False) -> Iterator[Row]:
    """The rows of a file, its kind told by the ending of `name`.

    Args:
        path: where the file lies.
        name: what to call it in messages.
        marks: one for each row of the file, true where the row is wanted; of JSON lines the others are not decoded.
        trusted: it is as its author published it, so that a Parquet file needs no trial.

    Raises:
        AssayError: the file is missing, empty, of an unknown kind or malformed; names the file and, for text, the line.
    """
    if marks is not None and _is_json_lines(path, name):
        blocks: Iterable[Block] = _guarded(lambda: _marked_lines(path, name, marks), name)
        return chain.from_iterable(blocks)
    rows = chain.from_iterable(read_blocks(path, name, trusted))
    return rows if marks is None else compress(rows, marks)


def read_blocks(path: Path, name: str, trusted: bool = False) -> Iterator[Block]:
    """The rows of a file as `read_rows` gives them, in blocks: quicker where there are many.

    Raises:
        AssayError: as with `read_rows`, after the rows before it.
    """
    if "\0" in str(path) or any("\ud800" <= character <= "\udfff" for character in str(path)):
        raise AssayError(f"{name!r} cannot be the path of a file", "it holds a character that no path has")
    reader = _reader(name)
    if reader is parquet_blocks:
        reader = functools.partial(parquet_blocks, trusted=trusted)
    some = False
    for block in _guarded(lambda: reader(path, name), name):
        some = some or bool(block)
        yield block
    if not some:
        raise AssayError(f"{name} holds no rows", "put at least one case into it")


def _guarded(blocks: Callable[[], Iterator[Block]], name: str) -> Iterator[Block]:
    """The blocks of a reader; what the system or a broken gzip file says becomes an `AssayError`."""
    try:
        yield from blocks()
    except FileNotFoundError:
        raise AssayError(f"{name} does not exist", "check the path") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise AssayError(f"{name} is not a complete gzip file: {error}", "compress or fetch it again") from error
    except OSError as error:
        raise AssayError(f"{name} cannot be read: {error.strerror or error}", "check what it is and its permissions") from error


def _reader(name: str) -> Callable[[Path, str], Iterator[Block]]:
    plain = name.lower().removesuffix(".gz")
    if name.lower().endswith(".parquet"):
        return parquet_blocks
    if plain.endswith((".jsonl", ".ndjson", ".json")):
        return _json
    if plain.endswith((".csv", ".tsv")):
        return _csv
    if plain.endswith(SPREADSHEETS):
        raise AssayError(f"{name} is a spreadsheet", "export it as CSV, in UTF-8")
    raise AssayError(f"{name} is of no known kind", f"its name must end in {KINDS}")


@contextmanager
def text_file(path: Path, name: str) -> Iterator[tuple[IO[bytes], bytes]]:
    """A text file, unpacked where it is gzipped, and its first bytes; it is closed again at the end.

    Raises:
        AssayError: it is no file, or UTF-16.
    """
    check_file(path, name)
    with cast("IO[bytes]", gzip.open(path, "rb") if name.lower().endswith(".gz") else path.open("rb")) as file:
        head = file.read(HEAD)
        check_encoding(head, name)
        file.seek(0)
        yield file, head


def line_blocks(file: IO[bytes], name: str) -> Iterator[list[bytes]]:
    """The lines of a text, each with its end, in blocks: however long a line is, no more than 128 MB of it are held.

    Raises:
        AssayError: a line is longer; names it.
    """
    held, size, number = [b""], 0, 1
    while data := file.read(BLOCK):
        if cut := data.rfind(b"\n") + 1:
            lines = io.BytesIO(b"".join([*held, data[:cut]])).readlines()
            yield lines
            number += len(lines)
            held, size = [], 0
        held.append(data[cut:])
        size += len(data) - cut
        if size > LONGEST_LINE:
            raise AssayError(f"{name}, line {number} has more than {LONGEST_LINE:,} bytes", "is it the right file?")
    if last := b"".join(held):
        yield [last]


def _lines(file: IO[bytes], name: str) -> Iterator[str]:
    """The lines of a UTF-8 text, a byte order mark left out."""
    for number, line in enumerate(chain.from_iterable(line_blocks(file, name)), 1):
        yield _decoded(line.removeprefix(MARK) if number == 1 else line, f"{name}, line {number}")


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise AssayError(f"{where} is not UTF-8: {not_utf8(line, error)}", SAVE_AS_UTF8) from error


def _json(path: Path, name: str) -> Iterator[Block]:
    with text_file(path, name) as (file, head):
        yield from (in_blocks(_json_array(file, name)) if _is_array(head) else _json_lines(file, name))


def _marked_lines(path: Path, name: str, marks: Sequence[int]) -> Iterator[Block]:
    with text_file(path, name) as (file, _):
        yield from _json_lines(file, name, marks)


def _is_array(head: bytes) -> bool:
    return head.removeprefix(MARK).lstrip().startswith(b"[")


def _json_lines(file: IO[bytes], name: str, marks: Sequence[int] | None = None) -> Iterator[Block]:
    wanted = None if marks is None else iter(marks)
    few = marks is not None and sum(marks) <= LOOKED_AT
    first = 1
    for lines in line_blocks(file, name):
        if first == 1:
            lines[0] = lines[0].removeprefix(MARK)
        numbers: Sequence[int] = range(first, first + len(lines))
        first += len(lines)
        if wanted is not None:
            filled = [number for number, line in zip(numbers, lines, strict=True) if not line.isspace()]
            chosen = list(compress(filled, wanted))
            numbers, lines = chosen, [lines[number - numbers[0]] for number in chosen]
        looked_at = few or first <= LOOKED_AT
        rows = _all_rows(lines, looked_at)
        yield from [rows] if rows is not None else in_blocks(_one_by_one(zip(numbers, lines, strict=True), name))


def _all_rows(lines: Sequence[bytes], looked_at: bool) -> list[Row] | None:
    """The rows of lines each of which holds an object; `None` where one is blank or wrong, or is to be looked at by itself."""
    try:
        rows = list(map(_decode, lines))
    except (msgspec.DecodeError, RecursionError):
        return None
    if not set(map(type, rows)) <= {dict} or (looked_at and any(map(may_repeat, lines, map(len, rows)))):
        return None
    return rows


def _one_by_one(numbered: Iterable[tuple[int, bytes]], name: str) -> Iterator[Row]:
    """The rows of some lines, each with its number; blank ones are left out.

    Raises:
        AssayError: a line holds no object; names it.
    """
    for number, line in numbered:
        if line.isspace():
            continue
        try:
            row = _decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            _decoded(line, f"{name}, line {number}")  # what is no text is told as that
            problem, hint = why_not_json(line, error, "each line must hold one object")
            raise AssayError(f"{name}, line {number} {problem}", hint) from None
        if isinstance(row, dict) and may_repeat(line, len(row)) and (key := repeated_key(line)) is not None:
            raise AssayError(f"{name}, line {number} gives {key[:80]!r} twice", "leave one out")
        yield _object(row, f"{name}, line {number}")


def _is_json_lines(path: Path, name: str) -> bool:
    """Whether a file can be read line by line, so that some lines need not be decoded."""
    if _reader(name) is not _json:
        return False
    try:
        with text_file(path, name) as (_, head):
            return not _is_array(head)
    except OSError:
        return False  # whoever reads it tells what is wrong


def _json_array(file: IO[bytes], name: str) -> Iterator[Row]:
    content = file.read(LARGEST_ARRAY + 1)
    if len(content) > LARGEST_ARRAY:
        raise AssayError(f"{name} has more than {LARGEST_ARRAY:,} bytes", "write one object a line, into a .jsonl file")
    text = "".join(_lines(io.BytesIO(content), name))
    try:
        rows = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        problem, hint = why_not_json(content, error, "it must hold an array of objects, or one object a line")
        raise AssayError(f"{name} {problem}", hint) from None
    if (key := repeated_key(content)) is not None:
        raise AssayError(f"{name} gives {key[:80]!r} twice in one object", "leave one out")
    for number, row in enumerate(rows, 1):
        yield _object(row, f"{name}, item {number}")


def _object(row: Any, where: str) -> Row:
    if not isinstance(row, dict):
        kind = "null" if row is None else type(row).__name__
        raise AssayError(f"{where} holds a value of type {kind}", "it must be an object with named fields")
    return row


def _csv(path: Path, name: str) -> Iterator[Block]:
    return in_blocks(_table(path, name))


def _table(path: Path, name: str) -> Iterator[Row]:
    csv.field_size_limit(LONGEST_FIELD)
    with text_file(path, name) as (file, head):
        shape = shape_of(head, name)
        table = csv.reader(_lines(file, name), delimiter=shape.separator, strict=True)
        first = 1
        try:
            header = next(islice(table, shape.before, None), [])
            repeated = [column for column, times in Counter(header).items() if times > 1]
            if repeated:
                where = f"{name}, line {table.line_num}"
                raise AssayError(f"{where} names the column {repeated[0]!r} twice", "give each column its own name")
            first = table.line_num + 1
            for values in table:
                first = table.line_num + 1
                if not values:
                    continue
                if len(values) != len(header):
                    raise AssayError(
                        f"{name}, line {table.line_num} has {len(values)} fields, its header {len(header)}",
                        "put fields that hold a separator or quotes into double quotes",
                    )
                yield dict(zip(header, values, strict=True))
        except csv.Error as error:
            problem, hint = why_not_csv(error, first, table.line_num)
            raise AssayError(f"{name}, {problem}", hint) from error
