"""Axes of a team's own that a map asks for and no scenario declares: a gap, or a slip of the pen."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from assay import registry
from assay.coverage.places import Map, Place
from assay.coverage.units import Unit
from assay.errors import unknown

OWN = "terms."


def strange_axes(chart: Map, units: Iterable[Unit]) -> list[str]:
    """A sentence for each axis of one's own, `terms.<axis>`, that a map asks for and nobody declares.

    Args:
        chart: the map.
        units: the scenarios of the suite and of the library; those of the files that the map names count, too.

    Raises:
        AssayError: it is nearly called as an axis that is declared.
    """
    declared = {axis for unit in units for axis in unit.taxonomy.terms}
    files = {name for table in chart.all_tables() for place in (*table.rows, *table.columns) for name in _files(place)}
    declared |= {axis for name in files for axis in registry.scenarios.get(name)().taxonomy.terms}
    known = [OWN + axis for axis in sorted(declared)]
    said = []
    for axis, place in dict(_asked(chart)).items():
        if axis in known:
            continue
        if difflib.get_close_matches(axis.removeprefix(OWN), declared, cutoff=0.7):
            raise unknown(f"axis of {place} in the map:", axis, known)
        said.append(f"No scenario of the suite, the map or the library declares {axis}, which {place} asks for.")
    return said


def _files(place: str | Place) -> list[str]:
    return [] if isinstance(place, str) else [name for name in place.scenarios if registry.is_yaml(name)]


def _asked(chart: Map) -> Iterator[tuple[str, str]]:
    """The axes of one's own that a map asks for, each with the first place that does."""
    asked: dict[str, str] = {}
    for table in chart.all_tables():
        if table.axis.startswith(OWN):
            asked.setdefault(table.axis, f"table {table.title!r}")
        for place in (*table.rows, *table.columns):
            if isinstance(place, Place):
                asked = {axis: repr(place.name) for axis in place.where if axis.startswith(OWN)} | asked
    yield from asked.items()
