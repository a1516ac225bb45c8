"""The cells of one row, and messages that name the row and the column."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay.errors import unknown
from assay.scenarios.base import RowError
from assay.text import one_line

LONGEST_TEXT = 1 << 24
"""Characters of a cell that is asked: several times what any model reads."""
SHOWN = 60
"""Characters of a wrong value that a message shows."""
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class CaseError(RowError):
    """A row cannot be asked. `row` counts the rows of a file from 1, a header not among them."""

    def __init__(self, message: str, hint: str = "", *, file: str = "", row: int = 0, column: str = "") -> None:
        where = ", ".join(filter(None, (file, f"row {row}" if row else "", f"column {one_line(column, 80)}" if column else "")))
        super().__init__(f"{where}: {message}" if where else message, hint)
        self.problem = message
        self.file = file
        self.row = row
        self.column = column


class Cells:
    """One row of a file, read column by column."""

    __slots__ = ("file", "number", "row")

    def __init__(self, row: Mapping[str, Any], file: str, number: int) -> None:
        self.row = row
        self.file = file
        self.number = number

    def wrong(self, column: str, problem: str, hint: str) -> CaseError:
        """An error that names file, row and column."""
        return CaseError(problem, hint, file=self.file, row=self.number, column=column)

    def value(self, column: str) -> Any:
        """What a cell holds, as the file has it.

        Raises:
            CaseError: the row has no such column.
        """
        if column not in self.row:
            hint = unknown("column", column, map(str, self.row)).hint
            raise self.wrong("", f"there is no column {one_line(column, 80)!r}", hint)
        return self.row[column]

    def text(self, column: str) -> str:
        """A cell as text; truth values as `true` and `false`.

        Raises:
            CaseError: it is missing, or a list or an object.
        """
        return self._scalar(self.value(column), column)

    def label(self, column: str) -> str:
        """A cell as text without white space around it; empty where there is nothing in it."""
        value = self.value(column)
        return "" if value is None else self._scalar(value, column).strip()

    def texts(self, column: str, separator: str) -> list[str]:
        """A cell as several texts: a list, a list written as JSON, or a text with separators; none where it is empty.

        Raises:
            CaseError: a part of it is no text.
        """
        value = self.value(column)
        if isinstance(value, str):
            value = self._parts(value, separator)
        if value is None or value == "":
            return []
        parts = value if isinstance(value, (list, tuple)) else [value]
        return [self._scalar(part, column).strip() for part in parts]

    def objects(self, column: str, wanted: str) -> list[Mapping[str, Any]]:
        """A cell as a list of objects, or JSON that says so; none where it is empty.

        Raises:
            CaseError: it is something else; `wanted` says how it is written.
        """
        value = self.value(column)
        value = decoded(value) if isinstance(value, str) and value.strip() else value
        if value is None or (isinstance(value, str) and not value.strip()):
            return []
        if not isinstance(value, (list, tuple)) or not all(isinstance(part, Mapping) for part in value):
            raise self.wrong(column, f"it holds {kind(value)}, not a list of objects", f"write {wanted}")
        return list(value)

    def _parts(self, text: str, separator: str) -> Any:
        if text.lstrip().startswith("["):
            found = decoded(text)
            if isinstance(found, list):
                return found
        return [part for part in text.split(separator) if part.strip()] if separator else text.strip()

    def _scalar(self, value: Any, column: str) -> str:
        if isinstance(value, str):  # nearly every cell
            text = value
        elif isinstance(value, bool):
            text = "true" if value else "false"
        elif value is None or isinstance(value, (Mapping, list, tuple, bytes)):
            raise self.wrong(column, f"it holds {kind(value)} where a text is needed", "write a text or a number")
        else:
            text = str(value)
        if len(text) > LONGEST_TEXT:
            hint = f"at most {LONGEST_TEXT:,} are asked; leave the row out"
            raise self.wrong(column, f"it holds {len(text):,} characters", hint)
        if not is_text(text):
            strange = _NO_TEXT.findall(text)
            called = "NUL" if strange[0] == "\0" else "half a character"
            raise self.wrong(column, f"it holds a character that is not text: {called}", "remove it")
        return text


def is_text(text: str) -> bool:
    """Whether a text holds neither NUL nor half a character."""
    return "\0" not in text if text.isascii() else _NO_TEXT.search(text) is None


def texts_of(values: Sequence[Any]) -> Sequence[str] | None:
    """Many cells at once, where each is a text; `None` where one has to be looked at by itself."""
    if not set(map(type, values)) <= {str}:
        return None
    whole = "".join(values)
    return values if len(whole) <= LONGEST_TEXT and is_text(whole) else None


def decoded(text: str) -> object:
    """What JSON in a cell says, or the text itself."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def kind(value: object) -> str:
    """What a value is, in a user's words."""
    if value is None:
        return "nothing"
    names = {"dict": "an object", "list": "a list", "tuple": "a list", "str": "a text", "bytes": "bytes"}
    return names.get(type(value).__name__, "a number" if isinstance(value, (int, float)) else type(value).__name__)
