"""A profile's constraints for one candidate, as a check that passes or fails.

A gate passes what is shown to keep to every limit, and nothing else: evidence that leaves it open, that is missing or that was
changed does not pass. Missing answers take the worst value they could have (`completing`), where there is one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from pathlib import Path
from typing import Literal

import msgspec

from assay.comparison.evidence import Evidence, Run, gather
from assay.decisions import validity
from assay.decisions.completing import Completing, has_worst
from assay.decisions.constraints import held
from assay.decisions.measured import Measured, Source
from assay.decisions.measuring import folders_of, measure
from assay.decisions.pointing import PointedError, pointing_at
from assay.decisions.profile import Constraint, Profile
from assay.decisions.reading_out import limit_in_words, limit_of, unit_of
from assay.decisions.results import ConstraintVerdict
from assay.decisions.selecting import has_metric, matching, scenarios_of
from assay.errors import AssayError
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.records import Record
from assay.store import find_runs
from assay.store.manifest import misnamed, verify
from assay.store.planned import lacking, left_out
from assay.store.wholeness import check_finished, check_whole
from assay.text import one_line

Missing = Literal["worst", "ignore"]
"""What becomes of missing answers: they take the worst value, or they are left out."""


class Strictness(Record):
    """What a gate lets through."""

    allow_undetermined: bool = False
    """What was not measured at all does not pass all the same."""
    allow_expired: bool = False
    """Go by a profile that does not hold any more."""
    missing: Missing = "worst"


class Checked(Record):
    """One constraint, checked."""

    constraint: str
    metric: str
    unit: str
    limit: str
    """As one reads it: `at most 2 s`."""
    threshold: float
    """The limit as a number."""
    confidence: float
    value: float | None
    bound: float | None
    """The one-sided bound, at that confidence, that decides; see `Held`."""
    verdict: ConstraintVerdict
    passed: bool
    missing: int = 0
    """Answers that failed, or that only others were asked for."""
    more: int | None = None
    """About how many more instances would settle it, of an undetermined one, if the value stays what it is."""
    reason: str = ""
    """What stands behind the verdict beyond the numbers."""


class Basis(Record):
    """A scenario that constraints were checked in, and what exactly was asked of it."""

    scenario: str
    items: int
    data: str
    """SHA-256 over the instances, as the spec of the run has it."""


class Gate(Record):
    """What a gate says of one candidate."""

    profile: str
    candidate: str
    passed: bool
    constraints: tuple[Checked, ...]
    strictness: Strictness
    runs: tuple[Source, ...]
    """What it rests on."""
    asked: tuple[Basis, ...] = ()
    """What was asked in them."""
    expired: str = ""
    """The last day on which the profile held (YYYY-MM-DD), where that has passed."""
    notes: tuple[str, ...] = ()
    """What else a reader must know of the profile, and of runs that were left out."""

    @property
    def failed(self) -> tuple[Checked, ...]:
        """The constraints that did not pass."""
        return tuple(checked for checked in self.constraints if not checked.passed)


def gate(
    profile: Profile,
    home: Path,
    candidate: str,
    runs: Sequence[Path] = (),
    strictness: Strictness | None = None,
    today: date | None = None,
) -> Gate:
    """Check a candidate against the constraints of a profile; its criteria are not looked at.

    Args:
        profile: with constraints.
        home: the folder of the profile's file, which the profile's own runs are relative to.
        candidate: as tables show it; the profile need not name it.
        runs: folders of runs to look at in place of the profile's.
        strictness: what is let through.
        today: the day at which the profile must hold; `None`: the day that it is, in UTC.

    Raises:
        AssayError: no constraints, no runs of the candidate, files of a run that are not as they were written, a metric that no
            run measured, or a subgroup or perturbation that there is not; where the profile names it, a `PointedError`.
    """
    strictness = strictness or Strictness()
    if not profile.constraints:
        raise AssayError(f"the profile {one_line(profile.name, 80)!r} has no constraints", "add some: docs/deciding.md")
    folders = [Path(folder) for folder in runs] or folders_of(profile, home)
    if not folders:
        raise PointedError(AssayError("the profile names no runs", "add runs: [runs/default], or give --runs"), ("runs",))
    _check_finished(folders, {candidate, *profile.candidates} if profile.candidates else ())
    own, everybody = gather(folders, [candidate], alone=True), _everybody(folders, profile, candidate)
    check_whole((run.folder for by in everybody.runs.values() for run in by.values()), verify)
    lost = frozenset(one.scenario for one in lacking(folders) if one.is_of([candidate]))
    absent = _absences(profile, own, everybody, lost)
    there = tuple(constraint for constraint in profile.constraints if not absent[constraint.name])
    completing = Completing(candidate, everybody, strictness.missing == "worst")
    measured = _measured(profile, there, folders, completing) if there else None
    checked = []
    for constraint in profile.constraints:
        if measured is None or absent[constraint.name]:
            checked.append(_not_measured(constraint, profile, _not_asked(candidate, absent[constraint.name], lost)))
            continue
        silent = _silent(constraint, measured, everybody, candidate)
        if silent:
            checked.append(_not_measured(constraint, profile, f"nothing was measured in {_listed(silent)}"))
            continue
        checked.append(_checked(constraint, profile, measured, completing.missing[constraint.name], strictness))
    day = today or validity.today()
    past = validity.expired(profile.deployment, day)
    return Gate(
        profile=profile.name,
        candidate=candidate,
        passed=all(one.passed for one in checked) and (strictness.allow_expired or not past),
        constraints=tuple(checked),
        strictness=strictness,
        runs=measured.sources if measured else (),
        asked=tuple(_basis(own.runs[source.scenario][candidate]) for source in measured.sources) if measured else (),
        expired=profile.deployment.expires if past else "",
        notes=(*validity.out_of_date(profile.deployment, day), *own.notes, *left_out(folders)),
    )


def _basis(run: Run) -> Basis:
    return Basis(scenario=run.scenario, items=run.folder.stats().instances, data=run.file.spec.data.instances)


def _everybody(folders: Sequence[Path], profile: Profile, candidate: str) -> Evidence:
    """The runs of the candidate and of those that it is to be asked as much as: the profile's candidates, or all."""
    found = gather(folders, alone=True)
    wanted = {candidate, *(profile.candidates or found.candidates)}
    runs = {scenario: {name: run for name, run in by.items() if name in wanted} for scenario, by in found.runs.items()}
    return Evidence(tuple(sorted(wanted)), {scenario: by for scenario, by in runs.items() if by})


def _check_finished(folders: Sequence[Path], candidates: Collection[str]) -> None:
    """Refuse a run of which it is not sure whose it is or when it was asked, as an older one would speak in its place; and one
    without a manifest, of these candidates or of anybody, rather than look past what it was asked."""
    there = {run.path.resolve(): run for folder in folders for run in find_runs(folder)}.values()
    check_whole((run for run in there if run.complete()), misnamed)
    check_finished(there, candidates)


def _absences(profile: Profile, own: Evidence, everybody: Evidence, lost: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """By name of a constraint what `_absent` says of it."""
    found = {}
    for number, constraint in enumerate(profile.constraints):
        with pointing_at("constraints", number, "scenarios" if constraint.scenarios else "metric"):
            found[constraint.name] = _absent(constraint, own, everybody, lost)
    return found


def _absent(constraint: Constraint, own: Evidence, everybody: Evidence, lost: frozenset[str]) -> tuple[str, ...]:
    """The scenarios of a constraint that were not asked of the candidate, or not to the end, or without its metric.

    Of one that nobody was asked to the end it is not known which metrics it has: it counts.
    """
    known = sorted({*everybody.runs, *lost})
    named = matching(constraint.scenarios, known)
    broken_off = [name for name in named if name in lost and (name not in everybody.runs or _has(constraint, everybody, name))]
    if broken_off:
        return tuple(broken_off)
    wanted = scenarios_of(constraint, everybody)
    held = {name for name in own.runs if _has(constraint, own, name)}
    return tuple(scenario for scenario in wanted if scenario not in held)


def _has(constraint: Constraint, evidence: Evidence, scenario: str) -> bool:
    return any(has_metric(run, constraint.metric) for run in evidence.runs[scenario].values())


def _measured(profile: Profile, constraints: tuple[Constraint, ...], folders: Sequence[Path], taking: Completing) -> Measured:
    """These constraints, of the candidate alone, on all that it was asked."""
    only = msgspec.structs.replace(
        profile,
        criteria=(),
        costs=None,
        constraints=constraints,
        candidates=(taking.candidate,),
        runs=tuple(map(str, folders)),
    )
    try:
        return measure(only, Path(), taking)
    except PointedError as error:
        key, place, *rest = error.steps
        if key != "constraints" or not isinstance(place, int):
            raise
        raise PointedError(error, (key, profile.constraints.index(constraints[place]), *rest)) from error


def _silent(constraint: Constraint, measured: Measured, everybody: Evidence, candidate: str) -> tuple[str, ...]:
    """Scenarios of a constraint in which the candidate has no value: all of them, or those in which others have one."""
    used = measured.scenarios[measured.place(constraint)]
    rest = [scenario for scenario in scenarios_of(constraint, everybody) if scenario not in used]
    if not used:
        return tuple(rest)
    return tuple(
        scenario
        for scenario in rest
        if any(
            cell.metric == constraint.metric
            for name, run in everybody.runs[scenario].items()
            if name != candidate
            for cell in run.folder.stats().cells
        )
    )


def _checked(constraint: Constraint, profile: Profile, measured: Measured, missing: int, strictness: Strictness) -> Checked:
    """The verdict on what was measured, and what its missing answers make of it."""
    place = measured.place(constraint)
    metric = measured.metrics[place]
    found = held(constraint, metric, measured.estimates[0][place], measured.replicates[:, 0, place], profile.confidence)
    verdict: ConstraintVerdict = found.verdict
    reason = ""
    if missing:
        answers = f"{missing:,} {'answer is' if missing == 1 else 'answers are'} missing"
        if strictness.missing == "ignore":
            reason = f"{answers}, and left out"
        elif has_worst(constraint, metric):
            reason = f"{answers}, and counted as the worst"
        else:
            verdict = "undetermined" if verdict == "met" else verdict
            reason = f"{answers}, and {metric.name} has no worst value for one"
    elif found.bound is None:
        reason = "the value has no interval"
    return Checked(
        constraint=found.constraint,
        metric=metric.name,
        unit=unit_of(constraint, metric),
        limit=found.limit,
        threshold=found.threshold,
        confidence=found.confidence,
        value=found.value,
        bound=found.bound,
        verdict=verdict,
        passed=verdict == "met" or (verdict == "undetermined" and strictness.allow_undetermined),
        missing=missing,
        more=found.more,
        reason=reason,
    )


def _not_measured(constraint: Constraint, profile: Profile, reason: str) -> Checked:
    metric: Metric = find(constraint.metric)
    return Checked(
        constraint=constraint.name,
        metric=metric.name,
        unit=unit_of(constraint, metric),
        limit=limit_in_words(constraint, metric),
        threshold=limit_of(constraint),
        confidence=constraint.confidence or profile.confidence,
        value=None,
        bound=None,
        verdict="undetermined",
        passed=False,
        reason=f"not measured: {reason}",
    )


def _not_asked(candidate: str, scenarios: Sequence[str], lost: frozenset[str]) -> str:
    why = ", or not to the end: an `assay run` planned or began it" if lost.intersection(scenarios) else ""
    return f"{candidate} was not asked {_listed(scenarios)}{why}"


def _listed(scenarios: Sequence[str]) -> str:
    more = len(scenarios) - SHOWN
    return ", ".join(scenarios[:SHOWN]) + (f" and {more} more" if more > 0 else "")


SHOWN = 4
"""Scenarios that a reason names."""
