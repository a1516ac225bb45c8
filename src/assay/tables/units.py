"""What is too small to be read for one answer: tables show what a thousand answers cost, and say so in their heads."""

from __future__ import annotations

import msgspec

from assay.errors import AssayError
from assay.metrics.derived import find
from assay.records import Cell, Estimate

PER_THOUSAND = {"cost": "cost per 1,000 answers", "cost_per_correct": "cost per 1,000 right answers"}
"""Metrics that are shown for a thousand answers, and what they are called then."""
WITHOUT_UNIT = ("flips", "ratio")
"""What is a share or a quotient, whatever it is computed of."""


def named(metric: str) -> str:
    """What tables call a metric: its own name, or that of what is shown for it."""
    return PER_THOUSAND.get(metric, metric)


def factor(metric: str) -> int:
    """For how many answers a metric is shown."""
    return 1000 if metric in PER_THOUSAND else 1


def shown(metric: str, estimate: Estimate) -> Estimate:
    """An estimate of a metric, or of a difference in it, in the unit that tables show it in."""
    by = factor(metric)
    if by == 1:
        return estimate
    low, high = (None if bound is None else by * bound for bound in (estimate.low, estimate.high))
    return msgspec.structs.replace(estimate, value=by * estimate.value, low=low, high=high)


def shown_cell(cell: Cell) -> Cell:
    """A cell with its estimate in that unit."""
    if factor(cell.metric) == 1 or cell.computed_on in WITHOUT_UNIT:
        return cell
    return msgspec.structs.replace(cell, estimate=shown(cell.metric, cell.estimate))


def family_of(metric: str) -> str:
    """The family of a metric; `other` for one that is not registered here."""
    try:
        return find(metric).family
    except AssayError:
        return "other"
