"""Fixtures of the browser's tests: what is looked at, who serves it, and a browser that must not complain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser_helpers import Opened, Seen, a_browser, fetch_axe, pages_of, watch
from browser_store import make_store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page


@pytest.fixture(scope="session")
def looked_at(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    """A folder with runs, a profile and a decision record."""
    folder = tmp_path_factory.mktemp("looked_at")
    make_store(folder, shared)
    return folder


@pytest.fixture(scope="session")
def served(looked_at: Path) -> Iterator[str]:
    """Where its pages are served."""
    with pages_of(looked_at / "runs", looked_at, cwd=looked_at) as address:
        yield address


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core, as text."""
    return fetch_axe(tmp_path_factory.mktemp("axe"))


@pytest.fixture(scope="module")
def browser(looked_at: Path) -> Iterator[Browser]:
    """One for each file of tests: while it is there, nothing else can use asyncio in this thread."""
    with a_browser() as found:
        yield found


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Opens a page in a window of its own; at the end of the test nothing may have been complained about."""
    held: list[tuple[BrowserContext, Seen]] = []

    def open_page(url: str, *, width: int = 1280, dark: bool = False, script: bool = True) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            accept_downloads=True,
        )
        held.append((context, watch(context)))
        page = context.new_page()
        page.goto(url)
        while page.locator("[data-put-off]").count():  # it asks again by itself
            page.wait_for_timeout(200)
        return page

    yield open_page
    for context, seen in held:
        context.close()
        seen.check()
