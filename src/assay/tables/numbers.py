"""Numbers as people read them: no more digits than are known, and as many as a small number needs."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

from assay.records import Estimate

NOT_MEASURED = "–"
MOST_DIGITS = 3
"""Digits after the point of a number near 1; and significant ones of a smaller number."""
SHOWN_STEPS = 4
"""An interval is written with as many digits as make it at least this many steps of the last one wide."""
SMALLEST_PLAIN = 1e-6
"""Smaller numbers are written with an exponent."""
NOTHING = 1e-12
"""What is smaller came of rounding."""


def format_estimate(estimate: Estimate, digits: int | None = None) -> str:
    """A value with its interval, with no more digits than the interval supports; `[?]` where there is none.

    Args:
        estimate: the value.
        digits: after the point, where they were settled for several together (`even_digits`).
    """
    known = [number for number in (estimate.value, estimate.low, estimate.high) if number is not None]
    largest = max(map(abs, known))
    if NOTHING < largest < SMALLEST_PLAIN:
        texts = [f"{number:.1e}" for number in known]
    else:
        digits = _digits(estimate, largest) if digits is None else digits
        texts = [f"{number:.{digits}f}" for number in known]
    return f"{texts[0]} [{texts[1]}, {texts[2]}]" if len(texts) == 3 else f"{texts[0]} [?]"


def even_digits(estimates: Sequence[Estimate]) -> list[int | None]:
    """Digits after the point for numbers that stand below each other: the fewest that any of them supports, as far as that
    leaves the others at least two digits, their own but one, and an interval of at least two steps; `None`: its own."""
    own = [_supported(estimate) for estimate in estimates]
    least = max(MOST_DIGITS - 1, min((digits for digits in own if digits is not None), default=0))
    found: list[int | None] = []
    for estimate, digits in zip(estimates, own, strict=True):
        width = 0.0 if estimate.low is None or estimate.high is None else estimate.high - estimate.low
        fewer = digits is not None and digits == least + 1 and width * 10**least >= 2
        found.append(least if fewer else None)
    return found


def _supported(estimate: Estimate) -> int | None:
    """Digits after the point that a number's interval supports; `None` where it is written with an exponent."""
    known = [number for number in (estimate.value, estimate.low, estimate.high) if number is not None]
    largest = max(map(abs, known))
    return None if NOTHING < largest < SMALLEST_PLAIN else _digits(estimate, largest)


def format_amount(amount: float | None) -> str:
    """A price: four digits after the point, or as many as its first two significant ones need."""
    if amount is None:
        return NOT_MEASURED
    if NOTHING < abs(amount) < SMALLEST_PLAIN:
        return f"{amount:.1e}"
    return f"{amount:,.{max(4, 2 + _zeros(abs(amount)))}f}"


def _zeros(number: float) -> int:
    """Zeros between the point and the first other digit; 0 for what counts as nothing."""
    return max(0, -floor(log10(number)) - 1) if number > NOTHING else 0


def _digits(estimate: Estimate, largest: float) -> int:
    """Digits after the point: two for small numbers, more only where the interval is narrow, none where it spans units."""
    width = (estimate.high - estimate.low) if estimate.low is not None and estimate.high is not None else 0.0
    zeros = _zeros(largest)
    least = 2 if abs(estimate.value) < 10 else 0
    if width <= 1e-9 * max(largest, NOTHING):
        return 2 + zeros
    digits = 0
    while width * 10**digits < SHOWN_STEPS and digits < MOST_DIGITS + zeros:
        digits += 1
    return max(least, digits)
