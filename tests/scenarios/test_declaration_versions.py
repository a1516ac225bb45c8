"""A declaration that asks or answers differently has a new version."""

from __future__ import annotations

import ast
import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest
from declarations import behaviour, outline, source_of

from assay import registry
from assay.prompting import with_changes
from assay.scenarios.sources import Hub

HERE = Path(__file__).parent


def test_a_changed_declaration_has_a_higher_version() -> None:
    kept = json.loads((HERE / "declarations.json").read_text())
    # In a process of its own: other tests register scenarios that are not assay's.
    code = (
        f"import sys, json; sys.path.insert(0, {str(HERE)!r}); import write_declarations as w; print(json.dumps(w.current()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    now = json.loads(done.stdout)
    changed = [name for name in kept if name in now and kept[name]["digest"] != now[name]["digest"]]
    silent = [name for name in changed if now[name]["version"] <= kept[name]["version"]]
    assert not silent, (
        f"the declarations of {', '.join(silent)} changed: if prompts or references can differ now, raise `version` there; "
        "then run python tests/scenarios/write_declarations.py"
    )
    assert now == kept, "run python tests/scenarios/write_declarations.py"


def of_text(text: str) -> object:
    return outline(ast.parse(text))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("def f(row):\n    return row['a']\n", "def f(row):\n    return row['b']\n", False),
        ("SHOWN = 512\n", "SHOWN = 256\n", False),
        ("Scenario(instance=f, notes='a')", "Scenario(instance=g, notes='a')", False),
        ("Scenario(instance=f, notes='a')", "Scenario(instance=f, notes='b')", True),
        ("Scenario(instance=f, version=1)", "Scenario(instance=f, version=2)", True),
        ('def f():\n    """Old."""\n    return 1\n', 'def f():\n    """New."""\n    return 1\n', True),
        ("x = 1  # old\n", "x = (1)\n", True),
    ],
)
def test_code_counts_and_prose_does_not(one: str, other: str, same: bool) -> None:
    assert (of_text(one) == of_text(other)) is same


def test_source_and_prompting_count() -> None:
    family = registry.scenarios.get("boolq")
    made = family()
    assert isinstance(made.source, Hub)
    changes = {
        "as it is": made,
        "another commit": dataclasses.replace(made, source=dataclasses.replace(made.source, revision="0" * 40)),
        "other instructions": dataclasses.replace(made, prompting=with_changes(made.prompting, {"instructions": "Hm."})),
        "other notes": dataclasses.replace(made, notes="Hm."),
    }
    digests = {
        change: behaviour(dataclasses.replace(family, declare=_declaring(scenario, family.declare)))[1]
        for change, scenario in changes.items()
    }
    assert digests["other notes"] == digests["as it is"]
    assert len(set(digests.values())) == 3


def _declaring(scenario: object, like: object) -> object:
    def declare() -> object:
        return scenario

    declare.__module__ = like.__module__
    return declare


def test_files_that_come_with_assay_count_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("{}\n")
    before = source_of(path)
    path.write_text('{"a": 1}\n')
    assert source_of(path) != before
    assert source_of(tmp_path / "missing.jsonl") == "missing.jsonl"
