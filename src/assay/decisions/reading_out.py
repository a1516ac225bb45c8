"""Numbers as one reads them out: with their unit, and no more digits than are known."""

from __future__ import annotations

from assay.decisions.profile import Constraint, Measure
from assay.metrics import Metric
from assay.records import Estimate
from assay.tables import NOT_MEASURED, format_estimate


def unit_of(measure: Measure, metric: Metric) -> str:
    """The unit of a measure: its own, or the metric's."""
    return measure.unit or metric.unit


def with_unit(number: str, unit: str) -> str:
    """`2 s`, `0.5`."""
    return f"{number} {unit}" if unit else number


def limit_in_words(constraint: Constraint, metric: Metric) -> str:
    """`at most 2 s`."""
    kind, limit = ("at most", constraint.at_most) if constraint.at_most is not None else ("at least", constraint.at_least)
    return f"{kind} {with_unit(f'{limit:.12g}', unit_of(constraint, metric))}"


def in_words(estimate: Estimate | None, unit: str = "") -> str:
    """A value alone, with as many digits as its interval supports."""
    return NOT_MEASURED if estimate is None else with_unit(format_estimate(estimate).split(" ")[0], unit)


def interval_in_words(low: float, high: float, value: float) -> str:
    """`-0.01 to 0.09`, with as many digits as the interval supports."""
    spoken = format_estimate(Estimate(value=value, low=low, high=high, n=0, clusters=0))
    return spoken[spoken.index("[") + 1 : -1].replace(", ", " to ")


def percent(share: float) -> str:
    """A share of draws, in whole percent; never 0 or 100 where it is neither."""
    if 0 < share < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < share < 1 else f"{100 * share:.0f} %"


def shares_in_words(*shares: float) -> list[str]:
    """Shares with two digits after the point, or as many as tell the first and the last of them apart."""
    digits = 2
    while digits < 6 and shares[0] != shares[-1] and f"{shares[0]:.{digits}f}" == f"{shares[-1]:.{digits}f}":
        digits += 1
    return [f"{share:.{digits}f}" for share in shares]
