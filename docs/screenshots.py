"""Pictures of every kind of page, by light, by dark and on a phone: to be looked at, and one for the README.

    python docs/screenshots.py [FOLDER... --out docs/screens]

Needs Playwright for Python and a Chromium. Without folders the runs of `assay quickstart` are shown. docs/screens/ is not kept
in git; docs/overview.png is, and is written anew where the runs of the quickstart are shown.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.web.addresses import Address, Served
from assay.web.catalog import open_catalog
from assay.web.pages import kinds

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HERE = Path(__file__).parent
QUICKSTART = Path("runs/quickstart")
OVERVIEW = HERE / "overview.png"
LARGEST = 150_000
"""Bytes of the picture in the README."""
NAMES = ("chromium", "chromium-browser", "google-chrome")
LOOKS = {"light": (1280, False), "dark": (1280, True), "phone": (390, False)}
"""Width in pixels, and whether by dark."""
README_SIZE = (1280, 640)


def addresses(places: list[Path]) -> dict[str, Address]:
    """A page of each kind, by the name of its pictures: in the middle of all of its kind, where much is to be seen."""
    catalog = open_catalog(places)
    found = {}
    for name, kind in kinds().items():
        every = list(kind.every(catalog)) or [Address(name)]
        found[name] = every[len(every) // 2]
        if name == "decide" and catalog.records:
            found["decide-record"] = Address("decide", catalog.records[0].slug)
    return found


@contextmanager
def served(places: list[Path]) -> Iterator[str]:
    """The pages of a server of one's own."""
    command = [sys.executable, "-m", "assay", "serve", *map(str, places), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield "http://" + process.stdout.readline().partition("http://")[2].split()[0].rstrip("/")
    finally:
        process.terminate()
        process.wait()


def take(browser: Browser, server: str, pages: dict[str, Address], out: Path) -> None:
    """A picture of each page in each look, whole."""
    for look, (width, dark) in LOOKS.items():
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light")
        page = context.new_page()
        for name, address in pages.items():
            page.goto(server + Served().href(address))
            page.wait_for_function("() => !document.querySelector('[data-put-off]')")
            page.screenshot(path=out / f"{name}-{look}.png", full_page=True)
        context.close()


def take_overview(browser: Browser, server: str) -> None:
    """The picture in the README: the beginning of the overview."""
    width, height = README_SIZE
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(server)
    page.wait_for_function("() => !document.querySelector('[data-put-off]')")
    page.screenshot(path=OVERVIEW)
    size = OVERVIEW.stat().st_size
    if size > LARGEST:
        raise SystemExit(f"{OVERVIEW} has {size:,} bytes, more than {LARGEST:,}")


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, default=HERE / "screens")
    options = parser.parse_args()
    places = options.folders or [QUICKSTART]
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise SystemExit("there is no Chromium here: apt-get install chromium")
    options.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, served(places) as server:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        take(browser, server, addresses(places), options.out)
        if places[0].name == QUICKSTART.name:
            take_overview(browser, server)
        browser.close()


if __name__ == "__main__":
    main()
