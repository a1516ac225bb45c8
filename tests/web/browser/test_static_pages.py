"""A report without a server holds what the served pages hold, as a folder and as one file, and is whole by itself."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.web.addresses import Address, Served
from assay.web.catalog import open_catalog
from assay.web.exporting import _anchor_of, _every, _file_of
from assay.web.selection import EVERY
from browser_helpers import Opened
from cli_helpers import assay_process

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

MOST_BYTES = 5_000_000
WHOLE = ("compare", "efficiency")
"""Of all suites in a report; served, of the newest where nobody chooses."""
LIVE_ONLY = ("live",)
"""Kinds that show the moment."""
SHORTER = {"instances": (), "instance": ("texts",), "run": ("tables", "texts", "charts")}
"""Kinds of which a report holds a part; and what must all stand in what is served."""
EACH = 2
"""Pages of a kind that are compared."""
CONTENT = """(main) => {
  const copy = main.cloneNode(true);
  copy.querySelectorAll("form, .downloads, .explain, [role=status]").forEach((each) => each.remove());
  const words = (each) => each.textContent.split(/\\s+/).filter(Boolean).join(" ");
  return {
    headings: Array.from(copy.querySelectorAll("h1, h2, h3"), words),
    tables: Array.from(copy.querySelectorAll("table"), words),
    charts: Array.from(copy.querySelectorAll("svg"), (svg) => svg.outerHTML),
    texts: Array.from(copy.querySelectorAll(".text"), (each) => each.textContent),
  };
}"""
BROKEN = """(root) => Array.from(root.querySelectorAll("a"))
  .filter((link) => !link.getAttribute("href") || link.getAttribute("href").startsWith("/") || link.protocol === "http:")
  .map((link) => link.outerHTML.slice(0, 150))"""


def report(looked_at: Path, out: Path, *more: str) -> Path:
    process = assay_process("report", out, "runs", ".", *more, cwd=looked_at)
    said, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    assert "pages over" in said
    return out


@pytest.fixture(scope="session")
def folder(looked_at: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report(looked_at, tmp_path_factory.mktemp("static") / "report")


@pytest.fixture(scope="session")
def single(looked_at: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report(looked_at, tmp_path_factory.mktemp("static") / "report.html", "--single-file")


@pytest.fixture(scope="session")
def every(looked_at: Path) -> list[Address]:
    """The addresses of a report, the first few of each kind."""
    found: list[Address] = []
    for address in _every(open_catalog([looked_at / "runs", looked_at])):
        if sum(other.page == address.page for other in found) < EACH:
            found.append(address)
    return found


def missing(parts: list[str], whole: list[str]) -> Counter[str]:
    return Counter(parts) - Counter(whole)


def test_pages_of_a_folder_hold_what_the_served_ones_hold(
    opened: Opened, served: str, folder: Path, every: list[Address]
) -> None:
    static, live = opened((folder / "index.html").as_uri()), opened(served)
    for address in every:
        if address.page in LIVE_ONLY:
            continue
        static.goto((folder / _file_of(address)).as_uri())
        live.goto(served + Served().href(address.but(suite=EVERY) if address.page in WHOLE else address))
        while live.locator("[data-put-off]").count():  # it asks again by itself
            live.wait_for_timeout(200)
        one, other = (page.locator("main").evaluate(CONTENT) for page in (static, live))
        assert one["headings"][0] == other["headings"][0]
        for part in SHORTER.get(address.page, ()):
            assert not missing(one[part], other[part]), (address, part)
        if address.page not in SHORTER:
            assert one == other, address
        assert static.locator("html").evaluate(BROKEN) == [], address


def test_a_report_is_dark_by_dark_and_its_tables_can_be_sorted(opened: Opened, folder: Path) -> None:
    page = opened((folder / "index.html").as_uri(), dark=True)
    ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)")
    assert max(ground) < 60
    page.locator("table.grid button.sort").first.click()
    assert page.locator("[aria-sort]").count() == 1


def test_one_file_shows_one_page_at_a_time_and_leads_to_all(opened: Opened, single: Path, every: list[Address]) -> None:
    assert single.stat().st_size < MOST_BYTES
    page = opened(single.as_uri())
    assert visible_headings(page) == ["Overview"]
    for label in page.locator("header nav a").all_inner_texts():
        page.locator("header nav a", has_text=label).first.click()
        assert len(visible_headings(page)) == 1
    for address in every:
        page.goto(single.as_uri() + "#" + _anchor_of(address))
        assert len(visible_headings(page)) == 1, address
    page.go_back()
    assert len(visible_headings(page)) == 1


def visible_headings(page: Page) -> list[str]:
    return [heading for heading in page.locator("h1:visible").all_inner_texts() if heading]


def test_one_file_holds_what_the_folder_holds(opened: Opened, folder: Path, single: Path, every: list[Address]) -> None:
    static, whole = opened((folder / "index.html").as_uri()), opened(single.as_uri())
    for address in every:
        static.goto((folder / _file_of(address)).as_uri())
        section = whole.locator(f'[id="{_anchor_of(address)}"]')
        one, other = static.locator("main").evaluate(CONTENT), section.evaluate(CONTENT)
        assert one["tables"] == other["tables"], address
        assert one["texts"] == other["texts"], address
    assert whole.locator("html").evaluate(BROKEN) == []


def test_the_report_of_this_store_is_small(folder: Path) -> None:
    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) < MOST_BYTES
