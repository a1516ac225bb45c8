"""Which scenarios a measure is taken in, and whether the runs there may be compared by it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assay.comparison.contract import differences, refusal
from assay.comparison.evidence import Evidence, Run
from assay.comparison.results import Difference
from assay.decisions.contract_notes import note_of
from assay.decisions.measure_checks import judges_right
from assay.decisions.profile import Costs, Measure, Profile
from assay.errors import AssayError, unknown
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.text import one_line

SHOWN = 4
"""Scenarios that an error names."""


def scenarios_of(measure: Measure, evidence: Evidence) -> tuple[str, ...]:
    """The scenarios that a measure names, or all, in which any candidate's run has its metric.

    Raises:
        AssayError: no scenario matches one of its patterns, or none that matches has the metric.
    """
    named = matching(measure.scenarios, evidence.runs)
    found = tuple(
        scenario for scenario in named if any(has_metric(run, measure.metric) for run in evidence.runs[scenario].values())
    )
    if not found:
        where = "in any scenario" if not measure.scenarios else f"in {', '.join(named[:SHOWN])}"
        problem = f"{one_line(measure.name, 80)!r}: {measure.metric} was not measured {where}"
        raise AssayError(problem, f"`assay rescore RUNS --metric {measure.metric}` measures it")
    return found


def matching(patterns: Sequence[str], titles: Iterable[str]) -> tuple[str, ...]:
    """The titles that match any of the patterns, in their own order; all where there are no patterns.

    Raises:
        AssayError: a pattern matches none; the message has the nearest titles.
    """
    known = tuple(titles)
    chosen = set()
    for pattern in patterns:
        wanted = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
        held = [title for title in known if wanted.fullmatch(title)]
        if not held:
            raise unknown("scenario", pattern, known)
        chosen.update(held)
    return tuple(title for title in known if title in chosen) if patterns else known


def has_metric(run: Run, metric: str) -> bool:
    """Whether a run measured a metric."""
    return any(named.name == metric for named in run.file.spec.metrics)


def costed(costs: Costs, evidence: Evidence) -> tuple[str, ...]:
    """The scenarios in which it is known of each answer whether it is right, of those that the costs name.

    All of those, where an error costs nothing.

    Raises:
        AssayError: as `scenarios_of`.
    """
    if not costs.error:
        return matching(costs.scenarios, evidence.runs)
    found = tuple(
        scenario
        for scenario in matching(costs.scenarios, evidence.runs)
        if all(has_metric(run, costs.metric or run.main_metric) for run in evidence.runs[scenario].values())
        and all(judges_right(find(costs.metric or run.main_metric)) for run in evidence.runs[scenario].values())
    )
    if not found:
        problem = "the costs cannot be computed: no scenario has a metric that tells right answers from wrong ones"
        raise AssayError(problem, "name one that was measured, such as metric: exact_match")
    return found


def check_contract(evidence: Evidence, measures: Iterable[tuple[Metric, Sequence[str]]], profile: Profile) -> list[str]:
    """Refuse candidates that were not asked alike where a measure is taken, or note what differs where that is allowed.

    Args:
        evidence: the runs.
        measures: the metric and the scenarios of each measure.
        profile: says whether differences are allowed.

    Raises:
        AssayError: runs differ in what their numbers rest on; the message has the keys.
    """
    found: dict[tuple[str, str], Difference] = {}
    pairs = {(metric.name, scenario): metric for metric, scenarios in measures for scenario in scenarios}
    for (name, scenario), metric in pairs.items():
        runs = evidence.runs[scenario]
        specs = {candidate: run.file.spec for candidate, run in runs.items() if has_metric(run, name)}
        if len(specs) > 1:
            found |= {(scenario, each.key): each for each in differences(scenario, specs, metric)}
    if found and not profile.allow_differences:
        raise refusal(list(found.values()), "write allow_differences: true into the profile, which puts them on record")
    return [note_of(each) for each in found.values()]
