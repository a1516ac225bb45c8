"""The overview: what is shown of which candidates on which scenarios, and that a choice is computed anew."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from assay.comparison import Question, compare, gather
from assay.errors import AssayError
from assay.records import DataIdentity, Estimate
from assay.statistics.estimates import weighted_mean
from assay.store import RunFolder
from assay.store.folders import MANIFEST, writing
from assay.store.planned import PLAN, PlannedRun, SuitePlan, write_plan
from assay.web.addresses import Address, Filed
from assay.web.boards import separation, tier_mark
from assay.web.catalog import open_catalog
from assay.web.families import FAMILIES, Means, left_out, means, measure, of_metric, shaded
from assay.web.grids import Cell, Grid
from assay.web.page import Page, View
from assay.web.pages.overview import KIND
from scored_runs import scored_run
from web_helpers import draw, html, view_of
from web_runs import said, with_spec, with_stats


@pytest.fixture(scope="module")
def view(suite: Path) -> View:
    return view_of(suite)


def slug_of(view: View, label: str) -> str:
    return next(candidate.slug for candidate in view.catalog.candidates if candidate.label == label)


def grid_of(page: Page, name: str) -> Grid:
    return next(grid for grid in page.grids if grid.name == name)


def cell_of(page: Page, grid: str, row: str, column: str) -> Cell:
    found = grid_of(page, grid)
    place = next(place for place, head in enumerate(found.columns) if head.name == column)
    return next(cells[place] for cells in found.rows if cells[0].value == row)


def test_means_are_over_the_scenarios_that_all_candidates_were_asked(view: View) -> None:
    page = draw(view, "overview")
    # `half` was asked only `made`: accuracies there are 36, 18 and 20 of 40
    assert cell_of(page, "profile", "good", "accuracy").value == pytest.approx(0.9)
    assert cell_of(page, "profile", "half", "accuracy").value == pytest.approx(0.5)
    assert grid_of(page, "profile").notes[1:] == (
        "Not in the means, where not every candidate has a number: other (all columns).",
    )


def test_a_choice_of_candidates_is_computed_anew(view: View) -> None:
    page = draw(view, "overview", candidate=[slug_of(view, "good"), slug_of(view, "bad")])
    assert [row[0].value for row in grid_of(page, "profile").rows] == ["bad", "good"]
    good = cell_of(page, "profile", "good", "accuracy")
    assert good.value == pytest.approx((36 / 40 + 30 / 40) / 2), "both scenarios count now"
    parts = [cell.estimate for entry in view.catalog.entries if entry.label == "good" and (cell := entry.cell()) is not None]
    assert good.estimate == weighted_mean(parts)


def test_a_choice_of_scenarios_and_metrics_decides_rows_and_columns(view: View) -> None:
    other = next(scenario.slug for scenario in view.catalog.scenarios if scenario.title == "other")
    page = draw(view, "overview", scenario=other, metric=["latency_s", "ece_10_bin"])
    assert [row[0].value for row in grid_of(page, "scenarios").rows] == ["other"]
    names = [column.name for column in grid_of(page, "profile").columns]
    assert names == ["candidate", "first tier", "accuracy", "ece_10_bin", "latency_s"]
    assert "half" not in [row[0].value for row in grid_of(page, "profile").rows]


def test_tiers_are_those_of_a_comparison(view: View, suite: Path) -> None:
    boards = {board.scenario: board for board in compare(gather([suite]), Question()).boards}
    page = draw(view, "overview")
    for title, board in boards.items():
        for standing in board.standings:
            cell = cell_of(page, "scenarios", title, standing.candidate)
            assert cell.text.endswith(tier_mark(standing.tier))
            assert cell.value == standing.estimate.value
    assert cell_of(page, "scenarios", "other", "half").value is None
    assert cell_of(page, "profile", "good", "first tier").text == "2 of 2"


def test_what_is_not_shown_to_differ_shares_a_tier(view: View) -> None:
    made = next(scenario for scenario in view.catalog.scenarios if scenario.title == "made")
    found = separation(made.entries)
    assert found is not None
    tiers = {standing.candidate: standing.tier for standing in found.board.standings}
    assert tiers == {"good": 1, "half": 2, "bad": 2}


@pytest.mark.parametrize("labels", [("good", "bad"), ("bad", "half"), ("good", "half"), ("good", "bad", "half")])
def test_a_choice_taken_from_all_is_what_a_board_of_the_chosen_says(view: View, labels: tuple[str, ...]) -> None:
    scenario = next(scenario for scenario in view.catalog.scenarios if scenario.title == "made")
    entries = [entry for entry in scenario.entries if entry.label in labels]
    taken, anew = separation(entries, of=scenario.entries), separation(entries)
    assert taken is not None
    assert anew is not None
    assert taken.board.standings == anew.board.standings
    told = ("first", "second", "difference", "p", "p_table", "verdict")
    for one, other in zip(taken.board.pairs, anew.board.pairs, strict=True):
        assert [getattr(one, name) for name in told] == [getattr(other, name) for name in told]


def test_runs_on_other_instances_are_not_taken_from_all(tmp_path: Path) -> None:
    for name, items, data in (("a", 40, "x"), ("b", 40, "x"), ("c", 20, "y")):
        answers = [answer for answer in said(range(30) if name == "a" else range(15)) if answer.item < items]
        with_spec(scored_run(tmp_path / "s", name, answers), data=DataIdentity(source="generator:made", instances=data))
    entries = open_catalog([tmp_path]).entries
    found = separation(entries[:2], of=entries)
    assert found is not None
    assert found.board.items == 40, "all that these two were asked, not only what the third was asked too"


def test_runs_asked_in_different_ways_are_compared_with_a_warning(tmp_path: Path) -> None:
    scored_run(tmp_path / "s", "a", said(range(30)), seed=1)
    scored_run(tmp_path / "s", "b", said(range(20)), seed=2)
    page = draw(view_of(tmp_path), "overview")
    assert any("differ in seed" in note for note in grid_of(page, "scenarios").notes)


def test_any_two_measures_are_drawn_against_each_other(view: View) -> None:
    page = draw(view, "overview", x="completion_tokens", y="ECE")
    grid = grid_of(page, "pareto")
    assert [column.name for column in grid.columns] == ["candidate", "completion_tokens, tokens", "ECE", "unbeaten"]
    default = grid_of(draw(view, "overview"), "pareto")
    assert [column.name for column in default.columns][1:3] == ["latency s", "accuracy"]
    unbeaten = {row[0].value: row[3].value for row in default.rows}
    assert unbeaten == {"good": True, "bad": True, "half": True}


@pytest.mark.parametrize("query", [{"x": "nothing"}, {"candidate": "nobody"}, {"scenario": "none"}, {"metric": "neither"}])
def test_a_choice_of_what_is_not_there_is_refused(view: View, query: dict[str, str]) -> None:
    with pytest.raises(AssayError, match="unknown"):
        draw(view, "overview", **query)


def test_every_number_leads_to_its_run(view: View) -> None:
    cell = cell_of(draw(view, "overview"), "scenarios", "made", "good")
    assert cell.to is not None
    assert view.catalog.entry(cell.to.of).label == "good"
    assert f'href="/run/{cell.to.of}"' in html(view, "overview")


def test_the_whole_page_is_sound_with_and_without_choices(view: View) -> None:
    text = html(view, "overview")
    assert text.count("<svg") == 1
    assert "<form" in text
    assert "1 candidate on" in html(view, "overview", candidate=slug_of(view, "half"))


def test_a_folder_without_runs_says_so(tmp_path: Path) -> None:
    assert "No finished run" in html(view_of(tmp_path), "overview")


def test_names_of_candidates_and_scenarios_are_text(tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>\u202e\x07"
    scored_run(tmp_path / "s", name, said(range(20)), scenario="<script>x</script>")
    scored_run(tmp_path / "s", "other", said(range(10)), scenario="<script>x</script>")
    text = html(view_of(tmp_path), "overview")
    assert "<img" not in text
    assert "\u202e" not in text
    assert "&lt;script&gt;x&lt;/script&gt;" in text


def test_means_leave_out_main_metrics_that_are_no_shares(suite: Path, tmp_path: Path) -> None:
    shutil.copytree(suite, tmp_path / "s")
    for entry in open_catalog([tmp_path]).entries:
        if entry.title == "other":
            stats = entry.stats()
            with_stats(entry.folder.path, main_metric="latency_s", cells=stats.cells)
    entries = [entry for entry in open_catalog([tmp_path]).entries if entry.label != "half"]
    found = means(FAMILIES[0], entries)
    assert (found.scenarios, found.unlike, found.lacking) == (("made",), ("other",), ())
    assert found.by_candidate["good"].value == pytest.approx(0.9)


def test_shades_say_what_is_better() -> None:
    by_title = {family.title: family for family in FAMILIES}
    assert shaded(by_title["ECE"], [0.0, 0.25, None]) == [1, 0.75, None]
    assert shaded(by_title["accuracy"], [0.2]) == [0.2]
    assert shaded(by_title["sensitivity"], [0.2]) == [0.8]
    assert shaded(by_title["accuracy"], [3.0], "latency_s") == [None]
    assert shaded(of_metric("latency_s"), [1.0, 3.0]) == [1, 0]
    assert measure(of_metric("latency_s")).axis == "latency_s, s (lower is better)"


def test_a_mean_of_one_scenario_is_that_of_the_run(view: View) -> None:
    [entry] = [entry for entry in view.catalog.entries if entry.label == "half"]
    cell = entry.cell()
    assert cell is not None
    found = means(FAMILIES[0], [entry]).by_candidate["half"]
    assert isinstance(found, Estimate)
    assert (found.value, found.low, found.high) == pytest.approx((cell.estimate.value, cell.estimate.low, cell.estimate.high))


@pytest.fixture(scope="module")
def two_suites(tmp_path_factory: pytest.TempPathFactory) -> View:
    """An old suite of a and b, and a newer one of c and d on another scenario."""
    runs = tmp_path_factory.mktemp("suites")
    for place, (suite, name, scenario) in enumerate(
        [("old", "a", "x"), ("old", "b", "x"), ("new", "c", "y"), ("new", "d", "y")], 1
    ):
        folder = scored_run(runs / suite, name, said(range(10 * place - 5)), scenario=scenario)
        os.utime(folder / MANIFEST, (1_700_000_000 + place, 1_700_000_000 + place))
    return view_of(runs)


def names_in(page: Page, grid: str = "profile") -> list[object]:
    return [row[0].value for row in grid_of(page, grid).rows]


def test_of_several_suites_the_newest_is_shown_with_links_to_the_others_and_to_all(two_suites: View) -> None:
    assert names_in(draw(two_suites, "overview")) == ["c", "d"]
    text = html(two_suites, "overview")
    assert '<b aria-current="true">new</b>' in text
    assert 'href="/overview?suite=old"' in text
    assert names_in(draw(two_suites, "overview", suite="old")) == ["a", "b"]
    a = slug_of(two_suites, "a")
    assert names_in(draw(two_suites, "overview", candidate=a)) == ["a"], "who names a candidate means it"


def test_of_unrelated_suites_together_each_candidate_has_the_means_over_its_own_scenarios(two_suites: View) -> None:
    page = draw(two_suites, "overview", suite="*")
    assert names_in(page) == ["a", "b", "c", "d"]
    assert [column.name for column in grid_of(page, "profile").columns][:4] == ["candidate", "first tier", "asked", "accuracy"]
    profile = grid_of(page, "profile").records()
    assert [(row["asked"], row["accuracy"]) for row in profile] == [("x", 0.125), ("x", 0.375), ("y", 0.625), ("y", 0.875)]
    assert "only rows with the same scenarios can be held against each other" in grid_of(page, "profile").notes[0]
    assert "No candidate has both" in page.body


def test_who_lacks_a_measure_is_named_below_the_chart_and_one_alone_is_not_drawn(tmp_path: Path) -> None:
    for name in ("a", "b"):
        scored_run(tmp_path / "s", name, said(range(20)))
    folder = scored_run(tmp_path / "s", "free", said(range(10)))
    stats = RunFolder(folder).stats()
    with_stats(folder, cells=tuple(cell for cell in stats.cells if cell.metric != "latency_s"))
    view = view_of(tmp_path)
    text = html(view, "overview", x="latency s", y="accuracy")
    assert "Left out, without a number of both on scenarios that all were asked: free." in text
    alone = draw(view, "overview", x="latency s", y="accuracy", candidate=[slug_of(view, "a"), slug_of(view, "free")])
    assert "Only a has both measures" in alone.body
    assert "pareto" not in [grid.name for grid in alone.grids]


def test_a_suite_that_is_being_asked_gives_way_to_the_newest_finished_one_and_is_named(two_suites: View) -> None:
    entry = next(entry for entry in two_suites.catalog.entries if entry.suite == "new")
    place = entry.folder.path.parent
    names = [*(path.name for path in sorted(place.iterdir()) if path.is_dir() and not path.name.startswith(".")), "late"]
    write_plan(place, SuitePlan(runs=tuple(PlannedRun(run=name, title="y", label="m") for name in names)))
    try:
        with writing(place / "late"):
            text = html(two_suites, "overview")
            assert names_in(draw(two_suites, "overview")) == ["a", "b"]
            assert "new is being asked: 2 of 3 runs are finished." in text
            assert 'href="/live">In progress' in text.partition("<main")[2]
            assert "is being asked" in html(two_suites, "overview", suite="new")
        assert names_in(draw(two_suites, "overview")) == ["c", "d"], "nobody is at it any more"
        assert "is being asked" not in html(two_suites, "overview")
    finally:
        (place / PLAN).unlink()


def test_no_table_speaks_of_tiers_where_there_are_none(tmp_path: Path) -> None:
    scored_run(tmp_path / "s", "alone", said(range(20)))
    assert "T1" not in html(view_of(tmp_path), "overview")


@pytest.mark.parametrize("kind", ["compare", "efficiency", "evidence", "coverage"])
def test_the_suite_goes_along_with_the_navigation(two_suites: View, kind: str) -> None:
    assert f'href="/{kind}?suite=old"' in html(two_suites, "overview", suite="old")
    text = html(two_suites, kind, suite="old")
    assert '<b aria-current="true">old</b>' in text
    assert 'href="/overview?suite=old"' in text
    main = text.partition("<main")[2]
    assert "/model/c" not in main
    assert 'value="c"' not in main
    with pytest.raises(AssayError, match="unknown suite"):
        draw(two_suites, kind, suite="none")


def test_a_report_has_an_overview_of_each_suite(two_suites: View) -> None:
    pages = tuple(KIND.every(two_suites.catalog))
    assert pages == (Address("overview"), Address("overview", "new"), Address("overview", "old"))
    view = View(two_suites.catalog, Filed({page: f"{page.of or 'index'}.html" for page in pages}))
    assert names_in(draw(view, "overview", "old")) == ["a", "b"]
    assert 'href="old.html"' in draw(view, "overview").body
    assert '<b aria-current="true">new</b>' in draw(view, "overview").body
    with pytest.raises(AssayError, match="unknown suite"):
        draw(view, "overview", "older")


def test_shades_stand_only_where_candidates_differ(tmp_path: Path) -> None:
    for name, right in (("a", 20), ("b", 21)):
        scored_run(tmp_path / "near", name, said(range(right)))
        scored_run(tmp_path / "far", name, said(range(1 if name == "a" else 39)))
    view = view_of(tmp_path)
    for suite, shaded_too in (("near", False), ("far", True)):
        page = draw(view, "overview", suite=suite)
        numbers = [cell.shade for row in grid_of(page, "scenarios").rows for cell in row[2:]]
        accuracy = next(n for n, column in enumerate(grid_of(page, "profile").columns) if column.name == "accuracy")
        means_shown = [row[accuracy].shade for row in grid_of(page, "profile").rows]
        assert all((shade is not None) == shaded_too for shade in (*numbers, *means_shown))


def test_one_sentence_says_what_is_left_out_and_why() -> None:
    whole, partly = Means({}, ("x",), (), ()), Means({}, ("x",), ("y", "z"), ("w",))
    assert left_out({"accuracy": whole}) == ""
    assert left_out({"accuracy": partly, "ECE": whole, "cost": partly}) == (
        "Not in the means, where not every candidate has a number: y, z (accuracy, cost); "
        "where the main metric does not go from 0 to 1: w (accuracy, cost)."
    )


def test_pages_about_one_suite_keep_it_chosen_in_the_navigation(two_suites: View) -> None:
    old = next(entry for entry in two_suites.catalog.entries if entry.suite == "old")
    for kind in ("run", "instances"):
        text = html(two_suites, kind, old.slug)
        for other in ("overview", "compare", "coverage", "efficiency", "evidence"):
            assert f'href="/{other}?suite=old"' in text


def test_pages_about_several_suites_choose_none(two_suites: View) -> None:
    both = [one for one in two_suites.catalog.scenarios if len({entry.suite for entry in one.entries}) > 1]
    alone = [one for one in two_suites.catalog.scenarios if one not in both]
    for scenario in (*both, *alone):
        text = html(two_suites, "scenario", scenario.slug)
        chosen = {entry.suite for entry in scenario.entries}
        assert ('href="/coverage"' in text) == (len(chosen) > 1)
        assert all((f'href="/coverage?suite={suite}"' in text) == (chosen == {suite}) for suite in two_suites.catalog.suites)
