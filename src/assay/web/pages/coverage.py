"""Coverage: what the runs at hand measure of all that there is to measure, what could be added, and what nobody measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from assay.coverage import Coverage, CoverageTable, Covered, builtin_map, cover_units
from assay.coverage.units import Unit, run_unit
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.entries import Entry
from assay.web.grids import Cell, Column, Grid
from assay.web.kept import Kept
from assay.web.measures import meaning
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.selection import choices, select, suite_links

KEPT = 16
MEASURED, COULD = 0.75, 0.15
"""Shades of what is measured, and of what could be."""
MOST_NAMES = 6
MOST_GROUPS = 200
"""Subgroups of an axis whose names may say whom they are about."""
COUNTS = (
    "Numbers: scenarios of these runs that say so of themselves, or have a subgroup or disturbance of that name; with a + "
    "those of the library, not asked here, that could be added. –: neither these runs nor the library measure it."
)
NAMES = "Measured by what a scenario says of itself, by a subgroup or a disturbance of that name. –: by nothing."

_found: Kept[Coverage] = Kept(KEPT, lambda found: 1)


def draw(view: View, address: Address) -> Page:
    """The runs that were chosen on the map of tasks, domains, languages, people and families of metrics."""
    chosen = select(view.catalog, address)
    entries = chosen.entries
    found = _found.get((builtin_map().map, *(entry.key for entry in entries)), lambda: _covered(entries))
    tables = [(_table(table, number), _places(table, number)) for number, table in enumerate(found.tables, 1)]
    body = render(
        "coverage.html",
        view,
        address,
        tables=tables,
        nobody=found.nobody,
        scenarios=len({entry.title for entry in entries}),
        suites=suite_links(view, address, chosen),
        candidates=choices(view.catalog, chosen)["candidate"],
    )
    grids = [grid for pair in tables for grid in pair if grid is not None]
    return Page("Coverage", body, tuple(grids))


def _covered(entries: Sequence[Entry]) -> Coverage:
    by_title: dict[str, list[Entry]] = {}
    for entry in entries:
        by_title.setdefault(entry.title, []).append(entry)
    return cover_units("these runs", [unit for runs in by_title.values() for unit in _units(runs)], builtin_map())


def _units(runs: Sequence[Entry]) -> list[Unit]:
    """A scenario as each of its runs asked it; those that asked alike are one."""
    groups = _groups(runs[0])  # a matter of its items: those of all its runs
    units = []
    for entry in runs:
        families = {meaning(name).family for name in entry.metrics}
        units.append(run_unit(entry.spec, entry.title, entry.file.card, families, sorted(groups)))
    return [unit for place, unit in enumerate(units) if unit not in units[:place]]


def _groups(entry: Entry) -> set[str]:
    """The subgroups of a run by name; of an axis with very many, such as one for each user, its own name alone."""
    names = {cell.subgroup for cell in entry.all_cells() if cell.subgroup}
    values = Counter(name.partition("=")[0] for name in names)
    return {name if values[axis] <= MOST_GROUPS else axis for name in names if (axis := name.partition("=")[0])}


def _table(table: CoverageTable, number: int) -> Grid:
    """How many scenarios measure each place; of a table without columns, which."""
    name, place = f"coverage-{number}", Column("place", "", number=False)
    if table.columns != ("",):
        counts = tuple((Cell(row), *(_count(cells[column]) for column in table.columns)) for row, cells in table.rows.items())
        return Grid(name, table.title.capitalize(), (place, *map(Column, table.columns)), counts, (COUNTS,))
    columns = (place, Column("measured by", number=False), Column("could add", number=False))
    named = tuple(
        (Cell(row), _names(cells[""].measured, MEASURED), _names(cells[""].could_add, None))
        for row, cells in table.rows.items()
    )
    return Grid(name, table.title.capitalize(), columns, named, (NAMES,))


def _count(covered: Covered) -> Cell:
    measured, could = len(covered.measured), len(covered.could_add)
    text = " ".join(filter(None, (str(measured) if measured else "", f"+{could}" if could else ""))) or "–"
    said = [f"measured by {', '.join(covered.measured)}"] if measured else []
    said += (
        [f"could add {', '.join(covered.could_add[:MOST_NAMES])}{' and more' if could > MOST_NAMES else ''}"] if could else []
    )
    shade = MEASURED if measured else COULD if could else None
    return Cell(measured, text, note="; ".join(said) or "nobody measures it", shade=shade)


def _names(names: Sequence[str], shade: float | None) -> Cell:
    more = len(names) - MOST_NAMES
    text = ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    return Cell(", ".join(names) or None, text or "–", shade=shade if names else None)


def _places(table: CoverageTable, number: int) -> Grid | None:
    """Every place of a table with columns, by name: for who cannot point at a cell, and for who wants to know all."""
    if table.columns == ("",):
        return None
    columns = tuple(Column(name, number=False) for name in ("place", "of", "measured by", "could add"))
    rows = tuple(
        (Cell(row), Cell(column), _names(cells[column].measured, None), _names(cells[column].could_add, None))
        for row, cells in table.rows.items()
        for column in table.columns
        if cells[column].state != "nobody"
    )
    return Grid(f"places-{number}", f"{table.title.capitalize()}, by name", columns, rows)


def every(catalog: Catalog) -> Iterable[Address]:
    """The one page."""
    return (Address("coverage"),) if catalog.entries else ()


KIND = Kind("coverage", "Coverage", "What is measured of all there is to measure, and what is not.", draw, every)
