"""The command line as a user meets it: arguments in; output, errors and exit code out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.cli import main


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


Assay = Callable[..., Said]


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Assay:
    """Run the command line in this process, in an empty folder with an empty cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ASSAY_RUNS", "ASSAY_DEBUG"):
        monkeypatch.delenv(variable, raising=False)

    def call(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["assay", *map(str, arguments)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1 if stop.code else 0
        captured = capsys.readouterr()
        return Said(code, captured.out, captured.err)

    return call


def assay_process(*arguments: object, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    """The command line as a process of its own."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "OPENAI_"))}
    return subprocess.Popen(
        [sys.executable, "-m", "assay", *map(str, arguments)],
        cwd=cwd,
        env={**inherited, "ASSAY_CACHE": str(cwd / "cache"), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
