"""What a team's own map cannot mean: a slip of the pen in it would look like something that nobody measures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay import registry
from assay.coverage.places import AXES, OTHER, Map, MapTable, Place, is_axis
from assay.entries import Ask, parse_entry
from assay.errors import AssayError, unknown
from assay.scenarios.variants import entry_of
from assay.yaml_files import at_line

Steps = tuple[str | int, ...]
MOST_PLACES = 10_000
"""Rows, or columns, of a table; and cells."""


def check_table(table: Map | MapTable, path: Path, steps: Steps) -> None:
    """Refuse a table with an unknown axis, a row or column twice, or one that names what does not exist.

    Args:
        table: the table.
        path: the file of the map, for messages.
        steps: where the table stands in it.

    Raises:
        AssayError: names the line.
    """
    if table.axis and not is_axis(table.axis):
        raise unknown(f"axis at {at_line(path, *steps, 'axis')}:", table.axis, (*AXES, "terms.<axis>"))
    if max(len(table.rows), len(table.columns), len(table.rows) * len(table.columns)) > MOST_PLACES:
        raise AssayError(f"{at_line(path, *steps, 'rows')}: the table is too large", f"at most {MOST_PLACES:,} rows or cells")
    _check_names(table.rows, path, (*steps, "rows"), ())
    _check_names(table.columns, path, (*steps, "columns"), (OTHER,))


def _check_names(places: Sequence[str | Place], path: Path, steps: Steps, taken: tuple[str, ...]) -> None:
    names: set[str] = set()
    for index, place in enumerate(places):
        name = place if isinstance(place, str) else place.name
        where: Steps = (*steps, index)
        if not name.strip():
            raise AssayError(f"{at_line(path, *where)}: a name is empty", "write what it is called")
        if name in names:
            raise AssayError(f"{at_line(path, *where)}: {name[:80]!r} appears twice", "remove one or rename it")
        if name in taken:
            raise AssayError(f"{at_line(path, *where)}: assay has a column {name!r} of its own, for all the rest", "rename it")
        names.add(name)
        if isinstance(place, Place):
            _check_place(place, path, where)


def _check_place(place: Place, path: Path, steps: Steps) -> None:
    words = {"groups": place.groups, **{axis: [said] if isinstance(said, str) else said for axis, said in place.where.items()}}
    for key, listed in words.items():
        if not all(word.strip() for word in listed):
            raise AssayError(f"{at_line(path, *steps)}: {key} holds an empty word", "it would fit everything: write a word")
    for index, name in enumerate(place.perturbations):
        if name not in registry.perturbations.names():
            where = at_line(path, *steps, "perturbations", index)
            raise unknown(f"perturbation at {where}:", name, registry.perturbations.names())
    for index, name in enumerate(place.scenarios):
        try:
            as_entry(name)
        except AssayError as error:
            raise AssayError(f"{at_line(path, *steps, 'scenarios', index)}: {error.message}", error.hint) from None


def as_entry(name: str) -> str:
    """A scenario that a map names, as assay writes it: parameters by their names, those with their defaults left out.

    Raises:
        AssayError: there is no such scenario, it has no such parameter or value, or the entry says more.
    """
    if registry.is_yaml(name):
        return name
    family = registry.scenarios.get(name.partition(":")[0].strip())
    if not name.partition(":")[2].strip():
        return family.name
    ask = parse_entry(name)
    if ask != Ask(scenario=ask.scenario, parameters=ask.parameters):
        raise AssayError(f"{name[:80]!r} says how to ask the scenario", "a map names scenarios with their parameters alone")
    return entry_of(family, family.resolve(ask.parameters)).rstrip(":")
