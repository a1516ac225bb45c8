"""What a suite measures, what the library could add, and what nobody measures: `assay coverage`.

    report = cover(read_suite(["helm-lite"]), builtin_map())
    for table in report.tables: …

Coverage is a matter of declarations: no data is read, and a scenario that covers a place may be small or old.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import msgspec

from assay import registry
from assay.coverage.axes import strange_axes
from assay.coverage.maps import builtin_map, read_map
from assay.coverage.places import OTHER, Map, MapTable, Place
from assay.coverage.units import Unit, belongs, everything_said, library_units, may_fit, suite_units
from assay.records import Record
from assay.suites import Suite

FAMILIES = ("accuracy", "calibration", "robustness", "fairness", "bias", "toxicity", "copyright", "efficiency", "outcomes")
BY_OPTION = {"robustness": "--perturb robustness", "fairness": "--perturb fairness", "toxicity": "--toxicity lexical"}
"""Families that an option measures on any scenario that generates."""


class Covered(Record):
    """One place: who measures it."""

    measured: tuple[str, ...] = ()
    """Entries of the suite."""
    could_add: tuple[str, ...] = ()
    """Scenarios of the library, and options, that would."""

    @property
    def state(self) -> str:
        """`measured`, `could add` or `nobody`."""
        return "measured" if self.measured else "could add" if self.could_add else "nobody"


class CoverageTable(Record):
    """Places by row and column; the column of a table with one dimension is empty."""

    title: str
    columns: tuple[str, ...]
    rows: dict[str, dict[str, Covered]]


class Coverage(Record):
    """A suite on a map."""

    suite: str
    map: str
    tables: tuple[CoverageTable, ...]
    nobody: tuple[str, ...]
    """Rows, and columns, that neither the suite nor the library measures."""
    notes: tuple[str, ...] = ()
    """What may be a slip of the pen in the map."""


def cover(suite: Suite, chart: Map, *, families: bool = True) -> Coverage:
    """A suite on a map.

    Args:
        suite: what is asked.
        chart: what should be.
        families: whether the families of metrics are a table, too.

    Raises:
        AssayError: an entry of the suite, or a scenario file that the map names, does not exist; or the map has an axis of
            one's own that no scenario declares, and that is nearly called as one that is declared.
    """
    mine = suite_units(suite)
    return msgspec.structs.replace(
        cover_units(suite.name, mine, chart, families=families), notes=tuple(strange_axes(chart, (*mine, *library())))
    )


def cover_units(name: str, mine: Sequence[Unit], chart: Map, *, families: bool = True) -> Coverage:
    """What is measured by some scenarios, such as those of finished runs (`units.run_unit`), on a map.

    Raises:
        AssayError: a scenario file that the map names does not exist.
    """
    tables = [_table(table, mine) for table in chart.all_tables()]
    nobody = [
        f"{table.title}: {name}"
        for table in tables
        for name, row in table.rows.items()
        if all(covered.state == "nobody" for covered in row.values())
    ]
    nobody += [
        f"{table.title}: {name}, whatever the row"
        for table in tables
        for name in (table.columns if len(table.rows) > 1 else ())
        if name and all(row[name].state == "nobody" for row in table.rows.values())
    ]
    if families:
        tables.append(_families(mine, library()))
    return Coverage(suite=name, map=chart.map, tables=tuple(tables), nobody=tuple(nobody))


def library() -> tuple[Unit, ...]:
    """The scenarios of the library, made once."""
    return _library(tuple(registry.scenarios.names()))


@lru_cache(maxsize=2)
def _library(names: tuple[str, ...]) -> tuple[Unit, ...]:
    return tuple(library_units())


def _of_library(place: Place) -> tuple[Unit, ...]:
    """The scenarios of the library that belong to a row or column, looked for once."""
    return _looked_for(tuple(registry.scenarios.names()), msgspec.json.encode(place))


@lru_cache(maxsize=1024)
def _looked_for(names: tuple[str, ...], place: bytes) -> tuple[Unit, ...]:
    asked = msgspec.json.decode(place, type=Place)
    return tuple(_within(_library(names), asked)) if may_fit(asked, _said(names)) else ()


@lru_cache(maxsize=2)
def _said(names: tuple[str, ...]) -> str:
    return everything_said(_library(names))


def _table(table: MapTable, mine: Sequence[Unit]) -> CoverageTable:
    rows = [_place(row, table.axis) for row in table.rows]
    columns = [_place(column, "") for column in table.columns]
    found: dict[str, dict[str, Covered]] = {}
    for row in rows:
        here, there = _within(mine, row), _of_library(row)
        options = tuple(f"--perturb {name}" for name in row.perturbations)
        if not columns:
            found[row.name] = {"": _covered(here, there, options)}
            continue
        both = {column.name: (_within(here, column), _common(there, _of_library(column))) for column in columns}
        found[row.name] = {name: _covered(*units) for name, units in both.items()}
        placed = {id(unit) for here_too, there_too in both.values() for unit in (*here_too, *there_too)}
        rest = _covered(_others(here, placed), _others(there, placed))
        if rest.state != "nobody":
            found[row.name][OTHER] = rest
    names = [column.name for column in columns] if columns else [""]
    if any(OTHER in cells for cells in found.values()):
        names.append(OTHER)
        found = {row: {OTHER: Covered(), **cells} for row, cells in found.items()}
    ordered = {row: {name: cells[name] for name in names} for row, cells in found.items()}
    return CoverageTable(title=table.title, columns=tuple(names), rows=ordered)


def _place(given: str | Place, axis: str) -> Place:
    if isinstance(given, Place):
        return given
    return Place(name=given, where={axis: given} if axis else {})


def _within(units: Sequence[Unit], place: Place) -> list[Unit]:
    return [unit for unit in units if belongs(unit, place)]


def _common(units: Sequence[Unit], others: Sequence[Unit]) -> list[Unit]:
    held = set(map(id, others))
    return [unit for unit in units if id(unit) in held]


def _others(units: Sequence[Unit], placed: set[int]) -> list[Unit]:
    return [unit for unit in units if id(unit) not in placed]


def _covered(mine: Sequence[Unit], library: Sequence[Unit], options: Sequence[str] = ()) -> Covered:
    """What is asked is named as it is asked; what could be, by the name of its family."""
    asked = {unit.name for unit in mine}
    could = dict.fromkeys(unit.name for unit in library if unit.name not in asked)
    given = {f"--perturb {name}" for unit in mine for name in unit.perturbations}
    measured = tuple(dict.fromkeys(unit.entry for unit in mine))
    return Covered(measured=measured, could_add=(*could, *(option for option in options if option not in given)))


def _families(mine: Sequence[Unit], library: Sequence[Unit]) -> CoverageTable:
    def measures(family: str) -> Callable[[Unit], bool]:
        return lambda unit: family in unit.families

    rows: dict[str, dict[str, Covered]] = {}
    for family in FAMILIES:
        fits = measures(family)
        option = BY_OPTION.get(family)
        missing = any(not fits(unit) for unit in mine)
        found = _covered([unit for unit in mine if fits(unit)], [unit for unit in library if fits(unit) and not option])
        could = (option,) if option and missing else found.could_add
        rows[family] = {"": msgspec.structs.replace(found, could_add=could)}
    return CoverageTable(title="families of metrics", columns=("",), rows=rows)


__all__ = [
    "Coverage",
    "CoverageTable",
    "Covered",
    "Map",
    "MapTable",
    "Place",
    "builtin_map",
    "cover",
    "cover_units",
    "read_map",
]
