"""Putting a report in place: in one piece, over an earlier report and over nothing else, whatever happens meanwhile.

What lies there is looked at before anything is written, and again once it has been moved away, where nobody else can change it
any more; it is put back if it is anything but a report. Nothing is put where something has been made in the meantime.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError

Check = Callable[[Path, Path], None]
"""Takes a place that something lies in and the place that errors name; raises AssayError where that is not to be replaced."""
DRAFTS = ".assay-report-"
"""How the names of folders begin that reports are prepared in, beside the place they are for."""


@contextmanager
def replacing(out: Path, check: Check) -> Iterator[Path]:
    """Where to write what is to lie at `out`; it is put there if the block ends without an error.

    Raises:
        AssayError: something else is in the way, now or at the end of the block, or `out` is a link.
    """
    _check(out, check)
    out.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=DRAFTS, dir=out.parent))
    draft, old = place / "new", place / "old"
    try:
        yield draft
        _check(out, check)
        _move_away(out, old, check)
        _move(draft, out)
        _remove(old)
    finally:
        _remove(draft)
        if not os.path.lexists(old):  # an earlier report that could not be put back is kept
            shutil.rmtree(place, ignore_errors=True)


def _check(out: Path, check: Check) -> None:
    if out.is_symlink():
        raise AssayError(f"{out} is a link", "give the place that it leads to, or choose another")
    if os.path.lexists(out):
        check(out, out)


def _move_away(out: Path, old: Path, check: Check) -> None:
    try:
        os.rename(out, old)
    except FileNotFoundError:
        return
    try:
        if old.is_symlink():
            raise AssayError(f"{out} has become a link", "choose another place")
        check(old, out)
    except AssayError:
        _move(old, out)
        raise


def _move(source: Path, target: Path) -> None:
    """Rename, but never over anything (except a folder that is empty)."""
    try:
        if source.is_dir() and not source.is_symlink():
            os.rename(source, target)  # fails where a file is, or a folder that holds something
            return
        try:
            os.link(source, target, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            with target.open("xb") as file:
                file.write(source.read_bytes())
        source.unlink()
    except OSError as error:
        if not os.path.lexists(target):
            raise
        old = source.with_name("old")
        kept = f"; what lay there is kept in {old}" if os.path.lexists(old) else ""
        raise AssayError(f"{target} was made by somebody else meanwhile{kept}", "look at it, or choose another name") from error


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
