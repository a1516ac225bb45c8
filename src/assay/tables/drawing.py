"""A table of texts, drawn on a terminal of any width or written as Markdown.

On a terminal a number and its interval stay in one piece: columns that find no room stand in a further part below, beside
the same names of rows. Only names and long texts are folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.tables.numbers import NOT_MEASURED
from assay.text import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Drawn

GAP = 2
"""Spaces between two columns."""
LONGEST_CELL = 40
"""Characters of a column of values that never fold; an interval has fewer."""
NARROWEST = 4
"""Characters that every column keeps."""


@dataclass
class Table:
    """A table of texts; the first `keys` columns name a row, the others hold numbers."""

    title: str
    header: list[str]
    rows: list[list[str]]
    keys: int = 1
    notes: list[str] = field(default_factory=list)

    def condensed(self) -> Table:
        """The same facts in less room: what all rows share stands in a note; a single row as a line for each column."""
        if len(self.rows) == 1:
            rows = [[name, cell] for name, cell in zip(self.header[1:], self.rows[0][1:], strict=True) if cell != NOT_MEASURED]
            return Table(self.title, [self.header[0], self.rows[0][0]], rows, 1, self.notes)
        cells = dict(enumerate(zip(*self.rows, strict=True)))
        shared = [column for column, held in cells.items() if column and len(set(held)) == 1]
        kept = [column for column in cells if column not in shared]
        said = [f"{self.header[column]} {cells[column][0]}" for column in shared if cells[column][0] not in ("", NOT_MEASURED)]
        return Table(
            self.title,
            [self.header[column] for column in kept],
            [[row[column] for column in kept] for row in self.rows],
            sum(column < self.keys for column in kept),
            [*([f"In every row: {' · '.join(said)}."] if said else []), *self.notes],
        )

    def print(self, console: Console) -> None:
        """Draw it on a terminal, in as many parts as its width makes necessary."""
        from rich.text import Text

        console.print()
        if self.title:
            console.print(Text(_shown(self.title), style="table.title"))
        header = [_shown(name) for name in self.header]
        rows = [[_shown(cell) for cell in row] for row in self.rows]
        for number, part in enumerate(layout(header, rows, self.keys, console.width)):
            if number:
                console.print()
            console.print(_drawn(header, rows, self.keys, part))
        if self.notes:
            console.print()
        for note in self.notes:
            console.print(visible(note), highlight=False, markup=False)

    def markdown(self) -> str:
        """The table in Markdown, with its notes below."""
        lines = [f"## {one_line(self.title)}", ""] if self.title else []
        lines.append("| " + " | ".join(map(_cell, self.header)) + " |")
        lines.append("|" + "|".join("---" if index < self.keys else "---:" for index in range(len(self.header))) + "|")
        lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in self.rows]
        return "\n".join([*lines, "", *(f"{visible(note)}\n" for note in self.notes)])


def layout(header: Sequence[str], rows: Sequence[Sequence[str]], keys: int, width: int) -> list[dict[int, int]]:
    """The parts that a table is drawn in, in order: each maps its columns to their widths, the keys first.

    Args:
        header: names of the columns; they fold between words.
        rows: texts of the cells.
        keys: how many of the first columns name a row.
        width: characters that a line may have.
    """
    from rich.cells import cell_len

    widths = [max(map(cell_len, (name, *cells))) for name, *cells in zip(header, *rows, strict=True)]
    # A header folds between its words before the columns need another part.
    least = [max(map(cell_len, (*name.split(), "", *cells))) for name, *cells in zip(header, *rows, strict=True)]
    values = range(keys, len(header))
    for held in (widths, least):
        held[keys:] = [min(held[column], LONGEST_CELL) for column in values]
    if _length(widths) <= width:
        return [dict(enumerate(widths))]
    widest = max((least[column] + GAP for column in values), default=0)
    everything = sum(least[column] + GAP for column in values)
    names = _shrunk(widths[:keys], max(width - everything, min(width - widest, width // 2)))
    room = width - _length(names)
    parts: list[dict[int, int]] = [{}]
    for column in values:
        own = min(least[column], max(NARROWEST, room - GAP))
        if parts[-1] and sum(parts[-1].values()) + GAP * len(parts[-1]) + own + GAP > room:
            parts.append({})
        parts[-1][column] = own
    return [dict(enumerate(names)) | part for part in parts]


def _length(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * max(0, len(widths) - 1)


def _shrunk(widths: Sequence[int], most: int) -> list[int]:
    """Widths that fit together, the widest made narrower first."""
    found = list(widths)
    while found and _length(found) > most and max(found) > NARROWEST:
        found[found.index(max(found))] -= 1
    return found


def _drawn(header: Sequence[str], rows: Sequence[Sequence[str]], keys: int, part: dict[int, int]) -> Drawn:
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    for column, width in part.items():
        side = "left" if column < keys else "right"
        drawn.add_column(Text(header[column]), justify=side, overflow="fold", width=width)  # type: ignore[arg-type] # a literal
    for row in rows:
        drawn.add_row(*(Text(row[column]) for column in part))
    return drawn


def _cell(text: str) -> str:
    return _shown(text).replace("|", "\\|")


def _shown(text: str) -> str:
    return visible(text.replace("\n", " ").replace("\t", " "))
