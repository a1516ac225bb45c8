"""`assay verify`: whether runs are as they were written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Json


def verify(path: Annotated[Path, typer.Argument(help="Folder of a run or of a suite.")], json: Json = False) -> None:
    """Check every file of a run, or of all runs below a folder, against its manifest. Exit code 1 names what changed."""
    from assay.errors import AssayError
    from assay.store import verify as check
    from assay.store.folders import CONTENT, MANIFEST
    from assay.text import one_line

    if not path.is_dir():
        raise AssayError(f"{path} does not exist", "give the folder of a run or of a suite")
    names = (*CONTENT, MANIFEST)
    folders = [path] if any((path / name).is_file() for name in names) else _below(path, names)
    if not folders:
        raise AssayError(f"{path} holds no run", "give the folder of a run or of a suite")
    found = {folder: [one_line(problem) for problem in check(folder)] for folder in folders}
    problems = [problem for said in found.values() for problem in said]
    if json:
        import msgspec

        plain = [{"folder": one_line(str(folder)), "problems": said} for folder, said in found.items()]
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n")
    else:
        sys.stdout.writelines(problem + "\n" for problem in problems)
    if problems:
        sys.stderr.write(f"error: {_counted(len(problems), 'problem')} in {_counted(len(folders), 'run')}\n")
        sys.exit(1)
    if not json:
        sys.stdout.write(f"{_counted(len(folders), 'run')} verified: every file is as it was written\n")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _below(path: Path, names: tuple[str, ...]) -> list[Path]:
    found = {file.parent for depth in ("*", "*/*") for name in names for file in path.glob(f"{depth}/{name}")}
    return sorted(folder for folder in found if not folder.name.startswith("."))
