"""Two measures of all candidates against each other, and which of them no other beats in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.decisions.pareto import front
from assay.records import Estimate
from assay.tables.numbers import format_estimate
from assay.web.charts.drawing import Spec
from assay.web.charts.theme import INK, PAPER, SOFT, coloured, room

Better = Literal["higher", "lower", "neither"]
MOST_NAMED = 12
"""Candidates that have their names beside them; of more, the legend and what a pointer finds tell."""
TOUCHING = 0.02
"""Of an axis: points that are no further apart share a text."""


@dataclass(frozen=True)
class Spot:
    """A candidate's two measures."""

    series: str
    x: Estimate
    y: Estimate


@dataclass(frozen=True)
class Measure:
    """What an axis holds."""

    title: str
    better: Better

    @property
    def axis(self) -> str:
        """Its title, with the end that is better."""
        return self.title if self.better == "neither" else f"{self.title} ({self.better} is better)"


def unbeaten(spots: Sequence[Spot], x: Measure, y: Measure) -> list[bool]:
    """Which spots no other is at least as good as in both measures and better in one; all where an end has no better."""
    import numpy as np

    if not spots or "neither" in (x.better, y.better):
        return [True] * len(spots)
    values = np.array([[spot.x.value, spot.y.value] for spot in spots])
    upward = np.array([1.0 if measure.better == "higher" else -1.0 for measure in (x, y)])
    return [bool(on) for on in front(values, upward)]


def pareto(spots: Sequence[Spot], x: Measure, y: Measure) -> Spec:
    """Candidates as points with the intervals of both measures; those on the front are filled, and a line joins them."""
    on_front = unbeaten(spots, x, y)
    rows = [_row(spot, on) for spot, on in zip(spots, on_front, strict=True)]
    order = [spot.series for spot in spots]
    scales = {way: room(row[end] for row in rows for end in (f"{way}_low", f"{way}_high")) for way in ("x", "y")}
    channels = {"x": _value("x", x, scales["x"]), "y": _value("y", y, scales["y"])}
    named = len(order) <= MOST_NAMED
    colours = coloured(order, shaped=True)
    if named:
        colours = {name: {**channel, "legend": None} for name, channel in colours.items()}
    lines = {"color": colours["color"]}
    layers: list[dict[str, Any]] = [
        {
            "transform": [{"filter": "datum.front && datum.several"}],
            "mark": {"type": "line", "color": SOFT, "strokeDash": [4, 3]},
            "encoding": {**channels, "order": {"field": "x", "type": "quantitative"}},
        },
        {
            "mark": {"type": "rule", "opacity": 0.7},
            "encoding": {**lines, "x": _value("x_low", x, scales["x"]), "x2": {"field": "x_high"}, "y": channels["y"]},
        },
        {
            "mark": {"type": "rule", "opacity": 0.7},
            "encoding": {**lines, "x": channels["x"], "y": _value("y_low", y, scales["y"]), "y2": {"field": "y_high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, "stroke": PAPER, "strokeWidth": 1},
            "encoding": {
                **channels,
                **colours,
                "fillOpacity": {"condition": {"test": "datum.front", "value": 1}, "value": 0.35},
                "description": {"field": "note"},
            },
        },
    ]
    if named:
        layers.append(
            {
                "data": {"values": _named(rows, scales)},
                "mark": {"type": "text", "align": "left", "dx": 9, "dy": -9, "fontSize": 12, "color": INK, "limit": 320},
                "encoding": {**channels, "text": {"field": "name"}, "color": {"value": INK}},
            }
        )
    comparable = "neither" not in (x.better, y.better)
    for row in rows:
        row["several"] = comparable and sum(on_front) > 1
    return {"data": {"values": rows}, "width": 460, "height": 320, "layer": layers}


def _row(spot: Spot, on_front: bool) -> dict[str, Any]:
    note = f"{spot.series}: {format_estimate(spot.x)} and {format_estimate(spot.y)}"
    row: dict[str, Any] = {"series": spot.series, "front": on_front, "note": note}
    for name, estimate in (("x", spot.x), ("y", spot.y)):
        low, high = (estimate.value if bound is None else bound for bound in (estimate.low, estimate.high))
        row |= {name: estimate.value, f"{name}_low": low, f"{name}_high": high}
    return row


def _value(field: str, measure: Measure, scale: dict[str, Any]) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "title": measure.axis, "scale": scale}


def _named(rows: Sequence[dict[str, Any]], scales: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The names beside the points, one text for points that lie on one another."""
    held: list[tuple[dict[str, Any], list[str]]] = []
    reach = {way: TOUCHING * (scale["domain"][1] - scale["domain"][0]) for way, scale in scales.items()}
    for row in rows:
        near = (names for first, names in held if all(abs(first[way] - row[way]) <= reach[way] for way in ("x", "y")))
        names = next(near, None)
        if names is None:
            held.append((row, [row["series"]]))
        else:
            names.append(row["series"])
    return [{"x": row["x"], "y": row["y"], "name": ", ".join(names)} for row, names in held]
