"""A model over time on its page: what `assay drift` finds, in tables and words, and how old the numbers are."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from assay.drift.watching import DAY_S, Watch, watch
from assay.errors import AssayError
from assay.store import RunFolder
from assay.store.folders import MANIFEST, SPEC, STATS, write_json
from assay.store.manifest import file_digest
from assay.tables.numbers import format_estimate
from assay.web import over_time
from assay.web.addresses import Filed
from assay.web.page import Page, View
from assay.web.patience import Finished, Patience
from trial_stores import HOSTILE
from web_helpers import draw, html, view_of
from web_runs import FIRST_NIGHT, ITEMS_A_NIGHT, night, seven_nights, with_stats


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seven_nights(tmp_path_factory.mktemp("nights"))


@pytest.fixture(scope="module")
def view(nights: Path) -> View:
    return view_of(nights)


def slug(view: View) -> str:
    return view.catalog.candidates[0].slug


def rows(page: Page, name: str) -> list[dict[str, object]]:
    return [dict(row) for row in next(grid for grid in page.grids if grid.name == name).records()]


def test_a_change_is_told_in_words_and_in_the_numbers_of_the_drift_room(view: View, nights: Path) -> None:
    found = watch([nights], "m", None, Watch(), 0.0)
    [series] = [one for one in found.series if one.scenario == "made"]
    page, text = draw(view, "model", slug(view)), html(view, "model", slug(view))
    assert "✗ changed</span> in 1 of 2" in text
    assert "exact match" in text.partition("<li>made:")[2].partition("</li>")[0]
    assert "it calls itself m-2 now, m-1 at the baseline" in text
    made, steady = rows(page, "drift")
    assert (made["scenario"], made["changed"], made["evaluations"]) == ("made", "✗ changed", 7)
    assert (made["baseline"], made["latest"]) == ("night0", "night6")
    assert made["change"] == pytest.approx(-18 / ITEMS_A_NIGHT)
    assert (steady["scenario"], steady["changed"], steady["word for word"]) == ("steady", "✓ no change shown", 1.0)
    change = series.changes[0].change
    assert change is not None
    assert (made["change low"], made["change high"]) == (change.low, change.high)
    assert format_estimate(change).split(" ")[0] in text
    measure = next(row for row in rows(page, "drift-measures") if row["measure"] == "exact_match")
    assert (measure["up"], measure["down"], measure["alarm"]) == (0, 18, "changed since night5")
    assert measure["evidence"] == series.changes[0].monitor.evidence[-1]
    longer = next(row for row in rows(page, "drift-measures") if row["measure"] == "characters")
    assert longer["up"] == 18


def test_every_evaluation_stands_with_its_version_and_leads_to_its_run(view: View) -> None:
    page = draw(view, "model", slug(view))
    made = [row for row in rows(page, "drift-evaluations") if row["scenario"] == "made"]
    assert [row["reported version"] for row in made] == ["m-1"] * 5 + ["m-2"] * 2
    assert [row["value"] for row in made] == pytest.approx([48 / ITEMS_A_NIGHT] * 5 + [30 / ITEMS_A_NIGHT] * 2)
    assert {row["asked anew"] for row in made} == {1.0}
    grid = next(grid for grid in page.grids if grid.name == "drift-evaluations")
    for row in grid.rows:
        assert row[2].to is not None
        entry = view.catalog.entry(row[2].to.of)
        assert (entry.title, entry.suite) == (row[0].value, row[2].value)


def test_an_item_that_changed_leads_to_its_latest_answer(view: View) -> None:
    grid = next(grid for grid in draw(view, "model", slug(view)).grids if grid.name == "drift-measures")
    example = next(row[-1] for row in grid.rows if row[1].value == "exact_match")
    assert example.to is not None
    assert view.catalog.entry(example.to.of).suite == "night6"
    assert 30 <= int(str(example.value).removeprefix("item")) < 48
    assert "no, not so" in html(view, "instance", example.to.of, **dict(example.to.query))


def test_a_report_without_a_server_says_the_same_on_every_day(view: View) -> None:
    body = draw(View(view.catalog, Filed({})), "model", slug(view)).body
    assert "✗ changed</span> in 1 of 2" in body
    assert "Measure by measure" in body
    assert "2026-09-27 14:13" in body, "the oldest answer of the last night"
    assert "days ago" not in body, "that depends on the day"
    assert "<form" not in body


def test_evaluations_that_are_alike_show_no_change(tmp_path: Path) -> None:
    for day in range(3):
        night(tmp_path, day, right=40)
    text = html(view_of(tmp_path), "model", slug(view_of(tmp_path)))
    assert "✓ no change shown</span>" in text
    assert "over 3 evaluations" in text
    assert "✗ changed" not in text


def test_numbers_that_are_older_than_wanted_are_stale(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: FIRST_NIGHT + 16 * DAY_S)
    page = slug(view)
    assert [row["oldest answer"] for row in rows(draw(view, "model", page), "ages")] == [FIRST_NIGHT + 6 * DAY_S] * 2
    old = " ".join(html(view, "model", page, days="7").split())
    assert "The oldest of these answers came 10 days ago." in old
    assert "✗ stale</span> 2 of 2 scenarios have numbers older than 7 days: made, steady." in old
    assert "✓ no number is older than 30 days" in html(view, "model", page, days="30")
    assert "✗ stale" not in html(view, "model", page)
    with pytest.raises(AssayError, match="days="):
        draw(view, "model", page, days="-1")


def test_many_trials_are_read_when_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(over_time, "AT_ONCE", 100)
    for day in range(2):
        night(tmp_path, day, right=40)
    view = view_of(tmp_path)
    asking = html(view, "model", slug(view))
    assert "measured on 120 trials" in asking
    assert f'href="/model/{slug(view)}?drift=all#model-{slug(view)}-over-time"' in asking
    assert "no change shown" in html(view, "model", slug(view), drift="all")
    assert "no change shown" in draw(View(view.catalog, Filed({})), "model", slug(view)).body, "a report takes its time"


def test_a_reader_who_will_not_wait_gets_the_page_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(over_time, "RUN_MS", 1e6)
    for day in range(2):
        night(tmp_path, day, right=30 + day)
    catalog = view_of(tmp_path).catalog
    jobs = []

    class Later:
        def soon(self, job: object) -> None:
            jobs.append(job)

    finished = Finished()
    hurried = View(catalog, view_of(tmp_path).links, Patience(finished, Later()))
    assert "what changed is being worked out" in draw(hurried, "model", slug(hurried)).body
    for job in jobs:
        job()  # type: ignore[operator] # declared as any object
    again = View(catalog, hurried.links, Patience(finished, Later()))
    assert "From the first evaluation to the latest" in draw(again, "model", slug(again)).body


def test_a_damaged_run_is_named_without_where_it_lies(tmp_path: Path) -> None:
    for day in range(2):
        damaged = night(tmp_path, day, right=40)
    (damaged / STATS).write_bytes((damaged / STATS).read_bytes() + b" ")
    view = view_of(tmp_path)
    text = draw(view, "model", slug(view)).body
    assert "what changed cannot be said" in text
    assert f"{damaged.parent.name}/{damaged.name}" in text
    assert str(tmp_path) not in text


def test_a_scenario_whose_main_metric_judges_no_single_answer_is_left_out_and_named(tmp_path: Path) -> None:
    for number in range(3):
        for scenario in ("made", "summed"):
            run = night(tmp_path, number, right=40, scenario=scenario)
        card = {**RunFolder(run).spec_file().card, "main_metric": "classification_macro_f1"}
        write_json(run / SPEC, msgspec.structs.replace(RunFolder(run).spec_file(), card=card))
        with_stats(run, main_metric="classification_macro_f1")
        manifest = RunFolder(run).manifest()
        files = {name: file_digest(run / name) for name in manifest.files}
        write_json(run / MANIFEST, msgspec.structs.replace(manifest, files=files).sealed())
    view = view_of(tmp_path)
    text = html(view, "model", slug(view))
    assert "summed is left out: its main metric judges no single answer" in text
    assert [row["scenario"] for row in rows(draw(view, "model", slug(view)), "drift")] == ["made"]
    alone = view_of(*tmp_path.glob("*/summed*"))
    assert "what changed cannot be said: summed is left out" in html(alone, "model", slug(alone))


def test_another_way_of_asking_in_the_same_suite_is_no_evaluation_of_this_one(tmp_path: Path) -> None:
    night(tmp_path, 0, right=40, prompting={"method": "generation", "shots": 0})
    night(tmp_path, 0, right=20, prompting={"method": "generation", "shots": 5})
    view = view_of(tmp_path)
    assert len(view.catalog.entries) == 2
    assert "was evaluated once so far" in html(view, "model", slug(view))
    for day in (1, 2):
        night(tmp_path, day, right=40 - day, prompting={"method": "generation", "shots": 5})
    view = view_of(tmp_path)
    [made] = rows(draw(view, "model", slug(view)), "drift")
    assert (made["evaluations"], made["latest"]) == (3, "night2")


def test_evaluations_asked_otherwise_are_left_out_and_named(tmp_path: Path) -> None:
    night(tmp_path, 0, right=40, prompting={"method": "generation", "shots": 0, "instructions": HOSTILE["html"]})
    for day in (1, 2):
        night(tmp_path, day, right=40, prompting={"method": "generation", "shots": 0})
    view = view_of(tmp_path)
    text = html(view, "model", slug(view))
    assert "is left out, as it was asked otherwise" in text
    assert HOSTILE["html"] not in text


def test_an_evaluation_asked_otherwise_at_last_silences_no_alarm(tmp_path: Path) -> None:
    for day in range(4):
        night(tmp_path, day, right=50 if day < 3 else 20)
    night(tmp_path, 4, right=10, seed=7)
    view = view_of(tmp_path)
    page, text = draw(view, "model", slug(view)), html(view, "model", slug(view))
    assert "✗ changed" in text
    assert "made: night4 is left out, as it was asked otherwise: seed was 7, not 0." in text
    [made] = rows(page, "drift")
    assert (made["evaluations"], made["latest"]) == (4, "night3")
    course = rows(page, "course")
    assert [row["asked"] for row in course] == ["alike"] * 4 + ["otherwise"]
    assert "Hollow ones were asked otherwise" in text


def test_the_largest_series_counts_whichever_was_asked_first(tmp_path: Path) -> None:
    for day in range(5):
        night(tmp_path, day, right=40, seed=1 if day in (0, 2) else 0)
    view = view_of(tmp_path)
    [made] = rows(draw(view, "model", slug(view)), "drift")
    assert (made["evaluations"], made["baseline"], made["latest"]) == (3, "night1", "night4")


def test_evidence_and_means_are_written_to_be_read(view: View) -> None:
    grid = next(grid for grid in draw(view, "model", slug(view)).grids if grid.name == "drift-measures")
    for row in grid.rows:
        shown = {column.name: cell.text for column, cell in zip(grid.columns, row, strict=True)}
        assert "e+" not in shown["evidence"]
        if "." in shown["change"] and shown["baseline"] != "–":
            digits = {len(shown[name].split(" ")[0].partition(".")[2]) for name in ("baseline", "latest", "change")}
            assert len(digits) == 1, shown


def test_versions_and_names_of_hostile_servers_are_text(tmp_path: Path) -> None:
    for day, kind in enumerate(("html", "script", "bidi", "ansi")):
        night(tmp_path, day, right=40, version=HOSTILE[kind], scenario=HOSTILE["attribute"])
    view = view_of(tmp_path)
    text = html(view, "model", slug(view))
    assert "it calls itself" in text
    assert not any(HOSTILE[kind] in text for kind in ("html", "script", "bidi", "ansi"))
    assert not set(text) & set("\x1b\u202e\u2066")
