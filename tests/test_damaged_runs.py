"""A run that lies finished on disk is trusted only as far as its files are what was written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.runs import first_of
from assay.store import find_runs, verify
from assay.store.folders import CONTENT, MANIFEST
from cli_helpers import Assay, assay

__all__ = ["assay"]

RUN = ("run", "billing_support:", "-m", "baseline/majority", "-n", "6")


@pytest.mark.parametrize("name", [*CONTENT, MANIFEST])
@pytest.mark.parametrize("harm", ["removed", "cut", "changed", "linked"])
def test_a_damaged_run_is_made_again_to_the_same_bytes_and_that_is_said(name: str, harm: str, assay: Assay) -> None:
    assert assay(*RUN).code == 0
    (run,) = find_runs(Path("runs"))
    file, good = run.path / name, {part: (run.path / part).read_bytes() for part in (*CONTENT, MANIFEST)}
    if harm == "removed":
        file.unlink()
    elif harm == "cut":
        file.write_bytes(good[name][:40])
    elif harm == "changed":
        file.write_bytes(good[name][:-3] + bytes([good[name][-3] ^ 4]) + good[name][-2:])
    else:
        file.rename("elsewhere")
        file.symlink_to(Path("elsewhere").resolve())
    said = assay(*RUN)
    assert said.code == 0, said
    # Without its manifest a run is not finished, so nothing is wrong with it.
    assert ("damaged" in said.err) == ((name, harm) != (MANIFEST, "removed"))
    assert {part: (run.path / part).read_bytes() for part in (*CONTENT, MANIFEST)} == good
    assert list(verify(run.path)) == []
    assert "damaged" not in assay(*RUN).err


def test_files_of_two_runs_mixed_by_a_crash_between_renames_are_made_again(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    (run,) = find_runs(Path("runs"))
    good = run.path.rename(Path("good"))
    assert assay(*RUN[:-1], "9").code == 0
    (other,) = find_runs(Path("runs"))
    for count in range(1, len(CONTENT) + 1):
        shutil.rmtree(run.path, ignore_errors=True)
        shutil.copytree(good, run.path)
        (run.path / MANIFEST).unlink()
        for name in CONTENT[:count]:
            shutil.copy(other.path / name, run.path / name)
        assert assay(*RUN).code == 0
        assert list(verify(run.path)) == []
        assert run.stats().instances == 6


def test_a_file_that_was_added_to_a_run_is_no_damage(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    (run,) = find_runs(Path("runs"))
    (run.path / "notes.txt").write_text("mine")
    assert "damaged" not in assay(*RUN).err
    assert any("notes.txt: not part of the run" in problem for problem in verify(run.path))


def test_of_several_errors_the_one_is_shown_that_says_what_to_do() -> None:
    advice, system, other = AssayError("do this"), OSError(28, "full"), ValueError("x")
    assert first_of(BaseExceptionGroup("", [other, BaseExceptionGroup("", [system, advice])])) is advice
    assert first_of(BaseExceptionGroup("", [other, BaseExceptionGroup("", [system])])) is system
    assert first_of(BaseExceptionGroup("", [BaseExceptionGroup("", [other])])) is other
