"""A candidate's missing answers, put in with the worst value they could have, so that a gate counts them against it.

An answer is missing where its request failed; where an instance or a copy was asked of others but not of this candidate; and,
for what a judge or a toxicity scorer rates, where it gave no rating. (Refused, empty and cut-off answers are answers.)
What the worst value is depends on what a metric is made of:

    values of single answers        the end of the metric's range that breaks the limit; of a change, the two ends
    confidence and rightness        the worst of four answers: sure or not sure at all, right or wrong
    everything else, and a range    there is none: the missing answers are counted only
    without that end
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay import judging
from assay.comparison.evidence import Evidence
from assay.decisions.answers import ORIGINAL, Asked, Trials
from assay.decisions.counting import meant, pairs, rows_of
from assay.decisions.measuring import Taking
from assay.decisions.parts import Part, part_of
from assay.decisions.profile import Constraint, Costs, Measure
from assay.decisions.widening import Completed, same_items, widened
from assay.metrics import Metric
from assay.records import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats

JUDGED = frozenset({"confidence", "score"})
"""What a summary may read and still have a worst answer."""


@dataclass(frozen=True)
class Completing(Taking):
    """Takes constraints of one candidate, and counts its missing answers."""

    candidate: str
    evidence: Evidence
    """Its runs and those of the others."""
    worst: bool
    """Put the worst value in, where there is one; else leave them out."""
    missing: Counter[str] = field(default_factory=Counter)
    """By name of the constraint; fills while measures are taken."""

    def ready(self, asked: Asked) -> Asked:
        """With a failed answer to all that was asked of others only."""
        runs = self.evidence.runs[asked.scenario]
        run = runs[self.candidate]
        others = [other for name, other in runs.items() if name != self.candidate and same_items(run, other)]
        return widened(asked, run, others) if others else asked

    def part(self, asked: Asked, measure: Measure, metric: Metric, costs: Costs | None) -> Part:
        """A constraint in one scenario."""
        assert isinstance(measure, Constraint)
        count = _count(asked, measure, metric)
        self.missing[measure.name] += count
        if not (count and self.worst and has_worst(measure, metric)):
            return part_of(asked, measure, metric, costs)
        if metric.of_answer is not None:
            return part_of(_with_values(asked, measure, metric), measure, metric, costs)
        extremes = itertools.product((1.0, 0.0), repeat=2)
        parts = [part_of(_with_answers(asked, metric, sure, right), measure, metric, costs) for sure, right in extremes]
        return max(parts, key=lambda part: _badness(part.estimates[0], measure))


def has_worst(constraint: Constraint, metric: Metric) -> bool:
    """Whether a missing answer has a worst value under a metric."""
    if metric.of_answer is not None and constraint.on == "change":
        return None not in metric.range
    if metric.of_answer is None and not (metric.needs and JUDGED.issuperset(metric.needs)):
        return False
    return _end(constraint, metric) is not None


def _end(constraint: Constraint, metric: Metric) -> float | None:
    """The end of the metric's range that breaks the limit."""
    return metric.range[1 if constraint.at_most is not None else 0]


def _badness(estimate: Estimate | None, constraint: Constraint) -> float:
    if estimate is None:
        return float("-inf")
    return estimate.value if constraint.at_most is not None else -estimate.value


def _count(asked: Asked, measure: Measure, metric: Metric) -> int:
    """How many answers that count to a measure are missing."""
    import numpy as np

    (trials,) = asked.trials.values()
    lost = _lost(trials, metric)
    if measure.on == "change":
        copies, originals = pairs(asked, trials, measure)
        return int((lost[copies] | lost[originals]).sum())
    if measure.on == "worst":
        names = [asked.perturbations.index(name) for name in meant(asked, measure)]
        copies = np.flatnonzero(np.isin(trials.perturbation, names))
        whole = measure.perturbation not in asked.perturbations
        families = trials.perturbation == ORIGINAL
        if not whole:
            families &= np.isin(trials.instance, trials.instance[copies])
        families[copies] = True
        return int((lost & families & asked.members(measure.subgroup)[trials.instance]).sum())
    return int(lost[rows_of(asked, trials, measure)].sum())


def _lost(trials: Trials, metric: Metric) -> NDArray[np.bool_]:
    """Which trials have no value because their request failed, or because whoever was to rate the answer did not."""
    import numpy as np

    failed: NDArray[np.bool_] = trials.value("failed") == 1
    if metric.of_answers is not None:
        return failed
    there = trials.counts[metric.name].there if metric.of_counts is not None else ~np.isnan(trials.value(metric.name))
    unrated = bool(there.any()) and (metric.family == "toxicity" or metric.name == judging.METRIC)
    return ~there & (failed | unrated)


def _put(asked: Asked, lost: NDArray[np.bool_], columns: Mapping[str, float | Floats]) -> Asked:
    """With values in some columns where an answer is lost and has none."""
    import numpy as np

    ((candidate, trials),) = asked.trials.items()
    there = {name: trials.value(name) for name in columns}
    filled = {name: np.where(lost & np.isnan(there[name]), value, there[name]) for name, value in columns.items()}
    values = {**trials.values, **filled}
    return replace(
        asked,
        trials={candidate: Completed(trials.run, trials.instance, trials.perturbation, trials.question, values)},
    )


def _with_values(asked: Asked, constraint: Constraint, metric: Metric) -> Asked:
    """With the worst value of a metric of single answers. Of a change from an original, the original has the other end."""
    import numpy as np

    (trials,) = asked.trials.values()
    low, high = metric.range
    end = _end(constraint, metric)
    other = (low if end == high else high) if constraint.on == "change" else end
    assert end is not None
    assert other is not None
    return _put(asked, _lost(trials, metric), {metric.name: np.where(trials.perturbation == ORIGINAL, other, end)})


def _with_answers(asked: Asked, metric: Metric, confidence: float, score: float) -> Asked:
    """With answers that are so sure and so right, from 0 to 1."""
    (trials,) = asked.trials.values()
    return _put(asked, _lost(trials, metric), {"confidence": confidence, trials.run.main_metric: score})
