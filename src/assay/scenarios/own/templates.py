"""Texts with columns in braces: `Region: {region}`. A brace that is meant as one is written twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

from assay.errors import AssayError
from assay.scenarios.base import Row
from assay.scenarios.own.cells import Cells, texts_of

_PARTS = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")


@dataclass(frozen=True)
class Template:
    """A text in which columns stand.

    template("Q: {question} {{in braces}}").fill(cells)      Q: Who? {in braces}
    """

    parts: tuple[tuple[str, bool], ...]
    """Literal texts, and names of columns (true)."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it shows, in order."""
        return tuple(text for text, is_column in self.parts if is_column)

    @property
    def fixed(self) -> str:
        """What it says in every row, without white space around it; empty where a column stands in it."""
        return "" if self.columns else "".join(text for text, _ in self.parts).strip()

    def fill(self, cells: Cells) -> str:
        """The text for one row. What a cell holds is put in as it is: braces in it mean nothing.

        Raises:
            CaseError: a column is missing or no text; names it.
        """
        return "".join(cells.text(text) if is_column else text for text, is_column in self.parts)

    def fill_many(self, rows: Sequence[Row]) -> list[str] | None:
        """The texts of many rows at once, where each of their cells is a text and none of the first column's is blank.

        `None` where a row has to be looked at by itself.
        """
        parts: list[Iterable[str]] = []
        cells: list[Sequence[str]] = []
        for text, is_column in self.parts:
            found = texts_of([row[text] for row in rows]) if is_column else None
            if found is not None:
                cells.append(found)
            elif is_column:
                return None
            parts.append(repeat(text) if found is None else found)
        return list(map("".join, zip(*parts, strict=False))) if cells and all(map(str.strip, cells[0])) else None


def template(text: str) -> Template:
    """A template from its text.

    Raises:
        AssayError: a brace is open, or there is nothing in it.
    """
    parts: list[tuple[str, bool]] = []
    for match in _PARTS.finditer(text):
        whole, column = match[0], match[1]
        if whole in ("{", "}") or column == "":
            raise AssayError(f"{whole!r} in {text[:60]!r} names no column", "write {column}, or {{ and }} for braces")
        parts.append((column.strip(), True) if column is not None else (whole[0] if whole in ("{{", "}}") else whole, False))
    return Template(tuple(parts))


def escaped(text: str) -> str:
    """A text as a template that gives it back."""
    return text.replace("{", "{{").replace("}", "}}")


def in_braces(columns: Mapping[str, str] | tuple[str, ...]) -> str:
    """Columns as they are written in a template: `{a}`, `{b}`."""
    return ", ".join(f"{{{column}}}" for column in columns)
