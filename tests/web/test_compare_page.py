"""The page that compares: tiers, paired differences, refusals that can be allowed, failures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.web import comparing, comparison_grids
from assay.web.addresses import Filed
from assay.web.grids import Grid
from assay.web.kept import Kept
from assay.web.page import Page, View
from assay.web.pages import compare
from scored_runs import Said, scored_run
from trial_stores import HOSTILE
from web_helpers import draw, html, view_of
from web_runs import said


@pytest.fixture(scope="module")
def view(suite: Path) -> View:
    return view_of(suite)


def grid_of(page: Page, name: str) -> Grid:
    return next(grid for grid in page.grids if grid.name == name)


def test_candidates_stand_in_tiers_with_their_runs(view: View) -> None:
    board = grid_of(draw(view, "compare"), "board-1")
    assert [(row[0].value, row[1].value, row[2].value) for row in board.rows] == [
        ("good", 1, 0.9),
        ("half", 2, 0.5),
        ("bad", 2, 0.45),
    ]
    runs = {(entry.title, entry.label): entry.slug for entry in view.catalog.entries}
    assert [row[0].to.of for row in board.rows if row[0].to] == [runs["made", name] for name in ("good", "half", "bad")]


def test_differences_are_paired_by_item(view: View) -> None:
    pairs = {(row["first"], row["second"]): row for row in grid_of(draw(view, "compare"), "pairs-1").records()}
    found = pairs["good", "half"]
    assert found["difference"] == pytest.approx(0.4)
    assert (found["first ahead"], found["second ahead"]) == (18, 2), "odd items below 36; 36 and 38"
    assert found["verdict"] == "first better"
    assert pairs["half", "bad"]["verdict"] == "no difference shown"
    assert pairs["half", "bad"]["would have shown"] is not None


def test_the_forest_holds_all_differences_from_one_candidate(view: View) -> None:
    forest = grid_of(draw(view, "compare"), "forest").records()
    assert {(row["where"], row["candidate"]): row["difference"] for row in forest} == {
        ("made", "bad"): pytest.approx(-0.45),
        ("made", "half"): pytest.approx(-0.4),
        ("other", "bad"): pytest.approx(-0.25),
    }
    bad = next(candidate.slug for candidate in view.catalog.candidates if candidate.label == "bad")
    against = grid_of(draw(view, "compare", against=bad), "forest").records()
    assert {row["candidate"] for row in against} == {"good", "half"}


def test_only_what_was_chosen_is_compared(view: View) -> None:
    slugs = {candidate.label: candidate.slug for candidate in view.catalog.candidates}
    page = draw(view, "compare", candidate=[slugs["good"], slugs["half"]])
    assert [grid.name for grid in page.grids if grid.name.startswith("board")] == ["board-1"]
    assert {row[0].value for row in grid_of(page, "board-1").rows} == {"good", "half"}


def test_parts_have_pages_of_their_own(view: View) -> None:
    north, south, *_ = [grid for grid in draw(view, "compare", "subgroup").grids if grid.name.startswith("board")]
    assert "region=north" in north.caption
    assert {row[0].value: row[2].value for row in north.rows} == {"good": 1.0, "bad": 0.9, "half": 0.5}
    assert {row[0].value: row[2].value for row in south.rows}["bad"] == 0.0
    copies = draw(view, "compare", "perturbation")
    assert {row[0].value: row[2].value for row in grid_of(copies, "board-1").rows}["good"] == 0.4, "16 of 40 in lower case"
    with pytest.raises(AssayError, match="unknown part"):
        draw(view, "compare", "moon")


def test_several_scenarios_are_aggregated(view: View) -> None:
    slugs = {candidate.label: candidate.slug for candidate in view.catalog.candidates}
    rows = grid_of(draw(view, "compare", candidate=[slugs["good"], slugs["bad"]]), "aggregates-1").records()
    assert [(row["candidate"], row["mean win rate"], row["scenarios"]) for row in rows] == [("good", 1.0, 2), ("bad", 0.0, 2)]
    assert [row["shown wins"] for row in rows] == [2, 0], "both differences are shown"


def test_runs_that_were_not_asked_alike_are_compared_with_a_notice(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 1)):
        scored_run(tmp_path / "s", name, said(range(20)), seed=seed)
    view = view_of(tmp_path)
    page, text = draw(view, "compare"), html(view, "compare")
    assert {"differences-1", "board-1", "pairs-1", "forest"} == {grid.name for grid in page.grids}
    assert grid_of(page, "differences-1").records() == [
        {"key": "seed", "value": "0", "candidates": "a"},
        {"key": "seed", "value": "1", "candidates": "b"},
    ]
    assert "not asked alike" in text


def test_a_report_without_a_server_compares_and_warns(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 1)):
        scored_run(tmp_path / "s", name, said(range(20)), seed=seed)
    page = draw(view_of(tmp_path, links=Filed({})), "compare")
    assert "not asked alike" in page.body
    assert "board-1" in {grid.name for grid in page.grids}
    for part in ("<form", "<select", "href="):
        assert part not in page.body, "nothing that a file cannot do"


def test_what_cannot_be_compared_is_said_and_can_be_put_right(suite: Path, tmp_path: Path) -> None:
    scored_run(tmp_path / "s", "alone", said(range(20)))
    text = html(view_of(tmp_path), "compare")
    assert "no scenario was asked of two of these candidates" in text
    view = view_of(suite)
    summary = next(name for name in view.catalog.metrics if name.startswith("ece"))
    text = html(view, "compare", metric=summary)
    assert "cannot be paired" in text
    assert "<form" in text
    with pytest.raises(AssayError, match="unknown candidate"):
        draw(view, "compare", candidate="nobody")


def test_failures_are_shown_with_their_items_when_asked_for(view: View) -> None:
    assert "missed" not in {grid.name for grid in draw(view, "compare").grids}
    page = draw(view, "compare", failures="yes")
    slices = grid_of(page, "failures").records()
    assert ("made", "bad", "subgroup region=south") in {(row["scenario"], row["candidate"], row["where"]) for row in slices}
    example = next(row[-1] for row in grid_of(page, "failures").rows if row[3].value == "subgroup region=south")
    assert example.to is not None
    assert (example.to.page, example.to.one("id")) == ("instance", example.value), "one item, a click away, not a text of many"
    missed = grid_of(page, "missed")
    assert {str(row[1].value) for row in missed.rows if row[0].value == "made"} == {"item0037", "item0039"}
    links = [row[1].to for row in missed.rows]
    assert all(link is not None and link.page == "instance" and link.one("id") for link in links)
    html(view, "compare", failures="yes")


def test_a_large_store_shows_its_first_scenarios_until_others_are_chosen(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "AT_ONCE", 1)
    text = html(view, "compare")
    assert "1 more scenario is left out here" in text
    other = next(scenario.slug for scenario in view.catalog.scenarios if scenario.title == "other")
    chosen = html(view, "compare", scenario=other)
    assert "left out here" not in chosen
    assert "other: exact match on the 40 items that all were asked" in chosen
    assert "left out here" not in draw(View(view.catalog, Filed({})), "compare").body


@pytest.mark.parametrize("kind", ["html", "script", "attribute", "template", "bidi", "ansi"])
def test_hostile_names_and_answers_are_shown_and_do_nothing(tmp_path: Path, kind: str) -> None:
    text = HOSTILE[kind]
    for name, right in ((text, 5), ("other", 15)):
        answers = [Said(item, "yes" if item < right else text, subgroups={text[:40]: text[:40]}) for item in range(30)]
        scored_run(tmp_path / "s", name, answers, scenario="made")
    view = view_of(tmp_path)
    for page in (html(view, "compare", failures="yes"), html(view, "compare", "subgroup")):
        assert text not in page or kind in ("template", "attribute"), "written as it is only where it means nothing"
        for character in "\x1b\u202e\u2066":
            assert character not in page
    assert "62615333" not in html(view, "compare", failures="yes"), "7919 * 7907 was not computed"


def test_scenarios_that_differ_in_the_same_share_a_table_and_others_have_their_own(tmp_path: Path) -> None:
    for scenario, seeds in (("one", (0, 1, 1)), ("two", (0, 1, 1)), ("three", (0, 0, 2)), ("alike", (3, 3, 3))):
        for name, seed in zip("abc", seeds, strict=True):
            scored_run(tmp_path / "s", name, said(range(20)), scenario=scenario, seed=seed)
    page = draw(view_of(tmp_path), "compare")
    grids = {grid.caption: grid.records() for grid in page.grids if grid.name.startswith("differences")}
    assert list(grids) == ["Not asked alike: one, two", "Not asked alike: three"]
    assert [row["candidates"] for row in grids["Not asked alike: one, two"]] == ["a", "b, c"]


def test_of_many_scenarios_the_first_are_open_and_the_others_a_click_away(tmp_path: Path) -> None:
    for scenario in "abcdef":
        for place, name in enumerate(("one", "two")):
            said = [Said(item, "yes" if item < 20 - 9 * place else "no") for item in range(30)]
            scored_run(tmp_path / "s", name, said, scenario)
    view = view_of(tmp_path)
    text = html(view, "compare")
    assert text.count('<details class="board"><summary>') == 2
    assert "The 2 others are closed; each opens by a click." in text
    assert "<summary>f: exact match on the 30 items that all were asked</summary>" in text
    assert len([grid for grid in draw(view, "compare").grids if grid.name.startswith("board-")]) == 6


def test_where_nobody_chose_a_suite_it_is_the_newest_with_two_candidates(tmp_path: Path) -> None:
    for suite, names in (("both", ("one", "two")), ("nightly", ("one",))):
        for name in names:
            scored_run(tmp_path / suite, name, [Said(item, "yes") for item in range(12)])
    view = view_of(tmp_path)
    assert re.search(r"<b[^>]*>both</b>", html(view, "compare"))
    assert "one (both)" not in html(view, "compare"), "there is but one suite on the page"
    alone = view_of(tmp_path / "nightly")
    assert "no scenario was asked of two of these candidates" in html(alone, "compare")


def test_others_are_held_against_one_who_was_asked_everywhere(tmp_path: Path) -> None:
    asked = {"a": ("only here", "here too"), "b": ("broad", "second"), "c": ("broad", "second", "third")}
    for scenario, names in asked.items():
        for place, name in enumerate(names):
            scored_run(tmp_path / "s", name, [Said(i, "yes" if i < 25 - 8 * place else "no") for i in range(30)], scenario)
    forest = next(grid for grid in draw(view_of(tmp_path), "compare").grids if grid.name == "forest")
    assert forest.caption == "Against broad"
    assert {row["where"] for row in forest.records()} == {"b", "c"}


def test_a_chart_shows_the_first_pairs_of_whomever_the_others_are_held_against(
    view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = {slug: grid_of(draw(view, "compare", against=slug), "forest").records() for slug in _slugs(view)}
    monkeypatch.setattr(comparison_grids, "MOST_DOTS", 2)
    monkeypatch.setattr(comparing, "_found", Kept(100, lambda held: 1))
    for slug, rows in every.items():
        page = draw(view, "compare", against=slug)
        assert grid_of(page, "forest").records() == rows[:2]
        assert (f"The first 2 of {len(rows)}." in page.body) == (len(rows) > 2)


def _slugs(view: View) -> list[str]:
    return [candidate.slug for candidate in view.catalog.candidates]


def test_an_unknown_candidate_is_refused_before_anything_is_compared(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "compared", None)
    with pytest.raises(AssayError, match="nobody"):
        draw(view, "compare", against="nobody")
