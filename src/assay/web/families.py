"""The columns by which pages profile candidates: one for each family of metrics, as in the table of a suite.

Over several scenarios a column has the mean of them, each weighing the same; only scenarios count that all candidates with any
number in that column were asked, so that candidates are held against each other on the same ground.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.judging import METRIC
from assay.records import Cell, Estimate
from assay.statistics.estimates import weighted_mean
from assay.statistics.variants import FORMATS
from assay.tables.suite import ACCURACY, COLUMNS
from assay.tables.suite import Column as SuiteColumn
from assay.tables.units import named, shown_cell
from assay.tables.usable import unusable, usable_text
from assay.web.charts.scatter import Better, Measure
from assay.web.entries import Entry
from assay.web.grids import Column
from assay.web.measures import meaning, metric_column, shades

MEANS_KEPT = 128
"""Columns that are kept, for as long as the catalog has the same runs."""
Family = SuiteColumn
"""What a column shows of a run: one metric of a family, on the originals or at its worst."""
BIAS = (
    Family("gender bias", "gender bias: how unevenly women and men are mentioned in what is written.", "gender_representation"),
    Family("race bias", "race bias: how unevenly family names of different origin are mentioned.", "race_representation"),
)
_after = 1 + next(place for place, family in enumerate(COLUMNS) if family.title == "fairness")
FAMILIES = (*COLUMNS[:_after], *BIAS, *COLUMNS[_after:])


def found(family: Family, entry: Entry) -> Cell | None:
    """The number of a run that a column shows, in the unit that it is shown in; `None` where it was not measured."""
    if family == ACCURACY and entry.main_metric == METRIC:
        return None  # a judge's marks have a column of their own
    cell = entry.cell(family.metric, family.perturbation, family.computed_on)
    return None if cell is None else shown_cell(cell)


def measured(entries: Sequence[Entry], metrics: Sequence[str] = ()) -> tuple[Family, ...]:
    """The columns that some runs have numbers for: a family each, or the main metric and the metrics that were chosen."""
    wanted = (ACCURACY, *map(of_metric, metrics)) if metrics else FAMILIES
    return tuple(family for family in wanted if any(found(family, entry) for entry in entries))


def usable_answers(entries: Sequence[Entry]) -> str:
    """What to say under the name of a row: its share of usable answers where that is below 95 %; of several runs, of which."""
    few = {entry.title: text for entry in entries if (text := usable_text(unusable(entry.cells, entry.main_metric)))}
    if not few:
        return ""
    return f"usable answers {next(iter(few.values()))}" if len(entries) == 1 else f"few usable answers: {', '.join(few)}"


def of_metric(metric: str) -> Family:
    """A column of one metric on originals."""
    return Family(named(metric), meaning(metric).note, metric)


def head(family: Family) -> Column:
    """A column's head, with what it means."""
    note = family.note.partition(": ")[2] or family.note
    if family.metric:
        held = metric_column(family.metric, family.title)
        return Column(family.title, family.title, note, to=held.to, better=better(family).replace("neither", ""))
    return Column(family.title, family.title, note, better=better(family).replace("neither", ""))


def better(family: Family) -> Better:
    """Which end of a column is better."""
    if family.computed_on == "gap":
        return "lower"
    metric = meaning(family.metric).metric if family.metric else None
    return "higher" if not family.metric else metric.better if metric else "neither"


def measure(family: Family) -> Measure:
    """A column as an axis of a chart."""
    metric = meaning(family.metric).metric if family.metric else None
    return Measure(
        f"{family.title}, {metric.unit}"
        if metric and metric.unit and metric.unit not in family.title.split()
        else family.title,
        better(family),
    )


def shaded(family: Family, values: Sequence[float | None], main_metric: str = "") -> list[float | None]:
    """How good each value of a column is, 0 to 1.

    Args:
        family: the column.
        values: its numbers.
        main_metric: whose they are in a column of main metrics; empty: means of several that go from 0 to 1.
    """
    if family.metric or (main_metric and family.perturbation != FORMATS):
        return shades(family.metric or main_metric, values)
    if main_metric and not is_share(main_metric):
        return [None] * len(values)
    good = better(family) == "higher"
    return [None if value is None else min(max(value if good else 1 - value, 0.0), 1.0) for value in values]


def is_share(metric: str) -> bool:
    """Whether a metric goes from 0, the worst, to 1, the best: only then do means over main metrics mean anything."""
    known = meaning(metric).metric
    return known is not None and known.range == (0, 1) and known.better == "higher"


@dataclass(frozen=True)
class Means:
    """A column over scenarios."""

    by_candidate: Mapping[str, Estimate]
    """Label to mean; candidates without any number, or without a common scenario, are not in it."""
    scenarios: tuple[str, ...]
    """Those that count."""
    lacking: tuple[str, ...]
    """Scenarios that are left out, as some candidate lacks a number there."""
    unlike: tuple[str, ...]
    """Scenarios that are left out, as their main metric does not go from 0, the worst, to 1."""


def means(family: Family, entries: Sequence[Entry]) -> Means:
    """A column's mean over the scenarios that all its candidates have a number for."""
    return _means(family, tuple(entries))


@lru_cache(maxsize=MEANS_KEPT)
def _means(family: Family, entries: tuple[Entry, ...]) -> Means:
    held: dict[str, dict[str, Estimate]] = {}
    unlike: set[str] = set()
    for entry in entries:
        cell = found(family, entry)
        if cell is None:
            continue
        held.setdefault(entry.title, {})[entry.label] = cell.estimate
        if not family.metric and not is_share(entry.main_metric):
            unlike.add(entry.title)
    labels = {label for of_scenario in held.values() for label in of_scenario}
    common = tuple(title for title, of_scenario in held.items() if title not in unlike and labels == set(of_scenario))
    by_candidate = {}
    for label in labels:
        mean = weighted_mean([held[title][label] for title in common])
        if mean is not None:
            by_candidate[label] = mean
    lacking = tuple(title for title in held if title not in unlike and title not in common)
    return Means(by_candidate, common, lacking, tuple(title for title in held if title in unlike))


MOST_NAMED = 4
"""Scenarios or columns that a sentence names; of more it says how many."""


def left_out(columns: Mapping[str, Means]) -> str:
    """Which scenarios are not in the means of which columns, and why, in one sentence; empty where all are in all."""
    reasons = {
        "not every candidate has a number": {title: column.lacking for title, column in columns.items()},
        "the main metric does not go from 0 to 1": {title: column.unlike for title, column in columns.items()},
    }
    said = []
    for reason, by_column in reasons.items():
        heads: dict[tuple[str, ...], list[str]] = {}
        for title, scenarios in by_column.items():
            heads.setdefault(scenarios, []).append(title)
        parts = [
            f"{_named(scenarios)} ({_named(titles) if len(titles) < len(columns) else 'all columns'})"
            for scenarios, titles in heads.items()
            if scenarios
        ]
        if parts:
            said.append(f"where {reason}: {', '.join(parts)}")
    return f"Not in the means, {'; '.join(said)}." if said else ""


def _named(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


SHADED = "Shaded, the better the stronger, where some interval in the column lies wholly beside another."


def heat(family: Family, estimates: Sequence[Estimate | None], main_metric: str = "") -> list[float | None]:
    """The shades of a column, as `shaded`; none where its numbers are not apart, so that a shade never shows chance alone."""
    if not apart(estimates):
        return [None] * len(estimates)
    return shaded(family, [None if estimate is None else estimate.value for estimate in estimates], main_metric)


def apart(estimates: Sequence[Estimate | None]) -> bool:
    """Whether some interval lies wholly beside another: only then does a shade tell more than chance."""
    bounds = [(each.low, each.high) for each in estimates if each is not None]
    whole = [(low, high) for low, high in bounds if low is not None and high is not None]
    return bool(whole) and max(low for low, _ in whole) > min(high for _, high in whole)
