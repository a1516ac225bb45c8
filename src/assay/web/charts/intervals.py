"""Charts of numbers with their intervals, a row each: drops under perturbations, gaps between groups, paired differences,
the band of prompt formats, and the course over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from assay.records import Estimate
from assay.tables.numbers import format_estimate
from assay.web.charts.drawing import Spec
from assay.web.charts.theme import INK, PAPER, SERIES, SOFT, coloured, room

WIDTH = 380
"""Of the part that holds the numbers, pixels."""
LONGEST_NAME = 420
"""Of the name of a row, pixels."""
NAMES = {"ticks": False, "domain": False, "labelLimit": LONGEST_NAME}
ROW, ROW_OF_SERIES, GAP = 26, 15, 0.8
"""Height of a row, and of each series' line within it, pixels; what is free between rows of several series, lines."""
WIDER = 1.0
"""How much wider a character of a name may be in the font of a page than in the one it is measured in, pixels."""
FEW_DAYS = 8
"""An axis of fewer days has times of day too."""
RANGE, INTERVAL = "thick: lowest to highest over prompt formats", "thin: own format with its 95 % interval"


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
    loose: bool = False
    """It was asked otherwise than the others of its series, so that no line joins it with them."""


def dots(held: Sequence[Dot], axis: str, reference: float | None = None) -> Spec:
    """Numbers as points with their intervals as lines, rows and series in the order given.

    Args:
        held: the numbers.
        axis: what they are, in words.
        reference: where a line stands to compare with, such as 0 for differences.
    """
    several = len({dot.series for dot in held}) > 1
    places, middles, lines = _places([dot.row for dot in held])
    rows = [{**_row(dot.row, dot.series, dot.estimate), "place": place} for dot, place in zip(held, places, strict=True)]
    scale = room([row[end] for row in rows for end in ("low", "high")] + ([] if reference is None else [reference]))
    y = {"field": "place", "type": "quantitative", "axis": None, "scale": {"domain": [lines - 0.5, -0.5], "nice": False}}
    own = {"y": y, **coloured([dot.series for dot in held])}
    shape = coloured([dot.series for dot in held], shaped=True)["shape"]
    names = {"type": "text", "align": "right", "baseline": "middle", "color": SOFT, "fontSize": 11, "limit": LONGEST_NAME}
    layers: list[dict[str, Any]] = [
        {
            "data": {"values": [{"row": row, "place": middle} for row, middle in middles.items()]},
            "mark": names,
            "encoding": {"x": {"value": -10}, "y": y, "text": {"field": "row"}},
        }
    ]
    if reference is not None:
        line = {"type": "rule", "color": SOFT, "strokeDash": [4, 3]}
        at = {"field": "value", "type": "quantitative"}
        layers.append({"data": {"values": [{"value": reference}]}, "mark": line, "encoding": {"x": at}})
    layers += [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {**own, "x": _value("low", axis, scale), "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {**own, "shape": shape, "x": _value("value", axis, scale), "description": {"field": "note"}},
        },
    ]
    height = lines * (ROW_OF_SERIES if several else ROW)
    return {"data": {"values": rows}, "padding": _beside(middles), "width": WIDTH, "height": height, "layer": layers}


def _beside(names: Iterable[str]) -> dict[str, float]:
    """What is left free around a chart, pixels: on the left more than names take here, as a page's font may be wider."""
    longest = max(map(len, names), default=0)
    return {"left": 5 + min(WIDER * longest, WIDER * LONGEST_NAME / 6), "right": 5, "top": 5, "bottom": 5}


def _places(rows: Sequence[str]) -> tuple[list[float], dict[str, float], float]:
    """Where each number stands, the lines of a row below each other and none for a number that is not there.

    Returns:
        The line of each number, the middle of each row, and how many lines there are.
    """
    counts = Counter(rows)
    free = GAP if len(counts) < len(rows) else 0
    begins, line = {}, 0.0
    for row, count in counts.items():
        begins[row] = line
        line += count + free
    passed: Counter[str] = Counter()
    places = []
    for row in rows:
        places.append(begins[row] + passed[row])
        passed[row] += 1
    return places, {row: begin + (counts[row] - 1) / 2 for row, begin in begins.items()}, line - free


def band(held: Sequence[Band], axis: str) -> Spec:
    """Each candidate's range of means over prompt formats, and its mean in the scenario's own with its interval."""
    rows = [{**_row(b.row, "", b.own), "least": b.low, "most": b.high} for b in held]
    scale = room(row[end] for row in rows for end in ("least", "most", "low", "high"))
    y = {"field": "row", "type": "nominal", "sort": None, "title": None, "axis": NAMES}
    named = {"scale": {"domain": [RANGE, INTERVAL], "range": [SERIES[0], INK]}, "legend": {"symbolType": "stroke"}}
    layers = [
        {
            "mark": {"type": "rule", "strokeWidth": 11, "opacity": 0.5},
            "encoding": {
                "y": y,
                "x": _value("least", axis, scale),
                "x2": {"field": "most"},
                "color": {"datum": RANGE, **named},
            },
        },
        {
            "mark": {"type": "rule", "strokeWidth": 1.2},
            "encoding": {
                "y": y,
                "x": _value("low", axis, scale),
                "x2": {"field": "high"},
                "color": {"datum": INTERVAL, **named},
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1, "color": INK},
            "encoding": {"y": y, "x": _value("value", axis, scale), "description": {"field": "note"}},
        },
    ]
    padding = _beside(b.row for b in held)
    return {"data": {"values": rows}, "padding": padding, "width": WIDTH, "height": {"step": ROW}, "layer": layers}


def course(held: Sequence[Moment], axis: str) -> Spec:
    """Numbers over time, those of one series joined by a line but for the loose ones, which are hollow."""
    rows = [{**_row("", m.series, m.estimate), "at": m.at * 1000, "loose": m.loose} for m in held]
    order = [moment.series for moment in held]
    scale = room(row[end] for row in rows for end in ("low", "high"))
    x = {
        "field": "at",
        "type": "temporal",
        "scale": {"type": "utc", "padding": 14},
        "title": "last answer (UTC)",
        "axis": {"grid": False, **_dated([moment.at for moment in held])},
    }
    points = {
        "x": x,
        "y": _value("value", axis, scale),
        **coloured(order, shaped=True),
        "description": {"field": "note"},
    }
    size = {"type": "point", "size": 60, "opacity": 1, "strokeWidth": 1}
    layers = [
        {
            "transform": [{"filter": "!datum.loose"}],
            "mark": {"type": "line", "strokeWidth": 1.5},
            "encoding": {"x": x, "y": _value("value", axis, scale), **coloured(order, dashed=True)},
        },
        {
            "mark": {"type": "rule"},
            "encoding": {"x": x, "y": _value("low", axis, scale), "y2": {"field": "high"}, **coloured(order)},
        },
        {
            "transform": [{"filter": "!datum.loose"}],
            "mark": {**size, "filled": True, "stroke": PAPER},
            "encoding": points,
        },
    ]
    if any(moment.loose for moment in held):
        hollow = {**size, "filled": False, "strokeWidth": 2}
        layers.append({"transform": [{"filter": "datum.loose"}], "mark": hollow, "encoding": points})
    return {"data": {"values": rows}, "width": WIDTH + 80, "height": 220, "layer": layers}


def _dated(times: Sequence[float]) -> dict[str, Any]:
    """How a time axis is labelled: by days, or by days and times of day where it is of few days."""
    if max(times) - min(times) > FEW_DAYS * 86_400:
        return {"tickCount": 5, "format": "%Y-%m-%d"}
    seconds = "" if max(times) - min(times) > 600 else ":%S"
    return {"tickCount": 3, "format": f"%Y-%m-%d %H:%M{seconds}"}


def _row(row: str, series: str, estimate: Estimate) -> dict[str, Any]:
    low, high = (estimate.value if bound is None else bound for bound in (estimate.low, estimate.high))
    called = ", ".join(name for name in (row, series) if name)
    note = f"{called}: {format_estimate(estimate)}, n {estimate.n}"
    return {"row": row, "series": series, "value": estimate.value, "low": low, "high": high, "note": note}


def _value(field: str, axis: str, scale: dict[str, Any]) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "title": axis, "scale": scale}
