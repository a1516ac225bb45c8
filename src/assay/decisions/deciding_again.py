"""A recorded decision, measured and made again from its evidence, and compared number by number."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from assay.decisions.deciding import decide
from assay.decisions.measured import Measured
from assay.decisions.measuring import measure
from assay.decisions.reading import read_profile
from assay.decisions.recomputing import TOLERANCE, alike, versions_that_differ
from assay.decisions.record import DecisionRecord
from assay.errors import AssayError
from assay.metrics.derived import find
from assay.text import one_line

MOST = 20
"""Differences that are named."""
WORDED = frozenset({"words", "gains", "gives_up", "same", "would_change", "method", "limit", "unit"})
"""What a decision says in words, which other versions may word otherwise."""


@dataclass
class Again:
    """What came of it."""

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    partial: bool = False
    """The decision could not be made again."""


def decide_again(record: DecisionRecord, folders: Sequence[Path], home: Path) -> Again:
    """Compare a record with what its profile and its runs give now.

    Args:
        record: as it was read; its bytes are checked already.
        folders: where its runs lie, in their order, each verified.
        home: the record's folder.
    """
    found = Again(problems=list(_consistent(record)))
    lacking = [each.metric for each in (*record.profile.criteria, *record.profile.constraints) if not _is_here(each.metric)]
    if lacking:
        found.notes.append(f"the decision was not made again: the metric {lacking[0]} is not installed here")
        found.partial = True
        return found
    differ = versions_that_differ(record.environment)
    if differ:
        found.notes.append(f"decided with {differ}: numbers are compared to within {TOLERANCE:g}, and words are not")
    try:
        found.problems += _profile(record)
        here = msgspec.structs.replace(record.profile, runs=tuple(str(folder.resolve()) for folder in folders), candidates=())
        measured = _named_as_then(record, folders, measure(here, home), found.problems)
        if measured is None:
            return found
        decision = decide(record.profile, measured)
    except AssayError as error:
        found.problems.append(f"the decision cannot be made again: {error}")
        return found
    old, new = (msgspec.to_builtins(one) for one in (record.decision, decision))
    differences = list(_differences("decision", old, new, exact=not differ))
    found.problems += differences[:MOST]
    if len(differences) > MOST:
        found.problems.append(f"and {len(differences) - MOST} more differences")
    found.notes += (f"the record notes, and it was not found again: {note}" for note in _gone(old["notes"], new["notes"]))
    return found


def _is_here(metric: str) -> bool:
    try:
        return find(metric).computable
    except AssayError:
        return False


def _consistent(record: DecisionRecord) -> Iterator[str]:
    """Where a record contradicts itself."""
    deployment = record.profile.deployment
    for name, said, meant in (
        ("name", record.name, record.profile.name),
        ("review", record.review, deployment.review),
        ("expires", record.expires, deployment.expires),
    ):
        if said != meant:
            yield f"{name} is {_short(said)}, in its profile {_short(meant)}"
    candidates = {standing.candidate for standing in record.decision.standings}
    if record.choice is not None and record.choice.chosen and record.choice.chosen not in candidates:
        yield f"choice.chosen is {_short(record.choice.chosen)}, which was no candidate"


def _profile(record: DecisionRecord) -> Iterator[str]:
    """Where the profile's file, as it was written, says otherwise than the profile."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "profile.yaml"
        file.write_bytes(record.profile_file.encode())
        try:
            written = read_profile(file)
        except AssayError as error:
            yield f"profile_file: {str(error).replace(str(file), 'it')}"
            return
    then, now = (msgspec.to_builtins(profile) for profile in (record.profile, written))
    for line in list(_differences("profile", then, now, exact=True))[:MOST]:
        yield line.replace("recomputed", "in profile_file")


def _named_as_then(record: DecisionRecord, folders: Sequence[Path], measured: Measured, problems: list[str]) -> Measured | None:
    """The measurements with the candidates' names of the record: a name can hold that of a folder, which may have moved."""
    then = {(folder.resolve(), run.scenario): run.candidate for folder, run in zip(folders, record.evidence, strict=True)}
    now = {(Path(source.folder).resolve(), source.scenario): source.candidate for source in measured.sources}
    names: dict[str, str] = {}
    for run, candidate in now.items():
        if names.setdefault(candidate, then.get(run, "")) != then.get(run, ""):
            problems.append(f"evidence: the runs of {_short(candidate)} are said to be of several candidates")
            return None
    if then.keys() != now.keys() or len(set(names.values())) != len(names):
        problems.append("evidence: it does not name the runs, candidates and scenarios that its profile is about")
        return None
    renamed = replace(measured, candidates=tuple(names[candidate] for candidate in measured.candidates if candidate in names))
    if len(renamed.candidates) != len(measured.candidates):
        problems.append("evidence: a candidate has no run")
        return None
    order = [name for name in dict.fromkeys(record.profile.candidates) if name in renamed.candidates]
    return renamed.of(order if len(order) == len(names) else sorted(renamed.candidates))


def _differences(path: str, old: Any, new: Any, exact: bool) -> Iterator[str]:
    """Where two plain values differ, by path. Notes are left out: some are about what was not measured."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            if key == "notes" or (key in WORDED and not exact):
                continue
            yield from _differences(f"{path}.{key}", old.get(key), new.get(key), exact)
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        for place, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(f"{path}[{place}]", one, other, exact)
    elif not alike(old, new, exact):
        yield f"{one_line(path, 300)} is {_short(old)}, recomputed {_short(new)}"


def _gone(old: Sequence[str], new: Sequence[str]) -> list[str]:
    return [one_line(note) for note in old if note not in new]


def _short(value: object) -> str:
    return one_line(repr(value) if isinstance(value, str) else str(value), 120)
