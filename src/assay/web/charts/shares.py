"""Charts of how much falls where: values of instances, latencies, and the ranks that candidates may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.web.charts.drawing import Spec
from assay.web.charts.theme import INK, PAPER, SERIES, coloured

SIDE = 200
"""Width of a histogram, pixels."""
BESIDE = 2
"""Histograms in a row."""
ROOM = 0.05
"""The smallest share that has room for its rank in the bar."""


@dataclass(frozen=True)
class Bar:
    """How many values lie in a range."""

    low: float
    high: float
    """The range includes its lower end; the last one its upper end too."""
    count: int


@dataclass(frozen=True)
class Share:
    """How much of something is within a bound."""

    bound: float
    share: float


def histogram(held: Mapping[str, Sequence[Bar]], axis: str) -> Spec:
    """How many instances have which value, a diagram for each candidate."""
    rows = [
        {
            "series": series,
            "low": bar.low,
            "high": bar.high,
            "count": bar.count,
            "note": f"{series}: {bar.count} from {bar.low:g} to {bar.high:g}",
        }
        for series, bars in held.items()
        for bar in bars
    ]
    encoding = {
        "x": {
            "field": "low",
            "type": "quantitative",
            "title": axis,
            "bin": {"binned": True},
            "axis": {"tickCount": 5, "grid": False},
        },
        "x2": {"field": "high"},
        "y": {"field": "count", "type": "quantitative", "title": "instances", "axis": {"tickCount": 4, "format": "d"}},
        "description": {"field": "note"},
    }
    plain: Spec = {"width": SIDE, "height": 120, "mark": {"type": "bar", "color": SERIES[0]}, "encoding": encoding}
    if len(held) < 2:
        return {"data": {"values": rows}, **plain}
    facet = {"field": "series", "type": "nominal", "sort": list(held), "header": {"title": None}}
    return {"data": {"values": rows}, "facet": facet, "columns": BESIDE, "spec": plain}


def latencies(held: Mapping[str, Sequence[Share]]) -> Spec:
    """The share of trials that were answered within a time, a line for each candidate; the further left, the faster."""
    rows = [{"series": series, "bound": each.bound, "share": each.share} for series, shares in held.items() for each in shares]
    encoding: dict[str, Any] = {
        "x": {"field": "bound", "type": "quantitative", "title": "seconds", "scale": {"type": "log"}, "axis": {"tickCount": 6}},
        "y": {"field": "share", "type": "quantitative", "title": "share answered within", "axis": {"format": "%"}},
        **coloured(list(held), dashed=True),
    }
    mark = {"type": "line", "interpolate": "step-after", "strokeWidth": 1.8}
    return {"data": {"values": rows}, "width": 440, "height": 220, "mark": mark, "encoding": encoding}


def acceptability(held: Mapping[str, Sequence[float]]) -> Spec:
    """How often each candidate has each rank, over all allowed weights and the noise of measurement; first rank darkest."""
    ranks = max(map(len, held.values()), default=0)
    rows = [
        {
            "row": candidate,
            "rank": rank if share >= ROOM else "",
            "low": sum(shares[: rank - 1]),
            "middle": sum(shares[: rank - 1]) + share / 2,
            "high": sum(shares[:rank]),
            "shade": 1 - 0.85 * (rank - 1) / max(1, ranks - 1),
            "note": f"{candidate}: rank {rank} in {share:.0%}",
        }
        for candidate, shares in held.items()
        for rank, share in enumerate(shares, 1)
    ]
    axis = {"title": "share of draws", "scale": {"domain": [0, 1]}, "axis": {"format": "%"}}
    row = {"field": "row", "type": "nominal", "sort": None, "title": None, "axis": {"ticks": False, "domain": False}}
    bars = {
        "mark": {"type": "bar", "color": SERIES[0], "stroke": PAPER, "strokeWidth": 1},
        "encoding": {
            "y": row,
            "x": {"field": "low", "type": "quantitative", **axis},
            "x2": {"field": "high"},
            "fillOpacity": {"field": "shade", "type": "quantitative", "scale": None},
            "description": {"field": "note"},
        },
    }
    ranked = {
        "mark": {"type": "text", "fontSize": 11},
        "encoding": {
            "y": row,
            "x": {"field": "middle", "type": "quantitative", **axis},
            "text": {"field": "rank"},
            "color": {"condition": {"test": "datum.shade > 0.8", "value": PAPER}, "value": INK},
        },
    }
    return {"data": {"values": rows}, "width": 380, "height": {"step": 28}, "layer": [bars, ranked]}
