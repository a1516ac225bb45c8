"""Which records rest on which runs: from a run to its records, and from a record to its runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.decisions.recording import write_record
from assay.store import RunFolder
from assay.store.folders import MANIFEST, write_json
from assay.web.addresses import Filed
from assay.web.citations import citing
from assay.web.page import Page, View
from decision_records import RECORD, decided, small_record
from scored_runs import Said, scored_run
from trial_stores import HOSTILE
from web_helpers import draw, html, view_of
from web_runs import with_card

__all__ = ["decided"]  # a fixture


@pytest.fixture
def home(decided: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(decided, tmp_path / "home"))


def rows(page: Page, name: str) -> list[dict[str, object]]:
    return [dict(row) for row in next(grid for grid in page.grids if grid.name == name).records()]


def touched(run: Path) -> None:
    """Write a run's manifest anew, with another time of its last answer."""
    manifest = RunFolder(run).manifest()
    fields = {name: getattr(manifest, name) for name in manifest.__struct_fields__}
    write_json(run / MANIFEST, type(manifest)(**{**fields, "last_asked": 12.5}).sealed())


def test_a_run_names_the_records_that_rest_on_it(home: Path) -> None:
    scored_run(home / "runs" / "default", "nobody's", [Said(item, "yes") for item in range(12)])
    view = view_of(home, home / "runs")
    slug = view.catalog.records[0].slug
    for entry in view.catalog.entries:
        text = html(view, "run", entry.slug)
        cited = entry.label != "nobody's"
        assert (f'Cited by <a href="/decide/{slug}">Billing assistant</a>.' in text) is cited
    column = {row["candidate"]: row["cited by"] for row in rows(draw(view, "evidence"), "runs")}
    assert column == {"baseline/majority": "Billing assistant", "baseline/uniform": "Billing assistant", "nobody's": None}
    assert html(view, "evidence").count(f'href="/decide/{slug}"') == 2 + 1 + 2, "of two runs, of the record, of what it cites"


def test_a_run_that_was_changed_since_says_so(home: Path) -> None:
    run = next((home / "runs").glob("*/*majority*"))
    touched(run)
    view = view_of(home, home / "runs")
    entry = next(entry for entry in view.catalog.entries if entry.label == "baseline/majority")
    assert [one.as_is for one in citing(view.catalog, entry)] == [False]
    assert "as it was then: changed since" in html(view, "run", entry.slug)
    states = {row["candidate"]: row["state"] for row in rows(draw(view, "evidence"), "cited")}
    assert states == {"baseline/majority": "✗ changed", "baseline/uniform": "✓ as decided on"}


def test_a_run_of_the_same_name_in_another_suite_is_not_cited(home: Path) -> None:
    again = shutil.copytree(home / "runs" / "default", home / "runs" / "again")
    for run in again.iterdir():
        if (run / MANIFEST).is_file():
            touched(run)
    view = view_of(home, home / "runs")
    assert {(entry.suite, len(citing(view.catalog, entry))) for entry in view.catalog.entries} == {("default", 1), ("again", 0)}


def test_a_record_leads_to_each_of_its_runs(home: Path) -> None:
    view = view_of(home, home / "runs")
    slugs = {entry.folder.path.name: entry.slug for entry in view.catalog.entries}
    for page, of, name in (("decide", view.catalog.records[0].slug, "evidence"), ("evidence", "", "cited")):
        grid = next(grid for grid in draw(view, page, of).grids if grid.name == name)
        place = [column.name for column in grid.columns].index("run")
        leads = {str(row[place].value): row[place].to for row in grid.rows}
        assert {name: to.of for name, to in leads.items() if to is not None} == slugs
        for slug in slugs.values():
            assert f'href="/run/{slug}"' in html(view, page, of)
    static = draw(View(view.catalog, Filed({})), "decide", view.catalog.records[0].slug).body
    assert "Runs that it rests on" in static
    assert "<a " not in static


def test_a_run_that_is_gone_is_named_without_a_link(home: Path) -> None:
    shutil.rmtree(next((home / "runs").glob("*/*majority*")))
    view = view_of(home, home / "runs")
    grid = next(grid for grid in draw(view, "decide", view.catalog.records[0].slug).grids if grid.name == "evidence")
    gone = next(row for row in grid.rows if row[1].value == "baseline/majority")
    assert (gone[3].value, gone[2].to) == ("✗ gone", None)


def test_sources_of_data_are_links_and_nothing_else_is(tmp_path: Path) -> None:
    for place, paper in enumerate(("arXiv:2009.03300", "https://example.org/p", "javascript:alert(1)", HOSTILE["html"])):
        with_card(scored_run(tmp_path / "s", "m", [Said(item, "yes") for item in range(12)], f"s{place}"), paper=paper)
    view = view_of(tmp_path)
    runs = "".join(html(view, "run", entry.slug) for entry in view.catalog.entries)
    for text in (html(view, "evidence"), runs):
        assert 'href="https://arxiv.org/abs/2009.03300"' in text
        assert 'href="https://example.org/p"' in text
        assert 'href="javascript' not in text
        assert HOSTILE["html"] not in text


def test_a_record_without_runs_has_no_table_of_them(tmp_path: Path) -> None:
    write_record(small_record(), tmp_path / RECORD)
    view = view_of(tmp_path)
    assert "evidence" not in [grid.name for grid in draw(view, "decide", view.catalog.records[0].slug).grids]
    assert "cited" not in [grid.name for grid in draw(view, "evidence").grids]
