"""Decisions made again for a page: of a profile, and of a record for the noise of measurement that it does not hold.

Only runs of the catalog are read. Measuring reads every answer that a profile is about, so where these are many a page asks
first; what was measured is kept for the state of the runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from assay.decisions.deciding import decide
from assay.decisions.measuring import measure
from assay.decisions.profile import Profile
from assay.decisions.results import Decision
from assay.errors import AssayError
from assay.identity import digest
from assay.plain_files import settled
from assay.web.catalog import Catalog
from assay.web.decided import ProfileFile, RecordFile
from assay.web.entries import Entry
from assay.web.kept import Kept
from assay.web.vouching import Held, State
from assay.web.weighing import Weighing, weighing_of

AT_ONCE = 10_000
"""Trials that are measured without being asked to: a tenth of a second."""
SAME = 2e-5
"""Worths that differ by no more are the same, rounded otherwise."""
KEPT = 64
"""Decisions that are kept, some hundred kilobytes each."""


@dataclass(frozen=True)
class Made:
    """A decision, and what it can be weighed anew with."""

    decision: Decision
    weighing: Weighing | None


@dataclass(frozen=True)
class TooMany:
    """Measuring takes a while, so that somebody should want it first."""

    trials: int


REASONS: dict[State, str] = {
    "gone": "cannot be found",
    "changed": "were changed since",
    "as decided on, not shown here": "lie in folders that are not shown here",
}
_made: Kept[Made] = Kept(KEPT, lambda made: 1)


def decided_now(catalog: Catalog, file: ProfileFile, wanted: bool) -> Made | TooMany:
    """What a profile and the runs at hand say together.

    Args:
        catalog: whose runs are read.
        file: the profile.
        wanted: measure however many trials there are.

    Raises:
        AssayError: its runs are not all in the catalog, or it cannot be decided on them.
    """
    entries = _of_profile(catalog, file)
    if not wanted and _trials(entries) > AT_ONCE:
        return TooMany(_trials(entries))
    return _made.get(
        (str(file.path), digest(file.profile), _states(entries)),
        lambda: _decided(file.profile, file.path.parent, entries),
    )


@dataclass(frozen=True)
class Again:
    """What a record's decision can be weighed anew with."""

    weighing: Weighing | TooMany | None
    """`None` where there is nothing to weigh."""
    why_no_noise: str = ""
    """Why the noise of measurement, which a record does not hold, is not known at other weights; empty where it is."""


def weighed_again(file: RecordFile, evidence: Sequence[Held], wanted: bool) -> Again:
    """What a record's decision can be weighed anew with: with the noise of measurement where its very runs are at hand.

    Args:
        file: the record.
        evidence: its runs, as `vouching.evidence_of_record` found them.
        wanted: measure however many trials there are.
    """
    decision, profile = file.record.decision, file.record.profile
    alone = weighing_of(decision, profile)
    why = _why_not(file, evidence)
    if alone is None or why:
        return Again(alone, why)
    entries = [held.entry for held in evidence if held.entry is not None]
    if not wanted and _trials(entries) > AT_ONCE:
        return Again(TooMany(_trials(entries)))
    try:
        made = _made.get(
            (str(file.path), file.record.digest, _states(entries)),
            lambda: _decided(msgspec.structs.replace(profile, candidates=()), file.path.parent, entries),
        )
    except AssayError as error:
        return Again(alone, f"its runs cannot be measured here ({error.message})")
    again = made.weighing
    if again is None or again.candidates != alone.candidates or abs(again.worths - alone.worths).max() > SAME:
        return Again(alone, "this version of assay measures its runs otherwise, so that the record's own numbers stand")
    return Again(again)


def _why_not(file: RecordFile, evidence: Sequence[Held]) -> str:
    """Why a record's runs cannot be measured again; empty where they can."""
    if file.problems:
        return "the record was changed since it was written"
    states = [held.state for held in evidence]
    for state, why in REASONS.items():
        if state in states:
            return f"{states.count(state)} of the {len(states)} runs that this was decided on {why}"
    return "" if states else "the record names no runs"


def _decided(profile: Profile, home: Path, entries: Sequence[Entry]) -> Made:
    here = msgspec.structs.replace(profile, runs=tuple(str(entry.folder.path) for entry in entries))
    measured = measure(here, home)
    decision = decide(profile, measured)
    return Made(decision, weighing_of(decision, profile, measured))


def _of_profile(catalog: Catalog, file: ProfileFile) -> list[Entry]:
    if not file.profile.runs:
        raise AssayError("the profile names no runs", "add runs: [runs/default], the folders of runs or suites")
    found: dict[Path, Entry] = {}
    for named in file.profile.runs:
        folder = settled(file.path.parent / named)
        inside = {path: entry for path, entry in catalog.read.items() if path == folder or folder in path.parents}
        if not inside:
            raise AssayError(f"no run of {named} is among those shown here", "show the folder of the profile's runs too")
        found |= inside
    return list(found.values())


def _trials(entries: Iterable[Entry]) -> int:
    return sum(entry.trials for entry in entries)


def _states(entries: Sequence[Entry]) -> tuple[tuple[Path, int], ...]:
    return tuple(entry.key for entry in entries)
