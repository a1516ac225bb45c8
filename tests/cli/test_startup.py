"""Starting is light: nothing heavy is imported before it is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numpy", "scipy", "polars", "aiohttp", "huggingface_hub", "tokenizers", "jinja2")


def imported_by(code: str) -> set[str]:
    script = f"import sys, json\n{code}\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_importing_assay_imports_nothing_but_itself() -> None:
    before = imported_by("pass")
    assert {name for name in imported_by("import assay") - before if name != "__future__"} == {"assay"}


@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "--help"], ["list", "scenarios"], ["list", "metrics"], ["list", "suites"]]
)
def test_help_and_lists_import_nothing_heavy(arguments: list[str]) -> None:
    code = f"""
sys.argv = ["assay", *{arguments!r}]
from assay.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code
"""
    assert not imported_by(code) & set(HEAVY)


def test_a_run_with_the_metrics_that_every_run_has_needs_no_scipy(tmp_path: Path) -> None:
    code = f"""
sys.argv = ["assay", "run", "billing_support:", "-m", "baseline/majority", "--perturb", "lowercase", "--out", {str(tmp_path)!r}]
from assay.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code
"""
    imported = imported_by(code)
    assert "numpy" in imported
    assert not {name for name in imported if name.split(".")[0] == "scipy"}
    assert list(tmp_path.glob("*/*/stats.json"))
