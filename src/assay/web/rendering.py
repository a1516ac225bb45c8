"""Templates: how pages become HTML.

Everything that a template puts out is escaped, and control, bidirectional and invisible characters in it become visible, unless
it was built by a template itself. What the templates share stands in `macros.html`; a page's template has all of it at hand.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from assay.errors import MissingExtra
from assay.tables.numbers import format_amount, format_estimate
from assay.text import LONGEST_SHOWN, one_line, visible
from assay.web.addresses import Address
from assay.web.charts.drawing import Chart
from assay.web.charts.theme import by_candidate
from assay.web.measures import anchor, explained, meaning
from assay.web.page import View
from assay.web.patience import CHART_BYTE_MS, CHART_MS
from assay.web.portions import portion

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

HERE = Path(__file__).parent
TEMPLATES, ASSETS = HERE / "templates", HERE / "assets"
SHADES = 10
"""Classes of shades in heat tables."""
FORMATS = ("csv", "json", "parquet")
"""How tables can be downloaded."""


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates with what they may call.

    Raises:
        MissingExtra: jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise MissingExtra("jinja2", "web") from None
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
        auto_reload=False,
    )
    made.filters |= {
        "visible": visible,
        "line": one_line,
        "estimate": format_estimate,
        "amount": format_amount,
        "count": lambda number: f"{number:,}",
        "shade_class": shade_class,
        "coded": coded,
        "broken": broken,
        "cited": cited,
    }
    made.globals |= {
        "verbatim": _verbatim,
        "Address": Address,
        "meaning": meaning,
        "anchor": anchor,
        "outlined": outlined,
        "explained": explained,
        "formats": FORMATS,
    }
    return made


def _shown(value: Any) -> Any:
    """What stands for a value that a template puts out: text of anybody's with nothing hidden in it."""
    if value is None:
        return ""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return value if len(value) <= LONGEST_SHOWN and value.isprintable() else visible(value)


def coded(text: str) -> Markup:
    """Text in which what stands in backticks is code."""
    from markupsafe import Markup, escape

    pieces = [escape(_shown(piece)) for piece in text.split("`")]
    closed = len(pieces) - 1 - (len(pieces) - 1) % 2
    tags = [("<code>" if place % 2 == 0 else "</code>") if place < closed else "`" for place in range(len(pieces) - 1)]
    return Markup("").join(piece + Markup(tag) for piece, tag in zip(pieces, [*tags, ""], strict=True))


_joints = re.compile(r"(?<=\w[_,:=])(?=\w)")
UNBROKEN = 14
"""Characters that a line has room for on a phone beside numbers."""


def broken(text: Any) -> Any:
    """A text whose long words may be broken where their parts are joined, as in `billing_enquiries`."""
    from markupsafe import Markup, escape

    shown = _shown(text)
    if not isinstance(shown, str) or hasattr(shown, "__html__") or max(map(len, shown.split()), default=0) <= UNBROKEN:
        return text
    return Markup("<wbr>").join(escape(piece) for piece in _joints.split(shown))


def _verbatim(asset: str) -> Markup:
    """The text of one of assay's own style sheets or scripts, as it is."""
    from markupsafe import Markup

    return Markup(asset)


def shade_class(shade: float | None) -> str:
    """The class of a shade from 0 (worst) to 1 (best); empty for none."""
    return "" if shade is None else f"shade-{min(int(shade * SHADES), SHADES - 1)}"


_sources = re.compile(r"https://\S+|arXiv[: ]\s*\d{4}\.\d{4,5}|doi[: ]\s*10\.\d{4,}/\S+", re.IGNORECASE)
PLACES = {"arxiv": "https://arxiv.org/abs/", "doi": "https://doi.org/"}
"""Where what is cited by a number lies."""


def cited(text: str) -> Markup:
    """A text in which addresses, DOIs and numbers of arXiv are links."""
    from markupsafe import Markup, escape

    made, place = Markup(), 0
    for found in _sources.finditer(text):
        said = found[0].rstrip(".,;")
        kind, _, number = said.replace(":", " ", 1).partition(" ")
        url = said if said.startswith("https://") else PLACES[kind.lower()] + number.strip()
        short = url.replace(PLACES["arxiv"], "arXiv ").replace(PLACES["doi"], "doi:")
        address = quote(url, safe=":/%?&=#~+,;()@!$*'")
        link = Markup('<a href="{}" rel="noreferrer noopener">{}</a>').format(address, visible(short))
        made += escape(visible(text[place : found.start()])) + link
        place = found.start() + len(said)
    return made + escape(visible(text[place:]))


_headings = re.compile(r"<h2(?: id=\"([^\"]*)\")?>(.*?)</h2>", re.DOTALL)
_tags = re.compile(r"<[^>]*>")
FEWEST_HEADINGS = 5
"""From which on a page says what is on it."""


def outlined(body: Markup, prefix: str) -> tuple[Markup, list[tuple[str, Markup]]]:
    """A page's HTML with an id for each of its headings, and the headings as (id, text); none where they are few.

    Args:
        body: what templates made, so that every tag in it is theirs.
        prefix: of the ids, so that they are unique where several pages stand in one file.
    """
    from markupsafe import Markup, escape

    found: list[tuple[str, Markup]] = []

    def named(heading: re.Match[str]) -> str:
        place = heading[1] or f"{prefix}part-{len(found) + 1}"
        found.append((place, Markup(_tags.sub("", heading[2]))))
        return f'<h2 id="{escape(place)}">{heading[2]}</h2>'

    made = Markup(_headings.sub(named, body))
    return (made, found) if len(found) >= FEWEST_HEADINGS else (body, [])


def render(template: str, view: View, here: Address, **values: Any) -> Markup:
    """The HTML of a template.

    It has at hand, beside `values`: `view`, `catalog`, `links`, `here` (its address), `href(address)`, `downloads(name)`, and
    all macros of `macros.html`.
    """
    from markupsafe import Markup

    context = _context(view, here)
    macros = environment().get_template("macros.html").make_module(context)
    shared = {name: getattr(macros, name) for name in dir(macros) if not name.startswith("_")}
    made = environment().get_template(template)
    names = made.new_context(context | shared | values)
    try:
        return Markup("".join(made.root_render_func(names)))
    except Exception:  # noqa: BLE001 # raised again, naming the template's line
        environment().handle_exception()
    finally:
        for held in (names.vars, names.parent):  # macros know them, and they macros: what they keep may have megabytes
            held.clear()


def replace_at(to: Address, place: str) -> Address:
    """The address of an element on a page."""
    return replace(to, at=place)


def _context(view: View, here: Address) -> dict[str, Any]:
    def downloads(name: str) -> list[tuple[str, str]]:
        """The formats of a table's downloads and their links; none where nobody answers."""
        if not view.links.live:
            return []
        return [(kind, "/download" + view.links.href(here.whole.but(table=name, format=kind))) for kind in FORMATS]

    def drawing(chart: Chart) -> Markup | None:
        """A chart as SVG, in the colours that its candidates have everywhere; `None` where it is drawn apart from this page."""
        chart = replace(chart, spec=by_candidate(chart.spec, view.catalog.places_of_candidates))
        cost = CHART_MS + CHART_BYTE_MS * len(chart.encoded)
        ready = view.patience is None or view.patience.now(("chart", chart.digest), cost, chart.drawn)
        return chart.drawn() if ready else None

    return {
        "drawing": drawing,
        "place_of": lambda grid: f"{here.page}-{here.of + '-' if here.of else ''}table-{grid.name}",
        "at": replace_at,
        "portion": lambda grid: portion(grid, here, view.links.live),
        "view": view,
        "catalog": view.catalog,
        "links": view.links,
        "here": here,
        "href": view.links.href,
        "downloads": downloads,
    }
