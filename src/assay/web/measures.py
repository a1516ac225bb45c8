"""What metrics mean, for heads of columns, hovers, shades and the glossary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import msgspec

from assay.errors import AssayError
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.records import Cell as StatsCell
from assay.records import Estimate
from assay.tables.numbers import NOT_MEASURED, format_estimate
from assay.web.addresses import Address
from assay.web.grids import Cell, Column

DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "neither": "neither end is better"}
PER_THOUSAND = {"cost": "cost per 1,000 answers", "cost_per_correct": "cost per 1,000 right answers"}
"""Metrics that are too small to be read for one answer."""


@dataclass(frozen=True)
class Meaning:
    """What a metric means."""

    name: str
    about: str
    """Its first sentence or paragraph; empty for a metric that is not registered here (a plugin's)."""
    family: str
    direction: str
    """Which end is better, in words; empty where not known."""
    metric: Metric | None

    @property
    def note(self) -> str:
        """In one line, for a hover."""
        return " ".join(filter(None, (self.about, f"({self.direction})" if self.direction else "")))


@lru_cache(maxsize=1024)
def meaning(name: str) -> Meaning:
    """What a metric means; of one that nobody knows, its name alone."""
    try:
        metric = find(name)
    except AssayError:
        return Meaning(name, "", "other", "", None)
    about = " ".join(metric.about.split("\n\n")[0].split())
    return Meaning(name, about, metric.family, DIRECTIONS[metric.better], metric)


def anchor(metric: str) -> str:
    """The id of a metric's entry in the glossary."""
    from assay.store.folders import safe

    return f"metric-{safe(metric)}"


def explained(metric: str) -> Address:
    """Where the glossary explains a metric."""
    return Address("glossary", at=anchor(metric))


def metric_column(metric: str, head: str = "") -> Column:
    """A column of a metric's values: what it means on hover, which end is better, and a link to the glossary."""
    return Column(metric, head or readable(metric), note=meaning(metric).note, to=explained(metric), better=better_end(metric))


def better_end(metric: str) -> str:
    """`higher` or `lower`; empty where neither end is better or nobody knows."""
    found = meaning(metric).metric
    return "" if found is None or found.better == "neither" else found.better


def readable(metric: str) -> str:
    """What tables call a metric: its column in the table of a suite, or its name."""
    return PER_THOUSAND.get(metric) or _titles().get(metric, metric)


@lru_cache(maxsize=1)
def _titles() -> dict[str, str]:
    from assay.tables.suite import COLUMNS

    return {column.metric: column.title for column in COLUMNS if column.metric and column.perturbation is None}


def metric_name(metric: str) -> Cell:
    """A metric as the name of a row: what it means on hover, and a link to the glossary."""
    return Cell(metric, readable(metric), explained(metric), meaning(metric).note)


def metric_cell(metric: str, found: StatsCell | None, shade: float | None = None) -> Cell:
    """A metric's estimate; what single answers cost is shown for a thousand of them, and downloaded as it is."""
    cell = estimate_cell(found, None, shade)
    if found is None or metric not in PER_THOUSAND:
        return cell
    estimate = found.estimate
    low, high = (None if bound is None else 1000 * bound for bound in (estimate.low, estimate.high))
    shown = msgspec.structs.replace(estimate, value=1000 * estimate.value, low=low, high=high)
    return replace(cell, text=format_estimate(shown))


def estimate_cell(
    found: Estimate | StatsCell | None, to: Address | None = None, shade: float | None = None, note: str = ""
) -> Cell:
    """A place in a table for an estimate, with no more digits than its interval supports; a dash where there is none."""
    estimate = found.estimate if isinstance(found, StatsCell) else found
    if estimate is None:
        return Cell(None, NOT_MEASURED, note=note or "not measured")
    return Cell(estimate.value, format_estimate(estimate), to, note or f"n = {estimate.n:,}", shade, estimate)


def shades(metric: str, values: Sequence[float | None]) -> list[float | None]:
    """How good each value is, from 0 (worst) to 1 (best): within the metric's range, or among these values where it has none.

    `None` for what was not measured, where neither end is better, and where values without a range do not differ.
    """
    found = meaning(metric).metric
    if found is None or found.better == "neither":
        return [None] * len(values)
    low, high = found.range
    there = [value for value in values if value is not None and math.isfinite(value)]
    if low is None or high is None:
        low, high = min(there, default=0.0), max(there, default=0.0)
    if high <= low:
        return [None] * len(values)
    return [_shade(value, (low, high), found.better == "lower") for value in values]


def _shade(value: float | None, bounds: tuple[float, float], lower: bool) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    share = min(max((value - bounds[0]) / (bounds[1] - bounds[0]), 0.0), 1.0)
    return 1 - share if lower else share
