"""Pages as a browser gets them, drawn from real run folders."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

from assay.web.addresses import Address, Links, Served
from assay.web.catalog import open_catalog
from assay.web.documents import document, drawn
from assay.web.page import Page, View

EMPTY = {"area", "br", "hr", "img", "input", "link", "meta", "wbr"}
FORBIDDEN = {"script", "iframe", "object", "embed", "style", "base"}


def view_of(*places: Path, links: Links | None = None) -> View:
    """What pages are drawn from."""
    return View(open_catalog(places), links or Served())


def draw(view: View, page: str, of: str = "", **query: str | Sequence[str]) -> Page:
    """A page without its frame."""
    return drawn(view, Address(page, of).but(**query))


def html(view: View, page: str, of: str = "", **query: str | Sequence[str]) -> str:
    """A page as a whole document, which has been looked through for what no page may hold."""
    here = Address(page, of).but(**query)
    text = document(drawn(view, here), view, here)
    check_document(text)
    return text


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.problems: list[str] = []
        self.headings = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        in_head = "body" not in self.open
        data = tag == "script" and given.get("type") == "application/json"
        if tag in FORBIDDEN and not data and not (in_head and tag == "script" and str(given.get("src")).startswith("/assets/")):
            self.problems.append(f"<{tag}> in {self.open}")
        self.problems += [f"{tag} has {name}" for name in given if name == "style" or name.startswith("on")]
        if str(given.get("href", "")).lower().lstrip().startswith(("javascript:", "data:", "//")):
            self.problems.append(f"{tag} links to {given['href']}")
        if "id" in given:
            self.ids.append(str(given["id"]))
        self.headings += tag == "h1"
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> closes {self.open[-3:]}")
        while self.open and self.open.pop() != tag:
            pass


def check_document(text: str) -> None:
    """Every element is closed, ids are unique, there is one first heading, and nothing runs or styles from within the page."""
    reader = _Reader()
    reader.feed(text)
    assert not reader.problems, reader.problems[:5]
    assert not reader.open, reader.open
    assert len(set(reader.ids)) == len(reader.ids), sorted(reader.ids)
    assert reader.headings == 1
