"""What a measure of a profile can mean: its metric, on what, worth how much, within which limit; a line for what cannot be."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from pathlib import Path

from assay.decisions.profile import Constraint, Criterion, Measure
from assay.errors import AssayError
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.statistics.worst import QUALITY, has_worst_case
from assay.text import one_line
from assay.yaml_files import at_line

LONGEST_NAME = 200

Steps = tuple[str | int, ...]
Range = tuple[float, float]


@dataclass(frozen=True)
class Place:
    """A mapping of the profile's file, for messages."""

    path: Path
    steps: Steps = ()
    what: str = ""
    """`criterion 'right answers'`; empty: the profile itself."""

    def error(self, key: str, problem: str, fix: str = "") -> AssayError:
        """`profile.yaml, line 7: criterion 'right answers': problem (fix)`."""
        who = f"{self.what}: " if self.what else ""
        return AssayError(f"{at_line(self.path, *self.steps, key)}: {who}{problem}", fix)

    def inner(self, key: str, what: str) -> Place:
        """A mapping within this one."""
        return Place(self.path, (*self.steps, key), what)


def check_text(key: str, text: str, place: Place, longest: int | None = LONGEST_NAME) -> None:
    if not any(mark.isprintable() and not mark.isspace() for mark in text):
        raise place.error(key, f"{key} is empty", "write a word or two")
    if longest is not None and (len(text) > longest or "\n" in text):
        raise place.error(key, f"{key} is longer than a line", f"at most {longest} characters")


def check_measure(measure: Measure, place: Place) -> Metric:
    """What a criterion or a constraint measures; its metric."""
    check_text("name", measure.name, place)
    metric = metric_named(measure.metric, place)
    for pattern in measure.scenarios:
        check_text("scenarios", pattern, place, longest=None)
    axis, equals, group = measure.subgroup.partition("=")
    if measure.subgroup and not (axis and equals and group):
        raise place.error("subgroup", f"{one_line(measure.subgroup, 80)!r} is no subgroup", "write axis=value")
    if measure.perturbation and measure.on == "original":
        problem = "originals are not perturbed, so a perturbation says nothing"
        raise place.error("perturbation", problem, "add on: perturbed, worst or change")
    if measure.on == "worst" and not has_worst_case(metric):
        raise place.error("on", f"{metric.name} has no worst case over copies", "use a metric that judges each answer")
    if measure.on == "change" and not (has_worst_case(metric) or (metric.of_counts is not None and metric.family in QUALITY)):
        raise place.error("on", f"{metric.name} has no change between copies", "use a metric that judges each answer")
    return metric


def metric_named(name: str, place: Place) -> Metric:
    try:
        return find(name)
    except AssayError as error:
        raise place.error("metric", error.message, error.hint) from None


def possible(measure: Measure, metric: Metric) -> Range:
    """The smallest and largest value that a measure can have; infinite where there is no bound."""
    low, high = metric.range
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    return (least - most, most - least) if measure.on == "change" else (least, most)


def check_value(criterion: Criterion, metric: Metric, place: Place) -> None:
    low, high = possible(criterion, metric)
    value, held = criterion.value, place.inner("value", f"{place.what}: value")
    if value is None:
        said = "value: {unacceptable: …, satisfying: …}"
        if criterion.on == "change" or metric.better == "neither":
            what = f"the change of {metric.name}" if criterion.on == "change" else metric.name
            raise place.error("", f"what {what} is worth cannot be guessed", f"add {said}")
        if math.inf in (-low, high):
            raise place.error("", f"{metric.name} has no {'upper' if high == math.inf else 'lower'} bound", f"add {said}")
        return
    for key in ("unacceptable", "satisfying"):
        _check_inside(key, getattr(value, key), (low, high), metric, held)
    if value.unacceptable == value.satisfying:
        raise held.error("satisfying", f"unacceptable and satisfying are both {value.satisfying:g}", "they must differ")
    rising = value.satisfying > value.unacceptable
    if metric.better != "neither" and rising != (metric.better == "higher"):
        hint = "exchange unacceptable and satisfying"
        raise held.error(
            "satisfying", f"{metric.better} values of {metric.name} are better, here it is the other way round", hint
        )
    corners = [(value.unacceptable, 0.0), *value.points, (value.satisfying, 1.0)]
    for before, after in itertools.pairwise(corners):
        if not all(map(math.isfinite, after)) or not 0 <= after[1] <= 1:
            raise held.error("points", f"the worth of {after[0]:g} must lie between 0 and 1, not be {after[1]:g}")
        if before[0] == after[0] or (after[0] > before[0]) != rising:
            raise held.error("points", "points must lie in order from unacceptable to satisfying, between the two")
        if after[1] < before[1]:
            raise held.error("points", f"the worth falls to {after[1]:g} on the way from unacceptable to satisfying")


def check_limit(constraint: Constraint, metric: Metric, place: Place) -> None:
    given = [key for key in ("at_most", "at_least") if getattr(constraint, key) is not None]
    if not given:
        raise place.error("", "it has no limit", "add at_most or at_least")
    if len(given) == 2:
        raise place.error("at_most", "at_most and at_least exclude each other", "make two constraints of it")
    _check_inside(given[0], getattr(constraint, given[0]), possible(constraint, metric), metric, place)
    if constraint.confidence is not None and not is_confidence(constraint.confidence):
        problem = f"confidence must lie between 0.5 and 1, not be {constraint.confidence:g}"
        raise place.error("confidence", problem, "such as 0.95")


def _check_inside(key: str, value: float, bounds: Range, metric: Metric, place: Place) -> None:
    if not math.isfinite(value):
        raise place.error(key, f"{key} must be a number, not {value}")
    if not bounds[0] <= value <= bounds[1]:
        ends = f"between {bounds[0]:g} and {bounds[1]:g}" if math.inf not in (-bounds[0], bounds[1]) else (
            f"at least {bounds[0]:g}" if bounds[1] == math.inf else f"at most {bounds[1]:g}"
        )  # fmt: skip
        raise place.error(key, f"{key} is {value:g}, but values of {metric.name} are {ends}", "shares are written 0.95, not 95")


def judges_right(metric: Metric) -> bool:
    """Whether a metric says of each answer how right it is, from 0 to 1."""
    return metric.of_answer is not None and tuple(metric.range) == (0, 1) and metric.better == "higher"


def is_confidence(value: float) -> bool:
    return 0.5 < value < 1
