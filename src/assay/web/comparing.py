"""Comparisons for pages: kept for the state of their runs, and without the runs that are not as they were written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from assay.comparison import Question, compare
from assay.comparison.evidence import Evidence
from assay.errors import AssayError
from assay.store.wholeness import NotWhole
from assay.web.catalog import evidence_of
from assay.web.comparison_grids import Tables, tables
from assay.web.entries import Entry
from assay.web.kept import Kept
from assay.web.verification import verified

KEPT = 200_000
"""Rows and paired differences that are kept of earlier comparisons, half a kilobyte each."""


def _size(held: Tables) -> int:
    pairs = sum(len(board.pairs) for board in held.found.boards)
    return 1 + pairs + sum(len(grid.rows) for pair in held.boards for grid in pair)


_found: Kept[Tables] = Kept(KEPT, _size)


def several_of(entries: Sequence[Entry]) -> Evidence:
    """The runs of the scenarios that were asked of two candidates. Raises AssayError where there is none."""
    held = evidence_of(entries)
    several = {scenario: runs for scenario, runs in held.runs.items() if len(runs) > 1}
    if not several:
        raise AssayError("no scenario was asked of two of these candidates", "choose others, or run them on the same scenarios")
    return Evidence(held.candidates, several, held.notes)


def compared(entries: Sequence[Entry], question: Question) -> Tables:
    """The comparison of some runs, as tables; those that are not as they were written are left out, and its notes name them.

    Raises:
        AssayError: as `compare` does, or nothing is left to compare.
    """
    damaged = _damaged(entries, insist=False)
    try:
        return _without(damaged, entries, question)
    except NotWhole:
        damaged = _damaged(entries, insist=True)
        if not damaged:
            raise
        return _without(damaged, entries, question)


def _damaged(entries: Sequence[Entry], insist: bool) -> dict[Entry, str]:
    """The first problem of each run that is not as it was written, among all of them or those that were checked before."""
    found = {entry: verified(entry, insist, at_once=-1) for entry in entries}
    return {entry: state.problems[0] for entry, state in found.items() if state.problems}


def _without(damaged: dict[Entry, str], entries: Sequence[Entry], question: Question) -> Tables:
    whole = [entry for entry in entries if entry not in damaged]
    notes = [f"{entry.label}, {entry.title}: left out, as its run is not whole: {why}." for entry, why in damaged.items()]
    key = (tuple((*entry.key, entry.slug, entry.title, entry.label) for entry in whole), question)
    try:
        held = _found.get(key, lambda: tables(compare(several_of(whole), question), whole))
    except NotWhole:
        raise
    except AssayError as error:
        raise AssayError(" ".join((*notes, error.message)), error.hint) from None
    if not notes:
        return held
    return replace(held, found=msgspec.structs.replace(held.found, notes=(*notes, *held.found.notes)))
