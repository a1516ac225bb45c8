"""The page of coverage: finished runs on the map of what is asked of language models."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.records import NamedSpec
from assay.web.addresses import Filed
from assay.web.page import Page, View
from scored_runs import Said, scored_run
from trial_stores import HOSTILE
from web_helpers import draw, html, view_of
from web_runs import with_card

MATHEMATICS = {"task": "reasoning", "what": "mathematics", "language": "Swahili"}


@pytest.fixture
def view(tmp_path: Path) -> View:
    plain = [Said(item, "yes") for item in range(12)]
    spoken = [*plain, *(Said(item, "yes", perturbation="dialect") for item in range(12))]
    for name in ("a", "b"):
        dialect = (NamedSpec(name="dialect", parameters={"rate": 1.0}),)
        with_card(scored_run(tmp_path / "s", name, spoken, scenario="sums", perturbations=dialect), taxonomy=MATHEMATICS)
    with_card(scored_run(tmp_path / "t", "c", plain, scenario="odd"), taxonomy={"task": "unheard of"})
    return view_of(tmp_path)


def cells(page: Page, table: str) -> dict[str, dict[str, object]]:
    grid = next(grid for grid in page.grids if grid.caption == table)
    return {
        str(row[0].value): {column.name: cell.value for column, cell in zip(grid.columns, row, strict=True)}
        for row in grid.rows
    }


def test_a_scenario_counts_once_however_many_candidates_were_asked(view: View) -> None:
    page = draw(view, "coverage")
    tasks = cells(page, "Tasks and domains")
    assert tasks["reasoning"]["mathematics"] == 1
    assert tasks["code"]["programming"] == 0
    assert cells(page, "Languages")["Swahili"]["measured by"] == "sums"
    named = next(grid for grid in page.grids if grid.caption == "Tasks and domains, by name")
    assert ("reasoning", "mathematics", "sums") in {tuple(cell.value for cell in row[:3]) for row in named.rows}


def test_perturbations_and_families_of_metrics_cover_too(view: View) -> None:
    page = draw(view, "coverage")
    assert cells(page, "People")["dialects"]["measured by"] == "sums"
    families = cells(page, "Families of metrics")
    assert families["accuracy"]["measured by"] == "sums, odd"
    assert families["fairness"]["measured by"] == "sums", "dialect is a matter of fairness"
    assert families["robustness"]["measured by"] is None


def test_what_could_be_added_and_what_nobody_measures_is_said(view: View) -> None:
    page = draw(view, "coverage")
    named = next(grid for grid in page.grids if grid.caption.endswith("by name")).records()
    [could] = [row["could add"] for row in named if (row["place"], row["of"]) == ("reasoning", "mathematics")]
    assert "gsm8k" in str(could)
    assert "images and sound" in page.body.partition("Nobody measures")[2]
    assert "Swahili" not in page.body.partition("Nobody measures")[2], "these runs do"


def test_only_the_suite_that_was_chosen_counts(view: View) -> None:
    page = draw(view, "coverage", suite="t")
    assert cells(page, "Languages")["Swahili"]["measured by"] is None
    assert cells(page, "Families of metrics")["accuracy"]["measured by"] == "odd"
    assert "1 scenario of" in page.body


def test_a_card_that_assay_did_not_write_does_no_harm(tmp_path: Path) -> None:
    folder = scored_run(tmp_path / "s", "m", [Said(item, "yes") for item in range(12)], scenario=HOSTILE["html"])
    with_card(folder, taxonomy={"task": 7, "what": HOSTILE["script"]}, licence=[HOSTILE["html"]])
    text = html(view_of(tmp_path), "coverage")
    assert HOSTILE["html"] not in text
    assert "&lt;b&gt;bold" in text


def test_a_report_without_a_server_has_no_forms(view: View) -> None:
    body = draw(View(view.catalog, Filed({})), "coverage").body
    assert "<form" not in body
    assert "<a " not in body


def test_a_subgroup_that_runs_measure_counts_for_the_people_it_names(tmp_path: Path) -> None:
    held = [Said(item, "yes", subgroups={"style": "second_language" if item % 2 else "native"}) for item in range(24)]
    scored_run(tmp_path / "s", "m", held, scenario="enquiries")
    people = cells(draw(view_of(tmp_path), "coverage"), "People")
    assert people["second-language writers"]["measured by"] == "enquiries"
    assert people["religion"]["measured by"] is None
