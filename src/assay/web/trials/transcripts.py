"""The trials of a run, a page at a time: found by a filter, searched for a text, and read in full one by one.

What a filter leaves is known at once from the index. Texts are read in the order of the file, a few rows first and then as many
as fit a few megabytes, until the page is full or as much was read as one request may; the reader then goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.records import Judging, Response, Trial
from assay.store.folders import TRANSCRIPTS
from assay.store.opening import reading
from assay.store.transcripts import added_later, from_row, judging_of
from assay.web.entries import Entry
from assay.web.trials.filters import Filter, chosen_rows
from assay.web.trials.index import index_of

if TYPE_CHECKING:
    import polars as pl

    from assay.metrics.columns import Integers

ON_A_PAGE = 25
LISTED = ("input", "references", "completion", "prediction", "outcome", "error")
"""The columns that a list of trials is drawn from."""
FIRST_STEP = 256
"""Rows that are read first in a search."""
STEP_BYTES = 4 << 20
"""Texts that one step of a search aims at."""
MOST_BYTES = 32 << 20
"""Texts that one request reads before it says how far it got."""
MOST_ROWS = 30_000
TOGETHER = 200
"""Rows no further apart are read as one piece of the file."""


@dataclass(frozen=True)
class Found:
    """What a search found."""

    rows: tuple[int, ...]
    reached: int | None
    """The row to go on from, counted along the search; `None`: all was searched."""


@dataclass(frozen=True)
class Listing:
    """A page of trials."""

    rows: tuple[int, ...]
    total: int | None
    """How many the filter leaves; with a text to search for only where one request saw them all, else `None`."""
    before: int
    """How many come before this page; with a text, how many were passed over unsearched."""
    left: int
    """How many the filter leaves, whatever text is searched for."""
    next: int | None
    """The row that the next page begins at, or that the search goes on from."""
    previous: int | None
    """The row that the page before begins at."""


def listing(entry: Entry, chosen: Filter, start: int | None) -> Listing:
    """The page of trials that begins at a row, or the first one. Raises AssayError where files cannot be read."""
    rows = chosen_rows(entry, chosen)
    place = 0 if start is None else _place(rows, start, chosen)
    ahead, behind = rows[place:], rows[:place][::-1]
    back = _previous(entry, chosen, behind)
    if not chosen.text:
        page = tuple(map(int, ahead[:ON_A_PAGE]))
        further = int(ahead[ON_A_PAGE]) if len(ahead) > ON_A_PAGE else None
        return Listing(page, len(rows), place, len(rows), further, back)
    found = search(entry, ahead, chosen, ON_A_PAGE)
    seen_all = place == 0 and found.reached is None
    return Listing(found.rows, len(found.rows) if seen_all else None, place, len(rows), found.reached, back)


def _previous(entry: Entry, chosen: Filter, behind: Integers) -> int | None:
    if not len(behind):
        return None
    if not chosen.text:
        return int(behind[min(ON_A_PAGE, len(behind)) - 1])
    found = search(entry, behind, chosen, ON_A_PAGE)
    return found.rows[-1] if len(found.rows) == ON_A_PAGE else int(behind[-1]) if found.reached is None else found.reached


def neighbours(entry: Entry, chosen: Filter, row: int) -> tuple[int | None, int | None]:
    """The trials before and after one that a filter leaves; `None` where there is none near enough to be found at once."""
    rows = chosen_rows(entry, chosen)
    place = _place(rows, row, chosen)
    after = place + 1 if place < len(rows) and rows[place] == row else place
    ends = []
    for way in (rows[:place][::-1], rows[after:]):
        found = search(entry, way, chosen, 1).rows if chosen.text else tuple(map(int, way[:1]))
        ends.append(found[0] if found else None)
    return ends[0], ends[1]


def standing(entry: Entry, chosen: Filter, row: int) -> tuple[int, int] | None:
    """Which trial of those that a filter leaves, from 1, and of how many; `None` where a text has to be searched for."""
    rows = chosen_rows(entry, chosen)
    place = _place(rows, row, chosen)
    there = place < len(rows) and int(rows[place]) == row
    return (place + 1, len(rows)) if there and not chosen.text else None


def _place(rows: Integers, row: int, chosen: Filter) -> int:
    """Where a row stands, or the first one behind it; in another order than the file's the beginning, where it is not there."""
    import numpy as np

    if not chosen.order:
        return int(np.searchsorted(rows, row))
    found = np.flatnonzero(rows == row)
    return int(found[0]) if len(found) else 0


def search(entry: Entry, rows: Integers, chosen: Filter, most: int) -> Found:
    """The first of some rows that hold a text, in their order; quick where neighbours stand near each other in the file."""
    import numpy as np
    import polars as pl

    hits: list[int] = []
    step, place, read, passed = FIRST_STEP, 0, 0, 0
    with reading([_path(entry)]):
        table = _table(entry)
        while place < len(rows):
            if read >= MOST_BYTES or passed >= MOST_ROWS:
                return Found(tuple(hits), int(rows[place]))
            first = int(rows[place])
            ahead = rows[place : place + step]
            far = np.flatnonzero(abs(ahead - first) >= step)
            near = ahead[: far[0]] if len(far) else ahead
            low, high = int(near.min()), int(near.max()) + 1
            part = table.slice(low, high - low).select(pl.col(*_searched(chosen))).collect()
            read += int(part.select(pl.sum_horizontal(pl.all().str.len_bytes().sum())).item())
            passed += high - low
            has = part.select(_holds(chosen)).to_series().fill_null(value=False).to_numpy()
            for row in near[has[near - low]]:
                if len(hits) == most:
                    return Found(tuple(hits), int(row))
                hits.append(int(row))
            place += len(near)
            step = max(1, min(MOST_ROWS, STEP_BYTES * passed // max(read, 1)))
    return Found(tuple(hits), None)


def _searched(chosen: Filter) -> tuple[str, ...]:
    return (chosen.where,) if chosen.where else ("input", "completion", "prediction")


def _holds(chosen: Filter) -> pl.Expr:
    """Whether one of the texts holds the one that is searched for, capitals or not; in conversations it is part of JSON."""
    import polars as pl

    words = {chosen.text, json.dumps(chosen.text, ensure_ascii=False)[1:-1]}
    pattern = "(?i)" + "|".join(sorted(map(pl.escape_regex, words)))
    return pl.any_horizontal(pl.col(*_searched(chosen)).str.contains(pattern).fill_null(value=False))


def _path(entry: Entry) -> str:
    return str(entry.folder.path / TRANSCRIPTS)


def _table(entry: Entry) -> pl.LazyFrame:
    import polars as pl

    table = pl.scan_parquet(_path(entry))
    there = set(table.collect_schema().names())
    return table.with_columns(pl.lit(None, kind).alias(name) for name, kind in added_later().items() if name not in there)


def rows_in_full(entry: Entry, rows: Sequence[int], columns: Sequence[str] = ()) -> list[Mapping[str, Any]]:
    """Some rows of the transcripts, in the order in which they are named, all columns of them or some.

    Raises:
        AssayError: the file cannot be read.
    """
    near: list[list[int]] = []
    for row in sorted(rows):
        if near and row - near[-1][0] < TOGETHER:
            near[-1].append(row)
        else:
            near.append([row])
    with reading([_path(entry)]):
        table = _table(entry)
        wanted = table.select(columns) if columns else table
        # One by one: polars would read the whole file once for all of them together.
        parts = [
            wanted.slice(group[0], group[-1] - group[0] + 1).collect()[[row - group[0] for row in group]] for group in near
        ]
    read = (row for part in parts for row in part.iter_rows(named=True))
    found = dict(zip((row for group in near for row in group), read, strict=True))
    return [found[row] for row in rows]


@dataclass(frozen=True)
class Told:
    """A trial as it is stored."""

    row: Mapping[str, Any]
    trial: Trial
    responses: tuple[Response, ...]
    judging: Judging | None


def told(entry: Entry, row: int) -> Told:
    """A trial in full. Raises AssayError where it cannot be read, or is not what assay writes."""
    stored = dict(rows_in_full(entry, [row])[0])
    trial, responses = from_row(stored)
    return Told(stored, trial, responses, judging_of(stored))


def sample(entry: Entry, most: int) -> tuple[int, ...]:
    """Some trials of a run for a report that cannot hold all: failed and wrong ones first, then right ones, in their order.

    A quarter of the places is kept for trials that are right, as far as there are any.
    """
    failed = chosen_rows(entry, Filter(outcome="failed"))
    wrong, right = (chosen_rows(entry, Filter(right=word)) for word in ("no", "yes"))
    bad = [*map(int, failed[:most]), *map(int, wrong[:most])]
    good = [*map(int, right[:most])]
    if not bad and not good:
        return tuple(range(min(most, index_of(entry).rows)))
    kept = min(len(good), max(most // 4, most - len(bad)))
    return tuple(dict.fromkeys([*bad[: most - kept], *good[:kept]]))
