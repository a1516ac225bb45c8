"""Where the runs lie that a record names: as it says, or moved along with it into a pack."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.decisions.record import EvidenceRun
from assay.plain_files import held_in, is_folder, regular
from assay.store.folders import MANIFEST
from assay.store.manifest import file_digest

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
        places = [place for place in _places(run, home, inside) if is_folder(place) and place not in found]
        right = (place for place in places if is_the_very(run, place))
        found.append(next(right, places[0] if places else None))
    return found


def is_the_very(run: EvidenceRun, folder: Path) -> bool:
    """Whether a folder holds the run that a record names: the same manifest, byte for byte."""
    try:
        return regular(folder / MANIFEST) and file_digest(folder / MANIFEST) == run.manifest
    except OSError:
        return False


def _places(run: EvidenceRun, home: Path, inside: bool) -> Iterator[Path]:
    if "\0" not in run.folder and not inside:
        yield home / run.folder
    suites = home / RUNS
    if is_folder(suites) and not os.path.islink(suites):
        yield from (place for suite in held_in(suites) if is_folder(suite) for place in _named(suite, run.run))


def _named(suite: Path, name: str) -> list[Path]:
    """The folder of that name, found by looking and not by joining: the name may be anything."""
    return [place for place in held_in(suite) if place.name == name and not os.path.islink(place)]
