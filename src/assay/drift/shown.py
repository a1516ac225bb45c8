"""What changed, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from assay.comparison.shown import format_p
from assay.drift.otherwise import short
from assay.drift.results import Age, Change, Drift, Evaluated, Monitor, Series
from assay.records import Estimate
from assay.tables import NOT_MEASURED, Table, format_estimate
from assay.text import one_line

HOW_TO_READ = (
    "Change: latest less baseline, on the items that both answered. p: of these two alone, Holm over all changes.",
    "Evidence: what a bet on a change has multiplied to. From the value behind the / it is an alarm, until a new baseline.",
    "However often one looks, any alarm at all where nothing changes has a chance of {level:g} at most.",
)
WITHOUT_ROWS = "Change: less the baseline, on the items that both answered."
MOST = 4
"""Reported versions that are named."""
LONGEST = 2000
"""Characters of a verdict."""
RERUNS = 3
"""Evaluations within half a day of each other that are told of, the latest ones."""


def verdict(found: Drift) -> str:
    """The result in one line."""
    said = []
    for series, change in found.alarms:
        when = series.evaluations[change.monitor.alarm or 0]
        said.append(f"{change.measure} of {series.scenario} ({series.candidate}) since {when.suite}")
    for series in found.series:
        if series.version_changed:
            old, new = (versions_text(series.evaluations[place]) for place in (0, -1))
            said.append(f"the reported version of {series.scenario} ({series.candidate}): {old} before, now {new}")
    stale = found.stale
    if stale:
        said.append(f"{len(stale)} of {len(found.ages)} numbers are older than {found.max_age:g} days")
    changed = f"changed: {'; '.join(said)}" if found.changed else "; ".join(said)
    nothing = f"nothing is shown to have changed in {len(found.series)} series of evaluations"
    return one_line(changed or (nothing if found.series else "nothing was evaluated twice, and nothing is too old"), LONGEST)


def drift_tables(found: Drift) -> list[Table]:
    """The tables of a result, in reading order."""
    tables = [*_differences(found)]
    for series in found.series:
        tables += _what_changed(series)
        if series.latencies:
            tables.append(_latencies(series))
    if found.series:
        rows = any(worth_a_row(change) for series in found.series for change in series.changes)
        tables[-1].notes += [note.format(level=found.level) for note in HOW_TO_READ] if rows else [WITHOUT_ROWS]
    tables.append(_ages(found))
    tables[-1].notes += found.notes
    return tables


def _differences(found: Drift) -> Iterator[Table]:
    if found.differences:
        rows = []
        for one in found.differences:
            (_, usual), (run, value) = one.values.items()
            rows.append([one.scenario, run, one.key, short(one.key, value), short(one.key, usual)])
        header = ["scenario", "evaluation", "key", "its value", "value of those that count"]
        yield Table("Left out, as they were asked otherwise", header, rows, keys=len(header))


def _evaluations(series: Series) -> Table:
    rows = [
        [
            date_text(one.last_asked),
            one.suite,
            versions_text(one),
            NOT_MEASURED if one.value is None else format_estimate(one.value),
            "baseline" if one is series.evaluations[0] else _signed(one.change),
            share_text(one.identical),
            share_text(one.asked_anew),
        ]
        for one in series.evaluations
    ]
    header = ["asked", "folder", "reported version", series.changes[0].measure, "change", "word for word", "asked anew"]
    return Table(f"{series.scenario} · {series.candidate}", header, rows, keys=3, notes=reruns(series))


def reruns(series: Series) -> list[str]:
    """What asking again changes by itself, a sentence each."""
    told = [rerun for rerun in series.reruns if rerun.counts]
    unsure = [f"{rerun.first} and {rerun.second}" for rerun in series.reruns if not rerun.counts]
    said = [
        f"Asking again after {_after(rerun.minutes)} ({rerun.first}, {rerun.second}): {share_text(rerun.identical)} word for "
        f"word alike, {share_text(rerun.changed)} of the items with another {series.changes[0].measure}."
        for rerun in told[-RERUNS:]
    ]
    if unsure:
        said.append(f"Not taken for asking again, since an alarm or a new version falls there: {', '.join(unsure)}.")
    if not told:
        said.append("No other two evaluations" if unsure else "No two evaluations")
        said[-1] += " lie within half a day, so what asking again changes by itself is not known."
    return said


def _after(minutes: float) -> str:
    if minutes < 60:
        return f"{minutes:.0f} minutes" if minutes >= 1.5 else "a minute" if minutes >= 0.5 else "less than a minute"
    return f"{minutes / 60:.1f} hours"


def _what_changed(series: Series) -> list[Table]:
    """The evaluations, and below them the measures that were ever other than at the baseline, if any."""
    rows = [_change(change, series) for change in series.changes if worth_a_row(change)]
    header = ["measure", "baseline", "latest", "change", "up", "down", "p", "evidence", "alarm", "see items"]
    left = [change.measure for change in series.changes if not worth_a_row(change)]
    tables = [_evaluations(series), *([Table("", header, rows)] if rows else [])]
    if left:
        tables[-1].notes.append(f"Never other than at the baseline: {', '.join(left)}.")
    return tables


def worth_a_row(change: Change) -> bool:
    """Whether a measure was ever other than at the baseline."""
    return change.monitor.varied or bool(change.up or change.down)


def _change(change: Change, series: Series) -> list[str]:
    better = series.better.get(change.measure)
    worse_first = change.up_examples + change.down_examples if better == "lower" else change.down_examples + change.up_examples
    return [
        change.measure,
        number_text(change.before),
        number_text(change.after),
        _signed(change.change),
        str(change.up),
        str(change.down),
        format_p(change.p_corrected),
        evidence_text(change.monitor),
        "none" if change.monitor.alarm is None else f"changed since {series.evaluations[change.monitor.alarm].suite}",
        ", ".join(worse_first),
    ]


def evidence_text(monitor: Monitor) -> str:
    """The evidence after the last evaluation, and from what on it is an alarm; a dash where nothing ever varied."""
    return f"{monitor.evidence[-1]:.3g} / {monitor.threshold:.4g}" if monitor.varied else NOT_MEASURED


def _latencies(series: Series) -> Table:
    rows = [
        [one.quantile, format_estimate(one.before), format_estimate(one.after), _signed(one.change)] for one in series.latencies
    ]
    note = "Unpaired: the network and the load of the day are in it, so it raises no alarm."
    return Table("", ["seconds to an answer", "baseline", "latest", "change"], rows, notes=[note])


def _ages(found: Drift) -> Table:
    rows = [[age.scenario, age.candidate, age.metric, _days(age)] for age in found.ages]
    header = ["scenario", "candidate", "metric", "days"]
    if found.max_age is not None:
        header.append(f"at most {found.max_age:g}")
        for row, age in zip(rows, found.ages, strict=True):
            row.append("stale" if age.stale else "yes")
    note = "Age: of the oldest answer behind the newest number."
    return Table("How old the numbers are", header, rows, keys=3, notes=[note])


def _days(age: Age) -> str:
    return NOT_MEASURED if age.days is None else f"{age.days:.1f}"


def versions_text(one: Evaluated) -> str:
    """The versions that the model reported, the most frequent ones first."""
    names = list(one.versions)
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return one_line(", ".join(names[:MOST]) + more) if names else NOT_MEASURED


def date_text(seconds: float | None) -> str:
    """A Unix time in UTC, to the minute; a dash where there is none."""
    if seconds is None:
        return NOT_MEASURED
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return NOT_MEASURED


def share_text(value: float | None) -> str:
    """A share in percent."""
    return NOT_MEASURED if value is None else f"{100 * value:.3g} %"


def number_text(value: float | None) -> str:
    """A mean, to three digits."""
    return NOT_MEASURED if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _signed(estimate: Estimate | None) -> str:
    if estimate is None:
        return NOT_MEASURED
    text = format_estimate(estimate)
    return text if text.startswith("-") else f"+{text}"
