"""A page's tables as files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import msgspec

from assay.errors import unknown
from assay.store.folders import safe
from assay.tables.flat import csv_text
from assay.web.addresses import Address
from assay.web.grids import Grid, Plain
from assay.web.page import Page

TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json", "parquet": "application/vnd.apache.parquet"}
"""Formats, and what a browser calls them."""


def find_grid(page: Page, name: str) -> Grid:
    """The table of that name on a page.

    Raises:
        AssayError: it has none.
    """
    found = {grid.name: grid for grid in page.grids}
    if name not in found:
        raise unknown("table", name, found)
    return found[name]


def as_file(grid: Grid, form: str) -> bytes:
    """The plain rows of a table, an estimate with its bounds and n in columns of their own.

    Args:
        grid: the table.
        form: one of `TYPES`.

    Raises:
        AssayError: there is no such format.
    """
    if form not in TYPES:
        raise unknown("format", form, TYPES)
    rows = grid.records()
    names = list(dict.fromkeys(name for row in rows for name in row)) or [column.name for column in grid.columns]
    if form == "csv":
        return csv_text(names, [[row.get(name) for name in names] for row in rows]).encode("utf-8", "backslashreplace")
    if form == "json":
        return msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n"
    return _parquet(names, rows)


def file_name(address: Address, grid: Grid, form: str) -> str:
    """What the file of a table is called: letters, digits and `.,=+_-`."""
    return safe("-".join(filter(None, (address.page, address.of, grid.name)))) + f".{form}"


def _parquet(names: Sequence[str], rows: Sequence[Mapping[str, Plain]]) -> bytes:
    import polars as pl

    columns = {name: _one_kind([row.get(name) for row in rows]) for name in names}
    file = io.BytesIO()
    pl.DataFrame(columns, strict=False).write_parquet(file)
    return file.getvalue()


def _one_kind(values: Sequence[Plain]) -> list[Plain]:
    """The values of a column, as texts where they are texts and numbers."""
    there = [value for value in values if value is not None]
    if any(isinstance(value, str) for value in there):
        return [None if value is None else str(value) for value in values]
    if any(isinstance(value, float) for value in there):
        return [None if value is None else float(value) for value in values]
    return list(values)
