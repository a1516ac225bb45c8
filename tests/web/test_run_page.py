"""The page of a run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from assay.records import NamedSpec
from assay.tables.numbers import format_estimate
from assay.web import verification
from assay.web.addresses import Address
from assay.web.kept import Kept
from assay.web.page import Page, View
from assay.web.verification import verified
from scored_runs import Said, scored_run
from trial_stores import two_candidates
from web_helpers import draw, html, view_of
from web_runs import with_stats


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    suite = tmp_path_factory.mktemp("runs") / "suite"
    two_candidates(suite)
    return suite


@pytest.fixture(scope="module")
def view(suite: Path) -> View:
    return view_of(suite)


def page_of(view: View, **query: str) -> Page:
    return draw(view, "run", view.catalog.entries[0].slug, **query)


def records(page: Page, name: str) -> list[dict[str, object]]:
    return [dict(record) for grid in page.grids if grid.name == name for record in grid.records()]


def test_every_metric_of_the_run_stands_with_its_interval(view: View) -> None:
    entry = view.catalog.entries[0]
    found = records(page_of(view), "metrics")
    assert found[0]["metric"] == "exact_match"
    wanted = {cell.metric: cell.estimate for cell in entry.stats().cells if cell.perturbation is None and cell.subgroup is None}
    assert {record["metric"]: (record["value"], record["value low"], record["n"]) for record in found} == {
        name: (estimate.value, estimate.low, estimate.n) for name, estimate in wanted.items()
    }


def test_perturbations_and_subgroups_of_the_main_metric_have_tables(view: View) -> None:
    entry = view.catalog.entries[0]
    page = page_of(view)
    change = entry.cell("exact_match", "typos", "change")
    assert change is not None
    typos = next(record for record in records(page, "perturbations") if record["perturbation"] == "typos")
    assert (typos["change"], typos["items"]) == (change.estimate.value, 30)
    groups = records(page, "subgroups")
    assert [record["subgroup"] for record in groups] == ["region=east", "region=north", "region=south"]
    grid = next(grid for grid in page.grids if grid.name == "subgroups")
    assert grid.rows[0][0].to == Address("instances", entry.slug, (("subgroup", "region=east"),))
    assert [record["groups by"] for record in records(page, "between-subgroups")] == ["region"]


def test_every_estimate_can_be_downloaded(view: View) -> None:
    assert len(records(page_of(view), "estimates")) == len(view.catalog.entries[0].stats().cells)


def test_outcomes_are_counted_and_lead_to_their_trials(view: View) -> None:
    page = page_of(view)
    assert records(page, "outcomes") == [
        {"copies": "original", "answered": 29, "failed": 1, "trials": 30},
        {"copies": "lowercase", "answered": 30, "failed": 0, "trials": 30},
        {"copies": "typos", "answered": 30, "failed": 0, "trials": 30},
    ]
    grid = next(grid for grid in page.grids if grid.name == "outcomes")
    to = grid.rows[0][2].to
    assert to is not None
    assert len(draw(view, to.page, to.of, **dict(to.query)).grids[0].rows) == 1


def test_spec_manifest_and_environment_are_there(view: View) -> None:
    entry = view.catalog.entries[0]
    page = page_of(view)
    assert {"setting": "name", "value": "alpha"} in records(page, "model-settings")
    assert {"setting": "method", "value": "generation"} in records(page, "prompting")
    assert {record["setting"] for record in records(page, "metrics-computed")} == {named.name for named in entry.spec.metrics}
    digests = {record["file"]: record["SHA-256"] for record in records(page, "files")}
    assert digests == {**entry.manifest.files, "manifest.json": entry.manifest.seal}
    shown = html(view, "run", entry.slug)
    assert entry.folder.name in shown
    assert '<span class="badge good">intact</span>' in shown


def test_a_changed_file_is_named_and_the_place_of_the_store_is_not(suite: Path, tmp_path: Path) -> None:
    copy = tmp_path / "secret-place" / "suite"
    shutil.copytree(suite, copy)
    view = view_of(copy)
    entry = view.catalog.entries[0]
    assert verified(entry).word == "intact"
    with (entry.folder.path / "scores.parquet").open("ab") as file:
        file.write(b"x")
    shown = html(view, "run", entry.slug)
    assert "scores.parquet: changed" in shown
    assert "The trials cannot be read" in shown
    assert "secret-place" not in shown.split("<footer>")[0]
    states = {record["file"]: record["state"] for record in records(page_of(view), "files")}
    assert [name for name, state in states.items() if state != "intact"] == ["scores.parquet"]
    assert states["scores.parquet"] == "changed"


def test_a_large_run_is_checked_where_a_reader_asks(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "AT_ONCE", 0)
    monkeypatch.setattr(verification, "_known", Kept(10, lambda _: 1))
    before = html(view, "run", view.catalog.entries[0].slug)
    assert ">not checked</span>" in before
    assert "verify=yes" in before
    assert ">intact</span>" in html(view, "run", view.catalog.entries[0].slug, verify="yes")
    assert ">intact</span>" in html(view, "run", view.catalog.entries[0].slug)  # known from now on


def test_a_run_that_gives_no_marks_has_a_page_too(tmp_path: Path) -> None:
    """A run whose main metric is of a plugin that is not here: its trials are listed, neither right nor wrong."""
    folder = scored_run(tmp_path / "suite", "alpha", [Said(0, "yes")])
    with_stats(folder, main_metric="of_a_plugin")
    view = view_of(folder)
    slug = view.catalog.entries[0].slug
    assert "of_a_plugin" in html(view, "run", slug)
    assert "no mark between right and wrong" in html(view, "instances", slug)
    assert "right by" not in html(view, "instance", slug, id="item0000")


def test_the_main_metric_the_items_and_the_failures_come_first(view: View) -> None:
    entry = view.catalog.entries[0]
    page = html(view, "run", entry.slug)
    headline = page.partition('class="headline"')[2].partition("</p>")[0]
    main = entry.cell(entry.main_metric)
    assert main is not None
    value = format_estimate(main.estimate).split(" ")[0]
    for said in ("exact match", f"<b>{value} ", f"<b>{entry.instances}</b> items", f"<b>{entry.failed}</b> failed"):
        assert said in headline
    assert "On this page" in page


def test_metrics_stand_by_family_and_the_main_one_is_marked(view: View) -> None:
    page = html(view, "run", view.catalog.entries[0].slug)
    table = page.partition("Every metric on the originals</caption>")[2].partition("</table>")[0]
    families = re.findall(r'scope="rowgroup" colspan="3">(.*?)</th>', table)
    assert families[0] == "accuracy"
    assert len(set(families)) == len(families) > 2
    assert table.count('<span class="below">main metric</span>') == 1
    assert ">family<" not in table


def test_perturbations_taken_together_stand_behind_the_single_ones(tmp_path: Path) -> None:
    answers = [Said(item, "yes", perturbation=name) for item in range(12) for name in (None, "lowercase", "typos")]
    asked = tuple(NamedSpec(name=name) for name in ("lowercase", "typos"))
    scored_run(tmp_path / "s", "m", answers, perturbations=asked)
    names = [record["perturbation"] for record in records(page_of(view_of(tmp_path)), "perturbations")]
    assert names == ["lowercase", "typos", "robustness"]
