"""What a text file is like before its rows are read: its encoding, and what stands between the fields of a table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from assay.errors import AssayError

MARK = b"\xef\xbb\xbf"
"""The byte order mark that some programs write before a text in UTF-8."""
HEAD = 1 << 16
"""Bytes of a file that are looked at."""
SEPARATORS = (",", ";", "|", "\t")
LOOKED_AT = (20, 2)
"""Rows, the header among them, that have to have as many fields; the first two count where a later one is broken."""
SAVE_AS_UTF8 = "save the file as UTF-8, which a spreadsheet calls CSV UTF-8"
_SAID = re.compile(r"""sep=([^\w\s"']|\t)\r?\n?""", re.IGNORECASE)
_LATIN = re.compile(rb"(?<![\x80-\xff])[\x80-\xff]{1,3}(?![\x80-\xff])")
_HIGH = re.compile(rb"[\x80-\xff]+")


class Shape(NamedTuple):
    """How a table is written."""

    separator: str
    before: int
    """Lines before the header."""


def shape_of(head: bytes, name: str) -> Shape:
    """What separates the fields of a table.

    A first line `sep=;`, which Excel writes, says so. Otherwise it is what splits the header and the first rows into the same
    number of fields, more than one: what the ending of the name means where that does, else `,`, `;`, `|` or a tab.

    Args:
        head: the first bytes of the file, `HEAD` at most.
        name: the file's name.
    """
    usual = "\t" if name.lower().removesuffix(".gz").endswith(".tsv") else ","
    lines = list(io.StringIO(head.removeprefix(MARK).decode("utf-8", "replace"), newline="\n"))
    if lines and (said := _SAID.fullmatch(lines[0])):
        return Shape(said[1], 1)
    cut = len(head) >= HEAD
    fitting = (mark for count in LOOKED_AT for mark in (usual, *SEPARATORS) if _fits(lines, mark, count, cut))
    return Shape(next(fitting, usual), 0)


def _fits(lines: Sequence[str], separator: str, count: int, cut: bool) -> bool:
    """Whether a separator splits the first rows into the same number of fields, more than one."""
    try:
        rows = [row for row in islice(csv.reader(lines, delimiter=separator), count) if row]
    except csv.Error:
        return False
    if cut and 1 < len(rows) < count:
        rows.pop()  # it may be a part of a row
    return bool(rows) and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows)


def check_encoding(head: bytes, name: str) -> None:
    """Refuse UTF-16, which many programs call Unicode.

    Raises:
        AssayError: a byte order mark or the many zero bytes say that it is.
    """
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or 4 * head[:1000].count(0) > len(head[:1000]):
        raise AssayError(f"{name} is not UTF-8: it looks like UTF-16", SAVE_AS_UTF8)


def why_not_csv(error: csv.Error, first: int, last: int) -> tuple[str, str]:
    """What Python's reader of tables says, as a sentence about a line, and how to put it right.

    Args:
        error: the reader's.
        first: the line at which the row begins that cannot be read.
        last: the line read last.
    """
    if "end of data" in str(error):
        return f"line {first} opens a quote that is never closed", "check its quotes"
    if "new-line character" in str(error):
        return (
            f"line {last} holds a carriage return outside quotes",
            "save it with the line ends of Unix or Windows, not of old Macs",
        )
    hint = "leave the row out" if "field larger" in str(error) else "check its quotes"
    began = f", in the row that begins at line {first}" if first < last else ""
    return f"line {last} is not CSV: {error}{began}", hint


def not_utf8(line: bytes, error: UnicodeDecodeError) -> str:
    """Why a line cannot be read: `byte 4 is 0xe9; it looks like Windows-1252`."""
    byte = f"byte {error.start + 1} is {line[error.start]:#04x}"
    return f"{byte}; it looks like Windows-1252" if _looks_western(line) else byte


def _looks_western(line: bytes) -> bool:
    """Whether single letters beyond ASCII stand between others, each of which Windows-1252 has."""
    try:
        line.decode("cp1252")
    except UnicodeDecodeError:
        return False
    return all(_LATIN.fullmatch(run) for run in _HIGH.findall(line))
