"""The page of a scenario: its card, its candidates' numbers, and the charts of what is behind them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.records import Cell, Estimate
from assay.web.catalog import open_catalog
from assay.web.page import View
from scored_runs import Said, scored_run
from web_helpers import draw, html, view_of
from web_runs import said, with_card, with_stats


@pytest.fixture(scope="module")
def view(suite: Path) -> View:
    return view_of(suite)


def slug_of(view: View, title: str) -> str:
    return next(scenario.slug for scenario in view.catalog.scenarios if scenario.title == title)


def carded(tmp_path: Path, **card: object) -> str:
    with_card(scored_run(tmp_path / "s", "m", said(range(20))), **card)
    view = view_of(tmp_path)
    return html(view, "scenario", view.catalog.scenarios[0].slug)


def test_candidates_stand_best_first_with_their_tiers(view: View) -> None:
    page = draw(view, "scenario", slug_of(view, "made"))
    grid = next(grid for grid in page.grids if grid.name == "candidates")
    assert [(row[0].value, row[1].text) for row in grid.rows] == [("good", "T1"), ("half", "T2"), ("bad", "T2")]
    assert [column.name for column in grid.columns][3] == "accuracy"
    assert [row[3].value for row in grid.rows] == [0.9, 0.5, 0.45]


def test_every_metric_of_every_candidate_stands_with_its_interval(view: View) -> None:
    page = draw(view, "scenario", slug_of(view, "made"))
    grid = next(grid for grid in page.grids if grid.name == "metrics")
    entries = {entry.label: entry for entry in view.catalog.scenario(slug_of(view, "made")).entries}
    heads = [column.name for column in grid.columns][2:]
    assert grid.rows[0][0].value == "exact_match", "the main metric comes first"
    for row in grid.rows:
        for label, shown in zip(heads, row[2:], strict=True):
            cell = entries[label].cell(str(row[0].value))
            assert shown.estimate == (cell.estimate if cell is not None else None)


def test_drops_gaps_and_calibration_are_drawn_with_their_numbers(view: View) -> None:
    page = draw(view, "scenario", slug_of(view, "made"))
    assert {"forest", "drops", "subgroups", "reliability", "risk-coverage"} <= {grid.name for grid in page.grids}
    text = html(view, "scenario", slug_of(view, "made"))
    assert text.count("<svg") == 5
    drops = next(grid for grid in page.grids if grid.name == "drops")
    changes = {(row["perturbation"], row["candidate"]): row["change of exact_match"] for row in drops.records()}
    assert changes["lowercase", "good"] == -0.5


def test_names_of_tables_are_unlike_so_that_each_can_be_downloaded(view: View) -> None:
    names = [grid.name for grid in draw(view, "scenario", slug_of(view, "made")).grids]
    assert len(names) == len(set(names))


def test_a_choice_of_candidates_is_compared_by_itself(view: View) -> None:
    chosen = [candidate.slug for candidate in view.catalog.candidates if candidate.label in ("bad", "half")]
    page = draw(view, "scenario", slug_of(view, "made"), candidate=chosen)
    grid = next(grid for grid in page.grids if grid.name == "candidates")
    assert [row[1].value for row in grid.rows] == [1, 1], "no difference between these two is shown"
    forest = next(grid for grid in page.grids if grid.name == "forest")
    assert len(forest.rows) == 1


def test_runs_and_instances_are_linked(view: View) -> None:
    text = html(view, "scenario", slug_of(view, "made"))
    for entry in view.catalog.scenario(slug_of(view, "made")).entries:
        assert f'href="/run/{entry.slug}"' in text
        assert f'href="/instances/{entry.slug}"' in text


def test_formats_that_were_asked_are_drawn_as_a_band(suite: Path, tmp_path: Path) -> None:
    shutil.copytree(suite, tmp_path / "s")
    entry = next(entry for entry in open_catalog([tmp_path]).entries if entry.title == "made" and entry.label == "good")
    held = {"metric": "exact_match", "perturbation": "formats"}
    asked = [
        Cell(estimate=Estimate(value=value, low=None, high=None, n=40, clusters=40), computed_on=on, **held)
        for on, value in (("worst_group", 0.4), ("gap", 0.5))
    ]
    with_stats(entry.folder.path, cells=(*entry.stats().cells, *asked))
    view = view_of(tmp_path)
    page = draw(view, "scenario", slug_of(view, "made"))
    [row] = next(grid for grid in page.grids if grid.name == "formats").rows
    assert [cell.value for cell in row[:3]] == ["good", 0.4, 0.9]


def test_values_between_the_ends_are_drawn_as_a_distribution(tmp_path: Path) -> None:
    answers = [Said(item, "yes" if item < 9 or repeat else "no", repeat=repeat) for item in range(20) for repeat in range(2)]
    scored_run(tmp_path / "s", "m", answers)
    view = view_of(tmp_path)
    page = draw(view, "scenario", view.catalog.scenarios[0].slug)
    grid = next(grid for grid in page.grids if grid.name == "histogram")
    assert [(row["to"], row["items"]) for row in grid.records() if row["items"]] == [(pytest.approx(0.55), 11), (1, 9)]


def test_values_at_the_ends_alone_are_not_drawn_again(view: View) -> None:
    assert "histogram" not in [grid.name for grid in draw(view, "scenario", slug_of(view, "made")).grids]


def test_the_card_says_what_is_asked_and_under_which_licence(tmp_path: Path) -> None:
    about = (
        "One line that is so long that it must have been broken by some editor, because otherwise it\nwent on.\n\nQ: 1\nA: 2"
    )
    text = carded(tmp_path, about=about, licence="CC-BY-4.0", paper="https://example.org/paper", taxonomy={"task": "sums"})
    assert "because otherwise it went on.\n\nQ: 1\nA: 2</p>" in text
    assert all(part in text for part in ("CC-BY-4.0", 'href="https://example.org/paper"', "sums"))


@pytest.mark.parametrize("paper", ["javascript:alert(1)", "data:text/html,x", "//elsewhere.example", "http://plain.example"])
def test_a_source_that_is_no_secure_address_is_no_link(tmp_path: Path, paper: str) -> None:
    assert f'href="{paper}' not in carded(tmp_path, paper=paper)


HOSTILE_CARDS = [
    {"about": "<script>alert(1)</script>"},
    {"notes": "\x1b[2J\u202e\x00"},
    {"taxonomy": {"task": "<b>", "terms": {"<i>": "\x07"}}},
]


@pytest.mark.parametrize("card", HOSTILE_CARDS)
def test_a_card_of_anybodys_is_text(tmp_path: Path, card: dict[str, object]) -> None:
    text = carded(tmp_path, **card)
    assert not any(sign in text for sign in ("<script>alert", "\x1b", "\u202e", "\x00", "\x07", "<b>", "<i>"))


@pytest.mark.parametrize("card", [{"about": 7, "taxonomy": ["x"]}, {"paper": {}, "taxonomy": {"terms": 3}}])
def test_a_card_of_another_shape_is_left_out(tmp_path: Path, card: dict[str, object]) -> None:
    assert "<h1>made</h1>" in carded(tmp_path, **card)


def test_shades_stand_only_where_an_interval_lies_beside_another(view: View, tmp_path: Path) -> None:
    page = draw(view, "scenario", slug_of(view, "made"))
    table = next(grid for grid in page.grids if grid.name == "candidates")
    accuracy = next(place for place, column in enumerate(table.columns) if column.name == "accuracy")
    assert [row[accuracy].shade for row in table.rows] == [0.9, 0.5, 0.45]
    assert any(note.startswith("Shaded") for note in table.notes)
    scored_run(tmp_path / "s", "alone", said(range(20)))
    alone = view_of(tmp_path)
    for kind, of in (("scenario", alone.catalog.scenarios[0].slug), ("model", alone.catalog.candidates[0].slug)):
        page = draw(alone, kind, of)
        assert all(cell.shade is None for grid in page.grids for row in grid.rows for cell in row), "one row"
        assert not any(note.startswith("Shaded") for grid in page.grids for note in grid.notes)


def test_the_chart_of_subgroups_shows_three_candidates_unless_others_are_chosen(tmp_path: Path) -> None:
    for place, name in enumerate("abcd"):
        scored_run(tmp_path / "s", name, said(range(5 * place, 40)))
    view = view_of(tmp_path)
    slug = slug_of(view, "made")

    def drawn(**query: list[str]) -> set[object]:
        page = draw(view, "scenario", slug, **query)
        return {row["candidate"] for row in next(grid for grid in page.grids if grid.name == "subgroups").records()}

    assert drawn() == {"a", "b", "c"}
    assert "The chart shows the first 3 candidates" in html(view, "scenario", slug)
    assert drawn(candidate=["c", "d"]) == {"c", "d"}


def test_a_scenario_asked_of_one_candidate_has_no_tiers(tmp_path: Path) -> None:
    text = carded(tmp_path)
    assert "T1" not in text
    assert "What separates them" not in text


def test_a_scenario_that_is_not_there_is_named(view: View) -> None:
    with pytest.raises(AssayError, match="unknown scenario"):
        draw(view, "scenario", "nothing")
