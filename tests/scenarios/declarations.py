"""What a scenario's declaration does, as a digest: its sources and promptings, and the code that turns rows into instances.

Prose does not count: descriptions, notes, licences and the place on the map can change without a new version.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.identity import digest
from assay.prompting import encode
from assay.scenarios.base import ScenarioFamily
from assay.scenarios.sources.digests import file_sha256
from assay.scenarios.variants import variants

PROSE = {
    "rubric",
    "judge",
    "about",
    "notes",
    "licence",
    "paper",
    "taxonomy",
    "suites",
    "version",
    "gated",
    "metrics",
    "main_metric",
    "requires",
}
"""Arguments of a declaration that change neither prompts nor references."""
SHARED = ("assay.scenarios.base", "assay.scenarios.sources", "assay.scenarios.lm_eval")
"""Modules that all scenarios stand on; they have tests of their own."""


def behaviour(family: ScenarioFamily) -> tuple[int, str]:
    """The version of a family, and the digest of what its scenarios do."""
    made = [(parameters, scenario) for parameters, scenario in variants(family)]
    (version,) = {scenario.version for _, scenario in made}
    declared = [[parameters, source_of(scenario.source), encode(scenario.prompting)] for parameters, scenario in made]
    return version, digest([declared, [outline(ast.parse(text)) for text in code_of(family)]])


def source_of(source: Any) -> Any:
    """A source with everything it was given but functions; files by name, and by content where they come with assay."""
    if isinstance(source, Path):
        return [source.name, file_sha256(source)] if source.is_file() else source.name
    if isinstance(source, dict):
        return {str(name): source_of(value) for name, value in source.items()}
    if not dataclasses.is_dataclass(source):
        return None if callable(source) else source
    kept = {field.name: getattr(source, field.name) for field in dataclasses.fields(source) if field.name not in PROSE}
    return {"kind": type(source).__name__} | {name: source_of(value) for name, value in kept.items()}


def code_of(family: ScenarioFamily) -> Iterator[str]:
    """The source of the module that declares a family, and of the modules beside it that it uses."""
    waiting, seen = [family.declare.__module__], set()
    while waiting:
        name = waiting.pop()
        if name in seen or not name.startswith("assay.scenarios.") or name.startswith(SHARED):
            continue
        seen.add(name)
        text = Path(str(sys.modules.get(name, importlib.import_module(name)).__file__)).read_text("utf-8")
        waiting += sorted(node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) and node.module)
        yield text


def outline(node: Any) -> Any:
    """A syntax tree as plain data without prose; the same for every version of Python."""
    if isinstance(node, list):
        return [outline(item) for item in node if not _is_text(item)]
    if not isinstance(node, ast.AST):
        return node if isinstance(node, (str, int, float, bool, type(None))) else repr(node)
    if isinstance(node, ast.Call):
        node.keywords = [keyword for keyword in node.keywords if keyword.arg not in PROSE]
    fields = ((name, outline(value)) for name, value in ast.iter_fields(node) if name not in ("kind", "type_comment"))
    return [type(node).__name__, {name: value for name, value in fields if value not in ([], None)}]


def _is_text(node: Any) -> bool:
    """Whether a statement is a bare text: a docstring, or the description of a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
