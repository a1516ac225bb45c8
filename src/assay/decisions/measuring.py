"""Runs and a profile -> `Measured`: every measure of every candidate, and all of them together over resamples.

Only instances count that all candidates were asked, so that differences are paired. Estimates of one scenario are those of the
run's own tables where they rest on the same answers; over several scenarios they are means in which each weighs the same, and
scenarios are resampled independently of each other.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.comparison.evidence import Evidence, Run, few_usable, gather
from assay.decisions.answers import Asked, Needs, columns_read
from assay.decisions.caveats import on_fewer, to_fill_in, unmeasured
from assay.decisions.loading import load
from assay.decisions.measured import Measured, Source
from assay.decisions.parts import Part, part_of, unknown_costs
from assay.decisions.pointing import PointedError, Steps, pointing_at
from assay.decisions.profile import Costs, Measure, Profile
from assay.decisions.reading import EXPECTED_COST
from assay.decisions.resampled import drawn_again, fewest
from assay.decisions.selecting import check_contract, costed, scenarios_of
from assay.errors import AssayError, UnknownName, unknown
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.records import Estimate
from assay.statistics.estimates import weighted_mean
from assay.store.folders import MANIFEST, find_runs
from assay.store.manifest import file_digest
from assay.store.wholeness import check_finished, check_whole
from assay.text import one_line

if TYPE_CHECKING:
    from assay.metrics.columns import Floats


@dataclass(frozen=True, eq=False)
class _Wanted:
    """A measure, its metric, and the scenarios it may be taken in."""

    measure: Measure
    metric: Metric
    scenarios: tuple[str, ...]
    costs: Costs | None = None
    place: Steps = ()
    """Where it stands in the profile."""


class Taking:
    """How measures are taken in a scenario: of what was asked, as it stands."""

    def ready(self, asked: Asked) -> Asked:
        """What was asked, before anything is measured."""
        return asked

    def part(self, asked: Asked, measure: Measure, metric: Metric, costs: Costs | None) -> Part:
        """One measure; see `part_of`."""
        return part_of(asked, measure, metric, costs)


AS_IT_STANDS = Taking()


def measure(profile: Profile, home: Path, taking: Taking = AS_IT_STANDS) -> Measured:
    """Measure the candidates of a profile.

    Args:
        profile: what is to be measured, and in which runs.
        home: the folder of the profile's file, which the runs' folders are relative to.
        taking: how measures are taken in a scenario.

    Raises:
        AssayError: no runs, a candidate, scenario, subgroup or perturbation that there is not, a metric that no run measured,
            runs that were not asked alike, or files that cannot be read or are not as they were written. What the profile
            names and there is not is a `PointedError`.
    """
    if not profile.runs:
        nowhere = AssayError("the profile names no runs", "add runs: [runs/default], the folders of runs or suites")
        raise PointedError(nowhere, ("runs",))
    return measure_runs(profile, _gathered(folders_of(profile, home), profile.candidates), taking)


def measure_runs(
    profile: Profile,
    evidence: Evidence,
    taking: Taking = AS_IT_STANDS,
    resamples: int | None = None,
    known: Mapping[str, Metric] | None = None,
    *,
    whole: bool = True,
) -> Measured:
    """Measure candidates by these runs, wherever they lie and however the candidates are called.

    Args:
        profile: what is to be measured.
        evidence: the runs.
        taking: how measures are taken in a scenario.
        resamples: at most so many; `None`: as many as the measures bear.
        known: metrics by name, before those that are installed.
        whole: refuse runs that are not as they were written; else somebody has looked at them.

    Raises:
        AssayError: as `measure`.
    """
    if whole:
        check_whole(run.folder for by in evidence.runs.values() for run in by.values())
    wanted = _wanted(profile, evidence, known or {})
    notes = [*to_fill_in(profile), *evidence.notes, *few_usable(evidence)]
    notes += check_contract(evidence, _rests_on(wanted, evidence), profile)
    taken: dict[str, _Taken] = {}
    for scenario, runs in evidence.runs.items():
        here = {place: each for place, each in enumerate(wanted) if scenario in each.scenarios}
        if here:
            taken[scenario] = _take(runs, here, notes, taking)
    _check_there(wanted, taken)
    held = [[name for name in each.scenarios if _any(taken[name].parts[place])] for place, each in enumerate(wanted)]
    estimates = [
        tuple(_estimate(candidate, [taken[name] for name in held[place]], place) for place in range(len(wanted)))
        for candidate in evidence.candidates
    ]
    values = _values(estimates, len(wanted))
    measures = tuple(each.measure for each in wanted)
    notes += unmeasured(evidence.candidates, measures, estimates)
    notes += on_fewer(evidence.candidates, measures, held, estimates)
    return Measured(
        candidates=evidence.candidates,
        measures=measures,
        metrics=tuple(each.metric for each in wanted),
        scenarios=tuple(tuple(names) for names in held),
        estimates=tuple(estimates),
        values=values,
        replicates=_centred(_replicates(evidence.candidates, taken, held, (profile.seed, resamples)), values, wanted),
        missing=tuple(
            tuple(sum(_missing(candidate, taken[name], place) for name in held[place]) for place in range(len(wanted)))
            for candidate in evidence.candidates
        ),
        sources=_sources(evidence, taken),
        notes=tuple(notes),
    )


def resting_on(profile: Profile, folders: Sequence[Path]) -> tuple[Source, ...]:
    """The runs that measuring would rest on, were these the folders of the profile; nothing is measured.

    Raises:
        AssayError: a folder holds no run, or not what the profile names.
    """
    evidence = _gathered(folders, profile.candidates)
    wanted = _wanted(profile, evidence, {})
    return _sources(evidence, [name for name in evidence.runs if any(name in each.scenarios for each in wanted)])


def folders_of(profile: Profile, home: Path) -> list[Path]:
    """The folders that a profile names.

    Raises:
        PointedError: one of them holds no run.
    """
    folders = [home / folder for folder in profile.runs]
    for number, folder in enumerate(folders):
        with pointing_at("runs", number):
            find_runs(folder)
    return folders


def _gathered(folders: Sequence[Path], candidates: Sequence[str]) -> Evidence:
    try:
        evidence = gather(folders, candidates, alone=True)
    except UnknownName as error:
        if error.name not in candidates:
            raise
        raise PointedError(error, ("candidates", candidates.index(error.name))) from error
    check_finished((run for folder in folders for run in find_runs(folder)), evidence.candidates)
    return evidence


def _wanted(profile: Profile, evidence: Evidence, known: Mapping[str, Metric]) -> list[_Wanted]:
    wanted = []
    for key, measures in (("criteria", profile.criteria), ("constraints", profile.constraints)):
        for number, each in enumerate(measures):
            with pointing_at(key, number, "scenarios" if each.scenarios else "metric"):
                metric = known.get(each.metric) or find(each.metric)
                wanted.append(_Wanted(each, metric, scenarios_of(each, evidence), place=(key, number)))
    if profile.costs is not None:
        costs = profile.costs
        about = "What an answer costs the deployment: error, abstention, waiting and tokens."
        costing = Metric(EXPECTED_COST, "efficiency", (0, None), "lower", about, costs.currency)
        cost = Measure(name=EXPECTED_COST, metric=EXPECTED_COST, scenarios=costs.scenarios, unit=costs.currency)
        with pointing_at("costs", "scenarios" if costs.scenarios else "metric"):
            wanted.append(_Wanted(cost, costing, costed(costs, evidence), costs, ("costs",)))
    return wanted


def _rests_on(wanted: Sequence[_Wanted], evidence: Evidence) -> Iterator[tuple[Metric, Sequence[str]]]:
    """The metrics that measures are made of, and the scenarios of each."""
    for each in wanted:
        if each.costs is None:
            yield each.metric, each.scenarios
            continue
        for scenario in each.scenarios if each.costs.error else ():
            runs = evidence.runs[scenario].values()
            yield from ((find(each.costs.metric or run.main_metric), (scenario,)) for run in runs)


@dataclass(frozen=True, eq=False)
class _Taken:
    """What was measured in one scenario."""

    candidates: tuple[str, ...]
    """That have a run of it."""
    units: int
    """Clusters that are resampled."""
    parts: Mapping[int, Part]
    """By number of the measure."""
    subgroups: frozenset[str]
    perturbations: tuple[str, ...]


def _take(runs: Mapping[str, Run], here: Mapping[int, _Wanted], notes: list[str], taking: Taking) -> _Taken:
    """All measures of one scenario; its trials are forgotten afterwards."""
    asked = taking.ready(load(runs, _needs(list(here.values()), runs)))
    common = int(asked.common.sum())
    if common < asked.instances:
        notes.append(
            f"{asked.scenario}: only the {common} of {asked.instances} instances count that all candidates were asked."
        )
    for costs in (each.costs for each in here.values() if each.costs is not None):
        notes += unknown_costs(asked, costs)
    return _Taken(
        candidates=tuple(runs),
        units=asked.units,
        parts={place: taking.part(asked, each.measure, each.metric, each.costs) for place, each in here.items()},
        subgroups=frozenset(f"{axis}={value}" for groups in asked.subgroups for axis, value in groups.items()),
        perturbations=(*asked.perturbations, *sorted(set(asked.kinds.values()))),
    )


def _needs(wanted: Sequence[_Wanted], runs: Mapping[str, Run]) -> Needs:
    scores = {each.metric.name for each in wanted if each.metric.of_answer is not None}
    for each in wanted:
        if each.costs is not None:
            scores |= {"latency_s", "cost"}
            scores |= {each.costs.metric or run.main_metric for run in runs.values()} if each.costs.error else set()
    return Needs(
        scores=frozenset(scores),
        columns=frozenset(name for each in wanted if each.metric.of_answers is not None for name in columns_read(each.metric)),
        sums=tuple({each.metric.name: each.metric for each in wanted if each.metric.of_counts is not None}.values()),
        copies=any(each.measure.on != "original" for each in wanted),
        subgroups=any(each.measure.subgroup for each in wanted),
    )


def _check_there(wanted: Sequence[_Wanted], taken: Mapping[str, _Taken]) -> None:
    """Refuse a subgroup or a perturbation that no scenario of a measure has."""
    for each in wanted:
        measure = each.measure
        groups = sorted({name for scenario in each.scenarios for name in taken[scenario].subgroups})
        if measure.subgroup and measure.subgroup not in groups:
            error: AssayError = unknown(f"subgroup of {one_line(measure.name, 80)!r}:", measure.subgroup, groups)
            raise PointedError(error, (*each.place, "subgroup"))
        copies = sorted({name for scenario in each.scenarios for name in taken[scenario].perturbations})
        if measure.on != "original" and not copies:
            problem = f"{one_line(measure.name, 80)!r}: no perturbed copies were asked of all candidates"
            error = AssayError(problem, "run with --perturb, or leave out on")
            raise PointedError(error, (*each.place, "on"))
        if measure.perturbation and measure.perturbation not in copies:
            error = unknown(f"perturbation of {one_line(measure.name, 80)!r}:", measure.perturbation, copies)
            raise PointedError(error, (*each.place, "perturbation"))


def _any(part: Part) -> bool:
    return any(estimate is not None for estimate in part.estimates)


def _estimate(candidate: str, taken: Sequence[_Taken], place: int) -> Estimate | None:
    """The mean over the scenarios that have a value; `None` where the candidate lacks one of them."""
    found = [
        scenario.parts[place].estimates[scenario.candidates.index(candidate)] if candidate in scenario.candidates else None
        for scenario in taken
    ]
    there = [estimate for estimate in found if estimate is not None]
    if len(there) < len(found):
        return None
    return there[0] if len(there) == 1 else weighted_mean(there)


def _values(estimates: Sequence[Sequence[Estimate | None]], measures: int) -> Floats:
    import numpy as np

    rows = [[math.nan if estimate is None else estimate.value for estimate in row] for row in estimates]
    return np.array(rows, dtype=np.float64).reshape(len(rows), measures)


def _replicates(
    candidates: Sequence[str], taken: Mapping[str, _Taken], held: Sequence[Sequence[str]], drawing: tuple[int, int | None]
) -> Floats:
    """Shape (replicates, candidates, measures): the mean over each measure's scenarios, resample by resample.

    `drawing` is the seed, and how many resamples there are at most.
    """
    import numpy as np

    used = {name: [place for place, names in enumerate(held) if name in names] for name in taken}
    seed, most = drawing
    count = fewest([taken[name].parts[place].resampled for name, places in used.items() for place in places])
    count = count if most is None else min(count, most)
    found = np.zeros((count, len(candidates), len(held)))
    for name, places in used.items():
        scenario = taken[name]
        absent = [number for number, candidate in enumerate(candidates) if candidate not in scenario.candidates]
        there = [candidates.index(candidate) for candidate in scenario.candidates]
        rest = found
        for times in drawn_again(scenario.units, count, seed, name) if places else ():
            for place in places:
                rest[: len(times), there, place] += scenario.parts[place].resampled.replicates(times)
            rest = rest[len(times) :]
        for place in places:
            found[:, absent, place] = np.nan
    shares = np.array([len(names) or math.nan for names in held])
    found /= shares
    return found


def _centred(replicates: Floats, values: Floats, wanted: Sequence[_Wanted]) -> Floats:
    """The replicates; those of distances from an ideal moved so that their mean is the measured value.

    Chance makes such a distance (a calibration error) larger in every resample than in the data at hand, most where it is
    small: left as they are, resamples would not differ as much between two candidates as the candidates do.
    """
    import numpy as np

    for place, each in enumerate(wanted):
        metric = each.metric
        if (metric.gaps or metric.noise or metric.distance) and each.measure.on != "change":
            some = replicates[:, :, place]
            there = np.isfinite(some)
            with np.errstate(invalid="ignore", divide="ignore"):
                means = np.where(there, some, 0.0).sum(axis=0) / there.sum(axis=0)
            low, high = metric.range
            replicates[:, :, place] = np.clip(some + (values[:, place] - means), low, high)
    return replicates


def _missing(candidate: str, taken: _Taken, place: int) -> int:
    part = taken.parts[place]
    return part.missing[taken.candidates.index(candidate)] if candidate in taken.candidates else part.instances


def _sources(evidence: Evidence, scenarios: Collection[str]) -> tuple[Source, ...]:
    """The runs of these scenarios, and one of each candidate that has none: the same is measured again from them alone."""
    used = [run for scenario in scenarios for run in evidence.runs[scenario].values()]
    for candidate in evidence.candidates:
        if all(run.candidate != candidate for run in used):
            used.append(next(by[candidate] for by in evidence.runs.values() if candidate in by))
    return tuple(
        Source(run.candidate, run.scenario, str(run.folder.path), file_digest(run.folder.path / MANIFEST)) for run in used
    )
