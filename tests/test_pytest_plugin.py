"""The fixture `assay_gate` in a test suite of somebody else's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from inspect import signature
from pathlib import Path

import pytest

from assay.pytest_plugin import AssayGate
from scored_runs import Said, scored_run

HEAVY = ("numpy", "scipy", "polars", "aiohttp", "huggingface_hub", "msgspec", "typer", "rich", "yaml")
PROFILE = """name: Sorting
deployment: {owner: Ana Ruiz, context: sorts messages}
runs: [runs/made]
constraints:
  - {name: right answers, metric: exact_match, at_least: 0.8}
  - {name: fast enough, metric: latency_s, at_most: 2}
"""
TESTS = """
def test_good(assay_gate):
    found = assay_gate("profiles/profile.yaml", model="m/good")
    assert [one.verdict for one in found.constraints] == ["met", "met"]

def test_bad(assay_gate):
    assay_gate("profiles/profile.yaml", model="m/bad")

def test_open(assay_gate):
    assay_gate("profiles/profile.yaml", model="m/open")

def test_open_is_allowed(assay_gate):
    assay_gate("profiles/profile.yaml", model="m/open", allow_undetermined=True)

def test_old(assay_gate):
    assay_gate("profiles/old.yaml", model="m/good")

def test_old_is_allowed(assay_gate):
    assert assay_gate("profiles/old.yaml", model="m/good", allow_expired=True).expired == "2020-01-31"

def test_own_runs(assay_gate):
    assay_gate("profiles/profile.yaml", model="m/new", runs=["ci"])

def test_wrong_usage(assay_gate):
    assay_gate("profiles/profile.yaml", model="m/nobody")

def test_one_folder(assay_gate):
    assay_gate("profiles/profile.yaml", model="m/new", runs="ci")

def test_no_name(assay_gate):
    assay_gate("profiles/profile.yaml", model=None)

def test_no_way(assay_gate):
    assay_gate("profiles/profile.yaml", model="m/good", missing="best")

def test_no_runs(assay_gate):
    assay_gate("profiles/profile.yaml", model="m/good", runs=None)

def test_no_folder(assay_gate):
    assay_gate("profiles/profile.yaml", model="m/good", runs=["ci", 3])

def test_not_there(assay_gate):
    assay_gate("profile.yaml", model="m/good")
"""


WITH_IT = ("-p", "assay.pytest_plugin")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder with a profile, runs and tests. (The fixture `pytester` forgets modules that other tests need.)"""
    home = tmp_path / "profiles"
    own, made = tmp_path / "ci", home / "runs"
    for name, wrong, runs in (("m/good", 2, made), ("m/bad", 30, made), ("m/open", 6, made), ("m/new", 0, own)):
        said = [Said(item, "no" if item < wrong else "yes", latency_s=1 + item / 100) for item in range(50)]
        scored_run(runs / "made", name, said)
    (home / "profile.yaml").write_text(PROFILE)
    (home / "old.yaml").write_text(PROFILE.replace("sorts messages}", "sorts messages, expires: 2020-01-31}"))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_release.py").write_text(TESTS)
    return tmp_path


def run_pytest(suite: Path, *arguments: str, plugins: Path | None = None) -> str:
    """What pytest says in a process of its own, which loads the plugins that are installed in `plugins`, or none."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "PYTEST_"))}
    found = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if plugins is None else {"PYTHONPATH": str(plugins)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=suite, env=environment | found, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


def test_it_fails_with_every_constraint_that_is_not_met_and_no_traceback(suite: Path) -> None:
    said = run_pytest(suite, *WITH_IT)
    assert "9 failed, 5 passed" in said
    assert "assay: model must be a candidate's name, as tables show it, not None" in said
    assert "assay: runs must be the path of a folder, or a list of such paths, not None" in said
    assert "assay: runs must be the path of a folder, or a list of such paths, not ['ci', 3]" in said
    assert "assay: missing must be 'worst' or 'ignore', not 'best'" in said
    assert f"assay: profile.yaml does not exist in pytest's root folder, {suite.resolve()}; name it from there" in said
    assert "m/good does not pass: the profile expired on 2020-01-31" in said
    assert "m/bad does not pass: 1 of 2 constraints not shown to be met" in said
    assert "right answers: violated: 0.4, bound" in said
    assert "right answers: undetermined: 0.88, bound" in said
    assert "assay: unknown candidate 'm/nobody'" in said
    assert "Traceback" not in said
    assert "another exception" not in said
    assert "pytest_plugin.py" not in said


def test_starting_pytest_with_it_imports_nothing_heavy(suite: Path) -> None:
    (suite / "conftest.py").write_text(
        "import json, pathlib, sys\n"
        "def pytest_collection_finish(session):\n"
        "    pathlib.Path('imported.json').write_text(json.dumps(sorted(sys.modules)))\n"
    )
    run_pytest(suite, *WITH_IT, "--collect-only")
    imported = set(json.loads((suite / "imported.json").read_text()))
    assert "assay.pytest_plugin" in imported
    assert not imported & set(HEAVY)


def test_pytest_finds_it_where_assay_is_installed(suite: Path) -> None:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))["project"]
    written = "".join(f"{name} = {module}\n" for name, module in project["entry-points"]["pytest11"].items())
    installed = suite / "site" / "assay_installed-1.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: assay-installed\nVersion: 1\n")
    (installed / "entry_points.txt").write_text(f"[pytest11]\n{written}")
    assert "Check a model against the constraints" in run_pytest(suite, "--fixtures", plugins=installed.parent)
    assert "Check a model against the constraints" not in run_pytest(suite, "--fixtures")


def test_the_documentation_names_every_argument_with_its_default() -> None:
    page = (Path(__file__).parent.parent / "docs" / "gating.md").read_text("utf-8").split("## In a test suite")[1]
    told = re.findall(r"^\| `(.+?)` \|", page, re.MULTILINE)
    _, *arguments = signature(AssayGate.__call__).parameters.values()
    assert told == [
        one.name if one.default is one.empty else f"{one.name}={one.default!r}".replace("'", '"') for one in arguments
    ]
