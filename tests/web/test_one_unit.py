"""What answers cost is in one unit on all pages, in their downloads, and in the glossary."""

from __future__ import annotations

import pytest

from assay.web.page import Page, View
from scored_runs import Said, scored_run
from web_helpers import draw, html, view_of

COST = 0.0003
"""Of each answer."""
PER_THOUSAND = "cost per 1,000 answers"


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> View:
    suite = tmp_path_factory.mktemp("unit") / "s"
    for place, name in enumerate(("dear", "cheap")):
        said = [Said(item, "yes" if item % 3 else "no", cost=COST * (2 - place)) for item in range(30)]
        scored_run(suite, name, said, metrics=("cost", "cost_per_correct"))
    return view_of(suite)


def rows(page: Page, name: str) -> list[dict[str, object]]:
    return [dict(row) for row in next(grid for grid in page.grids if grid.name == name).records()]


@pytest.mark.parametrize(
    ("page", "of", "grid"),
    [
        ("overview", "", "profile"),
        ("scenario", "made", "candidates"),
        ("efficiency", "", "means"),
        ("efficiency", "made", "efficiency"),
        ("model", "cheap", "profile"),
        ("model", "cheap", "efficiency"),
    ],
)
def test_a_column_of_costs_is_for_a_thousand_answers_and_its_head_says_so(view: View, page: str, of: str, grid: str) -> None:
    found = rows(draw(view, page, of), grid)
    cheap = next((row for row in found if row.get("candidate") == "cheap"), found[0])
    assert cheap[PER_THOUSAND] == pytest.approx(1000 * COST)
    assert "cost" not in cheap
    assert PER_THOUSAND in html(view, page, of)


def test_a_row_of_costs_is_too(view: View) -> None:
    entry = next(entry for entry in view.catalog.entries if entry.label == "cheap")
    for page, of, grid, column in (("run", entry.slug, "metrics", "value"), ("scenario", "made", "metrics", "cheap")):
        by_metric = {row["metric"]: row[column] for row in rows(draw(view, page, of), grid)}
        assert by_metric[PER_THOUSAND] == pytest.approx(1000 * COST)
        assert "cost" not in by_metric
    estimates = rows(draw(view, "run", entry.slug), "estimates")
    assert [row["value"] for row in estimates if row["metric"] == PER_THOUSAND] == [pytest.approx(1000 * COST)]


def test_costs_are_compared_and_drawn_in_the_same_unit(view: View) -> None:
    page = draw(view, "compare", metric="cost")
    [pair] = rows(page, "pairs-1")
    assert abs(float(str(pair["difference"]))) == pytest.approx(1000 * COST)
    board = rows(page, "board-1")
    assert sorted(float(str(row[PER_THOUSAND])) for row in board) == pytest.approx([1000 * COST, 2000 * COST])
    [dot] = rows(page, "forest")
    assert abs(float(str(dot["difference"]))) == pytest.approx(1000 * COST)
    assert f"difference of {PER_THOUSAND}" in html(view, "compare", metric="cost")
    spots = rows(draw(view, "overview", x=PER_THOUSAND, y="accuracy"), "pareto")
    across = [float(str(row[f"{PER_THOUSAND}, $"])) for row in spots]
    assert sorted(across) == pytest.approx([1000 * COST, 2000 * COST])


def test_the_glossary_says_what_tables_show(view: View) -> None:
    text = html(view, "glossary")
    entry = text.partition('id="metric-cost"')[2].partition("</div>")[0]
    assert f"<dt>{PER_THOUSAND} <code" in entry
    assert "times 1,000" in entry
    assert "times 1,000" not in text.partition('id="metric-latency_s"')[2].partition("</div>")[0]
