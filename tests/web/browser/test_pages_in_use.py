"""Reading with mouse and keyboard: filters, choices, sorting, keys, downloads."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.web.addresses import Address, Served
from assay.web.catalog import open_catalog
from assay.web.pages import kind_of, kinds
from browser_helpers import Opened, follow, press
from browser_store import CANDIDATES, answers
from scored_runs import Said

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

CAREFUL, HASTY, _ = (list(answers(candidate, "enquiries")) for candidate in CANDIDATES)
OPTIONS_TRIED = 3
"""Of each choice of each form."""
ALONE_MEANS_NOTHING = {"differs": "with"}
"""Choices that go with another one."""


def right(said: Said) -> bool:
    return said.text == said.gold


def worse_than_original(said: Said) -> bool:
    original = next(other for other in CAREFUL if other.item == said.item and other.perturbation is None)
    return said.perturbation is not None and right(original) and not right(said)


def unlike_hasty(said: Said) -> bool:
    (other,) = (other for other in HASTY if (other.item, other.perturbation) == (said.item, said.perturbation))
    return right(other) != right(said)


FILTERS: dict[str, tuple[dict[str, str], Callable[[Said], bool]]] = {
    "right ones": ({"right": "yes"}, right),
    "wrong ones": ({"right": "no"}, lambda said: not right(said)),
    "copies": ({"copies": "typos"}, lambda said: said.perturbation == "typos"),
    "originals that are wrong": ({"copies": "original", "right": "no"}, lambda said: not said.perturbation and not right(said)),
    "flipped": ({"flipped": "worse"}, worse_than_original),
    "a subgroup": ({"subgroup": "region=north"}, lambda said: said.subgroups["region"] == "north"),
    "a text that was asked": ({"text": "question 17?"}, lambda said: said.item == 17),
    "a text that was answered": ({"text": "NOT AT ALL", "where": "completion"}, lambda said: not right(said)),
    "a range of a metric": ({"metric": "latency_s", "low": "2.5"}, lambda said: said.latency_s >= 2.5),
    "an outcome": ({"outcome": "answered"}, lambda said: True),
    "disagreement": ({"with": "hasty", "differs": "any"}, unlike_hasty),
}


@pytest.fixture(scope="session")
def slugs(looked_at: Path) -> dict[str, str]:
    """The slugs of the runs of the enquiries, by candidate."""
    entries = open_catalog([looked_at / "runs"]).entries
    return {entry.label: entry.slug for entry in entries if entry.title == "enquiries"}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_finds_what_is_like_that(opened: Opened, served: str, slugs: dict[str, str], name: str) -> None:
    chosen, wanted = FILTERS[name]
    page = opened(served + Served().href(Address("instances", slugs["acme/careful"])))
    for field, value in chosen.items():
        if field in ("text", "low"):
            page.fill(f"[name={field}]", value)
        else:
            page.select_option(f"[name={field}]", slugs["acme/hasty"] if field == "with" else value)
    follow(page, page.locator("form button[type=submit]"))
    expected = [said for said in CAREFUL if wanted(said)]
    assert expected
    assert len(_all_rows(page)) == len(expected)


def test_an_address_holds_only_what_was_chosen(opened: Opened, served: str, slugs: dict[str, str]) -> None:
    listed = served + Served().href(Address("instances", slugs["acme/careful"]))
    page = opened(listed)
    page.select_option("[name=right]", "no")
    follow(page, page.locator("form button[type=submit]"))
    assert page.url == f"{listed}?right=no"
    assert page.locator("[name=text]").is_enabled()


def test_a_click_on_a_head_begins_with_the_better_end(opened: Opened, served: str, slugs: dict[str, str]) -> None:
    page = opened(f"{served}/scenario/enquiries")
    for name, end in (("accuracy", "descending"), ("latency s", "ascending")):
        head = page.locator("table.grid").first.locator("thead th", has_text=name)
        head.locator("abbr").click()
        assert head.get_attribute("aria-sort") == end
    assert "/glossary#metric-" in str(head.locator("a.explain").get_attribute("href"))


def _all_rows(page: Page) -> list[str]:
    """The first cells of the rows of this and all following pages of the list."""
    rows = page.locator("main table.grid tbody th").all_inner_texts()
    following = page.locator("main a[rel=next]")
    if not following.count():
        return rows
    follow(page, following)
    return rows + _all_rows(page)


def test_a_choice_of_candidates_and_scenarios_is_what_the_tables_hold(opened: Opened, served: str) -> None:
    page = opened(f"{served}/overview?suite=assistant")
    page.locator("details.choices", has_text="Candidates").locator("summary").click()
    for label in ("acme/careful", "acme/hasty"):
        page.get_by_label(label, exact=True).check()
    follow(page, page.locator("form button", has_text="Show"))
    assert page.locator("table.grid").first.locator("tbody th").all_inner_texts() == ["acme/careful", "acme/hasty"]
    assert page.get_by_label("acme/careful", exact=True).is_checked()
    assert "2 candidates" in page.locator("main").inner_text()


def test_any_two_measures_can_be_drawn_against_each_other(opened: Opened, served: str) -> None:
    page = opened(f"{served}/overview?suite=assistant")
    page.select_option("[name=x]", "latency s")
    page.select_option("[name=y]", "ECE")
    follow(page, page.locator("form button", has_text="Draw"))
    label = page.locator("svg.chart").first.get_attribute("aria-label")
    assert label == "latency s against ECE"


@pytest.mark.parametrize("kind", kinds())
def test_every_choice_of_every_form_gives_a_page(opened: Opened, served: str, looked_at: Path, kind: str) -> None:
    address = next(iter(kind_of(kind).every(open_catalog([looked_at / "runs", looked_at]))), Address(kind))
    page = opened(served + Served().href(address))
    for form in page.locator("main form").all():
        action = form.get_attribute("action") or ""
        for field in form.locator("select, input[type=checkbox]").all():
            name = field.get_attribute("name")
            values = field.locator("option").evaluate_all("(all) => all.map((each) => each.value)")
            for value in values[1 : 1 + OPTIONS_TRIED] or [field.get_attribute("value")]:
                params = {str(name): str(value)}
                if other := ALONE_MEANS_NOTHING.get(str(name)):
                    params[other] = str(form.locator(f"[name={other}] option").nth(1).get_attribute("value"))
                answer = page.request.get(served + action, params=params)
                assert answer.ok, f"{action}?{name}={value}: {answer.status}"


def test_a_table_is_sorted_by_a_click_and_by_the_keyboard(opened: Opened, served: str) -> None:
    page = opened(served)
    table = page.locator("table.grid").first
    head = table.locator("thead th", has_text="accuracy")
    column = int(head.evaluate("(head) => head.cellIndex"))

    def values() -> list[float]:
        cells = table.locator(f"tbody tr > :nth-child({column + 1})[data-value]")
        return [float(value) for value in cells.evaluate_all("(all) => all.map((each) => each.dataset.value)")]

    head.locator("button.sort").click()
    first = head.get_attribute("aria-sort")
    assert values() == sorted(values(), reverse=first == "descending")
    head.locator("button.sort").focus()
    page.keyboard.press("Enter")
    assert {first, head.get_attribute("aria-sort")} == {"ascending", "descending"}
    assert values() == sorted(values(), reverse=first == "ascending")
    assert table.locator("[aria-sort]").count() == 1


def test_keys_lead_to_the_next_and_the_previous_trial_but_not_while_one_types(
    opened: Opened, served: str, slugs: dict[str, str]
) -> None:
    page = opened(served + Served().href(Address("instances", slugs["acme/careful"]).but(right="no")))
    follow(page, page.locator("main tbody th a").first)
    first = page.url
    assert "right=no" in first
    for onward, back in (("j", "k"), ("ArrowRight", "ArrowLeft")):
        press(page, onward)
        assert page.url != first
        assert page.locator("main .badge", has_text="wrong by").count() == 1
        press(page, back)
        assert page.url == first
    page.goto(served + Served().href(Address("instances", slugs["acme/careful"])))
    listed = page.url
    page.locator("[name=text]").press_sequentially("jk")
    assert page.locator("[name=text]").input_value() == "jk"
    assert page.url == listed


def test_the_keyboard_reaches_the_content_first(opened: Opened, served: str) -> None:
    page = opened(served)
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    box = page.locator(":focus").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "main"


def test_a_table_is_downloaded_as_it_stands(opened: Opened, served: str, tmp_path: Path) -> None:
    page = opened(served)
    shown = page.locator("table.grid").first.locator("tbody tr").count()
    for form in ("csv", "json", "parquet"):
        with page.expect_download() as waiting:
            page.locator(".downloads a", has_text=re.compile(f"^{form}$")).first.click()
        file = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(file)
        assert file.suffix == f".{form}"
        assert _rows(file) == shown


def _rows(file: Path) -> int:
    import polars as pl

    read = {".csv": pl.read_csv, ".json": pl.read_json, ".parquet": pl.read_parquet}[file.suffix]
    return read(file).height


def test_the_numbers_behind_a_chart_are_one_click_away(opened: Opened, served: str) -> None:
    page = opened(f"{served}/overview?suite=assistant", width=1000)
    figure = page.locator("figure", has=page.locator("svg.chart")).first
    assert not figure.locator("table").is_visible()
    figure.locator("summary").click()
    assert figure.locator("table").is_visible()


def test_where_there_is_room_the_numbers_stand_beside_their_chart(opened: Opened, served: str) -> None:
    page = opened(f"{served}/overview?suite=assistant")
    figure = page.locator("figure", has=page.locator("svg.chart")).first
    chart, table = figure.locator("svg.chart").bounding_box(), figure.locator("table").bounding_box()
    assert chart is not None
    assert table is not None
    assert table["x"] >= chart["x"] + chart["width"]
    assert table["y"] < chart["y"] + chart["height"]


def test_on_a_phone_a_chart_is_as_large_as_it_was_drawn(opened: Opened, served: str) -> None:
    page = opened(f"{served}/overview?suite=assistant", width=390)
    chart = page.locator("figure svg.chart").first
    box = chart.bounding_box()
    assert box is not None
    assert box["width"] == float(str(chart.get_attribute("width")))
    assert chart.evaluate("(chart) => getComputedStyle(chart).fontFamily === getComputedStyle(document.body).fontFamily")


OPACITY = "(head) => Number(getComputedStyle(head.querySelector('.sort'), '::after').opacity)"


def test_a_head_stands_in_one_line_and_shows_what_it_can_do_to_who_points_at_it(opened: Opened, served: str) -> None:
    page = opened(f"{served}/overview?suite=assistant")
    head = page.locator("table.grid").first.locator("thead th", has_text="ECE")
    explain = head.locator("a.explain")
    assert head.evaluate(OPACITY) == 0
    assert explain.evaluate("(link) => getComputedStyle(link).opacity") == "0"
    head.hover()
    assert head.evaluate(OPACITY) > 0.5
    assert explain.evaluate("(link) => getComputedStyle(link).opacity") == "1"
    head.locator("button.sort").click()
    page.locator("h1").hover()
    assert head.evaluate(OPACITY) == 1, "the column that is sorted by keeps its arrow"
    better, name = head.locator(".better").bounding_box(), head.locator("abbr").bounding_box()
    assert better is not None
    assert name is not None
    assert abs(better["y"] - name["y"]) < 6


def test_downloads_stand_at_the_end_of_the_captions_line(opened: Opened, served: str) -> None:
    page = opened(f"{served}/overview?suite=assistant")
    table = page.locator(".table:not(.quiet)", has=page.locator(".downloads")).first
    caption, links, grid = (table.locator(part).first.bounding_box() for part in ("caption", ".downloads", "table"))
    assert caption is not None
    assert links is not None
    assert grid is not None
    assert caption["y"] <= links["y"] < caption["y"] + caption["height"]
    assert abs(links["x"] + links["width"] - grid["x"] - grid["width"]) < 8


def test_what_narrows_a_page_down_takes_a_line_until_it_is_opened(opened: Opened, served: str) -> None:
    page = opened(f"{served}/overview?suite=assistant", script=False)
    form = page.locator("form", has=page.locator(".choices")).first
    box = form.bounding_box()
    assert box is not None
    assert box["height"] < 60
    assert not form.locator("button").is_visible()
    form.locator("summary").first.click()
    assert form.locator("button").is_visible()
    page.goto(f"{served}/compare?suite=assistant")
    assert page.locator("form", has=page.locator("select")).locator("button").first.is_visible(), "it has more to send"


def test_what_the_glossary_is_asked_for_stands_below_the_bar(opened: Opened, served: str) -> None:
    page = opened(f"{served}/glossary#metric-latency_s")
    bar, term = page.locator("nav.contents").bounding_box(), page.locator("#metric-latency_s dt").bounding_box()
    assert bar is not None
    assert term is not None
    assert bar["y"] + bar["height"] <= term["y"] < 400


def test_an_address_that_leads_nowhere_says_so(opened: Opened, served: str) -> None:
    page = opened(served)
    answer = page.request.get(f"{served}/model/nobody")
    assert answer.status == 404
    assert "unknown candidate" in answer.text()


def test_a_part_that_is_closed_opens_where_the_list_of_parts_leads_to_it(opened: Opened, served: str) -> None:
    page = opened(f"{served}/scenario/enquiries")
    part = page.locator("details.part", has_text="All metrics")
    assert not part.locator("table").first.is_visible()
    page.locator("nav.contents a", has_text="All metrics").click()
    assert part.locator("table").first.is_visible()
    again = opened(page.url)
    assert again.locator("details.part", has_text="All metrics").locator("table").first.is_visible()


def test_without_a_script_a_closed_part_opens_by_a_click(opened: Opened, served: str) -> None:
    page = opened(f"{served}/scenario/enquiries", script=False)
    part = page.locator("details.part", has_text="All metrics")
    assert not part.locator("table").first.is_visible()
    part.locator("summary").first.click()
    assert part.locator("table").first.is_visible()
