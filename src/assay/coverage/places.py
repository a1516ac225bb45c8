"""What a map of what should be measured consists of: rows and columns, each a place that scenarios belong to."""

from __future__ import annotations

import msgspec

AXES = ("task", "what", "who", "when", "language", "licence", "subgroups")
"""What `where` may ask of a scenario, beside `terms.<axis>`."""


OTHER = "other"
"""The column of what belongs to a row and to none of the columns."""


def is_axis(name: object) -> bool:
    """Whether a scenario can be asked for it."""
    return name in AXES or (isinstance(name, str) and name.startswith("terms.") and name != "terms.")


class Place(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row or column of a map: a scenario belongs to it by its name, or by its place in the taxonomy."""

    name: str
    about: str = ""
    scenarios: list[str] = []
    """Names of scenarios, entries, or scenario files."""
    where: dict[str, str | list[str]] = {}
    """Axis to words of which one must occur; all axes must fit."""
    perturbations: list[str] = []
    """Perturbations that measure it, whatever the scenario."""
    groups: list[str] = []
    """Words of which one must begin a word of a subgroup, axis or value, that a scenario measures by itself."""


class MapTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rows, and columns where it has two dimensions."""

    title: str = ""
    rows: list[str | Place] = []
    columns: list[str | Place] = []
    axis: str = ""
    """Where a plain word among the rows is looked for; empty: anywhere in the taxonomy."""


class Map(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table, or several."""

    map: str
    about: str = ""
    rows: list[str | Place] = []
    columns: list[str | Place] = []
    axis: str = ""
    tables: list[MapTable] = []

    def all_tables(self) -> list[MapTable]:
        """Its tables; one without a title is called as the map."""
        own = MapTable(title=self.map, rows=self.rows, columns=self.columns, axis=self.axis)
        return [*([own] if self.rows else []), *self.tables]
