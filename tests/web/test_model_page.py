"""The page of a candidate: its profile, whom it beats, where it fails, and how it was at other times."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.store import RunFolder
from assay.store.folders import MANIFEST, write_json
from assay.web.addresses import Filed
from assay.web.grids import Grid
from assay.web.page import Page, View
from assay.web.pages import model
from scored_runs import Said, scored_run
from web_helpers import draw, html, view_of
from web_runs import said


@pytest.fixture(scope="module")
def view(suite: Path) -> View:
    return view_of(suite)


def slug_of(view: View, label: str) -> str:
    return next(candidate.slug for candidate in view.catalog.candidates if candidate.label == label)


def grid_of(page: Page, name: str) -> Grid:
    return next(grid for grid in page.grids if grid.name == name)


def test_the_profile_has_all_scenarios_and_their_mean(view: View) -> None:
    grid = grid_of(draw(view, "model", slug_of(view, "good")), "profile")
    accuracy = [column.name for column in grid.columns].index("accuracy")
    found = {row[0].value: row[accuracy].value for row in grid.rows}
    assert found == pytest.approx({"made": 0.9, "other": 0.75, "mean": 0.825})


def test_who_is_shown_to_be_worse_and_who_better_is_told_apart(view: View) -> None:
    rows = {
        label: grid_of(draw(view, "model", slug_of(view, label)), "standings").records()[0] for label in ("good", "bad", "half")
    }
    assert (rows["good"]["scenario"], rows["good"]["tier"]) == ("made", 1)
    assert rows["good"]["better than"] == "bad, half"
    assert (rows["bad"]["worse than"], rows["bad"]["no difference shown"]) == ("good", "half")
    assert rows["half"]["better than"] == "–"


def test_slices_in_which_it_fails_are_found_and_lead_to_an_item(view: View) -> None:
    page = draw(view, "model", slug_of(view, "bad"))
    found = {(row["scenario"], row["where"]): row for row in grid_of(page, "failures").records()}
    row = found["made", "subgroup region=south"]
    assert (row["items"], row["rate"], row["elsewhere"]) == (20, 1, pytest.approx(0.1))
    cells = next(cells for cells in grid_of(page, "failures").rows if cells[2].value == "subgroup region=south")
    assert cells[-1].to is not None
    assert cells[-1].to.page == "instance"
    assert view.catalog.entry(cells[-1].to.of).label == "bad"
    assert int(cells[-1].to.one("id").removeprefix("item")) >= 20


def test_an_example_of_a_disturbed_slice_is_the_disturbed_copy(view: View) -> None:
    rows = grid_of(draw(view, "model", slug_of(view, "good")), "failures").rows
    [cells] = [cells for cells in rows if cells[2].value == "perturbation lowercase" and cells[0].value == "made"]
    assert cells[-1].to is not None
    assert cells[-1].to.one("perturbation") == "lowercase"


def test_many_trials_are_searched_only_when_asked(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MOST_TRIALS", 10)
    slug = slug_of(view, "bad")
    assert "failures" not in [grid.name for grid in draw(view, "model", slug).grids]
    assert f'href="/model/{slug}?failures=all"' in html(view, "model", slug)
    assert "failures" in [grid.name for grid in draw(view, "model", slug, failures="all").grids]
    filed = View(view.catalog, Filed({}))
    assert "Search them" not in draw(filed, "model", slug).body


def test_outcomes_and_efficiency_are_those_of_its_runs(tmp_path: Path) -> None:
    answers = [Said(item, "yes" if item < 15 else "" if item < 18 else None, latency_s=2.0 + item / 10) for item in range(20)]
    scored_run(tmp_path / "s", "m", answers)
    view = view_of(tmp_path)
    page = draw(view, "model", slug_of(view, "m"))
    [outcome] = grid_of(page, "outcomes").records()
    assert outcome["failed"] == pytest.approx(2 / 20)
    [entry] = view.catalog.entries
    for name in ("outcomes", "efficiency"):
        for column, cell in zip(grid_of(page, name).columns[1:], grid_of(page, name).rows[0][1:], strict=True):
            own = entry.cell(column.name)
            assert cell.estimate == (own.estimate if own is not None else None)
    assert "standings" not in [grid.name for grid in page.grids], "there is nobody to hold it against"


def at(suite: Path, moment: float) -> Path:
    """Set the time at which the runs of a suite were asked."""
    for path in suite.iterdir():
        if (path / MANIFEST).is_file():
            manifest = RunFolder(path).manifest()
            write_json(path / MANIFEST, type(manifest)(**{**_fields(manifest), "last_asked": moment}).sealed())
    return suite


def _fields(record: object) -> dict[str, object]:
    import msgspec

    return dict(msgspec.structs.asdict(record))


def test_evaluations_at_other_times_are_drawn_in_their_order(suite: Path, tmp_path: Path) -> None:
    for name, moment in (("late", 1_790_000_000.0), ("early", 1_780_000_000.0)):
        at(shutil.copytree(suite, tmp_path / name), moment)
    view = view_of(tmp_path)
    slug = slug_of(view, "good")
    page = draw(view, "model", slug)
    rows = [row for row in grid_of(page, "course").records() if row["scenario"] == "made"]
    assert [str(row["time"])[:10] for row in rows] == ["2026-05-28", "2026-09-21"]
    assert [row["main metric"] for row in rows] == [0.9, 0.9]
    others = [(row["scenario"], row["suite"]) for row in grid_of(page, "evaluations").records()]
    assert others == [("made", "early"), ("other", "early")], "the newer ones are shown on the page"
    assert "Over time" in html(view, "model", slug)


def test_what_was_evaluated_once_says_so_and_has_no_course(view: View) -> None:
    page = html(view, "model", slug_of(view, "good"))
    assert "Every scenario was evaluated once so far" in page
    assert "course" not in [grid.name for grid in draw(view, "model", slug_of(view, "good")).grids]


def test_another_model_under_the_same_name_is_another(tmp_path: Path) -> None:
    scored_run(tmp_path / "one", "m", said(range(20)), label="ours")
    scored_run(tmp_path / "two", "n", said(range(30)), label="ours")
    view = view_of(tmp_path)
    for candidate in view.catalog.candidates:
        assert len(model.same_model(view.catalog, candidate)) == 1


def test_names_of_models_and_settings_are_text(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>\x1b[31m"
    answers = [Said(item, "no", gold="<b>yes</b>\u202e", subgroups={"<i>": "\x07"}) for item in range(12)]
    scored_run(tmp_path / "s", name, answers + [Said(item, "no", subgroups={"<i>": "x"}) for item in range(12, 30)])
    view = view_of(tmp_path)
    text = html(view, "model", view.catalog.candidates[0].slug)
    assert not any(sign in text for sign in ("<script>alert", "\x1b", "\x07", "\u202e", "<i>", "<b>yes"))


def test_a_candidate_that_is_not_there_is_named(view: View) -> None:
    with pytest.raises(AssayError, match="unknown candidate"):
        draw(view, "model", "nobody")
