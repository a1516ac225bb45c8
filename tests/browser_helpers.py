"""A real browser on real pages, which remembers what it complained about and whom it asked for anything."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

import pytest

from cli_helpers import assay_process

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
AXE = "axe-core@4.10.3"
WAIT_MS = 20_000
"""For a page; the machine may have much else to do."""
LOCAL = {"127.0.0.1", "localhost", ""}


@dataclass
class Seen:
    """What came of visits."""

    complaints: list[str] = field(default_factory=list)
    """Errors and warnings of the console, exceptions of scripts, and what a content security policy forbade."""
    outside: list[str] = field(default_factory=list)
    """Requests to anybody but this machine."""

    def forget(self) -> None:
        """For what a test caused on purpose."""
        self.complaints.clear()

    def check(self) -> None:
        assert not self.complaints, self.complaints[:5]
        assert not self.outside, self.outside[:5]


def lacking(why: str) -> NoReturn:
    """Skip the test; where changes are checked before they land, nothing may be lacking."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


@contextmanager
def a_browser() -> Iterator[Browser]:
    """Headless Chromium. Skips the test where there is none."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        lacking("playwright is not installed: pip install playwright")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        lacking("there is no Chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        rules = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", rules])
        try:
            yield browser
        finally:
            browser.close()


def watch(context: BrowserContext) -> Seen:
    """Remember what the pages of a context complain about."""
    seen = Seen()
    context.set_default_timeout(WAIT_MS)
    context.on("console", lambda said: seen.complaints.append(said.text) if said.type in ("error", "warning") else None)
    context.on("weberror", lambda error: seen.complaints.append(str(error.error)))
    context.on("request", lambda request: None if _local(request.url) else seen.outside.append(request.url))
    context.on("dialog", lambda dialog: (seen.complaints.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
    return seen


def _local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("data", "file", "about", "blob") or (parts.hostname or "") in LOCAL


@contextmanager
def pages_of(*places: Path, cwd: Path) -> Iterator[str]:
    """`assay serve` as a process of its own, on a port that is free; gives the address of its first page, without the slash."""
    process = assay_process("serve", *places, "--port", "0", cwd=cwd)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if "http://" not in line:
            process.kill()
            raise AssertionError(line + process.communicate()[1])
        yield "http://" + line.split("http://")[1].split()[0].rstrip("/")
    finally:
        process.kill()
        process.communicate()


def fetch_axe(folder: Path) -> str:
    """The source of axe-core, from the npm registry. Skips the test where the registry cannot be reached."""
    npm = shutil.which("npm")
    if npm is None:
        lacking("there is no npm on this machine to bring axe-core: apt-get install npm")
    command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts", AXE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:  # the registry cannot be reached from here: no fault of the pages
        pytest.skip(f"npm cannot bring {AXE}: {done.stderr[-200:]}")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


SERIOUS = """async (only) => {
  const chosen = only.length ? { runOnly: { type: "rule", values: only } } : {};
  const found = await axe.run(document, { ...chosen, resultTypes: ["violations"] });
  return found.violations.filter((each) => ["serious", "critical"].includes(each.impact))
    .map((each) => `${each.id}: ${each.help}: ${each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join("  ")}`);
}"""


def violations(page: Page, axe: str, *rules: str) -> list[str]:
    """What axe-core finds wrong that is serious or critical, a line each with the first elements that it is about.

    Args:
        page: the page.
        axe: the source of axe-core.
        rules: that are checked; all where none is named.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(axe)
    found: list[str] = page.evaluate(SERIOUS, list(rules))
    return found


def follow(page: Page, link: Locator) -> None:
    """Click on what leads to another page, and wait for that."""
    with page.expect_navigation():
        link.click()


def press(page: Page, key: str) -> None:
    """Press a key that leads to another page, and wait for that."""
    with page.expect_navigation():
        page.keyboard.press(key)


Opened = Callable[..., "Page"]
