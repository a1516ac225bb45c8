"""The house is as docs/architecture.md says: every module stands in a room, and imports go down only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "assay"
TABLE = re.findall(r"^\| (`[^|]*`) \|", (ROOT / "docs" / "architecture.md").read_text("utf-8"), re.MULTILINE)
FLOORS = {name.strip("/"): floor for floor, cell in enumerate(TABLE) for name in re.findall(r"`([^`]+)`", cell)}
"""The floor of each room, the ground floor being 0."""


def room_of(module: str) -> str:
    """`assay.models.wire.auth` stands in `models`."""
    return module.split(".")[1] if module.count(".") else ""


def imports(tree: ast.AST) -> Iterator[str]:
    """The modules of assay that are imported when the code runs; those for type checkers alone are left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module == "assay":
            yield from (f"assay.{alias.name}" for alias in node.names if not alias.name.startswith("_"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("assay."):
            yield str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("assay."))
        yield from imports(node)


MODULES = [path for path in sorted(SOURCE.rglob("*.py")) if path.parent != SOURCE or not path.name.startswith("__")]


def test_every_room_stands_in_the_table() -> None:
    rooms = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in MODULES}
    assert rooms - {"data"} == set(FLOORS) - {"data"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down_only(path: Path) -> None:
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    for module in imports(ast.parse(path.read_text("utf-8"))):
        other = room_of(module)
        assert other == room or FLOORS[other] <= FLOORS[room], f"{room} imports {module}"
