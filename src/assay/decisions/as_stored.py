"""What a record says of measures that cannot be taken here, against the estimates in its runs, and how far bounds must lie."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from assay.comparison.evidence import Evidence
from assay.decisions.answers import ORIGINAL, Asked, Needs
from assay.decisions.constraints import reach_of
from assay.decisions.counting import meant
from assay.decisions.differing import differences, short
from assay.decisions.loading import load
from assay.decisions.parts import part_of
from assay.decisions.profile import Constraint, Measure, Profile
from assay.decisions.record import DecisionRecord
from assay.decisions.redaction import MARK
from assay.decisions.results import Held
from assay.decisions.takeable import installed, matched
from assay.decisions.worth import bounds_of
from assay.errors import AssayError
from assay.metrics.derived import find
from assay.records import Estimate
from assay.statistics.estimates import Z95, t_quantile, weighted_mean
from assay.text import one_line

NEAR = 1e-6
"""How far a rounded bound may lie from the bound, relative to the interval."""
LOOSE = 0.5
"""The least part of the distance of a Wilson interval's end that a bound at a confidence above one half keeps, where the
bounds of the metric are not known."""


class Stored:
    """Compares the measures that cannot be taken with the estimates of the runs."""

    def __init__(self, record: DecisionRecord, evidence: Evidence, unread: Collection[str]) -> None:
        self.record = record
        self.evidence = evidence
        self.unread = unread
        self.unchecked: list[str] = []
        """Values that nothing here shows, fills while they are compared."""
        self._asked: dict[tuple[str, bool, bool, str], Asked] = {}

    def problems(self) -> Iterator[str]:
        """Where a value, its interval, or a bound is not what the runs' own estimates allow, a line each."""
        profile = self.record.profile
        for measure in (*profile.criteria, *profile.constraints):
            if measure.name not in self.unread:
                continue
            titles = list(matched(measure, self.evidence))
            for standing in self.record.decision.standings:
                told = next(one.estimate for one in standing.measurements if one.measure == measure.name)
                where = f"decision.standings of {one_line(standing.candidate, 80)}"
                yield from (f"{where}: {line}" for line in self._measurement(measure, titles, standing.candidate, told))
                if isinstance(measure, Constraint) and told is not None:
                    held = next(one for one in standing.constraints if one.constraint == measure.name)
                    if not reaches(held, measure, told, profile):
                        yield f"{where}: the bound of {short(measure.name)} is not one that evidence of that size has"

    def _measurement(self, measure: Measure, titles: Sequence[str], candidate: str, told: Estimate | None) -> Iterator[str]:
        name = one_line(measure.name, 80)
        asked = [self._of(title, measure) for title in titles]
        found = [self._cell(one, measure, candidate) for one in asked]
        same = [one for one in asked if candidate not in one.trials or self._alike(one, measure, candidate)]
        there = [one for one in found if one is not None]
        plain = measure.on == "original" and not measure.subgroup  # of small groups a run has no estimates
        if len(same) == len(asked) and (plain or told is None or len(there) == len(found)):
            meant = None if len(there) < len(found) or not there else there[0] if len(there) == 1 else weighted_mean(there)
            if (told is None) != (meant is None):
                yield f"{name} is {_value(told)}, in the estimates of its run {_value(meant)}"
            elif told is not None and meant is not None:
                lines = differences(name, msgspec.to_builtins(told), msgspec.to_builtins(meant), exact=False)
                first = next(lines, None)
                if first is not None and told.value == meant.value:
                    yield first.replace("recomputed", "in the estimates of its run")
                elif first is not None:
                    yield f"{name} is {_value(told)}, in the estimates of its run {_value(meant)}"
        else:
            yield from self._fewer(measure, asked, candidate, told)

    def _fewer(self, measure: Measure, asked: Sequence[Asked], candidate: str, told: Estimate | None) -> Iterator[str]:
        """Over the instances that all were asked the run has no estimate: of single answers the values are there."""
        name = one_line(measure.name, 80)
        plain = installed(measure.metric) and find(measure.metric).of_answer is not None
        if plain and not measure.subgroup and told is not None and all(candidate in one.trials for one in asked):
            parts = [part_of(one, measure, find(measure.metric)) for one in asked]
            found = [part.estimates[list(one.trials).index(candidate)] for part, one in zip(parts, asked, strict=True)]
            there = [one for one in found if one is not None]
            if len(there) == len(found):
                mean = there[0] if len(there) == 1 else weighted_mean(there)
                if mean is not None and (told.n != mean.n or abs(told.value - mean.value) > 1e-9):
                    yield f"{name} is {_value(told)} of {told.n:,} answers, recomputed {_value(mean)} of {mean.n:,}"
        elif told is not None and all(candidate in one.trials for one in asked):
            most = sum(_common(one, measure, candidate) for one in asked)
            if told.n > most:
                yield f"{name} rests on {told.n:,} answers, and there are {most:,}"
        self.unchecked.append(f"{name} of {one_line(candidate, 80)}")

    def _of(self, title: str, measure: Measure) -> Asked:
        scores = installed(measure.metric) and find(measure.metric).of_answer is not None
        copies, groups = measure.on != "original", bool(measure.subgroup)
        key = (title, copies, groups, measure.metric if scores else "")
        if key not in self._asked:
            needs = Needs(scores=frozenset({key[3]} - {""}), copies=copies, subgroups=groups)
            self._asked[key] = load(self.evidence.runs[title], needs)
        return self._asked[key]

    def _cell(self, asked: Asked, measure: Measure, candidate: str) -> Estimate | None:
        if candidate not in asked.trials:
            return None
        place = (measure.subgroup or None, measure.perturbation or None, measure.on)
        return asked.trials[candidate].cells.get((measure.metric, asked.split, *place))

    def _alike(self, asked: Asked, measure: Measure, candidate: str) -> bool:
        """Whether the run's own estimate is about the very same answers."""
        trials = asked.trials[candidate]
        return bool(asked.common[trials.instance].all()) and (measure.on == "original" or bool(measure.perturbation))


def _common(asked: Asked, measure: Measure, candidate: str) -> int:
    """How many answers of a candidate a measure can rest on; those of a hidden group may be all of them."""
    import numpy as np

    trials = asked.trials[candidate]
    names = [asked.perturbations.index(name) for name in meant(asked, measure)] if measure.on != "original" else []
    chosen = np.isin(trials.perturbation, names) if names else trials.perturbation == ORIGINAL
    hidden = any(value == MARK for groups in asked.subgroups for value in groups.values())
    chosen = chosen & asked.common[trials.instance]
    return int((chosen if hidden else chosen & asked.members(measure.subgroup)[trials.instance]).sum())


def reaches(held: Held, constraint: Constraint, estimate: Estimate, profile: Profile) -> bool:
    """Whether a bound lies at least as far from the value as evidence of that size lets it; that of a share just so far.

    Further out it may lie where it rests on resamples.
    """
    import numpy as np

    if held.bound is None or estimate.low is None or estimate.high is None:
        return True
    side = 1 if constraint.at_most is not None else -1
    side = -side if held.verdict == "violated" else side
    sure = profile.confidence if constraint.confidence is None else constraint.confidence
    width = max(estimate.high - estimate.low, abs(held.bound - estimate.value))
    try:
        metric = find(constraint.metric)
    except AssayError:
        return side * held.bound >= side * _least(estimate, side, sure) - NEAR * width
    reach = reach_of(estimate, bounds_of(constraint, metric), np.empty(0), sure)
    if reach is None:
        return True
    least = reach(side, 1.0)
    if estimate.method == "wilson":
        return abs(held.bound - least) <= NEAR * width
    return side * held.bound >= side * least - NEAR * width


def _least(estimate: Estimate, side: int, sure: float) -> float:
    """The nearest that a bound can lie, whatever the metric's range."""
    from scipy.special import ndtri, stdtrit

    end = estimate.high if side > 0 else estimate.low
    assert end is not None
    if estimate.method == "t":
        part = float(stdtrit(estimate.clusters - 1, sure)) / t_quantile(estimate.clusters - 1)
    else:
        ratio = float(ndtri(sure)) / Z95
        part = max(ratio, ratio * ratio) * (1.0 if estimate.method.startswith("bootstrap") else LOOSE)
    return estimate.value + min(1.0, part) * (end - estimate.value)


def _value(estimate: Estimate | None) -> str:
    return "nothing" if estimate is None else short(estimate.value)
