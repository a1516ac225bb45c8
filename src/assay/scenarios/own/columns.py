"""The columns of a file as they are looked at: their cells, and what these have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from assay.errors import AssayError
from assay.prompting.dates import date_of
from assay.prompting.numbers import number_of
from assay.prompting.reading import MOST_LETTERED, letter_for
from assay.scenarios.own.cells import Cells, decoded
from assay.scenarios.own.shapes import shape_of
from assay.scenarios.rows import Row
from assay.scenarios.sources.tables import read_rows

LOOKED_AT = 20_000
"""Rows that are looked at."""
MOST_CHARACTERS = 1 << 26
"""Characters after which no more rows are looked at."""
MOST_LABELS = 12
"""Different answers up to which they are taken as a fixed set of options, wherever they stand."""
MOST_LISTED = 200
"""The same, where nearly all of them repeat and they are no numbers."""
ROWS_OF_LISTED = 4
"""Rows that each of so many answers must have on average."""
LONGEST_LABEL = 40
SHORT_WORDS, SHORT = 8, 80
"""Words and characters that a short answer has at most; nine of ten answers of a column are short, or they are called long."""
OTHERS = 50
"""Dates of a column that are looked at for the order of day and month."""
_UNIT = re.compile(r"(?<=\d)\s?[^\W\d][^\d,;]{0,15}\Z")
"""A unit behind a number; numbers are numbers still where all have the same."""
Kind = Literal["number", "date", "short", "long"]
"""What free answers are."""
SEPARATOR = "|"

_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*%?")


@dataclass(frozen=True)
class Column:
    """What the cells of a column look like."""

    name: str
    values: tuple[Any, ...]
    file: str = ""
    """Where it stands, for messages."""

    @property
    def filled(self) -> list[Any]:
        """The cells with something in them."""
        return [value for value in self.values if value is not None and value != ""]

    @property
    def texts(self) -> list[str]:
        """The filled cells that are texts or numbers, as texts."""
        return [str(value) for value in self.filled if not isinstance(value, (list, tuple, Mapping, bytes))]

    @property
    def length(self) -> float:
        """Mean length of its texts, characters."""
        return sum(map(len, self.texts)) / len(self.texts) if self.texts else 0.0

    def parts(self, separator: str) -> list[list[str]]:
        """Each filled cell as the texts in it."""
        filled = ((row, value) for row, value in enumerate(self.values, start=1) if value is not None and value != "")
        cells = (Cells({self.name: value}, self.file, row) for row, value in filled)
        return [cell.texts(self.name, separator) for cell in cells]


def columns_of(path: Path) -> list[Column]:
    """The columns of a file, by its first 20,000 rows, fewer where their texts are long.

    Raises:
        AssayError: it cannot be read, or a column's name is empty or holds a brace.
    """
    rows = list(_first(read_rows(path, str(path))))
    names = dict.fromkeys(name for row in rows for name in row)
    for position, name in enumerate(names, start=1):
        if not name or "{" in name or "}" in name:
            raise AssayError(f"{path}, column {position} is called {name!r}", "give it a name without braces")
    return [Column(name, tuple(row.get(name) for row in rows), str(path)) for name in names]


def _first(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows that are looked at, the names of their columns without white space around them."""
    size = 0
    for row in islice(rows, LOOKED_AT):
        found = {name.strip(): cell for name, cell in row.items()}
        yield found
        size += sum(len(cell) for cell in found.values() if isinstance(cell, str))
        if size > MOST_CHARACTERS:
            return


def is_nothing(value: object) -> bool:
    """Whether a cell holds nothing but white space."""
    return value is None or (isinstance(value, str) and not value.strip())


def holds_messages(column: Column) -> bool:
    """Whether each of its cells is a conversation."""
    return all(_is_conversation(decoded(value) if isinstance(value, str) else value) for value in column.filled)


def _is_conversation(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(part, Mapping) and "role" in part for part in value)


def is_separated(column: Column) -> bool:
    """Whether a cell of it holds several texts with a bar between them."""
    return any(isinstance(value, str) and SEPARATOR in value for value in column.filled)


def holds_lists(column: Column) -> bool:
    """Whether each of its cells holds several texts."""
    listed = all(
        isinstance(v, str) or (isinstance(v, (list, tuple)) and all(isinstance(p, str) for p in v)) for v in column.filled
    )
    return bool(column.filled) and listed and all(len(parts) > 1 for parts in column.parts(SEPARATOR))


def labels_of(column: Column, rows: int) -> tuple[str, ...]:
    """The different answers in the order of the alphabet, where they are few, short and repeat.

    More than twelve must repeat more clearly, and be no numbers or dates: those are results rather than classes.
    """
    if any(isinstance(value, (Mapping, bytes)) for value in column.filled):
        return ()
    counts = Counter(label for labels in column.parts(SEPARATOR) for label in labels)
    few = 2 <= len(counts) <= min(MOST_LABELS, rows / 3)
    if MOST_LABELS < len(counts) <= min(MOST_LISTED, rows / ROWS_OF_LISTED):
        repeated = sum(count > 1 for count in counts.values())
        few = repeated >= 0.9 * len(counts) and not all(map(_NUMBER.fullmatch, counts)) and not shape_of(counts)
    return tuple(sorted(counts)) if few and are_short(counts) else ()


def are_short(labels: Iterable[str]) -> bool:
    """Whether texts are short enough for options."""
    return all(0 < len(label) <= LONGEST_LABEL for label in labels)


def most_in(options: Column) -> int:
    """The most texts that one of its cells holds."""
    return max((len(parts) for parts in options.parts(SEPARATOR)), default=0)


def written_as(answer: Column, options: int) -> str:
    """Whether answers name options by letter, by number, by position or by their text."""
    said = {text.strip("() ").upper() for text in answer.texts}
    ways = {
        "letter": {letter_for(place) for place in range(min(max(options, 1), MOST_LETTERED))},
        "position": {str(place) for place in range(options)},
        "number": {str(place + 1) for place in range(options)},
    }
    fitting = [way for way, names in ways.items() if said and said <= names]
    if fitting == ["position", "number"]:
        return "position" if "0" in said else "number"
    return fitting[0] if fitting else "text"


def kind_of(answer: Column) -> Kind:
    """What the answers of a column are, where they name no options."""
    texts = answer.texts
    units = {match[0].strip() for text in texts if (match := _UNIT.search(text))}
    bare = [_UNIT.sub("", text) for text in texts] if len(units) == 1 else texts
    if texts and all(number_of(text) is not None for text in bare):
        return "number"
    if texts and all(date_of(text, texts[:OTHERS]) is not None for text in texts):
        return "date"
    short = sum(len(text) <= SHORT and len(text.split()) <= SHORT_WORDS for text in texts)
    return "short" if short >= 0.9 * len(texts) else "long"
