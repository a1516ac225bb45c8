"""What a user wants to be sure of: `accuracy±0.02`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from assay import registry
from assay.errors import AssayError, unknown
from assay.metrics import Metric

MAIN = "accuracy"
"""Stands for the main metric of each scenario."""
FORM = "write metric±half width, for example accuracy±0.02 or exact_match+-0.03"
NUMBER = re.compile(r"\+?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)
NARROWEST = 1e-6
"""Half widths below this are refused: no interval is computed that exactly."""


@dataclass(frozen=True)
class Target:
    """A metric, and how wide the interval of its mean may be to either side."""

    metric: str
    """`accuracy`: each scenario's main metric."""
    within: float

    def of(self, metrics: tuple[Metric, ...]) -> Metric | None:
        """The metric of a run that is meant, the main one standing first; `None` where the run does not measure it."""
        if self.metric == MAIN:
            return metrics[0]
        return next((metric for metric in metrics if metric.name == self.metric), None)


def parse_targets(text: str) -> tuple[Target, ...]:
    """One or several targets, with commas between them.

    Raises:
        AssayError: malformed, a half width that is not above 0, a metric that there is not or that comes twice, or one that is
            no mean over answers of values between two bounds.
    """
    targets = tuple(_target(part.strip()) for part in text.split(","))
    names = [target.metric for target in targets]
    for name in names:
        if names.count(name) > 1:
            raise AssayError(f"--until names {name} twice", "leave one out")
    return targets


def _target(text: str) -> Target:
    found = re.fullmatch(r"([^±+\s]+)\s*(?:±|\+/?-)\s*(\S+)", text)
    if found is None:
        raise AssayError(f"--until {text[:80]!r} is not understood", FORM)
    name, number = found.groups()
    within = float(number) if NUMBER.fullmatch(number) else math.nan
    if not 0 < within < math.inf:
        raise AssayError(f"--until {text[:80]!r}: {number[:40]!r} is no half width above 0", FORM)
    if within < NARROWEST:
        raise AssayError(f"--until {text[:80]!r}: no interval can be known to be that narrow", f"at least {NARROWEST:f}")
    if name != MAIN:
        if name not in registry.metrics.names():
            raise unknown("metric", name, [MAIN, *registry.metrics.names()])
        check_followed(registry.metrics.get(name))
    return Target(name, within)


def check_followed(metric: Metric) -> None:
    """Refuse a metric whose interval cannot be followed while a run grows.

    Raises:
        AssayError: it is no mean over answers, or its values have no bounds.
    """
    if metric.of_answer is None:
        raise AssayError(f"--until cannot follow {metric.name}: it is no mean over single answers", "name another metric")
    if None in metric.range:
        raise AssayError(f"--until cannot follow {metric.name}: its values have no bounds", "name another metric")
