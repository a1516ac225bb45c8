"""Tables that grow with data, a portion at a time: what a page shows of one, and where the rest is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.web.addresses import Address
from assay.web.grids import Column, Grid, Row

ROWS, COLUMNS, CELLS = 200, 32, 1_600
"""What of one table a page shows at once, where a server has the rest: some ten pages of print, a twentieth of a second."""
CELLS_IN_REPORT = 20_000
"""What of one table stands in a report, which has no downloads: two megabytes."""


@dataclass(frozen=True)
class Portion:
    """A part of a table."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    said: tuple[str, ...] = ()
    """Which part it is, in words, for rows and for columns; empty where all is shown."""
    steps: tuple[tuple[str, Address], ...] = ()
    """The pages with the portions beside this one, with their names."""


def portion(grid: Grid, here: Address, live: bool) -> Portion:
    """What a page shows of a table.

    Args:
        grid: the table.
        here: the page, whose query says where the portion begins: `rows-NAME=200`, `columns-NAME=31`. What is not there begins
            at 0: a table may have become shorter.
        live: whether a server answers; a report shows more at once, from the beginning.

    Raises:
        AssayError: the query has something else than a number there.
    """
    width = len(grid.columns) - 1
    wide = COLUMNS - 1 if live else width
    across = _range(here, f"columns-{grid.name}", width, wide) if live else range(width)
    shown = 1 + len(across)
    long = max(10, min(ROWS, CELLS // shown) if live else CELLS_IN_REPORT // shown)
    down = _range(here, f"rows-{grid.name}", len(grid.rows), long) if live else range(min(len(grid.rows), long))
    if len(across) == width and len(down) == len(grid.rows):
        return Portion(grid.columns, tuple(grid.rows))
    places = [0, *(place + 1 for place in across)]
    rows = tuple(tuple(row[place] for place in places) for row in grid.rows[down.start : down.stop])
    said = (*_said("Rows", down, len(grid.rows)), *_said("Columns", across, width))
    steps = (
        *_steps(here, (f"rows-{grid.name}", "rows"), down, (len(grid.rows), long)),
        *_steps(here, (f"columns-{grid.name}", "columns"), across, (width, wide)),
    )
    return Portion(tuple(grid.columns[place] for place in places), rows, said, steps if live else ())


def _range(here: Address, name: str, count: int, most: int) -> range:
    first = int(here.number(name, 0, 0, 1e12))
    first = first if first < count else 0
    return range(first, min(count, first + most))


def _said(what: str, shown: range, count: int) -> Sequence[str]:
    return [f"{what} {shown.start + 1:,} to {shown.stop:,} of {count:,}"] if len(shown) < count else []


def _steps(here: Address, named: tuple[str, str], shown: range, sizes: tuple[int, int]) -> Sequence[tuple[str, Address]]:
    name, what = named
    count, most = sizes
    found = []
    if shown.start:
        before = max(0, shown.start - most)
        found.append((f"previous {what}", here.but(**{name: str(before) if before else None})))
    if shown.stop < count:
        found.append((f"next {what}", here.but(**{name: str(shown.stop)})))
    return found
