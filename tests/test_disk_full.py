"""A disk without room: one line, nothing answered is lost, and the same command goes on when there is room."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.store import find_runs, verify
from cli_helpers import Assay, assay

__all__ = ["assay"]


class SmallDisk:
    def __init__(self, path: Path) -> None:
        self.path = path

    def resize(self, kilobytes: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", str(self.path)], check=True, capture_output=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A file system with 100 KB."""
    path = tmp_path / "disk"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(path)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a file system cannot be mounted here")
    yield SmallDisk(path)
    subprocess.run(["umount", str(path)], check=True, capture_output=True)


RUN = ("run", "billing_support:", "-m", "baseline/majority", "-p", "typos", "--draws", "20", "--out", "disk/runs")


def test_a_full_disk_is_said_in_one_line_and_the_same_command_goes_on(assay: Assay, disk: SmallDisk) -> None:
    said = assay(*RUN)
    assert said.code == 2, said
    assert [line.startswith("error: ") for line in said.err.splitlines()].count(True) == 1
    assert said.err.splitlines()[-1].startswith("error: ")
    assert "disk/runs" in said.err
    assert "every answer so far is kept" in said.err
    assert not list(disk.path.rglob("*.part"))
    disk.resize(4000)
    assert assay(*RUN).code == 0
    (run,) = find_runs(disk.path / "runs")
    assert list(verify(run.path)) == []

    used = shutil.disk_usage(disk.path).used // 1024
    disk.resize(used + 8)
    for arguments in (("rescore", "disk/runs"), ("rescore", "disk/runs", "--metric", "f1_score")):
        said = assay(*arguments)
        assert said.code == 2, said
        assert said.err.count("\n") == 1
        assert "disk/runs" in said.err
        assert list(verify(run.path)) == []
        assert not list(disk.path.rglob("*.part"))
    disk.resize(4000)
    assert assay("rescore", "disk/runs", "--metric", "f1_score").code == 0
