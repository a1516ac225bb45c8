"""Numbers as one reads them out: with their unit, and no more digits than are known."""

from __future__ import annotations

from assay.decisions.profile import Constraint, Measure
from assay.decisions.results import Held
from assay.metrics import Metric
from assay.records import Estimate
from assay.tables import NOT_MEASURED, format_estimate

BOUND = "Bound: one-sided, on the side that would break the limit; of what is violated on the other side, which shows it."
IN_PRICES = "in the currency of the prices"
MUCH_FEWER = 0.9
"""What rests on less than this share of another's answers rests on fewer, worth saying."""
MOST_DIGITS = 15
"""Significant digits after which two numbers are the same."""


def is_price(metric: Metric) -> bool:
    """Whether a metric's values are money, in whatever currency the model's prices are."""
    return metric.unit == "$"


def unit_of(measure: Measure, metric: Metric) -> str:
    """The unit of a measure: its own, or the metric's."""
    return measure.unit or (IN_PRICES if is_price(metric) else metric.unit)


def rests_on_fewer(estimate: Estimate, others: Estimate) -> bool:
    """Whether a value has clearly fewer answers behind it than another one."""
    return estimate.n < MUCH_FEWER * others.n


def with_unit(number: str, unit: str) -> str:
    """`2 s`, `0.5`."""
    return f"{number} {unit}" if unit else number


def limit_of(constraint: Constraint) -> float:
    """The one limit of a constraint."""
    limit = constraint.at_most if constraint.at_most is not None else constraint.at_least
    assert limit is not None
    return limit


def limit_in_words(constraint: Constraint, metric: Metric) -> str:
    """`at most 2 s`."""
    return limit_with_unit(constraint, unit_of(constraint, metric))


def limit_with_unit(constraint: Constraint, unit: str) -> str:
    """The same where the unit is known, and the metric need not be."""
    kind = "at most" if constraint.at_most is not None else "at least"
    return f"{kind} {with_unit(f'{limit_of(constraint):.12g}', unit)}"


def beside_limit(number: float, limit: float, text: str = "") -> str:
    """A number as it is written, with more digits where it would look to be at its limit or beyond it and is not.

    Args:
        number: a value or a bound.
        limit: what it is held against.
        text: the number as one would write it otherwise; empty: three significant digits.
    """
    digits = 3
    written = text or f"{number:.{digits}g}"
    while _side(float(written), limit) != _side(number, limit) and digits < MOST_DIGITS:
        digits += 1
        written = f"{number:.{digits}g}"
    return written


def _side(number: float, limit: float) -> int:
    return (number > limit) - (number < limit)


def held_in_words(held: Held) -> tuple[str | None, str | None]:
    """Value and bound of a constraint for a table, `None` where there is none; as `beside_limit` writes them."""
    value, bound = (None if number is None else beside_limit(number, held.threshold) for number in (held.value, held.bound))
    return value, bound


def in_words(estimate: Estimate | None, unit: str = "") -> str:
    """A value alone, with as many digits as its interval supports."""
    return NOT_MEASURED if estimate is None else with_unit(format_estimate(estimate).split(" ")[0], unit)


def told_apart(one: Estimate | None, other: Estimate | None) -> tuple[str, str]:
    """Two values, each with as many digits as its interval supports, or with more where they would read the same otherwise."""
    said = in_words(one), in_words(other)
    if one is None or other is None or one.value == other.value:
        return said
    digits = len(said[0].partition(".")[2])
    while said[0] == said[1] and digits < MOST_DIGITS:
        digits += 1
        said = f"{one.value:.{digits}f}", f"{other.value:.{digits}f}"
    return said


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
