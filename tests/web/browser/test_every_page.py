"""Every kind of page in a real browser: quiet, whole, readable by light and dark, on a phone, and by who cannot see it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.web.addresses import Address, Served
from assay.web.catalog import open_catalog
from assay.web.pages import kind_of, kinds
from browser_helpers import Opened, violations

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


PHONE = 360
OVERFLOWING = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return Array.from(document.querySelectorAll("body *"))
    .filter((element) => element.getBoundingClientRect().right > wide + 1 && !element.closest(".scroll, .unseen, .skip"))
    .slice(0, 5).map((element) => element.outerHTML.slice(0, 120));
}"""
GROUND = "() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"


@pytest.fixture(scope="session")
def addresses(looked_at: Path) -> dict[str, list[Address]]:
    """The first and the last address of each kind of page."""
    catalog = open_catalog([looked_at / "runs", looked_at])
    found = {}
    for name in kinds():
        every = list(kind_of(name).every(catalog)) or [Address(name)]
        found[name] = list(dict.fromkeys((every[0], every[-1])))
    return found


def urls(served: str, addresses: Sequence[Address]) -> list[str]:
    return [served + Served().href(address) for address in addresses]


@pytest.mark.parametrize("kind", kinds())
def test_a_page_is_whole_and_complains_about_nothing(
    opened: Opened, served: str, addresses: dict[str, list[Address]], kind: str
) -> None:
    for url in urls(served, addresses[kind]):
        page = opened(url)
        assert page.locator("h1").count() == 1
        assert page.locator("h1").inner_text() != "This page cannot be shown"
        assert page.locator("main").inner_text().count(" ") > 5
        leads = page.locator("a[href^='/']").evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
        assert leads, "no way on from here"


@pytest.mark.parametrize("kind", kinds())
def test_axe_finds_nothing_serious_by_light_and_by_dark(
    opened: Opened, served: str, addresses: dict[str, list[Address]], axe: str, kind: str
) -> None:
    for url in urls(served, addresses[kind]):
        page = opened(url)
        open_everything(page)
        found = violations(page, axe)
        assert not found, f"{url}, light\n" + "\n".join(found)
        page.emulate_media(color_scheme="dark")
        found = violations(page, axe, "color-contrast")
        assert not found, f"{url}, dark\n" + "\n".join(found)


def open_everything(page: Page) -> None:
    page.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")


@pytest.mark.parametrize("kind", kinds())
def test_on_a_phone_nothing_sticks_out(opened: Opened, served: str, addresses: dict[str, list[Address]], kind: str) -> None:
    for url in urls(served, addresses[kind]):
        page = opened(url, width=PHONE)
        open_everything(page)
        assert page.evaluate(OVERFLOWING) == [], url


def test_by_dark_the_ground_is_dark_and_by_light_it_is_light(opened: Opened, served: str) -> None:
    assert min(opened(served).evaluate(GROUND)) > 240
    assert max(opened(served, dark=True).evaluate(GROUND)) < 60


@pytest.mark.parametrize("kind", kinds())
def test_a_page_reads_the_same_without_scripts(
    opened: Opened, served: str, addresses: dict[str, list[Address]], kind: str
) -> None:
    """Scripts only add: whatever one reads with them stands in the page that the server sends."""
    if kind == "live":
        pytest.skip("it draws itself anew")
    (url, *_) = urls(served, addresses[kind])
    with_script, without = (_words(opened(url, script=script)) for script in (True, False))
    assert set(without) <= set(with_script)


def _words(page: Page) -> list[str]:
    """What stands on a page."""
    return str(page.locator("main").evaluate("(main) => main.textContent")).split()
