"""Which measures of a record can be taken again here, and what stands in for a metric that is not installed.

A value of each answer, by each metric of single answers, stands in scores.parquet, which is never redacted and needs no metric:
its mean over any answers can be taken again. What a metric of many answers reads may be hidden, or the metric missing.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from assay.comparison.evidence import Evidence, Run
from assay.decisions.answers import Needs, columns_read
from assay.decisions.loading import SCORED, load
from assay.decisions.parts import part_of
from assay.decisions.profile import Measure, Profile
from assay.decisions.reading import EXPECTED_COST
from assay.decisions.recomputing import alike
from assay.decisions.record import DecisionRecord
from assay.decisions.redaction import MARK
from assay.decisions.selecting import has_metric, matching
from assay.errors import AssayError
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.store.folders import TRANSCRIPTS
from assay.store.opening import reading

if TYPE_CHECKING:
    from assay.records import Answer

TEXTS = frozenset({"input", "completion", "references"})
"""Fields whose redaction hides what answers are read from."""
RANGES = ((0, 1), (0, None), (None, None), (-1, 1), (0, 100), (1, 5), (0, 5), (1, 10), (0, 10), (None, 0))
"""What values of a metric that is not installed may lie between: nothing in a run says so, but its intervals show it."""
MOST = 16
"""Ranges, of all such metrics together, that are tried."""


def installed(name: str) -> bool:
    """Whether a metric can be computed here."""
    try:
        return find(name).computable
    except AssayError:
        return False


def untakeable(profile: Profile, evidence: Evidence, known: Mapping[str, Metric], hidden: Collection[str]) -> list[str]:
    """The names of the measures that cannot be taken here; the expected cost is one of them.

    Args:
        profile: whose measures they are.
        evidence: the runs.
        known: stand-ins for metrics that are not installed.
        hidden: the fields that are redacted.
    """
    runs = [run for by in evidence.runs.values() for run in by.values()]
    grouped = "input" in hidden and any(_hides_groups(run) for run in runs)
    mains = {run.main_metric for run in runs if run.main_metric}
    here = all(map(installed, mains))
    found = [
        each.name
        for each in (*profile.criteria, *profile.constraints)
        if grouped or _hides(each, hidden) or not _is_takeable(each, known, hidden, here)
    ]
    costs = profile.costs
    if costs is not None and (grouped or (costs.error and not (installed(costs.metric) if costs.metric else here))):
        found.append(EXPECTED_COST)
    return found


def _hides_groups(run: Run) -> bool:
    """Whether it cannot be told which instances belong together."""
    import polars as pl

    path = run.folder.path / TRANSCRIPTS
    with reading([str(path)]):
        return bool(pl.scan_parquet(path).select((pl.col("group") == MARK).any()).collect().item())


def _hides(measure: Measure, hidden: Collection[str]) -> bool:
    axis = measure.subgroup.partition("=")[0]
    return bool(axis) and ("subgroups" in hidden or axis in hidden)


def _is_takeable(measure: Measure, known: Mapping[str, Metric], hidden: Collection[str], mains: bool) -> bool:
    metric = known.get(measure.metric)
    if metric is None:
        if not installed(measure.metric):
            return False
        metric = find(measure.metric)
    if metric.of_answer is not None:
        return True
    if metric.of_counts is not None:
        return TEXTS.isdisjoint(hidden)
    read = set(columns_read(metric)) - SCORED - {"score"} - (set() if "completion" in hidden else {"confidence"})
    return mains and (not read or TEXTS.isdisjoint(hidden))


def leaving_out(profile: Profile, names: Collection[str]) -> Profile:
    """The profile without some of its measures."""
    return msgspec.structs.replace(
        profile,
        criteria=tuple(each for each in profile.criteria if each.name not in names),
        constraints=tuple(each for each in profile.constraints if each.name not in names),
        costs=None if EXPECTED_COST in names else profile.costs,
    )


def stand_ins(record: DecisionRecord, evidence: Evidence, lacking: Collection[str]) -> list[dict[str, Metric]]:
    """What may stand in for the metrics that are not installed, by name: all ways that give the estimates in the runs.

    Unit and direction are those that the record says. A metric of whose values the runs hold none, or none that these give, has
    none. Where there is nothing to stand in for, that is the one way.

    Raises:
        AssayError: a run's files cannot be read.
    """
    found: dict[str, list[Metric]] = {}
    for name in lacking:
        runs = [run for by in evidence.runs.values() for run in by.values() if has_metric(run, name)]
        made = _said(record, name)
        fitting = _fitting(runs, made) if runs and made else []
        if fitting:
            found[name] = fitting
    ways = itertools.islice(itertools.product(*found.values()), MOST)
    return [dict(zip(found, way, strict=True)) for way in ways]


def _nothing(answer: Answer) -> float | None:
    raise AssertionError(answer)  # what it is of each answer is read, and never computed


def _said(record: DecisionRecord, name: str) -> list[Metric]:
    """A metric as its record speaks of it, with any range; as it is, where only what it computes with is missing."""
    try:
        known = find(name)
        return [known] if known.of_answer is not None else []
    except AssayError:
        pass
    units = {each.name: each.unit for each in (*record.profile.criteria, *record.profile.constraints) if each.metric == name}
    told = [one for standing in record.decision.standings[:1] for one in standing.measurements if one.measure in units]
    if not told:
        return []
    unit = next((one.unit for one in told if not units[one.measure]), "")
    return [Metric(name, "accuracy", each, told[0].better, "", unit, of_answer=_nothing) for each in RANGES]


def _fitting(runs: Sequence[Run], metrics: Sequence[Metric]) -> list[Metric]:
    """Those that give the estimates of the runs."""
    left = list(metrics)
    whole = Measure(name="whole", metric=metrics[0].name)
    for run in runs:
        asked = load({run.candidate: run}, Needs(scores=frozenset({whole.metric})))
        (trials,) = asked.trials.values()
        stored = trials.cells.get((whole.metric, asked.split, None, None, "original"))
        left = [each for each in left if _alike(part_of(asked, whole, each).estimates[0], stored)]
    return left


def _alike(one: object, other: object) -> bool:
    return alike(msgspec.to_builtins(one), msgspec.to_builtins(other), exact=False)


def matched(measure: Measure, evidence: Evidence) -> Iterator[str]:
    """The scenarios that a measure is taken in."""
    for title in matching(measure.scenarios, evidence.runs):
        if any(has_metric(run, measure.metric) for run in evidence.runs[title].values()):
            yield title
