"""What answers cost is shown for a thousand of them, everywhere and under a name that says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.records import Cell, Estimate
from assay.store import RunFolder
from assay.tables import run_tables, suite_table
from assay.tables.units import factor, named, shown, shown_cell
from scored_runs import Said, scored_run

ESTIMATE = Estimate(value=0.002, low=0.001, high=0.004, n=20, clusters=20, method="mean")


def test_a_cost_and_both_its_bounds_are_times_a_thousand() -> None:
    found = shown("cost", ESTIMATE)
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 1.0, 4.0))
    assert (found.n, found.clusters, found.method) == (20, 20, "mean")
    assert shown("cost", Estimate(value=0.002, low=None, high=None, n=1, clusters=1, method="mean")).low is None
    assert named("cost_per_correct") == "cost per 1,000 right answers"


def test_other_metrics_stay_what_they_are() -> None:
    assert shown("latency_s", ESTIMATE) is ESTIMATE
    assert (named("latency_s"), factor("latency_s")) == ("latency_s", 1)


@pytest.mark.parametrize(("computed_on", "value"), [("original", 2.0), ("gap", 2.0), ("flips", 0.002), ("ratio", 0.002)])
def test_shares_and_quotients_of_costs_have_no_unit(computed_on: str, value: float) -> None:
    cell = Cell(metric="cost", estimate=ESTIMATE, split="test", computed_on=computed_on)  # type: ignore[arg-type] # text from parametrize
    assert shown_cell(cell).estimate.value == pytest.approx(value)


def test_the_tables_of_the_terminal_say_for_how_many_answers(tmp_path: Path) -> None:
    answers = [Said(item, "yes" if item < 10 else "no", cost=0.0002) for item in range(20)]
    stats = RunFolder(scored_run(tmp_path, "m", answers, metrics=("cost", "cost_per_correct"))).stats()
    table = suite_table([stats], ["cost_per_correct"])
    of = dict(zip(table.header, table.rows[-1], strict=True))
    assert of["cost per 1,000 answers"] == "0.20 [?]"
    assert of["cost per 1,000 right answers"].startswith("0.40 [")
    assert any(note.startswith("cost per 1,000 answers: the mean price of an item, times 1,000") for note in table.notes)
    rows = {row[1]: row[2] for row in run_tables(stats)[0].rows}
    assert rows["cost per 1,000 answers"] == "0.20 [?]"
    assert rows["cost per 1,000 right answers"] == of["cost per 1,000 right answers"]
    assert "cost" not in rows
