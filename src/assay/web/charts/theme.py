"""How charts look: colours that go with the page's, by light and by dark, and never mean anything alone.

Specs are written in the colours of a light page. In a page each becomes a variable of the style sheet, so that the same
drawing is read on dark ground and on paper; a drawing that stands by itself keeps them, or has those of the dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

INK, SOFT, GRID, PAPER = "#1b1f23", "#5c6670", "#dfe3e8", "#ffffff"
"""Of text; of axes, their labels and lines to compare with; of the grid; of the ground."""
SERIES = ("#0072b2", "#d55e00", "#00845f", "#b8578a", "#9a6a00", "#2b2f36", "#6b5b95", "#7d898b")
"""After Okabe and Ito (2008), the light ones darkened until they stand out from white."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
"""Beside colour: together they tell 24 series apart."""
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [12, 4])
"""Of lines, beside colour."""
ENDS = (-1.0, 0.0, 1.0)
"""Where what metrics measure ends: no axis goes on beyond one of these unless there is something."""
MARGIN = 0.04
"""Of the room that values take, left free on either side of them."""
DARK = {
    INK: "#e6e9ec", SOFT: "#a3adb8", GRID: "#343b43", PAPER: "#15181c",
    **dict(zip(SERIES, ("#56b4e9", "#f28a3c", "#33c79b", "#e79bc6", "#e6b030", "#f4f6f8", "#b5a6e3", "#98a4a6"), strict=True)),
}  # fmt: skip
"""What each colour is on dark ground."""
VARIABLES = {
    INK: "currentColor", SOFT: f"var(--chart-soft, {SOFT})", GRID: f"var(--chart-grid, {GRID})",
    PAPER: f"var(--ground, {PAPER})",
    **{colour: f"var(--chart-{number}, {colour})" for number, colour in enumerate(SERIES, 1)},
}  # fmt: skip
"""What each colour is in a page."""

CONFIG: dict[str, Any] = {
    "background": None,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "gridColor": GRID, "domainColor": SOFT, "tickColor": SOFT, "labelColor": SOFT, "titleColor": INK,
        "titleFontWeight": "normal", "labelFontSize": 11, "titleFontSize": 12, "labelLimit": 240,
        "labelFlush": False, "labelOverlap": True, "titleLimit": 400, "titlePadding": 8,
    },
    "legend": {
        "orient": "bottom", "title": None, "labelColor": INK, "labelFontSize": 12, "labelLimit": 300, "symbolLimit": 24,
        "columns": 2, "symbolSize": 70,
    },
    "header": {"title": None, "labelColor": INK, "labelFontSize": 12, "labelLimit": 220},
    "rule": {"color": SOFT, "aria": False},
    "line": {"aria": False},
    "text": {"aria": False},
}  # fmt: skip


def coloured(series: Sequence[str], shaped: bool = False, dashed: bool = False) -> dict[str, Any]:
    """The channels that tell series apart, in their order: by colour, and by shape or dashes too; one series has no legend."""
    labels = list(dict.fromkeys(series))
    colour: dict[str, Any] = {"field": "series", "type": "nominal", "scale": {"domain": labels, "range": list(SERIES)}}
    shape: dict[str, Any] = {"field": "series", "type": "nominal", "scale": {"domain": labels, "range": list(SHAPES)}}
    dash: dict[str, Any] = {"field": "series", "type": "nominal", "scale": {"domain": labels, "range": list(DASHES)}}
    if len(labels) < 2:
        colour["legend"] = shape["legend"] = dash["legend"] = None
    return {"color": colour} | ({"shape": shape} if shaped else {}) | ({"strokeDash": dash} if dashed else {})


def by_candidate(spec: Any, order: Mapping[str, int]) -> Any:
    """A chart's spec in which each candidate has the colour and the shape that it has in every other chart.

    A candidate takes the colour of its place among all; one that is taken in this chart gives way to the next that is free.

    Args:
        spec: the chart's, or a part of it.
        order: candidate to its place; series of anything else keep their colours.
    """
    if isinstance(spec, list):
        return [by_candidate(part, order) for part in spec]
    if not isinstance(spec, dict):
        return spec
    scale: dict[str, Any] = spec.get("scale") or {}
    labels = scale.get("domain", ()) if spec.get("field") == "series" else ()
    if not labels or not all(label in order for label in labels):
        return {key: value if key == "data" else by_candidate(value, order) for key, value in spec.items()}
    signs = scale["range"]
    return {**spec, "scale": {**scale, "range": [signs[place] for place in _places(labels, order, len(signs))]}}


def _places(labels: Sequence[str], order: Mapping[str, int], count: int) -> list[int]:
    """Where in a range of signs each label's stands, no two alike while there are enough."""
    found: dict[str, int] = {}
    for label in sorted(labels, key=lambda label: order[label]):
        place = order[label] % count
        while len(found) < count and place in found.values():
            place = (place + 1) % count
        found[label] = place
    return [found[label] for label in labels]


def room(values: Iterable[float]) -> dict[str, Any]:
    """The scale of an axis on which these values lie, with some room beside them."""
    there = list(values)
    low, high = min(there, default=0.0), max(there, default=1.0)
    margin = MARGIN * (high - low) or MARGIN * abs(low) or MARGIN
    least = max([low - margin, *(end for end in ENDS if end <= low)])
    most = min([high + margin, *(end for end in ENDS if end >= high)])
    if least == most:  # all of them are the same end
        least, most = least - margin, most + margin
    return {"domain": [least, most], "nice": False, "zero": False}
