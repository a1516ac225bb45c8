"""Which records rest on which runs, from either side, as places in tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.decisions.locating import is_the_very, located
from assay.plain_files import settled
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.decided import RecordFile
from assay.web.entries import Entry
from assay.web.grids import Cell
from assay.web.vouching import UNCHANGED, Held

DIGITS = 16
"""Characters of a digest that are shown."""
CITED = ("scenario", "candidate", "run", "state", "manifest")
"""What is said of a run that a record rests on."""


@dataclass(frozen=True)
class Citation:
    """That a record rests on a run."""

    file: RecordFile
    as_is: bool
    """On the run as it is now; else its files were changed since."""


def citing(catalog: Catalog, entry: Entry) -> list[Citation]:
    """The records that rest on a run."""
    path, found = entry.folder.path, []
    for file in catalog.records:
        named = [run for run in file.record.evidence if run.run == path.name]
        if any(is_the_very(run, path) for run in named):
            found.append(Citation(file, as_is=True))
        elif named and path in [settled(place) for place in located(named, file.path.parent) if place is not None]:
            found.append(Citation(file, as_is=False))
    return found


def cited_by(citations: Sequence[Citation]) -> Cell:
    """The records that rest on a run, each with a link."""
    named = [
        (f"{one.file.record.name}{'' if one.as_is else ' (as it was then: changed since)'}", Address("decide", one.file.slug))
        for one in citations
    ]
    return Cell("; ".join(text for text, _ in named) or None, links=tuple(named))


def cited_run(catalog: Catalog, held: Held) -> tuple[Cell, ...]:
    """A run that a record rests on; the page of the very run where it is shown."""
    shown = None if held.entry is None else catalog.shown.get(held.entry.folder.path)
    to = None if shown is None else Address("run", shown.slug)
    mark, run = "✓" if held.state in UNCHANGED else "✗", held.run
    return (
        Cell(run.scenario),
        Cell(run.candidate),
        Cell(run.run, to=to),
        Cell(f"{mark} {held.state}"),
        digest_cell(run.manifest),
    )


def digest_cell(digest: str) -> Cell:
    """The beginning of a digest, all of it on hover and in downloads."""
    return Cell(digest, f"{digest[:DIGITS]}…" if len(digest) > DIGITS else digest, note=digest)
