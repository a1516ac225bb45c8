"""The tables of a model over time: what changed by scenario and by measure, every evaluation, how long answers took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.comparison.shown import format_p
from assay.drift.results import Change, Evaluated, Monitor, Series
from assay.drift.shown import HOW_TO_READ, date_text, number_text, share_text, versions_text, worth_a_row
from assay.records import Estimate
from assay.tables.numbers import NOT_MEASURED, format_estimate
from assay.web.addresses import Address
from assay.web.entries import Entry
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import explained, meaning, readable
from assay.web.trials.index import Key
from assay.web.trials.links import trial_address

SCENARIOS_NAMED = 3
"""Scenarios of which it is said what never changed."""
Runs = Mapping[tuple[str, str], Entry]
"""Runs by the folder of their suite and their id."""


def changed(series: Series) -> bool:
    """Whether a measure or the version that the model reports is another than at the baseline."""
    return series.version_changed or any(change.monitor.alarm is not None for change in series.changes)


def _run(one: Evaluated, runs: Runs) -> Address | None:
    entry = runs.get((one.suite, one.run))
    return None if entry is None else Address("run", entry.slug)


def scenario_grid(series: Sequence[Series], runs: Runs) -> Grid:
    """A row a scenario: what changed from its baseline to its latest evaluation, in the first metric."""
    columns = (
        Column("scenario", number=False),
        Column("changed", number=False, note="Whether an alarm was raised at any evaluation, or another version is reported."),
        Column("evaluations"),
        Column("baseline", number=False, note="The first evaluation that was asked as the latest was."),
        Column("latest", number=False),
        Column("metric", number=False),
        Column("change", note="Latest less baseline, on the items that both answered, with a 95 % interval."),
        Column("word for word", note="Share of the items that were answered word for word as at the baseline."),
    )
    rows = []
    for one in series:
        first, last = one.evaluations[0], one.evaluations[-1]
        metric = one.changes[0].measure
        rows.append(
            (
                Cell(one.scenario),
                Cell(_word(one)),
                Cell(len(one.evaluations), f"{len(one.evaluations):,}"),
                _when(first, _run(first, runs)),
                _when(last, _run(last, runs)),
                Cell(metric, readable(metric), explained(metric), meaning(metric).note),
                _signed(last.change),
                _share(last.identical),
            )
        )
    return Grid("drift", "From the first evaluation to the latest", columns, tuple(rows))


def _word(series: Series) -> str:
    if any(change.monitor.alarm is not None for change in series.changes):
        return "✗ changed"
    return "✗ another version" if series.version_changed else "✓ no change shown"


def _when(one: Evaluated, to: Address | None) -> Cell:
    day = date_text(one.last_asked)[:10]
    return Cell(one.suite, one.suite if one.last_asked is None or day in one.suite else f"{one.suite} ({day})", to)


def measure_grid(series: Sequence[Series], runs: Runs, level: float) -> Grid | None:
    """A row for each measure that was ever other than at the baseline."""
    columns = (
        Column("scenario", number=False),
        Column("measure", number=False),
        Column("baseline"),
        Column("latest"),
        Column("change"),
        Column("up", note="Items with a larger value than at the baseline."),
        Column("down", note="Items with a smaller value than at the baseline."),
        Column("p", note="Of these two evaluations alone; corrected for all changes here (Holm)."),
        Column("evidence", number=False, note="What a bet on a change has multiplied to, and from what on it is an alarm."),
        Column("alarm", number=False),
        Column("such as", number=False),
    )
    rows = tuple(_change(one, change, runs) for one in series for change in one.changes if worth_a_row(change))
    if not rows:
        return None
    notes = [note.format(level=level) for note in HOW_TO_READ]
    notes += [
        f"{one.scenario}: never other than at the baseline were {', '.join(left)}."
        for one in series[:SCENARIOS_NAMED]
        if (left := [readable(change.measure) for change in one.changes if not worth_a_row(change)])
    ]
    return Grid("drift-measures", "Measure by measure: what changed", columns, rows, tuple(notes))


def _change(series: Series, change: Change, runs: Runs) -> tuple[Cell, ...]:
    alarm = change.monitor.alarm
    return (
        Cell(series.scenario),
        Cell(change.measure, readable(change.measure), note=meaning(change.measure).note),
        Cell(change.before, _mean(change.before, change.change)),
        Cell(change.after, _mean(change.after, change.change)),
        _signed(change.change),
        Cell(change.up, f"{change.up:,}"),
        Cell(change.down, f"{change.down:,}"),
        Cell(change.p_corrected, format_p(change.p_corrected)),
        Cell(change.monitor.evidence[-1] if change.monitor.varied else None, _evidence(change.monitor)),
        Cell(None, "none") if alarm is None else Cell(f"changed since {series.evaluations[alarm].suite}"),
        _example(series, change, runs),
    )


def _mean(value: float | None, change: Estimate | None) -> str:
    """A mean with as many digits as its change has."""
    if value is None or change is None:
        return number_text(value)
    digits = len(format_estimate(change).partition(" ")[0].partition(".")[2])
    return f"{value:,.{digits}f}"


def _evidence(monitor: Monitor) -> str:
    """The evidence after the last evaluation, and from what on it is an alarm; a dash where nothing ever varied."""
    if not monitor.varied:
        return NOT_MEASURED
    now = monitor.evidence[-1]
    text = "over a million" if now > 1e6 else f"{now:,.0f}" if now >= 100 else f"{now:.3g}"
    return f"{text} / {monitor.threshold:,.4g}"


def _example(series: Series, change: Change, runs: Runs) -> Cell:
    """The first item that changed, for the worse where there is one; it leads to the latest answer."""
    worse = change.up_examples if series.better.get(change.measure) == "lower" else change.down_examples
    examples = (*worse, *change.down_examples, *change.up_examples)
    last = series.evaluations[-1]
    entry = runs.get((last.suite, last.run))
    if not examples:
        return Cell(None, NOT_MEASURED)
    to = None if entry is None else trial_address(entry, Key(instance_id=examples[0], split=entry.splits[-1]))
    return Cell(examples[0], to=to)


def evaluation_grid(series: Sequence[Series], runs: Runs) -> Grid:
    """A row for each evaluation."""
    columns = (
        Column("scenario", number=False),
        Column("asked", number=False, note="When its last answer came, in universal time."),
        Column("evaluation", number=False),
        Column("reported version", number=False),
        Column("metric", number=False),
        Column("value", note="On the items that the baseline answered too."),
        Column("change", note="From the baseline, paired item by item."),
        Column("word for word", note="Share of the items answered word for word as at the baseline."),
        Column("asked anew", note="Share of its answers that were not taken over from an evaluation before."),
    )
    rows = tuple(
        (
            Cell(one.scenario),
            Cell(held.last_asked, date_text(held.last_asked)),
            Cell(held.suite, to=_run(held, runs)),
            Cell(versions_text(held)),
            Cell(one.changes[0].measure, readable(one.changes[0].measure)),
            _estimate(held.value),
            Cell(None, "baseline") if held is one.evaluations[0] else _signed(held.change),
            _share(held.identical),
            _share(held.asked_anew),
        )
        for one in series
        for held in one.evaluations
    )
    return Grid("drift-evaluations", "Every evaluation against the baseline", columns, rows)


def latency_grid(series: Sequence[Series]) -> Grid | None:
    """How long answers took at the baseline and at the latest evaluation; `None` where that is not known."""
    columns = (
        Column("scenario", number=False),
        Column("seconds to an answer", number=False),
        *map(Column, ("baseline", "latest", "change")),
    )
    rows = tuple(
        (Cell(one.scenario), Cell(each.quantile), _estimate(each.before), _estimate(each.after), _signed(each.change))
        for one in series
        for each in one.latencies
    )
    note = "Unpaired: the network and the load of the day are in it, so it raises no alarm."
    return Grid("drift-seconds", "How long answers took", columns, rows, (note,)) if rows else None


def _estimate(estimate: Estimate | None) -> Cell:
    if estimate is None:
        return Cell(None, NOT_MEASURED)
    return Cell(estimate.value, format_estimate(estimate), estimate=estimate)


def _signed(estimate: Estimate | None) -> Cell:
    cell = _estimate(estimate)
    return cell if cell.text.startswith(("-", NOT_MEASURED)) else Cell(cell.value, f"+{cell.text}", estimate=cell.estimate)


def _share(value: float | None) -> Cell:
    return Cell(value, share_text(value))
