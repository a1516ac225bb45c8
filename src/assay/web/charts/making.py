"""Whole charts of runs, with the table behind each; `None` where the runs hold nothing to draw.

All runs are of one scenario, each of another candidate, unless a function says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.comparison.results import Board
from assay.tables.units import named, shown
from assay.web.charts import calibration, data, intervals, scatter, shares
from assay.web.charts.drawing import Chart
from assay.web.charts.scatter import Measure, Spot
from assay.web.entries import Entry
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import estimate_cell, metric_column, readable


def drops(entries: Sequence[Entry]) -> Chart | None:
    """What perturbations change in the main metric."""
    held = data.drops(entries)
    if not held:
        return None
    metric = readable(entries[0].main_metric)
    spec = intervals.dots(held, f"change of {metric}: copy minus original", 0)
    about = f"Each line is the 95 % interval of the change in {metric}, paired by item; left of the dashed line it fell."
    title = f"What perturbations change: {entries[0].title}"
    return Chart(
        "drops", title, about, spec, _of_dots("drops", title, held, "perturbation", ("change of ", entries[0].main_metric))
    )


def gaps(entries: Sequence[Entry]) -> Chart | None:
    """The main metric in each subgroup."""
    held = data.gaps(entries)
    if not held:
        return None
    metric = readable(entries[0].main_metric)
    about = f"{metric} in each subgroup of which a candidate was asked at least ten items, with 95 % intervals."
    if (count := data.subgroups(entries)) > data.MOST_GROUPS:
        about += f" Of {count:,} subgroups these are the {data.MOST_GROUPS} in which any candidate is worst."
    title = f"Subgroups: {entries[0].title}"
    return Chart(
        "subgroups",
        title,
        about,
        intervals.dots(held, metric),
        _of_dots("subgroups", title, held, "subgroup", ("", entries[0].main_metric)),
    )


def forest(board: Board) -> Chart | None:
    """What separates each two candidates of a scenario."""
    held = [replace(dot, estimate=shown(board.metric, dot.estimate)) for dot in data.pairs(board)]
    if not held:
        return None
    metric = readable(board.metric)
    spec = intervals.dots(held, f"difference of {metric}", 0)
    about = f"Paired differences of {metric} with 95 % intervals; right of the dashed line the first named is higher."
    title = f"Paired differences: {board.scenario}{f', {board.part}' if board.part else ''}"
    return Chart("forest", title, about, spec, _of_dots("forest", title, held, "pair", ("difference of ", board.metric)))


def band(entries: Sequence[Entry]) -> Chart | None:
    """How far the main metric moves with the prompt's format."""
    held = data.bands(entries)
    if not held:
        return None
    metric = readable(entries[0].main_metric)
    about = (
        f"The thick bar spans the lowest and the highest {metric} over equivalent prompt formats; "
        "the point is the scenario's own format, the thin line its 95 % interval."
    )
    title = f"Prompt formats: {entries[0].title}"
    columns = (Column("candidate", number=False), Column("lowest"), Column("highest"), Column("own format"))
    rows = tuple((Cell(b.row), _number(b.low), _number(b.high), estimate_cell(b.own)) for b in held)
    return Chart("formats", title, about, intervals.band(held, metric), Grid("formats", title, columns, rows))


def reliability(entries: Sequence[Entry]) -> Chart | None:
    """Whether confidence is worth what it says."""
    held = {entry.label: found for entry in entries if (found := data.bins(entry))}
    if not held:
        return None
    about = (
        "Answers in ten bins of equally many, by confidence. On the dashed line they are right as often as they claim; "
        "below it the model is too sure of itself."
    )
    title = f"Reliability: {entries[0].title}"
    columns = (Column("candidate", number=False), Column("confidence"), Column("right"), Column("answers"))
    rows = tuple(
        (Cell(label), _number(each.confidence), estimate_cell(each.right), Cell(each.right.n))
        for label, bins in held.items()
        for each in bins
    )
    return Chart("reliability", title, about, calibration.reliability(held), Grid("reliability", title, columns, rows))


def risk_coverage(entries: Sequence[Entry]) -> Chart | None:
    """What abstaining where the model is unsure would gain."""
    held = {entry.label: found for entry in entries if len((found := data.curve(entry)).steps) > 1}
    if not held:
        return None
    about = "The share of errors that remains where only the surest answers are given; the lower a line, the better."
    title = f"Risk and coverage: {entries[0].title}"
    columns = (Column("candidate", number=False), Column("coverage"), Column("risk"))
    rows = tuple(
        (Cell(label), _number(step.coverage), _number(step.risk)) for label, curve in held.items() for step in curve.steps
    )
    return Chart("risk-coverage", title, about, calibration.risk_coverage(held), Grid("risk-coverage", title, columns, rows))


def latency(entries: Sequence[Entry]) -> Chart | None:
    """How long answers take."""
    held = {entry.label: found for entry in entries if (found := data.latencies(entry))}
    if not held:
        return None
    about = "The share of trials that were answered within so many seconds; the further left a line, the faster."
    title = f"Latency: {entries[0].title}"
    columns = (Column("candidate", number=False), Column("seconds"), Column("share"))
    rows = tuple((Cell(label), _number(each.bound), _number(each.share)) for label, found in held.items() for each in found)
    return Chart("latency", title, about, shares.latencies(held), Grid("latency", title, columns, rows))


def histogram(entries: Sequence[Entry], metric: str = "") -> Chart | None:
    """How the instances' values of a metric are spread; without one, of the main metric."""
    name = metric or entries[0].main_metric
    held = {entry.label: found for entry in entries if (found := data.histogram(entry, name))}
    if not held:
        return None
    about = f"How many items have which {readable(name)}, draws and repeats of an item averaged."
    title = f"{readable(name)} by item: {entries[0].title}"
    columns = (Column("candidate", number=False), Column("from"), Column("to"), Column("items"))
    rows = tuple(
        (Cell(label), _number(bar.low), _number(bar.high), Cell(bar.count)) for label, bars in held.items() for bar in bars
    )
    return Chart("histogram", title, about, shares.histogram(held, readable(name)), Grid("histogram", title, columns, rows))


def course(entries: Sequence[Entry], metric: str = "", loose: Sequence[Entry] = ()) -> Chart | None:
    """A number over time: of runs of one candidate, of any scenarios; nothing where none was asked twice.

    Args:
        entries: those of each scenario that were asked alike.
        metric: its name; empty: the main one of each scenario.
        loose: others, which were asked otherwise.
    """
    held = data.moments(entries, metric, loose)
    often = [moment for moment in held if sum(other.series == moment.series for other in held) > 1]
    if not often:
        return None
    axis = readable(metric) if metric else "main metric"
    about = "Evaluations of the same candidate, with 95 % intervals, by the time of their last answer."
    about += " Hollow ones were asked otherwise, so no line joins them." if any(m.loose for m in often) else ""
    title = "Over time"
    columns = (
        Column("scenario", number=False),
        Column("time", number=False),
        metric_column(metric) if metric else Column(axis),
        Column("asked", number=False),
    )
    rows = tuple(
        (Cell(m.series), Cell(_time(m.at)), estimate_cell(m.estimate), Cell("otherwise" if m.loose else "alike")) for m in often
    )
    return Chart("course", title, about, intervals.course(often, axis), Grid("course", title, columns, rows))


def pareto(spots: Sequence[Spot], x: Measure, y: Measure) -> Chart | None:
    """Two measures of candidates against each other."""
    if not spots:
        return None
    on_front = scatter.unbeaten(spots, x, y)
    about = f"{x.title} against {y.title}, with 95 % intervals. "
    about += "Filled: no other is as good in both and better in one." if "neither" not in (x.better, y.better) else ""
    title = f"{x.title} against {y.title}"
    columns = (Column("candidate", number=False), Column(x.title), Column(y.title), Column("unbeaten", number=False))
    rows = tuple(
        (Cell(spot.series), estimate_cell(spot.x), estimate_cell(spot.y), Cell(on, "yes" if on else "no"))
        for spot, on in zip(spots, on_front, strict=True)
    )
    return Chart("pareto", title, about.strip(), scatter.pareto(spots, x, y), Grid("pareto", title, columns, rows))


def acceptability(ranks: Mapping[str, Sequence[float]]) -> Chart | None:
    """How often candidates have which rank.

    Args:
        ranks: candidate to the share of draws in which it has the first, second, … rank.
    """
    if not ranks:
        return None
    about = (
        "How often each candidate has each rank, over all allowed weights and the noise of measurement. The number in a bar is "
        "the rank; the first is darkest."
    )
    title = "Rank acceptability"
    most = max(map(len, ranks.values()))
    columns = (Column("candidate", number=False), *(Column(f"rank {rank}") for rank in range(1, most + 1)))
    rows = tuple(
        (Cell(candidate), *(Cell(share, f"{share:.0%}") for share in held), *[Cell(None)] * (most - len(held)))
        for candidate, held in ranks.items()
    )
    return Chart("acceptability", title, about, shares.acceptability(ranks), Grid("acceptability", title, columns, rows))


def _of_dots(name: str, caption: str, held: Sequence[intervals.Dot], head: str, value: tuple[str, str]) -> Grid:
    what, metric = value
    several = any(dot.series for dot in held)
    columns = (
        Column(head, number=False),
        *([Column("candidate", number=False)] if several else []),
        Column(what + named(metric), what + readable(metric)),
    )
    rows = tuple((Cell(dot.row), *([Cell(dot.series)] if several else []), estimate_cell(dot.estimate)) for dot in held)
    return Grid(name, caption, columns, rows)


def _number(value: float) -> Cell:
    return Cell(value, f"{value:.3g}")


def _time(at: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")
