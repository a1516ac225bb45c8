"""p values of many comparisons, corrected so that chance alone is not taken for a finding."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p values with which the chance of any false finding in the family stays below the level (Holm 1979).

    Args:
        p_values: one a comparison; `None` where there is no test, which then does not count.

    Returns:
        The corrected values in the same order, `None` where there is no test.
    """
    order = _ascending(p_values)
    corrected: list[float | None] = [None] * len(p_values)
    least = 0.0
    for rank, (p, place) in enumerate(order):
        least = max(least, min(1.0, p * (len(order) - rank)))
        corrected[place] = least
    return corrected


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """p values with which, of all findings, the share of false ones is expected below the level (Benjamini, Hochberg 1995)."""
    order = _ascending(p_values)
    corrected: list[float | None] = [None] * len(p_values)
    most = 1.0
    for rank in range(len(order), 0, -1):
        p, place = order[rank - 1]
        most = min(most, p * (len(order) / rank))
        corrected[place] = most
    return corrected


def _ascending(p_values: Sequence[float | None]) -> list[tuple[float, int]]:
    """The values that are there, smallest first, each with its place."""
    return sorted((p, place) for place, p in enumerate(p_values) if p is not None)
