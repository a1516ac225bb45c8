"""Maps of what should be measured: the one that comes with assay, or a team's own in YAML.

map: our business workflows
rows:
  - {name: refunds, where: {terms.process: billing}}
  - {name: contracts, scenarios: [legalbench, contracts.yaml]}
  - complaints                         # any scenario whose place in the taxonomy says so
columns: [English, German]             # optional
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError, unknown
from assay.registry import is_yaml
from assay.yaml_files import at_line, parse_yaml, place_of, read_yaml_file

AXES = ("task", "what", "who", "when", "language", "licence", "subgroups")
"""What `where` may ask of a scenario, beside `terms.<axis>`."""


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


def builtin_map() -> Map:
    """The map that comes with assay."""
    text = (resources.files("assay") / "data" / "coverage.yaml").read_text("utf-8")
    return msgspec.convert(parse_yaml(text, "coverage.yaml"), Map)


def read_map(path: Path) -> Map:
    """A team's own map, all of it as tables; the scenario files that it names are looked for beside it.

    Raises:
        AssayError: it cannot be read, or a key or value is wrong; names the line.
    """
    plain = read_yaml_file(path)
    if not isinstance(plain, dict) or "map" not in plain:
        raise AssayError(f"{path} is no map", "it must be a mapping with the keys map (a title) and rows")
    _check_keys(plain, Map, path, ())
    tables: list[Any] = plain["tables"] if isinstance(plain.get("tables"), list) else []
    for steps, table in [((), plain), *((("tables", index), table) for index, table in enumerate(tables))]:
        if steps and isinstance(table, dict):
            _check_keys(table, MapTable, path, steps)
        for key in ("rows", "columns"):
            listed = table.get(key) if isinstance(table, dict) else None
            for index, place in enumerate(listed if isinstance(listed, list) else ()):
                if isinstance(place, dict):
                    _check_keys(place, Place, path, (*steps, key, index))
    try:
        found = msgspec.convert(plain, Map)
    except (msgspec.ValidationError, OverflowError, RecursionError) as error:
        problem, place, _ = place_of(str(error), path)
        raise AssayError(f"{place}: {problem}", "correct that value; docs/coverage.md shows a map") from None
    if not any(table.rows for table in found.all_tables()):
        raise AssayError(f"{path} has no rows", "list what should be measured under rows")
    tables = [_beside(path.parent, table) for table in found.all_tables()]
    return msgspec.structs.replace(found, rows=[], columns=[], tables=tables)


def _beside(folder: Path, table: MapTable) -> MapTable:
    """A table whose scenario files are looked for beside the map."""

    def placed(place: str | Place) -> str | Place:
        if isinstance(place, str):
            return place
        named = [str(folder / name) if is_yaml(name) else name for name in place.scenarios]
        return msgspec.structs.replace(place, scenarios=named)

    return msgspec.structs.replace(table, rows=list(map(placed, table.rows)), columns=list(map(placed, table.columns)))


def _check_keys(plain: dict[Any, Any], kind: type[msgspec.Struct], path: Path, steps: tuple[str | int, ...]) -> None:
    for key in plain:
        if key not in kind.__struct_fields__:
            raise unknown(f"key at {at_line(path, *steps, key)}:", str(key), kind.__struct_fields__)
        if key == "where" and isinstance(plain[key], dict):
            for axis in plain[key]:
                if axis not in AXES and not str(axis).startswith("terms."):
                    raise unknown(f"axis at {at_line(path, *steps, key, axis)}:", str(axis), (*AXES, "terms.<axis>"))
