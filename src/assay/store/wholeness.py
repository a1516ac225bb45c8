"""Whether runs can be relied on: every byte as it was written, and written to the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from assay.errors import AssayError
from assay.store.folders import RunFolder
from assay.store.manifest import damage


def check_whole(runs: Iterable[RunFolder], problems: Callable[[Path], Iterator[str]] = damage) -> None:
    """Refuse runs that are not as they were written.

    Args:
        runs: what is relied on.
        problems: `damage`, or `verify` where an added file is too much.

    Raises:
        AssayError: the first problem, which names its file.
    """
    for run in runs:
        for problem in problems(run.path):
            raise AssayError(f"the evidence is not whole: {problem}", "restore the run, or run it again")


def unfinished(runs: Iterable[RunFolder]) -> list[str]:
    """A note for each run that has no manifest, and so is left out."""
    why = "left out, as it has no manifest.json: it was never finished, or that file was removed"
    return [f"{run.path}: {why}." for run in runs if not run.complete()]
