"""Whether runs can be relied on: every byte as it was written, and written to the end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from assay.errors import AssayError
from assay.store.folders import RunFolder, names_in, safe
from assay.store.manifest import damage


class NotWhole(AssayError):
    """A run is not as it was written."""


def check_whole(runs: Iterable[RunFolder], problems: Callable[[Path], Iterator[str]] = damage) -> None:
    """Refuse runs that are not as they were written.

    Args:
        runs: what is relied on.
        problems: `damage`, or `verify` where an added file is too much.

    Raises:
        NotWhole: the first problem, which names its file.
    """
    for run in runs:
        for problem in problems(run.path):
            raise NotWhole(f"the evidence is not whole: {problem}", "restore the run, or run it again")


def check_finished(runs: Iterable[RunFolder], candidates: Collection[str] = ()) -> None:
    """Refuse runs without a manifest that are, or may be, of these candidates, as older ones would speak in their place.

    Args:
        runs: finished or not.
        candidates: as tables call them, which can have a suite's name behind the label; none: of anybody.

    Raises:
        NotWhole: there is one.
    """
    check_whole(run for run in runs if not run.complete() and (not candidates or _may_be_of(run, candidates)))


def _may_be_of(run: RunFolder, candidates: Collection[str]) -> bool:
    try:
        spec = run.spec_file().spec
    except AssayError:  # gone: its folder's name has the label still
        names = names_in(run.name)
        return names is None or any(f"{safe(each)}__".startswith(f"{names[1]}__") for each in candidates)
    label = spec.label or spec.model.name
    return any(each == label or each.startswith(f"{label} (") for each in candidates)


def unfinished(runs: Iterable[RunFolder]) -> list[str]:
    """A note for each run that has no manifest, and so is left out."""
    why = "left out, as it has no manifest.json: it was never finished, or that file was removed"
    return [f"{run.path}: {why}." for run in runs if not run.complete()]
