"""A recorded decision, measured and made again from its evidence, and compared number by number and word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import msgspec

from assay.comparison.evidence import Evidence, gather
from assay.decisions.as_stored import Stored
from assay.decisions.deciding import decide
from assay.decisions.differing import differences, short
from assay.decisions.evidence_checks import misnamed, missing_candidates, named_as_then, never_measured, too_early
from assay.decisions.left_out import left_out
from assay.decisions.measured import Measured
from assay.decisions.measuring import measure_runs
from assay.decisions.partly_again import partly_otherwise
from assay.decisions.recomputing import TOLERANCE, versions_that_differ
from assay.decisions.record import Choice, DecisionRecord
from assay.decisions.rereading import profile_problems, without
from assay.decisions.results import Decision
from assay.decisions.shortfalls import shortfalls
from assay.decisions.takeable import installed, stand_ins, untakeable
from assay.errors import AssayError
from assay.text import one_line

MOST = 20
"""Differences that are named."""
OF_OTHERS = (
    r"Adaptive: .* of all instances were asked, .*",
    r".* dropped out after [\d,]+ of [\d,]+ instances: .*\.",
    r"The race did not follow .*; the decision does\.",
    r".* broke a constraint that a race cannot follow, and the others raced again\.",
    r".*: of several runs, the newest that candidates have in common count; left out, as they differ in .*",
    r".*: left out, as it has no manifest\.json: .*",
    r".*: planned by the last `assay run` and not finished, so not measured: .*\.",
    r".*: begun by an earlier `assay run` and broken off, so not measured: .*\.",
)
"""Notes about runs that the decision does not rest on, so that nothing in the evidence can show whether they are true."""


@dataclass
class Again:
    """What came of it."""

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    partial: bool = False
    """Not all of the decision could be made again."""


def decide_again(record: DecisionRecord, folders: Sequence[Path], home: Path, hidden: Sequence[str] = ()) -> Again:
    """Compare a record with what its profile and its runs give now.

    Where a metric is not installed, or texts of the answers are hidden, what can be measured all the same is compared, and
    whether the rest follows from the record's numbers and the runs' own.

    Args:
        record: as it was read; its bytes are checked already.
        folders: where its runs lie, in their order, each verified.
        home: the record's folder.
        hidden: the fields that are redacted in the runs.
    """
    found = Again(problems=[*_consistent(record), *missing_candidates(record)])
    for run, folder in zip(record.evidence, folders, strict=True):
        if run.run != folder.name:
            found.problems.append(f"evidence: {short(run.run)} is not the name of the run in {one_line(str(folder), 200)}")
    lacking = [name for name in _metrics(record) if name and not installed(name)]
    differ = versions_that_differ(record.environment)
    if differ:
        found.notes.append(f"decided with {differ}: numbers are compared to within {TOLERANCE:g}")
    found.problems += _most(profile_problems(record.profile, record.profile_file, lacking))
    try:
        evidence = _evidence(record, folders, _metrics(record) if hidden else lacking, found)
        if evidence is not None:
            _decided(record, folders, evidence, (lacking, hidden, differ), found)
            problems, notes = left_out(record, without(record.profile, lacking), folders, home)
            found.problems += _most(iter(problems))
            found.notes += notes
    except AssayError as error:
        found.problems.append(f"the decision cannot be made again: {error}")
    return found


def _evidence(record: DecisionRecord, folders: Sequence[Path], lacking: Sequence[str], found: Again) -> Evidence | None:
    """The runs under the names of the record; `None` where these cannot be theirs."""
    evidence = gather(folders, alone=True)
    found.problems += too_early(record, folders)
    found.problems += _most(misnamed(record, folders, evidence))
    found.problems += _most(never_measured(record.profile, evidence, lacking))
    named = named_as_then(record, folders, evidence)
    if isinstance(named, str):
        found.problems.append(named)
        return None
    return named


def _decided(
    record: DecisionRecord,
    folders: Sequence[Path],
    evidence: Evidence,
    here: tuple[Sequence[str], Sequence[str], str],
    found: Again,
) -> None:
    """Measure and decide, and compare; `here` are metrics that are not installed, redacted fields, versions that differ.

    Of a metric that is not installed the range is not known: the record must follow under one that gives its runs' estimates.
    """
    lacking, hidden, differ = here
    ways = stand_ins(record, evidence, lacking)
    unread = untakeable(record.profile, evidence, ways[0], hidden)
    found.partial = bool(unread or lacking or hidden)
    found.notes += _unsaid(unread, lacking, hidden)
    first: Again | None = None
    for known in ways:
        one = Again()
        if unread:
            stored = Stored(record, evidence, unread)
            one.problems += _most(partly_otherwise(record, stored, known, not differ, not hidden))
            one.notes += [f"not checked, as nothing here shows it: {each}" for each in dict.fromkeys(stored.unchecked)]
        else:
            _wholly(record, folders, measure_runs(record.profile, evidence, known=known, whole=not hidden), not differ, one)
        first = one if first is None or not one.problems else first
        if not one.problems:
            break
    assert first is not None
    found.notes += first.notes
    found.problems += [f"{line} ({_because(differ)})" for line in first.problems] if differ else first.problems


def _wholly(record: DecisionRecord, folders: Sequence[Path], measured: Measured, exact: bool, found: Again) -> None:
    """Compare a record with the decision on what was measured, which is all that its profile is about."""
    then = {(folder.resolve(), run.scenario) for folder, run in zip(folders, record.evidence, strict=True)}
    if {(Path(source.folder).resolve(), source.scenario) for source in measured.sources} != then:
        found.problems.append("evidence: it does not name the runs, candidates and scenarios that its profile is about")
        return
    decision = decide(record.profile, measured)
    found.problems += _most(_whole(record.decision, decision, exact))
    _notes(record.decision.notes, decision.notes, found)


def _unsaid(unread: Sequence[str], lacking: Sequence[str], hidden: Sequence[str]) -> Iterator[str]:
    """What could not be measured again, and what so was not checked."""
    names = ", ".join(one_line(name, 80) for name in unread)
    if hidden and unread:
        yield (
            f"the decision was not made again: transcripts are redacted, and {names} cannot be measured without them;"
            " these were compared with the runs' estimates, bounds with the least that they can be; ranks, trade-offs and flips"
            " not at all"
        )
    elif hidden:
        yield "the decision was made again from the answers' scores, which were not computed again: transcripts are redacted"
    if lacking:
        metrics = ", ".join(one_line(name, 80) for name in lacking)
        yield f"not computed again, as {metrics} is not installed here: " + (
            f"{names}, and ranks, trade-offs and flips"
            if unread
            else "its values of the answers; the decision was made again from these, with the unit and direction that it says"
        )


def _most(lines: Iterator[str]) -> list[str]:
    held = list(lines)
    return held[:MOST] + ([f"and {len(held) - MOST} more differences"] if len(held) > MOST else [])


def _because(differ: str) -> str:
    return f"it says that it was decided with {differ}, which may decide or word it so: verify it with these"


def _metrics(record: DecisionRecord) -> list[str]:
    """What a profile measures by, sorted; the empty name is each scenario's main metric."""
    profile = record.profile
    named = {each.metric for each in (*profile.criteria, *profile.constraints)}
    return sorted(named | ({profile.costs.metric} if profile.costs is not None else set()))


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


def _whole(then: Decision, now: Decision, exact: bool) -> Iterator[str]:
    """Where two decisions differ but for their notes."""
    old, new = (msgspec.to_builtins(msgspec.structs.replace(one, notes=())) for one in (then, now))
    yield from differences("decision", old, new, exact)


def _notes(then: Sequence[str], now: Sequence[str], found: Again) -> None:
    """What differs between the notes of two decisions; those about other runs than the evidence cannot be found again."""
    found.problems += [f"decision.notes lack: {one_line(note)}" for note in now if note not in then]
    own = [note for note in then if note in now]
    if set(own) == set(now) and own != list(now):
        found.problems.append("decision.notes are in another order, or one stands there twice")
    for note in (note for note in then if note not in now):
        if any(re.fullmatch(form, note) for form in OF_OTHERS):
            found.notes.append(f"not about the evidence, so that only signatures vouch for it: {one_line(note)}")
        else:
            found.problems.append(f"decision.notes hold what the evidence does not give: {one_line(note)}")
