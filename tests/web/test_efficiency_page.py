"""The page of efficiency: sums of what was asked, quantiles with their intervals, costs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError
from assay.web.addresses import Filed
from assay.web.grids import Cell, Column, Grid
from assay.web.page import View
from scored_runs import Said, scored_run
from trial_stores import HOSTILE
from web_helpers import draw, html, view_of


def answers(right: int, seconds: float, cost: float) -> list[Said]:
    return [Said(item, "yes" if item < right else "no", latency_s=seconds * (1 + item / 10), cost=cost) for item in range(20)]


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> View:
    suite = tmp_path_factory.mktemp("efficiency") / "s"
    metrics = ("latency_p50_s", "latency_p95_s", "cost", "cost_per_correct", "prompt_tokens", "completion_tokens")
    for scenario in ("one", "two"):
        scored_run(suite, "quick", answers(10, 0.1, 0.001), scenario=scenario, metrics=metrics)
        scored_run(suite, "slow", answers(16, 2.0, 0.004), scenario=scenario, metrics=metrics)
    return view_of(suite)


def records(view: View, name: str, of: str = "", **query: str) -> list[dict[str, object]]:
    page = draw(view, "efficiency", of, **query)
    return [dict(row) for row in next(grid for grid in page.grids if grid.name == name).records()]


def test_totals_are_sums_over_all_runs(view: View) -> None:
    quick, slow = records(view, "totals")
    assert (quick["candidate"], quick["runs"], quick["trials"], quick["requests"]) == ("quick", 2, 40, 40)
    assert (slow["tokens read"], slow["tokens written"]) == (400, 80), "10 and 2 for each of 40 answers"


def test_quantiles_and_costs_of_a_scenario_stand_with_their_intervals(view: View) -> None:
    quick, slow = records(view, "efficiency", "one")
    seconds = 0.1 * (1 + np.arange(20) / 10)
    assert quick["latency_p50_s"] == pytest.approx(np.quantile(seconds, 0.5))
    assert quick["latency_p95_s"] == pytest.approx(np.quantile(seconds, 0.95))
    assert float(str(quick["latency_p50_s low"])) < float(str(quick["latency_p50_s"])) < float(str(quick["latency_p50_s high"]))
    assert quick["cost per 1,000 answers"] == pytest.approx(1.0)
    assert quick["cost per 1,000 right answers"] == pytest.approx(1000 * 20 * 0.001 / 10)
    assert slow["cost per 1,000 right answers"] == pytest.approx(1000 * 20 * 0.004 / 16)


def test_latencies_are_drawn_as_distributions(view: View) -> None:
    text = html(view, "efficiency", "one")
    assert text.count("<svg") == 1
    shares = records(view, "latency", "one")
    assert [row["share"] for row in shares if row["candidate"] == "slow"][-1] == 1
    assert max(float(str(row["seconds"])) for row in shares) == pytest.approx(2.0 * 2.9)


def test_means_are_over_scenarios_and_one_metric_is_shown_by_scenario(view: View) -> None:
    quick, _ = records(view, "means")
    assert quick["cost per 1,000 right answers"] == pytest.approx(2.0)
    assert quick["prompt_tokens"] == 10
    rows = records(view, "scenarios", by="cost_per_correct")
    assert [(row["scenario"], row["slow"]) for row in rows] == [
        ("one", pytest.approx(5.0)),
        ("two", pytest.approx(5.0)),
    ]
    with pytest.raises(AssayError, match="unknown by"):
        draw(view, "efficiency", by="beauty")
    with pytest.raises(AssayError, match="unknown scenario"):
        draw(view, "efficiency", "three")


def test_of_runs_without_times_the_page_says_so(tmp_path: Path) -> None:
    scored_run(tmp_path / "s", "plain", [Said(item, None) for item in range(12)])
    view = view_of(tmp_path)
    assert "Neither time nor tokens were measured" in html(view, "efficiency")
    assert "Neither time nor tokens were measured" in html(view, "efficiency", "made")


def test_hostile_names_are_shown_and_do_nothing(tmp_path: Path) -> None:
    for kind in ("html", "script", "bidi"):
        scored_run(
            tmp_path / "s", HOSTILE[kind], answers(10, 0.1, 0.001), metrics=("latency_p50_s",), scenario=HOSTILE["attribute"]
        )
    view = view_of(tmp_path)
    for text in (html(view, "efficiency"), html(view, "efficiency", view.catalog.scenarios[0].slug)):
        assert not any(HOSTILE[kind] in text for kind in ("html", "script", "bidi", "attribute"))
        assert "&lt;b&gt;bold" in text


def test_a_report_without_a_server_has_no_forms(view: View) -> None:
    static = View(view.catalog, Filed({}))
    for of in ("", "one"):
        body = draw(static, "efficiency", of).body
        assert "<form" not in body
        assert "<a " not in body


def test_without_a_common_scenario_there_are_no_means_and_the_page_says_so(tmp_path: Path) -> None:
    for scenario, name in (("one", "a"), ("two", "b")):
        scored_run(tmp_path / "s", name, answers(10, 0.1, 0.001), scenario=scenario, metrics=("latency_p50_s",))
    view = view_of(tmp_path)
    assert {grid.name for grid in draw(view, "efficiency").grids} == {"totals", "scenarios"}
    assert "no scenario was asked of all candidates" in html(view, "efficiency")


def test_a_wide_table_is_turned_for_the_page_and_not_for_the_download() -> None:
    columns = (Column("scenario", number=False), *(Column(f"c{place}", note="n") for place in range(9)))
    wide = Grid("g", "G", columns, ((Cell("s0"), *map(Cell, range(1, 10))),))
    turned = wide.upright()
    assert [column.name for column in turned.columns] == ["scenario", "s0"]
    assert [(row[0].value, row[1].value) for row in turned.rows] == [(f"c{place}", place + 1) for place in range(9)]
    assert turned.rows[0][0].note == "n"
    long = Grid("g", "G", columns, wide.rows * 12)
    assert long.upright() is long
