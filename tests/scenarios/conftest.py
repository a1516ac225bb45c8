"""A loopback hub for the scenarios, and a way to run code against it in a process of its own.

huggingface_hub reads its settings when it is imported, so what talks to the loopback hub runs in a fresh interpreter.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"
PRELUDE = """
import io, json, logging, time
from assay import registry
from assay.errors import AssayError
from assay.scenarios import File, Generator, Hub
log = io.StringIO()
logging.getLogger("assay").addHandler(logging.StreamHandler(log))
time.sleep = lambda seconds: None
def made(name, **parameters):
    return registry.scenarios.get(name)(**parameters)
def refusal(action):
    try:
        action()
    except AssayError as error:
        return str(error)
"""


@pytest.fixture(scope="session")
def mirror(shared: Path) -> Iterator[Any]:
    """The loopback hub with the shared datasets."""
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    with HubMirror(shared / "hub") as hub:
        yield hub


@pytest.fixture(scope="session")
def manifest(shared: Path) -> dict[str, Any]:
    """What the shared datasets hold, as their maker counted it."""
    found: dict[str, Any] = json.loads((shared / "hub" / "MANIFEST.json").read_text())
    return found


@pytest.fixture(scope="session")
def hub_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of the hub's files that all tests share, so that each file is fetched once."""
    return tmp_path_factory.mktemp("hf")


def run_code(url: str, cache: Path, code: str, **environment: str) -> Any:
    """Run code in a fresh interpreter against a hub; returns the value it puts into `result`, and the warnings."""
    script = f"{PRELUDE}\n{code}\nprint('\\n' + json.dumps([result, log.getvalue()]))"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    settings = {"PYTHONPATH": str(SOURCE), "HF_ENDPOINT": url, "HF_HOME": str(cache), "HF_HUB_DISABLE_TELEMETRY": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env={**clean, **settings, **environment}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="session")
def run_against() -> Callable[..., Any]:
    """`run_code` for tests."""
    return run_code
