"""Tables that grow with data: a page shows a portion, says which, and leads to the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from assay.errors import AssayError
from assay.store import RunFolder
from assay.web.addresses import Address
from assay.web.grids import Cell, Column, Grid, Rows
from assay.web.portions import CELLS, CELLS_IN_REPORT, COLUMNS, ROWS, portion
from scored_runs import Said, scored_run
from web_helpers import html, view_of
from web_runs import with_stats

HERE = Address("run", "some")


def table(rows: int, columns: int = 3) -> Grid:
    heads = tuple(Column(f"c{place}") for place in range(columns))
    return Grid(
        "long", "Long", heads, Rows(range(rows), lambda row: tuple(Cell(1000 * row + place) for place in range(columns)))
    )


def test_a_table_that_fits_is_shown_as_it_is() -> None:
    whole = portion(table(ROWS), HERE, live=True)
    assert (len(whole.rows), whole.said, whole.steps) == (ROWS, (), ())


def test_going_from_portion_to_portion_shows_every_row_once() -> None:
    here, seen = HERE, []
    while True:
        part = portion(table(950), here, live=True)
        seen += [row[0].value for row in part.rows]
        following = dict(part.steps).get("next rows")
        if following is None:
            break
        here = following
    assert seen == [1000 * row for row in range(950)]
    assert part.said == ("Rows 801 to 950 of 950",)
    assert dict(part.steps)["previous rows"].one("rows-long") == "600"


def test_columns_have_portions_too_and_the_first_names_the_rows_of_each() -> None:
    part = portion(table(4, columns=100), HERE.but(**{"columns-long": "62"}), live=True)
    assert [column.name for column in part.columns] == ["c0", *(f"c{place}" for place in range(63, 94))]
    assert len(part.columns) == COLUMNS
    assert [row[1].value for row in part.rows] == [63, 1063, 2063, 3063]
    assert part.said == ("Columns 63 to 93 of 99",)
    assert portion(table(100_000, columns=COLUMNS), HERE, live=True).rows[-1][0].value == 1000 * (CELLS // COLUMNS - 1)


def test_a_report_shows_more_at_once_and_says_what_it_leaves_out() -> None:
    part = portion(table(100_000, columns=4), HERE, live=False)
    assert len(part.rows) == CELLS_IN_REPORT // 4
    assert (part.said, part.steps) == (("Rows 1 to 5,000 of 100,000",), ())


def test_a_portion_that_is_no_longer_there_is_the_first_and_no_number_is_refused() -> None:
    assert portion(table(300), HERE.but(**{"rows-long": "5000"}), live=True).said == ("Rows 1 to 200 of 300",)
    with pytest.raises(AssayError, match="is no number"):
        portion(table(300), HERE.but(**{"rows-long": "many"}), live=True)


def test_rows_are_made_only_where_somebody_looks() -> None:
    made: list[int] = []

    def make(number: int) -> tuple[Cell, ...]:
        made.append(number)
        return (Cell(number), Cell(-number))

    grid = Grid("long", "Long", (Column("a"), Column("b")), Rows(range(100_000), make))
    assert len(portion(grid, HERE.but(**{"rows-long": "400"}), live=True).rows) == ROWS
    assert made == list(range(400, 400 + ROWS))
    assert len(grid.records()) == 100_000


def test_a_run_with_many_subgroups_is_a_small_page_with_the_largest_first_and_all_in_its_download(tmp_path: Path) -> None:
    answers = [Said(item, "yes", subgroups={"user": f"u{item % 3}"}) for item in range(12)]
    folder = scored_run(tmp_path / "s", "m", answers)
    cells = RunFolder(folder).stats().cells
    cell = next(cell for cell in cells if (cell.subgroup or "").startswith("user=u"))
    sizes = [replace(cell.estimate, n=1 + number) for number in range(20_000)]
    many = (replace(cell, subgroup=f"user={number:06d}", estimate=size) for number, size in enumerate(sizes))
    with_stats(folder, cells=(*cells, *many))
    view = view_of(tmp_path)
    of_run = view.catalog.entries[0].slug
    page = html(view, "run", of_run)
    assert len(page) < 500_000
    assert "subgroup=user%3D019999" in page
    assert "subgroup=user%3D000000" not in page
    assert "Rows 1 to 200 of 20,00" in page
    assert "rows-subgroups=200" in page
    assert "subgroup=user%3D000000" in html(view, "run", of_run, **{"rows-subgroups": "19900"})
