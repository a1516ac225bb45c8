"""Whether the evidence of a record is what its profile is about: under the runs' own names, with nobody left out.

Making the decision again from the runs that a record lists cannot show that one is missing from the list, or that two
candidates exchanged their names. This looks at the runs' own labels, at the names in the profile, and into its folders.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from assay.comparison.evidence import Evidence
from assay.decisions.differing import short
from assay.decisions.profile import Measure, Profile
from assay.decisions.record import DecisionRecord, EvidenceRun
from assay.decisions.selecting import has_metric, matching
from assay.errors import AssayError
from assay.store import RunFolder
from assay.store.folders import safe

HOUR = 3_600.0
"""Seconds by which clocks may differ."""
SECOND = 1.0
"""To which the time of a decision is known."""
RACED = "Adaptive: "
"""How a note begins where the runs were asked by a race."""
OUT = (r"(.*) dropped out after ([\d,]+) of [\d,]+ instances: .*", r"(.*) broke a constraint that a race cannot follow, .*")
"""Notes that name candidates which a race left behind."""


def misnamed(record: DecisionRecord, folders: Sequence[Path], evidence: Evidence) -> Iterator[str]:
    """Runs that are said to be of another candidate than they are of, a line each.

    A candidate is called as its model is labelled in the run; where one label is found in several suites, the suite's name, or
    its whole path, follows in parentheses.

    Args:
        record: what names them.
        folders: where its runs lie.
        evidence: the same runs as they are called here.
    """
    here = {run.folder.path.resolve(): run for by in evidence.runs.values() for run in by.values()}
    for said, folder in zip(record.evidence, folders, strict=True):
        run = here.get(folder.resolve())
        if run is None:
            continue
        label = run.file.spec.label or run.file.spec.model.name
        alone = said.candidate == label and run.candidate == label
        if not alone and not _with_suite(said, label, folder.resolve().parent):
            yield f"evidence: {short(said.run)} is a run of {short(run.candidate)}, not of {short(said.candidate)}"


def _with_suite(said: EvidenceRun, label: str, suite: Path) -> bool:
    """Whether a candidate's name is a label with the suite of its run, where the record says that it lay and where it lies."""
    if not (said.candidate.startswith(f"{label} (") and said.candidate.endswith(")")):
        return False
    named = PurePosixPath(said.candidate[len(label) + 2 : -1])
    if suite.name != named.name and not re.fullmatch(rf"{re.escape(safe(named.name))}(~\d+)?", suite.name):
        return False
    lay = PurePosixPath(said.folder).parent
    known = tuple(part for part in lay.parts if part != "..")
    if not named.is_absolute():
        return named.name == str(named) and known[-1:] in ((), (named.name,))
    return lay == named if lay.is_absolute() else named.parts[len(named.parts) - len(known) :] == known


def missing_candidates(record: DecisionRecord) -> Iterator[str]:
    """Candidates that the profile names and the evidence lacks, or the other way round; a race may have left some behind."""
    named, there = record.profile.candidates, {run.candidate for run in record.evidence}
    gone = left_behind(record.decision.notes)  # who, and when, is compared with the folders where they are there
    for name in named:
        if name not in there and name not in gone:
            yield f"evidence: {short(name)} is a candidate by the profile, and no run of it is named"
    for name in sorted(there.difference(named)) if named else ():
        yield f"evidence: {short(name)} is no candidate by the profile"


def left_behind(notes: Sequence[str]) -> set[str]:
    """The candidates that notes of a race say dropped out; without a race nobody did."""
    if not any(note.startswith(RACED) for note in notes):
        return set()
    found = [match[1] for note in notes for form in OUT if (match := re.fullmatch(form, note))]
    return {name for names in found for name in (names, *names.split(", "))}


def never_measured(profile: Profile, evidence: Evidence, lacking: Collection[str]) -> Iterator[str]:
    """Measures by metrics that are not installed here and that no run has either, so that nobody can have decided by them.

    Args:
        profile: what names them.
        evidence: the runs.
        lacking: the metrics.
    """
    measures: list[Measure] = [*profile.criteria, *profile.constraints]
    costs = profile.costs
    if costs is not None and costs.error and costs.metric:
        measures.append(Measure(name="costs", metric=costs.metric, scenarios=costs.scenarios))
    for measure in measures:
        if measure.metric not in lacking:
            continue
        try:
            titles = matching(measure.scenarios, evidence.runs)
        except AssayError as error:
            yield f"profile: {short(measure.name)}: {error}"
            continue
        if not any(has_metric(run, measure.metric) for title in titles for run in evidence.runs[title].values()):
            yield f"profile: {short(measure.name)}: no run of the evidence measured {short(measure.metric)}"


def too_early(record: DecisionRecord, folders: Sequence[Path]) -> Iterator[str]:
    """Whether a decision is said to have been made before its evidence was there."""
    made = seconds(record.created)
    last = max((RunFolder(folder).manifest().last_asked or 0.0 for folder in folders), default=0.0)
    if made is not None and last > made + HOUR:
        when = datetime.fromtimestamp(last, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        yield f"created is {short(record.created)}, and the last answer of its evidence is of {when}"


def seconds(said: str) -> float | None:
    try:
        return datetime.strptime(said, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def named_as_then(record: DecisionRecord, folders: Sequence[Path], evidence: Evidence) -> Evidence | str:
    """The evidence with the candidates' names of the record, in their order then; or what is wrong with them.

    A name can hold that of a folder, which may have moved.
    """
    then: Mapping[tuple[Path, str], str] = {
        (folder.resolve(), run.scenario): run.candidate for folder, run in zip(folders, record.evidence, strict=True)
    }
    names: dict[str, str] = {}
    for scenario, by in evidence.runs.items():
        for candidate, run in by.items():
            said = then.get((run.folder.path.resolve(), scenario), "")
            if names.setdefault(candidate, said) != said:
                return f"evidence: the runs of {short(candidate)} are said to be of several candidates"
    if "" in names.values() or len(set(names.values())) != len(names):
        return "evidence: it does not name the runs, candidates and scenarios that its profile is about"
    order = [name for name in dict.fromkeys(record.profile.candidates) if name in names.values()]
    if len(order) < len(names):
        raced = any(note.startswith(RACED) for note in record.decision.notes)
        order = list(dict.fromkeys(run.candidate for run in record.evidence)) if raced else sorted(names.values())
    now = {said: candidate for candidate, said in names.items()}
    runs = {
        scenario: {said: replace(by[now[said]], candidate=said) for said in order if now.get(said) in by}
        for scenario, by in evidence.runs.items()
    }
    return Evidence(tuple(order), runs, evidence.notes)
