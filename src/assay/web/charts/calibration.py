"""Charts of what a model's confidence is worth: the reliability diagram and the risk-coverage curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.records import Estimate
from assay.tables.numbers import format_estimate
from assay.web.charts.drawing import Spec
from assay.web.charts.theme import SERIES, SOFT, coloured

SIDE = 190
"""Of a reliability diagram, pixels."""
BESIDE = 2
"""Diagrams in a row."""


@dataclass(frozen=True)
class Bin:
    """Answers of about the same confidence."""

    confidence: float
    """Their mean."""
    right: Estimate
    """Their mean correctness; `n` answers."""
    lowest: float
    highest: float


@dataclass(frozen=True)
class Step:
    """Answering only where the confidence is at least so high."""

    coverage: float
    """The share of the answers that are then given."""
    risk: float
    """The share of errors among them."""


@dataclass(frozen=True)
class Curve:
    """All thresholds of a candidate, by rising coverage, and those whose risk has an interval."""

    steps: tuple[Step, ...]
    sure: Mapping[float, Estimate]
    """Coverage to risk."""


def reliability(held: Mapping[str, Sequence[Bin]]) -> Spec:
    """How often answers are right against how sure the model was, a diagram for each candidate; on the diagonal they agree."""
    rows = [
        {
            "series": series,
            "confidence": each.confidence,
            "value": each.right.value,
            "low": each.right.value if each.right.low is None else each.right.low,
            "high": each.right.value if each.right.high is None else each.right.high,
            "n": each.right.n,
            "note": f"{series}: {each.right.n} answers, confidence {each.confidence:.2f}, right {format_estimate(each.right)}",
        }
        for series, bins in held.items()
        for each in bins
    ]
    x = {"field": "confidence", "type": "quantitative", "title": "confidence", "scale": _UNIT, "axis": {"tickCount": 5}}
    y = {"type": "quantitative", "title": "share right", "scale": _UNIT, "axis": {"tickCount": 5}}
    corners = {"values": [{"at": 0, "to": 0}, {"at": 1, "to": 1}]}
    diagonal = {
        "data": corners,
        "mark": {"type": "line", "color": SOFT, "strokeDash": [4, 3]},
        "encoding": {"x": {"field": "at", "type": "quantitative"}, "y": {"field": "to", "type": "quantitative"}},
    }
    layers: list[dict[str, Any]] = [
        diagonal,
        {
            "mark": {"type": "rule", "color": SERIES[0]},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "color": SERIES[0], "opacity": 1},
            "encoding": {
                "x": x,
                "y": {**y, "field": "value"},
                "size": {"field": "n", "type": "quantitative", "legend": None, "scale": {"range": [30, 140], "zero": True}},
                "description": {"field": "note"},
            },
        },
    ]
    plain: Spec = {"width": SIDE, "height": SIDE, "layer": layers}
    if len(held) < 2:
        return {"data": {"values": rows}, **plain}
    facet = {"field": "series", "type": "nominal", "sort": list(held), "header": {"title": None}}
    return {"data": {"values": rows}, "facet": facet, "columns": BESIDE, "spec": plain}


def risk_coverage(held: Mapping[str, Curve]) -> Spec:
    """The share of errors where only the answers that the model is surest of are given, a line for each candidate."""
    rows = [
        {"series": series, "coverage": step.coverage, "risk": step.risk}
        for series, curve in held.items()
        for step in curve.steps
    ]
    points = [
        {
            "series": series,
            "coverage": coverage,
            "risk": risk.value,
            "low": risk.value if risk.low is None else risk.low,
            "high": risk.value if risk.high is None else risk.high,
            "note": f"{series}: of the surest {coverage:.0%} wrong {format_estimate(risk)}",
        }
        for series, curve in held.items()
        for coverage, risk in curve.sure.items()
    ]
    x = {"field": "coverage", "type": "quantitative", "title": "share of answers given, surest first", "scale": _UNIT}
    y = {"type": "quantitative", "title": "share of errors among them", "scale": _UNIT}
    order = list(held)
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": rows},
            "mark": {"type": "line", "strokeWidth": 1.8},
            "encoding": {"x": x, "y": {**y, "field": "risk"}, **coloured(order, dashed=True)},
        },
        {
            "data": {"values": points},
            "mark": "rule",
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, **coloured(order)},
        },
        {
            "data": {"values": points},
            "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
            "encoding": {
                "x": x,
                "y": {**y, "field": "risk"},
                **coloured(order, shaped=True),
                "description": {"field": "note"},
            },
        },
    ]
    return {"width": 420, "height": 260, "layer": layers}


_UNIT = {"domain": [0, 1], "nice": False}
