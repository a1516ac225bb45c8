"""Whether a run's files are as they were written, as far as a page can say without making its reader wait."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from assay.store import damage
from assay.store.folders import CONTENT, MANIFEST
from assay.web.entries import Entry
from assay.web.kept import Kept

AT_ONCE = 48 << 20
"""Bytes of files whose digests are computed for any page; larger runs are checked where a reader asks for it."""
KEPT = 4096
"""Runs of which the result is kept, as long as no file changes its size or time."""


@dataclass(frozen=True)
class Verified:
    """What checking found."""

    checked: bool
    """The digests of all files were computed."""
    problems: tuple[str, ...] = ()
    """A line for each file that is not as it was written; file names only, so that no page tells where the store lies."""
    bytes: int = 0
    """The size of all files."""

    @property
    def word(self) -> str:
        """`intact`, `changed` or `not checked`."""
        return "not checked" if not self.checked else "changed" if self.problems else "intact"


_known: Kept[Verified] = Kept(KEPT, lambda _: 1)


def verified(entry: Entry, insist: bool = False, at_once: int | None = None) -> Verified:
    """Whether a run's files have the digests that its manifest lists.

    Args:
        entry: the run.
        insist: check it however large it is; otherwise only where that takes a fraction of a second or is known already.
        at_once: bytes that take no more than that, by default `AT_ONCE`; a page of many runs has fewer left for each.
    """
    folder = entry.folder.path
    states = tuple(_state(f"{folder}/{name}") for name in (*CONTENT, MANIFEST))
    size = sum(state[0] for state in states)
    if not insist and size > (AT_ONCE if at_once is None else at_once):
        known = _known.known((folder, states))
        return known if known is not None else Verified(checked=False, bytes=size)
    return _known.get((folder, states), lambda: _check(folder, size))


def _check(folder: Path, size: int) -> Verified:
    try:
        problems = tuple(problem.replace(f"{folder}/", "").replace(f"{folder}: ", "") for problem in damage(folder))
    except OSError as error:
        problems = (f"its folder cannot be read: {error.strerror}",)
    return Verified(checked=True, problems=problems, bytes=size)


def _state(path: str) -> tuple[int, int]:
    try:
        state = os.stat(path)
    except OSError:
        return 0, 0
    return state.st_size, state.st_mtime_ns
