"""One evaluation speaks for each candidate where they are held against each other; only those asked alike have tiers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.records import DataIdentity
from assay.web.addresses import Filed
from assay.web.boards import separation
from assay.web.entries import Entry
from assay.web.evaluations import asked_otherwise, comparable, one_each
from assay.web.grids import Grid
from assay.web.page import Page, View
from scored_runs import Said, scored_run
from web_helpers import draw, html, view_of

ITEMS = 80


def asked(suite: Path, name: str, right: int, items: int = ITEMS, at: float = 1e9, **spec: Any) -> Path:
    """A run in which the first items are answered rightly, the others wrongly."""
    answers = [Said(item, "yes" if item < right else "no", asked_at=at + item) for item in range(items)]
    limit = None if items == ITEMS else items
    data = DataIdentity(source="generator:made", instances=f"the first {items}")
    return scored_run(suite, name, answers, data=data, max_instances=limit, **spec)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> View:
    """Three candidates of 80 items; one of them asked again on three days; two asked 30 items with another seed, at last; and a
    fourth that was only ever asked with that seed."""
    runs = tmp_path_factory.mktemp("evaluations")
    for name, right in (("steady", 69), ("flaky", 50), ("baseline", 24)):
        asked(runs / "main", name, right, at=1e9)
    for day in range(3):
        asked(runs / f"day{day}", "steady", 69 - day, at=1e9 + 1e5 * (day + 1))
    for name in ("steady", "flaky"):
        asked(runs / "formats", name, 15, items=30, at=1.1e9, seed=7)
    asked(runs / "slow", "slow", 70, at=1.2e9, seed=7)
    return view_of(runs)


def grid_of(page: Page, name: str) -> Grid:
    return next(grid for grid in page.grids if grid.name == name)


def spoken(view: View) -> dict[str, Entry]:
    return {entry.label: entry for entry in one_each(view.catalog.entries)}


def test_of_several_evaluations_speaks_the_newest_with_all_items_asked_as_most_were(several: View) -> None:
    found = {label: (entry.suite, entry.instances) for label, entry in spoken(several).items()}
    assert found == {"steady": ("day2", 80), "flaky": ("main", 80), "baseline": ("main", 80), "slow": ("slow", 80)}


def test_where_each_was_evaluated_once_all_speak_in_their_order(several: View) -> None:
    main = [entry for entry in several.catalog.entries if entry.suite == "main"]
    assert list(one_each(main)) == main
    assert one_each([]) == ()


def test_tiers_do_not_collapse_where_a_scenario_was_evaluated_more_than_once(several: View) -> None:
    slug = several.catalog.scenarios[0].slug
    table = grid_of(draw(several, "scenario", slug), "candidates")
    assert [(row[0].value, row[1].text) for row in table.rows] == [
        ("steady", "T1"), ("flaky", "T2"), ("baseline", "T3"), ("slow", "–"),
    ]  # fmt: skip
    assert "Without a tier, as asked otherwise: slow (seed)." in table.notes
    overview = grid_of(draw(several, "overview", suite="*"), "scenarios")
    texts = {str(head.name): cell.text for head, cell in zip(overview.columns, overview.rows[0], strict=True)}
    assert [texts[name].split(" ")[-1] for name in ("steady", "flaky", "baseline")] == ["T1", "T2", "T3"]
    assert " T" not in texts["slow"]


def test_no_candidate_stands_twice_on_any_page_of_all_suites(several: View) -> None:
    table = grid_of(draw(several, "scenario", several.catalog.scenarios[0].slug), "candidates")
    assert sorted(str(row[0].value) for row in table.rows) == ["baseline", "flaky", "slow", "steady"]
    board = grid_of(draw(several, "compare", suite="*"), "board-1")
    assert [(row[0].value, row[1].text) for row in board.rows] == [("steady", "T1"), ("flaky", "T2"), ("baseline", "T3")]
    assert "steady (" not in html(several, "compare", suite="*").partition("<main")[2]


def test_who_chooses_candidates_that_were_asked_otherwise_gets_them_compared_with_a_notice(several: View) -> None:
    text = html(several, "compare", suite="*")
    assert "made: without a tier, as asked otherwise: slow (seed)." in text
    assert "These runs were not asked alike" not in text
    page = draw(several, "compare", suite="*", candidate=["slow", "steady"])
    assert sorted(str(row[0].value) for row in grid_of(page, "board-1").rows) == ["slow", "steady"]
    assert "These runs were not asked alike" in page.body


def test_the_other_evaluations_stand_behind(several: View) -> None:
    scenario, model = several.catalog.scenarios[0].slug, "steady"
    for page in (draw(several, "scenario", scenario), draw(several, "model", model)):
        rows = [row for row in grid_of(page, "evaluations").records() if row["candidate"] == "steady"]
        assert [row["suite"] for row in rows] == ["formats", "day1", "day0", "main"], "newest first"
        assert [row["items"] for row in rows] == [30, 80, 80, 80]
    assert "Other evaluations" in html(several, "scenario", scenario)


def test_a_model_page_holds_the_model_against_those_asked_alike(several: View) -> None:
    [row] = grid_of(draw(several, "model", "flaky"), "standings").records()
    assert (row["better than"], row["worse than"], row["no difference shown"]) == ("baseline", "steady", "–")
    assert "standings" not in [grid.name for grid in draw(several, "model", "slow").grids], "nobody else was asked so"


def test_a_scenario_page_shows_one_suite_where_one_is_looked_at(several: View) -> None:
    slug = several.catalog.scenarios[0].slug
    page = draw(several, "scenario", slug, suite="formats")
    assert sorted(str(row[0].value) for row in grid_of(page, "candidates").rows) == ["flaky", "steady"]
    assert f'href="/scenario/{slug}?suite=formats"' in html(several, "overview", suite="formats")
    filed = View(several.catalog, Filed({}))
    assert grid_of(draw(filed, "scenario", slug), "candidates").records()


def test_each_two_are_compared_on_the_items_that_both_were_asked(tmp_path: Path) -> None:
    asked(tmp_path / "s", "a", 72)
    asked(tmp_path / "s", "b", 40)
    asked(tmp_path / "s", "few", 20, items=30)
    view = view_of(tmp_path)
    made = separation(view.catalog.entries)
    assert made is not None
    items = {frozenset((pair.first, pair.second)): pair.items for pair in made.board.pairs}
    assert items[frozenset("ab")] == 80, "the third does not take items away from these two"
    assert items[frozenset(("a", "few"))] == 30
    difference = next(pair.difference for pair in made.board.pairs if {pair.first, pair.second} == {"a", "b"})
    assert abs(difference.value) == pytest.approx(32 / 80)
    table = grid_of(draw(view, "scenario", view.catalog.scenarios[0].slug), "candidates")
    assert "Tiers are on the items that each two share, 30 to 80." in table.notes
    shown = {row[0].value: row[3].value for row in table.rows}
    assert {standing.candidate: standing.estimate.value for standing in made.board.standings} == shown


def test_runs_of_one_suite_are_compared_however_they_were_asked(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 1)):
        asked(tmp_path / "s", name, 60 if name == "a" else 20, seed=seed)
    entries = view_of(tmp_path).catalog.entries
    assert comparable(entries) == entries
    assert asked_otherwise(entries) == ""
    made = separation(entries)
    assert made is not None
    assert made.unlike == ("seed",)
