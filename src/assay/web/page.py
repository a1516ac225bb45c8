"""What a page is, and what it is drawn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.web.addresses import Address, Links
from assay.web.grids import Grid

if TYPE_CHECKING:
    from markupsafe import Markup

    from assay.web.catalog import Catalog
    from assay.web.patience import Patience


@dataclass(frozen=True)
class Page:
    """A page without its frame (navigation, style), which is the same for all."""

    title: str
    """Its heading (h1), which the frame draws."""
    body: Markup
    """Escaped HTML; its own headings begin with h2."""
    grids: tuple[Grid, ...] = ()
    """The tables on it, each of which can be downloaded by its name."""
    refresh_s: int = 0
    """Seconds after which a browser asks for it again; 0: never."""


@dataclass(frozen=True)
class View:
    """All that a page may look at: a page is a function of it and of its address, and changes nothing."""

    catalog: Catalog
    links: Links
    patience: Patience | None = None
    """How long its reader waits; `None`: for everything, as files and reports do."""


@dataclass(frozen=True)
class Kind:
    """A kind of page."""

    name: str
    """The first part of its path."""
    label: str
    """In the navigation; empty: it is reached from other pages."""
    about: str
    """One sentence on what one sees there."""
    draw: Callable[[View, Address], Page]
    every: Callable[[Catalog], Iterable[Address]]
    """The addresses of this kind that a static report holds, in a fixed order."""
