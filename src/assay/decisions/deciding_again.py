"""A recorded decision, measured and made again from its evidence, and compared number by number and word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from assay.decisions.deciding import decide
from assay.decisions.differing import differences, short
from assay.decisions.measured import Measured
from assay.decisions.measuring import measure
from assay.decisions.reading import EXPECTED_COST
from assay.decisions.recomputing import TOLERANCE, versions_that_differ
from assay.decisions.record import Choice, DecisionRecord
from assay.decisions.rereading import profile_problems, without
from assay.decisions.results import Decision, Standing
from assay.decisions.shortfalls import shortfalls
from assay.errors import AssayError
from assay.metrics.derived import find
from assay.text import one_line

MOST = 20
"""Differences that are named."""
OF_OTHERS = (
    r"Adaptive: .* of all instances were asked, .*",
    r".* dropped out after [\d,]+ of [\d,]+ instances: .*\.",
    r"The race did not follow .*; the decision does\.",
    r".* broke a constraint that a race cannot follow, and the others raced again\.",
    r".*: of several runs, the newest that candidates have in common count; left out, as they differ in .*",
    r"Asked of one candidate only, so not compared: .*\.",
    r".*: left out, as it has no manifest\.json: .*",
)
"""Notes about runs that the decision does not rest on, so that nothing in the evidence can show whether they are true."""
SURE = ("limit", "threshold", "confidence", "value")
"""What is known of a kept constraint without all the others."""


@dataclass
class Again:
    """What came of it."""

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    partial: bool = False
    """Not all of the decision could be made again."""


def decide_again(record: DecisionRecord, folders: Sequence[Path], home: Path) -> Again:
    """Compare a record with what its profile and its runs give now.

    Where a metric is not installed, the measurements by the others are compared, and what rests on all of them is not.

    Args:
        record: as it was read; its bytes are checked already.
        folders: where its runs lie, in their order, each verified.
        home: the record's folder.
    """
    found = Again(problems=list(_consistent(record)))
    for run, folder in zip(record.evidence, folders, strict=True):
        if run.run != folder.name:
            found.problems.append(f"evidence: {short(run.run)} is not the name of the run in {one_line(run.folder, 200)}")
    lacking = _lacking(record)
    differ = versions_that_differ(record.environment)
    if differ:
        found.notes.append(f"decided with {differ}: numbers are compared to within {TOLERANCE:g}")
    found.problems += _most(profile_problems(record.profile, record.profile_file, lacking))
    if lacking:
        found.partial = True
        names = ", ".join(one_line(name, 80) for name in lacking)
        found.notes.append(f"not computed again, as {names} is not installed here: ranks, bounds, verdicts, words")
    profile = without(record.profile, lacking)
    if lacking and not (profile.criteria or profile.constraints or profile.costs):
        return found
    try:
        here = msgspec.structs.replace(profile, runs=tuple(str(folder.resolve()) for folder in folders), candidates=())
        measured = _named_as_then(record, folders, measure(here, home), found.problems, partial=bool(lacking))
        if measured is None:
            return found
        decision = decide(profile, measured)
    except AssayError as error:
        found.problems.append(f"the decision cannot be made again: {error}")
        return found
    exact = not differ
    wrong = _most(_measurements(record, decision, lacking, exact) if lacking else _whole(record.decision, decision, exact))
    found.problems += [f"{line} ({_because(differ)})" for line in wrong] if differ else wrong
    if not lacking:
        _notes(record.decision.notes, decision.notes, found)
    return found


def _most(lines: Iterator[str]) -> list[str]:
    held = list(lines)
    return held[:MOST] + ([f"and {len(held) - MOST} more differences"] if len(held) > MOST else [])


def _because(differ: str) -> str:
    return f"it says that it was decided with {differ}, which may decide or word it so: verify it with these"


def _lacking(record: DecisionRecord) -> list[str]:
    """The metrics of a profile that are not installed here, sorted."""
    profile = record.profile
    named = [each.metric for each in (*profile.criteria, *profile.constraints)]
    named += [profile.costs.metric] if profile.costs is not None and profile.costs.metric else []
    return sorted({name for name in named if not _is_here(name)})


def _is_here(metric: str) -> bool:
    try:
        return find(metric).computable
    except AssayError:
        return False


def _consistent(record: DecisionRecord) -> Iterator[str]:
    """Where a record contradicts itself, or says what none says."""
    deployment = record.profile.deployment
    for name, said, meant in (
        ("name", record.name, record.profile.name),
        ("review", record.review, deployment.review),
        ("expires", record.expires, deployment.expires),
    ):
        if said != meant:
            yield f"{name} is {short(said)}, in its profile {short(meant)}"
    if not _is_time(record.created):
        yield f"created is {short(record.created)}, which is no time in UTC"
    for choice in (*record.earlier, record.choice):
        if choice is not None and not choice.by.strip():
            yield "choice.by is empty: a choice is somebody's"
    if record.choice is not None:
        yield from _chosen(record.choice, record.decision)


def _is_time(said: str) -> bool:
    try:
        return datetime.strptime(said, "%Y-%m-%dT%H:%M:%SZ").strftime("%Y-%m-%dT%H:%M:%SZ") == said
    except ValueError:
        return False


def _chosen(choice: Choice, decision: Decision) -> Iterator[str]:
    if choice.chosen and choice.chosen not in {standing.candidate for standing in decision.standings}:
        yield f"choice.chosen is {short(choice.chosen)}, which was no candidate"
    elif not choice.rationale.strip() and choice.chosen != (decision.recommended or ""):
        yield f"choice.rationale is empty, and {short(choice.chosen or 'no candidate')} is not what is recommended"
    elif not choice.rationale.strip() and shortfalls(decision, choice.chosen):
        yield f"choice.rationale is empty, and {short(choice.chosen)} is not shown to keep every constraint"


def _named_as_then(
    record: DecisionRecord, folders: Sequence[Path], measured: Measured, problems: list[str], partial: bool
) -> Measured | None:
    """The measurements with the candidates' names of the record: a name can hold that of a folder, which may have moved.

    With `partial`, some of the runs may be measured by nothing that is left.
    """
    then = {(folder.resolve(), run.scenario): run.candidate for folder, run in zip(folders, record.evidence, strict=True)}
    now = {(Path(source.folder).resolve(), source.scenario): source.candidate for source in measured.sources}
    names: dict[str, str] = {}
    for run, candidate in now.items():
        if names.setdefault(candidate, then.get(run, "")) != then.get(run, ""):
            problems.append(f"evidence: the runs of {short(candidate)} are said to be of several candidates")
            return None
    same = now.keys() <= then.keys() if partial else now.keys() == then.keys()
    if not same or len(set(names.values())) != len(names):
        problems.append("evidence: it does not name the runs, candidates and scenarios that its profile is about")
        return None
    renamed = replace(
        measured,
        candidates=tuple(names[candidate] for candidate in measured.candidates if candidate in names),
        notes=tuple(_with_names(note, names) for note in measured.notes),
    )
    if len(renamed.candidates) != len(measured.candidates):
        problems.append("evidence: a candidate has no run")
        return None
    order = [name for name in dict.fromkeys(record.profile.candidates) if name in renamed.candidates]
    return renamed.of(order if len(order) == len(names) else sorted(renamed.candidates))


def _with_names(note: str, names: dict[str, str]) -> str:
    for now, then in names.items():
        note = note.replace(now, then) if now != then else note
    return note


def _whole(then: Decision, now: Decision, exact: bool) -> Iterator[str]:
    """Where two decisions differ but for their notes."""
    old, new = (msgspec.to_builtins(msgspec.structs.replace(one, notes=())) for one in (then, now))
    yield from differences("decision", old, new, exact)


def _measurements(record: DecisionRecord, now: Decision, lacking: Sequence[str], exact: bool) -> Iterator[str]:
    """Where the measurements differ, and the values of constraints, but for those by metrics that are not here."""
    profile, again = record.profile, {standing.candidate: standing for standing in now.standings}
    names = [each.name for each in (*profile.criteria, *profile.constraints)] + [EXPECTED_COST] * (profile.costs is not None)
    gone = {each.name for each in (*profile.criteria, *profile.constraints) if each.metric in lacking}
    gone |= {EXPECTED_COST} if profile.costs is not None and profile.costs.metric in lacking else set()
    if sorted(again) != sorted(standing.candidate for standing in record.decision.standings):
        yield "decision.standings: the candidates are not those of the evidence"
        return
    for standing in record.decision.standings:
        where = f"decision.standings of {one_line(standing.candidate, 80)}"
        if [one.measure for one in standing.measurements] != names:
            yield f"{where}: its measurements are not those of the profile"
            continue
        other = again[standing.candidate]
        yield from differences(f"{where}: measurements", _told(standing, gone), _told(other, gone), exact)
        yield from differences(f"{where}: constraints", _held(standing, gone), _held(other, gone), exact)


def _told(standing: Standing, gone: set[str]) -> dict[str, Any]:
    return {one.measure: msgspec.to_builtins(one) for one in standing.measurements if one.measure not in gone}


def _held(standing: Standing, gone: set[str]) -> dict[str, Any]:
    held = (one for one in standing.constraints if one.constraint not in gone)
    return {one.constraint: {name: getattr(one, name) for name in SURE} for one in held}


def _notes(then: Sequence[str], now: Sequence[str], found: Again) -> None:
    """What differs between the notes of two decisions; those about other runs than the evidence cannot be found again."""
    found.problems += [f"decision.notes lack: {one_line(note)}" for note in now if note not in then]
    for note in (note for note in then if note not in now):
        if any(re.fullmatch(form, note) for form in OF_OTHERS):
            found.notes.append(f"not about the evidence, so that only signatures vouch for it: {one_line(note)}")
        else:
            found.problems.append(f"decision.notes hold what the evidence does not give: {one_line(note)}")
