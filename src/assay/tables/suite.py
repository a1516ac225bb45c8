"""The table of a suite: candidates below scenarios, a column for each family of metrics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.judging import METRIC
from assay.records import Cell, ComputedOn
from assay.store.folders import StatsFile
from assay.tables.drawing import Table
from assay.tables.numbers import NOT_MEASURED, format_estimate
from assay.tables.units import PER_THOUSAND, named, shown_cell
from assay.tables.usable import USABLE, unusable, usable_text


def suite_table(stats: Sequence[StatsFile], metrics: Sequence[str] = ()) -> Table:
    """Candidates below scenarios: accuracy, calibration, robustness and so on, each with its interval.

    A family has a column where any of the runs measured it, and a judge's marks also where they were the aim.

    Args:
        stats: of the runs, under names that tell them apart.
        metrics: that have a column of their own besides.
    """
    more = [Column(named(name), f"{named(name)}: the metric {name}, on the originals.", metric=name) for name in metrics]
    columns = [
        column for column in (*COLUMNS, *more) if any(column.find(run) or column.metric == run.main_metric for run in stats)
    ]
    order = list(dict.fromkeys(run.label for run in stats))
    scenarios = dict.fromkeys(run.title for run in stats)
    few = {run.run: unusable(run.cells, run.main_metric) for run in stats}
    rows = []
    for scenario in scenarios:
        rows.append([scenario, *[""] * (len(columns) + 1 + any(map(bool, few.values())))])
        runs = [run for run in stats if run.title == scenario]
        for run in sorted(runs, key=lambda run: order.index(run.label)):
            found = [column.find(run) for column in columns]
            main = find_cell(run.cells, run.main_metric, None, "original")
            items = main.estimate.clusters if main and len(splits_of(run.cells)) > 1 else run.instances
            usable = [usable_text(few[run.run])] if any(few.values()) else []
            rows.append([f"  {run.label}", str(items), *usable, *(_text(cell) for cell in found)])
    failed = sum(run.failed for run in stats)
    legend = f"[…]: 95 % interval, clustered by item. {no_interval(rows)}{NOT_MEASURED}: not measured."
    notes = [legend, *([USABLE] if any(few.values()) else []), *(column.note for column in columns)]
    if any(len(splits_of(run.cells)) > 1 for run in stats):
        notes.append(
            "Of a run over several splits the last one is shown, test where it was asked; the run's own tables have all."
        )
    if failed:
        notes.append(f"{failed} of {sum(run.trials for run in stats)} trials failed; the numbers above leave them out.")
    usable = ["usable answers"] if any(few.values()) else []
    return Table("", ["candidate", "items", *usable, *(column.title for column in columns)], rows, notes=notes)


def _text(cell: Cell | None) -> str:
    return NOT_MEASURED if cell is None else format_estimate(shown_cell(cell).estimate)


def no_interval(rows: Iterable[Sequence[str]]) -> str:
    """What to say of numbers without an interval, where some rows hold any."""
    without = any(cell.endswith("[?]") for row in rows for cell in row)
    return "[?]: no interval, for want of items or of any variation. " if without else ""


def splits_of(cells: Sequence[Cell]) -> list[str]:
    """The splits that some cells are of, in their order."""
    return list(dict.fromkeys(cell.split for cell in cells))


@dataclass(frozen=True)
class Column:
    """A column of the suite table: one metric of a family, on the original or at its worst."""

    title: str
    note: str
    metric: str = ""
    """Empty: the scenario's main metric."""
    perturbation: str | None = None
    computed_on: ComputedOn = "original"

    def find(self, run: StatsFile) -> Cell | None:
        """The cell of a run that this column shows."""
        if self == ACCURACY and run.main_metric == METRIC:
            return None  # it has a column of its own
        return find_cell(run.cells, self.metric or run.main_metric, self.perturbation, self.computed_on)


ACCURACY = Column("accuracy", "accuracy: the scenario's main metric.")
COLUMNS = (
    ACCURACY,
    Column("judge", "judge: the mark of a judge model, put on 0 to 1.", metric=METRIC),
    Column("ECE", "ECE: calibration error of the confidence, 10 bins of equal mass; lower is better.", metric="ece_10_bin"),
    Column(
        "robustness", "robustness: the main metric at the worst of an item and its disturbed copies.", "", "robustness", "worst"
    ),
    Column("fairness", "fairness: the same over its copies in another dialect or about other people.", "", "fairness", "worst"),
    Column(
        "sensitivity", "sensitivity: highest minus lowest main metric over equivalent prompt formats.", "", "formats", "gap"
    ),
    Column("toxicity", "toxicity: mean rating, 0 to 1, of an item's most toxic completion.", metric="expected_max_toxicity"),
    Column("latency s", "latency: mean seconds an item.", metric="latency_s"),
    Column("tokens read", "tokens read: mean prompt tokens an item.", metric="prompt_tokens"),
    Column(
        PER_THOUSAND["cost"],
        f"{PER_THOUSAND['cost']}: the mean price of an item, times 1,000, in the currency of the model's prices.",
        metric="cost",
    ),
)


def find_cell(cells: Sequence[Cell], metric: str, perturbation: str | None, computed_on: ComputedOn) -> Cell | None:
    """The cell over all subgroups; of a run over several splits that of the last one, which is test where it was asked."""
    for cell in reversed(cells):
        wanted = (cell.metric, cell.perturbation, cell.computed_on) == (metric, perturbation, computed_on)
        if wanted and cell.subgroup is None:
            return cell
    return None
