"""Templates: how pages become HTML.

Everything that a template puts out is escaped, and control, bidirectional and invisible characters in it become visible, unless
it was built by a template itself. What the templates share stands in `macros.html`; a page's template has all of it at hand.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import MissingExtra
from assay.tables.numbers import format_amount, format_estimate
from assay.text import LONGEST_SHOWN, one_line, visible
from assay.web.addresses import Address
from assay.web.measures import anchor, explained, meaning
from assay.web.page import View

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
    }
    made.globals |= {
        "verbatim": _verbatim,
        "Address": Address,
        "meaning": meaning,
        "anchor": anchor,
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


def _verbatim(asset: str) -> Markup:
    """The text of one of assay's own style sheets or scripts, as it is."""
    from markupsafe import Markup

    return Markup(asset)


def shade_class(shade: float | None) -> str:
    """The class of a shade from 0 (worst) to 1 (best); empty for none."""
    return "" if shade is None else f"shade-{min(int(shade * SHADES), SHADES - 1)}"


def render(template: str, view: View, here: Address, **values: Any) -> Markup:
    """The HTML of a template.

    It has at hand, beside `values`: `view`, `catalog`, `links`, `here` (its address), `href(address)`, `downloads(name)`, and
    all macros of `macros.html`.
    """
    from markupsafe import Markup

    context = _context(view, here)
    macros = environment().get_template("macros.html").make_module(context)
    shared = {name: getattr(macros, name) for name in dir(macros) if not name.startswith("_")}
    return Markup(environment().get_template(template).render(context | shared | values))


def _context(view: View, here: Address) -> dict[str, Any]:
    def downloads(name: str) -> list[tuple[str, str]]:
        """The formats of a table's downloads and their links; none where nobody answers."""
        if not view.links.live:
            return []
        return [(kind, "/download" + view.links.href(here.whole.but(table=name, format=kind))) for kind in FORMATS]

    return {
        "view": view,
        "catalog": view.catalog,
        "links": view.links,
        "here": here,
        "href": view.links.href,
        "downloads": downloads,
    }
