"""A chart's spec drawn as SVG: for a page, where the style sheet colours it, or to stand by itself.

Drawn by vl-convert, which embeds Vega-Lite and asks nobody for anything. What it writes is taken apart and put together anew:
colours become variables, roles of every single line give way to one image with a description, values are shown on hover, and
text can be selected. Nothing is left that a strict content security policy forbids.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import msgspec

from assay.errors import MissingExtra
from assay.identity import digest
from assay.text import one_line
from assay.web.charts.theme import CONFIG, DARK, PAPER, VARIABLES
from assay.web.grids import Grid

if TYPE_CHECKING:
    from markupsafe import Markup

Spec = dict[str, Any]
"""A Vega-Lite specification, its data within it."""

KEPT = 400
"""Drawings kept at the same time, some ten kilobytes each."""
LONGEST_TEXT = 120
"""Characters of a text in a chart."""
DROPPED = {"role", "class", "style", "pointer-events", "aria-hidden", "aria-roledescription", "stroke-miterlimit", "version"}
_decimals = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")


@dataclass(frozen=True)
class Chart:
    """A chart, what it says in words, and the numbers behind it."""

    name: str
    """Of the chart and its download: letters, digits and hyphens."""
    title: str
    about: str
    """How to read it: what is drawn, and what would be good."""
    spec: Spec
    grid: Grid

    @cached_property
    def encoded(self) -> bytes:
        """The spec as it is drawn."""
        return _encoded(self.spec)

    @cached_property
    def digest(self) -> str:
        """What identifies its drawing."""
        return digest(self.encoded.decode())

    def drawn(self) -> Markup:
        """As part of a page."""
        return drawn(self)


def drawn(chart: Chart) -> Markup:
    """A chart as an `<svg>` of a page, coloured by the style sheet's `--chart-…`.

    Raises:
        MissingExtra: what draws is not installed.
    """
    return _drawn(chart.encoded, chart.title, f"{chart.about} The table beside it has the numbers.")


@lru_cache(maxsize=KEPT)
def _drawn(encoded: bytes, title: str, about: str) -> Markup:
    from markupsafe import Markup

    root = ElementTree.fromstring(_svg(encoded))
    _simplify(root, VARIABLES)
    for element in root.iter():
        element.attrib.pop("font-family", None)
        element.attrib.pop("opacity", None) if element.get("opacity") == "1" else None
    root.attrib = {name: root.attrib[name] for name in ("width", "height", "viewBox")} | {"class": "chart"}
    _describe(root, title, about)
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # ElementTree has escaped every text


def standing_alone(chart: Chart, dark: bool = False) -> str:
    """A chart as the text of an SVG file, on a ground of its own. Raises MissingExtra as `drawn` does."""
    root = ElementTree.fromstring(_svg(chart.encoded))
    _simplify(root, DARK if dark else {})
    root.attrib = {name: root.attrib[name] for name in ("width", "height", "viewBox")}
    root.set("xmlns", "http://www.w3.org/2000/svg")
    ground = {"width": "100%", "height": "100%", "fill": DARK[PAPER] if dark else PAPER}
    root.insert(0, ElementTree.Element("rect", ground))
    _describe(root, chart.title, chart.about)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def as_png(chart: Chart, dark: bool = False, scale: float = 2.0) -> bytes:
    """A chart as a PNG file, `scale` pixels for each of its units. Raises MissingExtra as `drawn` does."""
    return bytes(_converter().svg_to_png(standing_alone(chart, dark), scale=scale))


def warm_up() -> None:
    """Draw something, so that the first chart of a reader does not wait for the machine behind: half a second."""
    mark = {"mark": "point", "encoding": {"x": {"field": "x", "type": "quantitative"}}}
    _svg(_encoded({"data": {"values": [{"x": 1}]}, **mark}))


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("vl-convert-python", "web") from None
    return vl_convert


def _encoded(spec: Spec) -> bytes:
    return msgspec.json.encode({"config": CONFIG, **_shown(spec)}, order="deterministic")


def _svg(encoded: bytes) -> str:
    return str(_converter().vegalite_to_svg(encoded.decode(), allowed_base_urls=[]))


def _shown(value: Any) -> Any:
    """The spec with every text made fit to show: what models, data sets and users write stands in it as data."""
    if isinstance(value, str):
        return one_line(value, LONGEST_TEXT)
    if isinstance(value, Mapping):
        return {key: _shown(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(inner) for inner in value]
    return value


def _simplify(root: ElementTree.Element, colours: Mapping[str, str]) -> None:
    """Take away what a reader does not need, exchange colours, shorten numbers, and let marks tell their values."""
    for parent in list(root.iter()):
        parent.tag = parent.tag.rpartition("}")[2]
        for child in list(parent):
            empty = child.get("display") == "none" or (child.get("class") == "background" and not child.get("stroke"))
            if empty:
                parent.remove(child)
    for element in root.iter():
        said = element.get("aria-label") if element.get("role") == "graphics-symbol" and element.tag != "g" else None
        held = {name: value for name, value in element.attrib.items() if name not in DROPPED and name != "aria-label"}
        element.attrib = {name: _attribute(name, value, colours) for name, value in held.items()}
        if said:
            ElementTree.SubElement(element, "title").text = said


def _attribute(name: str, value: str, colours: Mapping[str, str]) -> str:
    if name in ("fill", "stroke"):
        return colours.get(value.lower(), value)
    return _decimals.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value)


def _describe(root: ElementTree.Element, title: str, about: str) -> None:
    root.attrib |= {"role": "img", "aria-label": one_line(title)}
    description = ElementTree.Element("desc")
    description.text = one_line(about)
    root.insert(0, description)
