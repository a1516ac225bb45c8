"""`assay verify`: whether runs are as they were written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def verify(path: Annotated[Path, typer.Argument(help="Folder of a run or of a suite.")]) -> None:
    """Check every file of a run, or of all runs below a folder, against its manifest. Exit code 1 names what changed."""
    from assay.errors import AssayError
    from assay.store import verify as check
    from assay.store.folders import CONTENT, MANIFEST

    if not path.is_dir():
        raise AssayError(f"{path} does not exist", "give the folder of a run or of a suite")
    names = (*CONTENT, MANIFEST)
    folders = [path] if any((path / name).is_file() for name in names) else _below(path, names)
    if not folders:
        raise AssayError(f"{path} holds no run", "give the folder of a run or of a suite")
    problems = [problem for folder in folders for problem in check(folder)]
    for problem in problems:
        sys.stdout.write(problem + "\n")
    if problems:
        sys.stderr.write(f"error: {len(problems)} problem{'s' if len(problems) > 1 else ''} in {len(folders)} runs\n")
        sys.exit(1)
    sys.stdout.write(f"{len(folders)} run{'s' if len(folders) > 1 else ''} verified: every file is as it was written\n")


def _below(path: Path, names: tuple[str, ...]) -> list[Path]:
    found = {file.parent for depth in ("*", "*/*") for name in names for file in path.glob(f"{depth}/{name}")}
    return sorted(folder for folder in found if not folder.name.startswith("."))
