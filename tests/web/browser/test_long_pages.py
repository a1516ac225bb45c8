"""A model over time, and a decision that nobody should rely on any more, in a real browser: whole, quiet, on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from assay.decisions.record import Choice
from assay.decisions.recording import read_record, sealed, write_record
from assay.web.addresses import Address, Served
from assay.web.catalog import open_catalog
from browser_helpers import Opened, pages_of, violations
from browser_store import RECORD
from trial_stores import HOSTILE
from web_runs import seven_nights

pytestmark = pytest.mark.slow

PHONE = 390
CLOSED = "() => document.querySelectorAll('details').forEach((each) => { each.open = true; })"
STICKS_OUT = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def store(looked_at: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven evaluations of a model, and a record that expired, chosen by somebody who writes markup."""
    folder = tmp_path_factory.mktemp("long")
    seven_nights(folder / "runs")
    text = HOSTILE["html"] + HOSTILE["script"] + HOSTILE["attribute"]
    choice = Choice(chosen="acme/hasty", by=text, rationale=text, dissent=text)
    record = msgspec.structs.replace(read_record(looked_at / RECORD), expires="2020-01-01", review="", choice=choice)
    write_record(sealed(record), folder / RECORD)
    return folder


@pytest.fixture(scope="module")
def pages(store: Path) -> Iterator[dict[str, str]]:
    """Where the page of the model and that of the record are."""
    catalog = open_catalog([store / "runs", store])
    model = next(one.slug for one in catalog.candidates if one.label == "m")
    with pages_of(store / "runs", store, cwd=store) as server:
        found = {"model": Address("model", model), "decide": Address("decide", catalog.records[0].slug)}
        yield {kind: server + Served().href(address) for kind, address in found.items()}


@pytest.mark.parametrize("kind", ["model", "decide"])
def test_they_are_quiet_and_whole_and_axe_finds_nothing_serious(
    opened: Opened, pages: dict[str, str], axe: str, kind: str
) -> None:
    page = opened(pages[kind])
    page.evaluate(CLOSED)
    assert violations(page, axe) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, axe, "color-contrast") == []
    phone = opened(pages[kind], width=PHONE)
    phone.evaluate(CLOSED)
    assert phone.evaluate(STICKS_OUT) <= 0


def test_what_changed_stands_in_words_and_leads_to_an_answer(opened: Opened, pages: dict[str, str]) -> None:
    page = opened(pages["model"])
    page.get_by_text("is being worked out").wait_for(state="detached")
    assert page.locator(".badge", has_text="changed").is_visible()
    page.locator("table", has_text="Measure by measure").locator("tbody tr", has_text="exact match").first.locator("a").click()
    page.wait_for_url("**/instance/**")
    assert "no, not so" in page.locator("main").inner_text()


def test_reasons_that_hold_markup_are_read_and_do_nothing(opened: Opened, pages: dict[str, str]) -> None:
    page = opened(pages["decide"])
    assert page.get_by_text("This decision expired on 2020-01-01").is_visible()
    assert [text.count("<b>bold</b>") for text in page.locator("blockquote").all_inner_texts()] == [1, 1]
    assert page.locator("main img").count() == 0
