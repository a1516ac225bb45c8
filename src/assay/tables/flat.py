"""Estimates in plain numbers, a line for each: for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from assay.records import Cell
from assay.store.folders import StatsFile

Plain = str | float | int | bool | None

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet compute a cell."""
OF_RUN = ("scenario", "candidate", "run")
OF_CELL = ("split", "metric", "subgroup", "perturbation", "computed_on")
OF_ESTIMATE = ("value", "low", "high", "n", "clusters", "stderr", "method")


def estimates_csv(stats: Sequence[StatsFile], every: bool = False, metrics: Sequence[str] = ()) -> str:
    """The estimates of runs as CSV: what they are of, value, bounds of the 95 % interval, trials, independent clusters.

    Args:
        stats: of the runs, under names that tell them apart.
        every: all metrics under all perturbations and in all subgroups; else only the main one there.
        metrics: that are shown there, too.
    """
    rows = [
        [run.title, run.label, run.run, *(getattr(cell, name) for name in OF_CELL), *_numbers(cell)]
        for run in stats
        for cell in run.cells
        if every or cell.metric in (run.main_metric, *metrics) or (cell.perturbation is None and cell.subgroup is None)
    ]
    return csv_text([*OF_RUN, *OF_CELL, *OF_ESTIMATE], rows)


def _numbers(cell: Cell) -> list[Plain]:
    return [getattr(cell.estimate, name) for name in OF_ESTIMATE]


def csv_text(names: Sequence[str], rows: Iterable[Sequence[Plain]]) -> str:
    """A table as CSV: numbers in full, nothing where something is not known, and no text that a spreadsheet would compute."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_inert(name) for name in names])
    writer.writerows([_inert(value) for value in row] for row in rows)
    return file.getvalue()


def _inert(value: Plain) -> Plain:
    """Names and texts are other people's: an apostrophe before one says that it is no formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
