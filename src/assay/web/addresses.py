"""Where pages are: an address names one page, and links turn addresses into what stands in `href`.

The same pages are served, written into a folder, or put into one file; only the links differ.

    served        /run/boolq,local_smollm2-1a2b?outcome=failed
    a folder      run/boolq,local_smollm2-1a2b.html                (no filters: what a static page cannot do)
    a single file #run/boolq,local_smollm2-1a2b
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import quote, urlencode

from assay.errors import AssayError, unknown

FIRST = "overview"
"""The page that is shown where none is named."""


@dataclass(frozen=True)
class Address:
    """A page: its kind, what it is of, and how it is filtered."""

    page: str
    of: str = ""
    """A slug of the catalog: of a run, a scenario, a candidate, a record; empty where the kind has one page."""
    query: tuple[tuple[str, str], ...] = ()
    """Filters and choices, in order; a name may occur several times."""
    at: str = ""
    """The id of an element on it, to which the browser goes. Ids are unique over all pages, as one file may hold them all."""

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a name, empty ones left out."""
        return tuple(value for key, value in self.query if key == name and value)

    def one(self, name: str, default: str = "") -> str:
        """The last value of a name."""
        return next(reversed(self.all(name)), default)

    def choice(self, name: str, options: Sequence[str], default: str) -> str:
        """The value of a name, one of some options.

        Raises:
            AssayError: it is none of them.
        """
        value = self.one(name, default)
        if value not in options and value != default:
            raise unknown(name, value, options)
        return value

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """The value of a name as a number in a range.

        Raises:
            AssayError: it is no number, or outside.
        """
        text = self.one(name)
        try:
            value = float(text) if text else default
        except ValueError:
            raise AssayError(f"{name}={text[:40]!r} is no number", f"give one from {low:g} to {high:g}") from None
        if not low <= value <= high:
            raise AssayError(f"{name}={text[:40]} is out of range", f"give a number from {low:g} to {high:g}")
        return value

    def but(self, **changes: str | Sequence[str] | None) -> Address:
        """The same page with some choices exchanged; `None` takes one away."""
        kept = [(key, value) for key, value in self.query if key not in changes]
        for key, given in changes.items():
            values = () if given is None else (given,) if isinstance(given, str) else tuple(given)
            kept += [(key, value) for value in values]
        return Address(self.page, self.of, tuple(kept), self.at)

    @property
    def whole(self) -> Address:
        """The page, not a place on it."""
        return Address(self.page, self.of, self.query)


class Links(Protocol):
    """How addresses are written."""

    @property
    def live(self) -> bool:
        """Whether a server answers: filters, forms and downloads work."""

    def href(self, to: Address) -> str:
        """What a link to a page says; empty where the page is not there."""

    def asset(self, name: str) -> str:
        """Where a style sheet or script lies; empty where it stands in the page itself."""


@dataclass(frozen=True)
class Served:
    """Links of a server."""

    live: bool = True

    def href(self, to: Address) -> str:
        path = "/" + "/".join(quote(part, safe=",=+") for part in (to.page, to.of) if part)
        return path + (f"?{urlencode(to.query)}" if to.query else "") + (f"#{quote(to.at)}" if to.at else "")

    def asset(self, name: str) -> str:
        return f"/assets/{name}"


@dataclass(frozen=True)
class Filed:
    """Links between files of a folder."""

    written: Mapping[Address, str]
    """The file of each page, relative to the folder."""
    here: str = ""
    """The file that the links stand in."""
    live: bool = field(default=False, init=False)

    def href(self, to: Address) -> str:
        file = _written(self.written, to)
        return file and self._up() + quote(file, safe="/,=+") + (f"#{quote(to.at)}" if to.at else "")

    def asset(self, name: str) -> str:
        return f"{self._up()}assets/{name}"

    def _up(self) -> str:
        return "../" * self.here.count("/")


@dataclass(frozen=True)
class Anchored:
    """Links within one file that holds all pages."""

    written: Mapping[Address, str]
    """The anchor of each page."""
    live: bool = field(default=False, init=False)

    def href(self, to: Address) -> str:
        anchor = _written(self.written, to)
        return anchor and "#" + quote(to.at or anchor, safe="/,=+")

    def asset(self, name: str) -> str:
        return ""


def _written(written: Mapping[Address, str], to: Address) -> str:
    """What a page is called among those that are there; without its choices where it is not there with them."""
    return written.get(to.whole) or written.get(Address(to.page, to.of), "")
