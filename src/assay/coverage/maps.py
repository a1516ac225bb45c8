"""Maps of what should be measured: the one that comes with assay, or a team's own in YAML.

map: our business workflows
rows:
  - {name: refunds, where: {terms.process: billing}}
  - {name: contracts, scenarios: [legalbench, contracts.yaml]}
  - complaints                         # any scenario whose place in the taxonomy says so
columns: [English, German]             # optional
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from assay.coverage.map_checks import Steps, as_entry, check_table
from assay.coverage.places import AXES, Map, MapTable, Place, is_axis
from assay.errors import AssayError, unknown
from assay.registry import is_yaml
from assay.yaml_files import at_line, parse_yaml, place_of, read_yaml_file


@lru_cache(maxsize=1)
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
    placed: list[tuple[Steps, Any]] = [((), plain), *((("tables", index), table) for index, table in enumerate(tables))]
    for steps, table in placed:
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
    check_table(found, path, ())
    for index, table in enumerate(found.tables):
        check_table(table, path, ("tables", index))
    tables = [_beside(path.parent, table) for table in found.all_tables()]
    return msgspec.structs.replace(found, rows=[], columns=[], tables=tables)


def _beside(folder: Path, table: MapTable) -> MapTable:
    """A table whose scenario files are looked for beside the map."""

    def placed(place: str | Place) -> str | Place:
        if isinstance(place, str):
            return place
        named = [str(folder / name) if is_yaml(name) else as_entry(name) for name in place.scenarios]
        return msgspec.structs.replace(place, scenarios=named)

    return msgspec.structs.replace(table, rows=list(map(placed, table.rows)), columns=list(map(placed, table.columns)))


def _check_keys(plain: dict[Any, Any], kind: type[msgspec.Struct], path: Path, steps: Steps) -> None:
    for key in plain:
        if key not in kind.__struct_fields__:
            raise unknown(f"key at {at_line(path, *steps, key)}:", str(key), kind.__struct_fields__)
        if key == "where" and isinstance(plain[key], dict):
            for axis in plain[key]:
                if not is_axis(axis):
                    raise unknown(f"axis at {at_line(path, *steps, key, axis)}:", str(axis), (*AXES, "terms.<axis>"))
