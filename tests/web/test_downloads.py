"""A page's tables as files: the plain values, with the bounds of every estimate."""

from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.records import Estimate
from assay.web.addresses import Address
from assay.web.downloads import TYPES, as_file, file_name, find_grid
from assay.web.grids import Cell, Column, Grid
from assay.web.page import Page

ESTIMATE = Estimate(value=0.5, low=0.25, high=0.75, n=8, clusters=8)
GRID = Grid(
    "scores",
    "Scores",
    (Column("candidate", number=False), Column("accuracy"), Column("items")),
    (
        (Cell("=HYPERLINK(1)"), Cell(0.5, "0.50 [0.25, 0.75]", estimate=ESTIMATE), Cell(8)),
        (Cell('b, "c"\nd'), Cell(None, "–"), Cell(2)),
    ),
)


def test_json_holds_what_the_table_shows_and_the_bounds() -> None:
    assert json.loads(as_file(GRID, "json")) == [
        {
            "candidate": "=HYPERLINK(1)",
            "accuracy": 0.5,
            "accuracy low": 0.25,
            "accuracy high": 0.75,
            "accuracy n": 8,
            "items": 8,
        },
        {"candidate": 'b, "c"\nd', "accuracy": None, "items": 2},
    ]


def test_a_spreadsheet_computes_nothing_of_what_csv_holds() -> None:
    rows = list(csv.DictReader(io.StringIO(as_file(GRID, "csv").decode())))
    assert rows[0]["candidate"] == "'=HYPERLINK(1)"
    assert rows[1]["candidate"] == 'b, "c"\nd'
    assert (rows[0]["accuracy"], rows[1]["accuracy"], rows[1]["accuracy low"]) == ("0.5", "", "")


def test_parquet_has_a_type_for_each_column() -> None:
    frame = pl.read_parquet(io.BytesIO(as_file(GRID, "parquet")))
    assert frame["accuracy"].to_list() == [0.5, None]
    assert frame["items"].dtype.is_integer()
    assert frame["candidate"].to_list() == ["=HYPERLINK(1)", 'b, "c"\nd']


plain = st.one_of(st.none(), st.text(), st.floats(allow_nan=False), st.integers(-(2**53), 2**53), st.booleans())


@given(st.lists(st.tuples(plain, plain), max_size=6))
def test_any_plain_values_become_a_file_in_every_format(rows: list[tuple[str | None, str | None]]) -> None:
    grid = Grid("g", "G", (Column("a"), Column("b")), tuple(tuple(map(Cell, row)) for row in rows))
    for form in TYPES:
        assert as_file(grid, form)
    assert pl.read_parquet(io.BytesIO(as_file(grid, "parquet"))).height == len(rows)


def test_an_empty_table_keeps_its_columns() -> None:
    empty = Grid("g", "G", (Column("a"), Column("b")), ())
    assert as_file(empty, "csv") == b"a,b\n"
    assert pl.read_parquet(io.BytesIO(as_file(empty, "parquet"))).columns == ["a", "b"]


def test_what_is_not_there_is_named_with_what_is() -> None:
    page = Page("t", "", (GRID,))  # type: ignore[arg-type] # a body without anything
    assert find_grid(page, "scores") is GRID
    with pytest.raises(AssayError, match=r"unknown table 'score' \(did you mean scores"):
        find_grid(page, "score")
    with pytest.raises(AssayError, match=r"unknown format 'xls'.*csv, json, parquet"):
        as_file(GRID, "xls")


def test_the_name_of_a_file_holds_nothing_that_a_header_or_a_path_could_stumble_over() -> None:
    name = file_name(Address("run", 'a/../"\r\nb'), GRID, "csv")
    assert name == "run-a_..____b-scores.csv"
