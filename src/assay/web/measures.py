"""What metrics mean, for heads of columns, hovers, shades and the glossary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assay.errors import AssayError
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.records import Cell as StatsCell
from assay.records import Estimate
from assay.tables.numbers import NOT_MEASURED, even_digits, format_estimate
from assay.tables.units import named, shown_cell
from assay.web.addresses import Address
from assay.web.grids import Cell, Column, Row

DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "neither": "neither end is better"}


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
    head = head or readable(metric)
    return Column(named(metric), head, note=meaning(metric).note, to=explained(metric), better=better_end(metric))


def better_end(metric: str) -> str:
    """`higher` or `lower`; empty where neither end is better or nobody knows."""
    found = meaning(metric).metric
    return "" if found is None or found.better == "neither" else found.better


def readable(metric: str) -> str:
    """What pages call a metric: its column in the table of a suite, or its name in words."""
    return _titles().get(metric) or named(metric).replace("_", " ")


@lru_cache(maxsize=1)
def _titles() -> dict[str, str]:
    from assay.tables.suite import COLUMNS

    return {column.metric: column.title for column in COLUMNS if column.metric and column.perturbation is None}


def metric_name(metric: str) -> Cell:
    """A metric as the name of a row: what it means on hover, and a link to the glossary."""
    code = "" if readable(metric) == metric else f" ({metric})"
    return Cell(named(metric), readable(metric), explained(metric), meaning(metric).note + code)


def metric_cell(found: StatsCell | None, shade: float | None = None, to: Address | None = None) -> Cell:
    """A run's estimate in the unit that its metric is shown in: what answers cost for a thousand of them."""
    return estimate_cell(None if found is None else shown_cell(found), to, shade)


def estimate_cell(
    found: Estimate | StatsCell | None, to: Address | None = None, shade: float | None = None, note: str = ""
) -> Cell:
    """A place in a table for an estimate, with no more digits than its interval supports; a dash where there is none."""
    estimate = found.estimate if isinstance(found, StatsCell) else found
    if estimate is None:
        return Cell(None, NOT_MEASURED, note=note or "not measured")
    return Cell(estimate.value, format_estimate(estimate), to, note or f"n = {estimate.n:,}", shade, estimate)


def evened(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Rows whose numbers have the same digits after the point as those above and below them, as far as that can be."""
    columns = [_evened(column) for column in zip(*rows, strict=True)]
    return tuple(zip(*columns, strict=True))


def _evened(column: Sequence[Cell]) -> list[Cell]:
    held = [cell for cell in column if cell.estimate is not None]
    digits = iter(even_digits([cell.estimate for cell in held if cell.estimate is not None]))
    return [cell if cell.estimate is None else _with_digits(cell, cell.estimate, next(digits)) for cell in column]


def _with_digits(cell: Cell, estimate: Estimate, digits: int | None) -> Cell:
    if digits is None:
        return cell
    return replace(cell, text=cell.text.replace(format_estimate(estimate), format_estimate(estimate, digits), 1))


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
