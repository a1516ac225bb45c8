"""A run in progress, watched in a browser that nobody touches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from browser_helpers import Opened, pages_of
from cli_helpers import assay_process
from skilled import PLUGIN, write_sums

pytestmark = pytest.mark.slow

SUMS = 3000


def test_a_run_is_shown_while_it_goes_on_and_when_it_is_finished(opened: Opened, tmp_path: Path) -> None:
    write_sums(tmp_path, SUMS)
    (tmp_path / "runs").mkdir()
    arguments = ["run", "sums.yaml", "-m", "skill/0.8-late", "-m", "skill/0.6", "--plugin", PLUGIN, "--quiet"]
    with pages_of(tmp_path / "runs", cwd=tmp_path) as address:
        run = assay_process(*arguments, cwd=tmp_path)
        try:
            page = opened(f"{address}/live")
            while not page.locator("td", has_text="being asked").count():
                assert run.poll() is None
                page.reload()
            page.locator("summary", has_text="What the states mean").click()
            page.evaluate("() => { window.untouched = true; }")
            page.locator("td", has_text=re.compile("^finished$")).nth(1).wait_for(timeout=60_000)
            assert page.locator("details.part").get_attribute("open") is not None, "what a reader opened stays open"
            assert page.evaluate("() => window.untouched"), "and nothing is loaded anew"
            _, error = run.communicate(timeout=60)
            assert run.returncode == 0, error
        finally:
            run.kill()
            run.communicate()
        assert f"{2 * SUMS:,} trials answered" in page.locator("main").inner_text()
        page.goto(address)
        assert page.locator("table.grid").first.locator("tbody th").all_inner_texts() == ["skill/0.6", "skill/0.8-late"]
