"""Charts of numbers with their intervals, a row each: drops under perturbations, gaps between groups, paired differences,
the band of prompt formats, and the course over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.records import Estimate
from assay.tables.numbers import format_estimate
from assay.web.charts.drawing import Spec
from assay.web.charts.theme import INK, PAPER, SERIES, SOFT, coloured

WIDTH = 380
"""Of the part that holds the numbers, pixels."""
NAMES = {"ticks": False, "domain": False, "labelLimit": 420}
ROW, ROW_OF_SERIES = 26, 15
"""Height of a row, and of each series' line within it, pixels."""


@dataclass(frozen=True)
class Dot:
    """A number in a row."""

    row: str
    estimate: Estimate
    series: str = ""
    """Where a row has several numbers, whose this is."""


@dataclass(frozen=True)
class Band:
    """How far a candidate's number moves with the prompt's format."""

    row: str
    low: float
    """Mean in the format in which it is lowest."""
    high: float
    own: Estimate
    """In the scenario's own format."""


@dataclass(frozen=True)
class Moment:
    """A number that was measured at a time."""

    at: float
    """Unix time, seconds."""
    estimate: Estimate
    series: str


def dots(held: Sequence[Dot], axis: str, reference: float | None = None) -> Spec:
    """Numbers as points with their intervals as lines, rows and series in the order given.

    Args:
        held: the numbers.
        axis: what they are, in words.
        reference: where a line stands to compare with, such as 0 for differences.
    """
    rows = [_row(dot.row, dot.series, dot.estimate) for dot in held]
    several = len({dot.series for dot in held}) > 1
    y: dict[str, Any] = {
        "field": "row",
        "type": "nominal",
        "sort": None,
        "title": None,
        "axis": NAMES,
    }
    own: dict[str, Any] = {"y": y, **coloured([dot.series for dot in held])}
    if several:
        order = list(dict.fromkeys(dot.series for dot in held))
        own["yOffset"] = {"field": "series", "type": "nominal", "scale": {"domain": order, "paddingOuter": 0.2}}
    shape = coloured([dot.series for dot in held], shaped=True)["shape"]
    layers: list[dict[str, Any]] = []
    if reference is not None:
        line = {"type": "rule", "color": SOFT, "strokeDash": [4, 3]}
        at = {"field": "value", "type": "quantitative"}
        layers.append({"data": {"values": [{"value": reference}]}, "mark": line, "encoding": {"x": at}})
    layers += [
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**own, "x": _value("low", axis), "x2": {"field": "high"}}},
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {**own, "shape": shape, "x": _value("value", axis), "description": {"field": "note"}},
        },
    ]
    height = {"step": ROW_OF_SERIES, "for": "offset"} if several else {"step": ROW}
    return {"data": {"values": rows}, "width": WIDTH, "height": height, "layer": layers}


def band(held: Sequence[Band], axis: str) -> Spec:
    """Each candidate's range of means over prompt formats, and its mean in the scenario's own."""
    rows = [{**_row(b.row, "", b.own), "least": b.low, "most": b.high} for b in held]
    y = {"field": "row", "type": "nominal", "sort": None, "title": None, "axis": NAMES}
    wide = {"type": "bar", "height": 12, "color": SERIES[0], "opacity": 0.3, "cornerRadius": 3}
    layers = [
        {
            "mark": wide,
            "encoding": {"y": y, "x": _value("least", axis), "x2": {"field": "most"}, "description": {"field": "note"}},
        },
        {
            "mark": {"type": "rule", "strokeWidth": 2, "color": INK},
            "encoding": {"y": y, "x": _value("low", axis), "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "color": INK},
            "encoding": {"y": y, "x": _value("value", axis), "description": {"field": "note"}},
        },
    ]
    return {"data": {"values": rows}, "width": WIDTH, "height": {"step": ROW}, "layer": layers}


def course(held: Sequence[Moment], axis: str) -> Spec:
    """Numbers over time, those of one series joined by a line."""
    rows = [{**_row("", moment.series, moment.estimate), "at": moment.at * 1000} for moment in held]
    order = [moment.series for moment in held]
    x = {
        "field": "at",
        "type": "temporal",
        "scale": {"type": "utc", "padding": 14},
        "title": "finished (UTC)",
        "axis": {"tickCount": 6, "grid": False},
    }
    layers = [
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {"x": x, "y": _value("value", axis), **coloured(order)}},
        {"mark": {"type": "rule"}, "encoding": {"x": x, "y": _value("low", axis), "y2": {"field": "high"}, **coloured(order)}},
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "stroke": PAPER, "strokeWidth": 1},
            "encoding": {"x": x, "y": _value("value", axis), **coloured(order, shaped=True), "description": {"field": "note"}},
        },
    ]
    return {"data": {"values": rows}, "width": WIDTH + 80, "height": 220, "layer": layers}


def _row(row: str, series: str, estimate: Estimate) -> dict[str, Any]:
    low, high = (estimate.value if bound is None else bound for bound in (estimate.low, estimate.high))
    called = ", ".join(name for name in (row, series) if name)
    note = f"{called}: {format_estimate(estimate)}, n {estimate.n}"
    return {"row": row, "series": series, "value": estimate.value, "low": low, "high": high, "note": note}


def _value(field: str, axis: str) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "title": axis, "scale": {"zero": False, "padding": 10}}
