"""The sliders of a decision: the browser computes what the server says and what the library decides at those weights."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.decisions.deciding import decide
from assay.decisions.measuring import measure
from assay.decisions.reading import read_profile
from assay.web.catalog import open_catalog
from browser_helpers import Opened, follow
from browser_store import PROFILE

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

WEIGHTS = ((100, 0, 0), (0, 0, 100), (20, 60, 20), (33, 1, 66))
"""Of right answers, honest confidence, quick answers."""


@pytest.fixture(scope="session")
def page_of_record(looked_at: Path, served: str) -> str:
    (record,) = open_catalog([looked_at]).records
    return f"{served}/decide/{record.slug}"


def ranking(page: Page) -> list[tuple[str, ...]]:
    """Candidate, worth with its interval, and share of being first, in the order shown."""
    rows = page.locator("table[data-ranking] tbody tr").all()
    return [tuple(" ".join(cell.split()) for cell in row.locator("th, td").all_inner_texts()[:3]) for row in rows]


def move(page: Page, weights: tuple[int, ...]) -> None:
    for slider, weight in zip(page.locator("input[type=range]").all(), weights, strict=True):
        slider.evaluate(
            "(slider, to) => { slider.value = to; slider.dispatchEvent(new Event('input', { bubbles: true })); }", weight
        )


def decided_at(folder: Path, weights: tuple[int, ...]) -> dict[str, float]:
    """Each candidate's worth by the library, at a profile that has these weights and no others, best first."""
    text = PROFILE
    for before, weight in zip(("[2, 4]", "[1, 2]", "[0, 3]"), weights, strict=True):
        text = text.replace(f"weight: {before}", f"weight: {weight}")
    path = folder / "fixed.yaml"
    path.write_text(text)
    try:
        profile = read_profile(path)
        standings = decide(profile, measure(profile, folder)).standings
    finally:
        path.unlink()
    worths = {standing.candidate: standing.worth.value for standing in standings if standing.worth is not None}
    return dict(sorted(worths.items(), key=lambda item: -item[1]))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_moved_sliders_rank_as_the_server_and_as_the_library(
    opened: Opened, looked_at: Path, page_of_record: str, weights: tuple[int, ...]
) -> None:
    live = opened(page_of_record)
    move(live, weights)
    query = "&".join(f"w{place}={weight}" for place, weight in enumerate(weights))
    sent = opened(f"{page_of_record}?{query}", script=False)
    assert ranking(live) == ranking(sent)
    assert live.locator("[data-said]").inner_text() == sent.locator("[data-said]").inner_text()
    expected = decided_at(looked_at, weights)
    assert [row[0] for row in ranking(live)] == list(expected)
    shown = [float(re.split(r"[ \[]", row[1])[0]) for row in ranking(live)]
    assert shown == pytest.approx(list(expected.values()), abs=0.0051)


def test_the_first_changes_with_what_matters(opened: Opened, page_of_record: str) -> None:
    page = opened(page_of_record)
    move(page, (100, 0, 0))
    careful = ranking(page)[0][0]
    move(page, (0, 0, 100))
    assert (careful, ranking(page)[0][0]) == ("acme/careful", "acme/hasty")


def test_a_slider_moves_by_the_keyboard_and_shows_the_share(opened: Opened, page_of_record: str) -> None:
    page = opened(page_of_record)
    sliders = page.locator("input[type=range]").all()
    for slider, key in zip(sliders, ("End", "Home", "Home"), strict=True):
        slider.focus()
        page.keyboard.press(key)
    shares = page.locator(".sliders output").all_inner_texts()
    assert [share.strip() for share in shares] == ["weight 100 → 100 % of all", *["weight 0 → 0 % of all"] * 2]
    assert ranking(page)[0][0] == "acme/careful"


def test_the_address_and_the_other_forms_follow_the_sliders(opened: Opened, page_of_record: str) -> None:
    page = opened(page_of_record)
    first = page.locator("input[type=range]").first
    assert first.get_attribute("step") == "1"
    first.focus()
    page.keyboard.press("Home")
    moved = [page.locator(f"input[type=range][name=w{place}]").input_value() for place in range(3)]
    assert moved[0] == "0"
    assert all(f"w{place}={value}" in page.url for place, value in enumerate(moved))
    shown = ranking(page)
    again = opened(page.url, script=False)
    assert ranking(again) == shown
    page.go_back()
    assert page.url == "about:blank", "moving a slider is no step of its own"
    page = opened(page_of_record)
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("Home")
    follow(page, page.locator("form button", has_text="Draw"))
    assert "w0=0" in page.url


def test_without_scripts_the_form_recomputes(opened: Opened, page_of_record: str) -> None:
    page = opened(f"{page_of_record}?w0=0&w1=0&w2=100", script=False)
    assert ranking(page)[0][0] == "acme/hasty"
    follow(page, page.locator("form button", has_text="Recompute"))
    assert "w2=100" in page.url
    assert ranking(page)[0][0] == "acme/hasty"
