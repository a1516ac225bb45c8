"""Where the runs lie that a record names: as it says, or moved along with it into a pack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.decisions.record import EvidenceRun
from assay.store.folders import MANIFEST
from assay.store.manifest import file_digest, regular

RUNS = "runs"
"""The folder of a pack that holds the suites of its runs."""


def located(evidence: Sequence[EvidenceRun], home: Path, inside: bool = False) -> list[Path | None]:
    """The folder of each run, `None` where it is gone; no folder stands for two.

    Of several places it is the one whose manifest is the very one that the record names.

    Args:
        evidence: the runs as the record names them.
        home: the record's folder.
        inside: look below `home` only, as in a pack, which must hold all that it needs.
    """
    found: list[Path | None] = []
    for run in evidence:
        places = [place for place in _places(run, home, inside) if _is_folder(place) and place not in found]
        right = (place for place in places if regular(place / MANIFEST) and file_digest(place / MANIFEST) == run.manifest)
        found.append(next(right, places[0] if places else None))
    return found


def _is_folder(place: Path) -> bool:
    """Whether a folder lies there; no name that the system does not bear names one."""
    try:
        return place.is_dir()
    except OSError:
        return False


def _places(run: EvidenceRun, home: Path, inside: bool) -> Iterator[Path]:
    if "\0" not in run.folder and not inside:
        yield home / run.folder
    suites = home / RUNS
    if suites.is_dir() and not suites.is_symlink():
        yield from (place for suite in sorted(suites.iterdir()) if suite.is_dir() for place in _named(suite, run.run))


def _named(suite: Path, name: str) -> list[Path]:
    """The folder of that name, found by looking and not by joining: the name may be anything."""
    return [place for place in suite.iterdir() if place.name == name and not place.is_symlink()]
