"""A profile's constraints for one candidate, as a check that passes or fails.

A gate passes what is shown to keep to every limit, and nothing else: evidence that leaves it open, that is missing or that was
changed does not pass. Missing answers take the worst value they could have (`completing`), where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from assay.comparison.evidence import Evidence, gather
from assay.decisions.completing import Completing, has_worst
from assay.decisions.constraints import held
from assay.decisions.measured import Measured, Source
from assay.decisions.measuring import measure
from assay.decisions.profile import Constraint, Profile
from assay.decisions.reading_out import limit_in_words, unit_of
from assay.decisions.selecting import has_metric, scenarios_of
from assay.errors import AssayError
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.records import Record
from assay.store import RunFolder, find_runs
from assay.store.manifest import damage
from assay.text import one_line

Missing = Literal["worst", "ignore"]
"""What becomes of missing answers: they take the worst value, or they are left out."""
GateVerdict = Literal["met", "violated", "undetermined", "not measured"]


class Strictness(Record):
    """What a gate lets through."""

    allow_undetermined: bool = False
    missing: Missing = "worst"


class Checked(Record):
    """One constraint, checked."""

    constraint: str
    metric: str
    unit: str
    limit: str
    """As one reads it: `at most 2 s`."""
    confidence: float
    value: float | None
    bound: float | None
    """The one-sided bound, at that confidence, on the side that would break the limit."""
    verdict: GateVerdict
    passed: bool
    missing: int = 0
    """Answers that failed, or that only others were asked for."""
    more: int | None = None
    """About how many more instances would settle it, of an undetermined one, if the value stays what it is."""
    reason: str = ""
    """What stands behind the verdict beyond the numbers."""


class Gate(Record):
    """What a gate says of one candidate."""

    profile: str
    candidate: str
    passed: bool
    constraints: tuple[Checked, ...]
    strictness: Strictness
    runs: tuple[Source, ...]
    """What it rests on."""

    @property
    def failed(self) -> tuple[Checked, ...]:
        """The constraints that did not pass."""
        return tuple(checked for checked in self.constraints if not checked.passed)


def gate(profile: Profile, home: Path, candidate: str, runs: Sequence[Path] = (), strictness: Strictness | None = None) -> Gate:
    """Check a candidate against the constraints of a profile; its criteria are not looked at.

    Args:
        profile: with constraints.
        home: the folder of the profile's file, which the profile's own runs are relative to.
        candidate: as tables show it; the profile need not name it.
        runs: folders of runs to look at in place of the profile's.
        strictness: what is let through.

    Raises:
        AssayError: no constraints, no runs of the candidate, files of a run that are not as they were written, a metric that no
            run measured, or a subgroup or perturbation that there is not.
    """
    strictness = strictness or Strictness()
    if not profile.constraints:
        raise AssayError(f"the profile {one_line(profile.name, 80)!r} has no constraints", "add some: docs/deciding.md")
    folders = [Path(folder) for folder in runs] or [home / folder for folder in profile.runs]
    if not folders:
        raise AssayError("the profile names no runs", "add runs: [runs/default], or give --runs")
    _check_finished(folders, candidate)
    own, everybody = gather(folders, [candidate], alone=True), _everybody(folders, profile, candidate)
    _check_whole(run.folder for by in everybody.runs.values() for run in by.values())
    absent = {constraint.name: _absent(constraint, own, everybody) for constraint in profile.constraints}
    there = tuple(constraint for constraint in profile.constraints if not absent[constraint.name])
    completing = Completing(candidate, everybody, strictness.missing == "worst")
    measured = _measured(profile, there, folders, completing) if there else None
    checked = []
    for constraint in profile.constraints:
        if measured is None or absent[constraint.name]:
            checked.append(_not_measured(constraint, profile, f"{candidate} was not asked {_listed(absent[constraint.name])}"))
            continue
        silent = _silent(constraint, measured, everybody, candidate)
        if silent:
            checked.append(_not_measured(constraint, profile, f"nothing was measured in {_listed(silent)}"))
            continue
        checked.append(_checked(constraint, profile, measured, completing.missing[constraint.name], strictness))
    passed = all(one.passed for one in checked)
    return Gate(
        profile=profile.name,
        candidate=candidate,
        passed=passed,
        constraints=tuple(checked),
        strictness=strictness,
        runs=measured.sources if measured else (),
    )


def _everybody(folders: Sequence[Path], profile: Profile, candidate: str) -> Evidence:
    """The runs of the candidate and of those that it is to be asked as much as: the profile's candidates, or all."""
    found = gather(folders, alone=True)
    wanted = {candidate, *(profile.candidates or found.candidates)}
    runs = {scenario: {name: run for name, run in by.items() if name in wanted} for scenario, by in found.runs.items()}
    return Evidence(tuple(sorted(wanted)), {scenario: by for scenario, by in runs.items() if by})


def _check_finished(folders: Sequence[Path], candidate: str) -> None:
    """Refuse a run of the candidate that has no manifest, rather than look past it."""
    _check_whole(run for folder in folders for run in find_runs(folder) if not run.complete() and _is_of(run, candidate))


def _check_whole(runs: Iterable[RunFolder]) -> None:
    """Refuse evidence that is not as it was written."""
    for run in runs:
        for problem in damage(run.path):
            raise AssayError(f"the evidence is not whole: {problem}", "run it again; a gate passes nothing on changed files")


def _is_of(run: RunFolder, candidate: str) -> bool:
    """Whether a run may be the candidate's, whose label can have its suite's name behind it."""
    spec = run.spec_file().spec
    label = spec.label or spec.model.name
    return candidate == label or candidate.startswith(f"{label} (")


def _absent(constraint: Constraint, own: Evidence, everybody: Evidence) -> tuple[str, ...]:
    """The scenarios of a constraint that were not asked of the candidate, or without its metric."""
    wanted = scenarios_of(constraint, everybody)
    held = {name for name, by in own.runs.items() if any(has_metric(run, constraint.metric) for run in by.values())}
    return tuple(scenario for scenario in wanted if scenario not in held)


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
    return measure(only, Path(), taking)


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
    verdict: GateVerdict = found.verdict
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
        confidence=constraint.confidence or profile.confidence,
        value=None,
        bound=None,
        verdict="not measured",
        passed=False,
        reason=reason,
    )


def _listed(scenarios: Sequence[str]) -> str:
    more = len(scenarios) - SHOWN
    return ", ".join(scenarios[:SHOWN]) + (f" and {more} more" if more > 0 else "")


SHOWN = 4
"""Scenarios that a reason names."""
