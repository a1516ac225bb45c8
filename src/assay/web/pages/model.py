"""A candidate: its profile over all scenarios, where it is shown to be better or worse, how it fails, its course over time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from assay.comparison.failures import failures
from assay.comparison.results import Failing, Pair
from assay.drift.shown import date_text
from assay.tables.numbers import NOT_MEASURED, format_amount
from assay.tables.units import family_of
from assay.web.addresses import Address
from assay.web.boards import TIERS, ready, separation, tier_mark
from assay.web.catalog import Candidate, Catalog, evidence_of
from assay.web.charts import making
from assay.web.charts.drawing import Chart
from assay.web.comparison_grids import example
from assay.web.entries import Entry
from assay.web.evaluations import asked_otherwise, one_each
from assay.web.families import SHADED, Means, apart, found, head, means, measured, shaded, usable_answers
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import estimate_cell, evened, explained, meaning, metric_cell, metric_column, readable
from assay.web.over_time import ages, courses, over_time, same_model
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.words import word_column

MOST_TRIALS = 20_000
"""Trials that are searched for failures unasked: their inputs are read."""
RUNS_SEARCHED = 512
SLICES_SHOWN = 40
MOST_DAYS = 36_500
"""The largest age that can be asked about: a hundred years."""
OVER_TIME = "model-{}-over-time"
"""The id of that part of a candidate's page."""
EFFICIENCY = (
    "latency_s", "latency_p50_s", "latency_p95_s", "first_token_s", "output_tokens_per_s", "prompt_tokens", "completion_tokens",
    "cost", "cost_per_correct",
)  # fmt: skip


def draw(view: View, address: Address) -> Page:
    """A candidate over all its scenarios."""
    candidate = view.catalog.candidate(address.of)
    beside = _beside(view.catalog, candidate)
    entries = tuple(entry for runs in beside.values() for entry in runs if entry.label == candidate.label)
    sought = address.one("failures") == "all" or sum(entry.trials for entry in entries) <= MOST_TRIALS
    slices = [(entry, slice_) for entry in entries for slice_ in _failing(entry)] if sought else []
    tables = (
        _profile(view.catalog, entries),
        _standings(view, candidate, beside),
        _failures(slices),
        _of_metrics("outcomes", "Outcomes: shares of the trials", view.catalog, entries, _outcomes(entries)),
        _of_metrics("efficiency", "Efficiency", view.catalog, entries, EFFICIENCY),
        _evaluations(view.catalog, candidate, entries),
    )
    held = {grid.name: grid for grid in tables if grid is not None}
    evaluations = same_model(view.catalog, candidate)
    over = courses(view.catalog, candidate)
    course = making.course([entry for one in over for entry in one.alike], loose=[entry for one in over for entry in one.loose])
    changed = over_time(view, candidate, address.one("drift") == "all" or not view.links.live)
    most_days = address.number("days", 0, 0, MOST_DAYS)
    aged = ages(evaluations, time.time() if view.links.live else None, most_days)
    body = render(
        "model.html",
        view,
        address,
        candidate=candidate,
        facts_of_model=_facts(candidate),
        held=held,
        sought=sought,
        course=course,
        whole=address.but(failures="all"),
        changed=changed,
        aged=aged,
        most_days=most_days,
        over_time_id=OVER_TIME.format(address.of),
        read_all=replace(address.but(drift="all"), at=OVER_TIME.format(address.of)),
    )
    return Page(candidate.label, body, (*held.values(), *_grids(course), *(changed.grids or {}).values(), aged.grid))


def _beside(catalog: Catalog, candidate: Candidate) -> dict[str, tuple[Entry, ...]]:
    """The scenarios of a candidate, each with the runs that speak for its candidates there."""
    titles = {entry.title for entry in candidate.entries}
    return {scenario.title: one_each(scenario.entries) for scenario in catalog.scenarios if scenario.title in titles}


def _grids(chart: Chart | None) -> tuple[Grid, ...]:
    return () if chart is None else (chart.grid,)


def _facts(candidate: Candidate) -> list[tuple[str, str]]:
    entries = candidate.entries
    models = {entry.spec.model.name: entry.spec.model for entry in entries}
    costs = [entry.manifest.cost for entry in entries if entry.manifest.cost is not None]
    facts = [
        ("model", ", ".join(models)),
        ("revision", ", ".join(dict.fromkeys(model.revision[:16] for model in models.values() if model.revision))),
        ("endpoint", ", ".join(dict.fromkeys(model.endpoint for model in models.values() if model.endpoint))),
        ("scenarios", f"{len({entry.title for entry in entries}):,}"),
        ("trials", f"{sum(entry.trials for entry in entries):,}"),
        ("failed", f"{sum(entry.failed for entry in entries):,}"),
        ("tokens read", f"{sum(entry.manifest.prompt_tokens for entry in entries):,}"),
        ("tokens written", f"{sum(entry.manifest.completion_tokens for entry in entries):,}"),
        ("cost of all requests, in the currency of the prices", format_amount(sum(costs)) if costs else ""),
    ]
    return facts + [("suites", ", ".join(dict.fromkeys(entry.suite for entry in entries)))]


def _scenario(catalog: Catalog, entry: Entry) -> Cell:
    slug = next(scenario.slug for scenario in catalog.scenarios if scenario.title == entry.title)
    return Cell(entry.title, entry.title, Address("scenario", slug))


def _profile(catalog: Catalog, entries: Sequence[Entry]) -> Grid:
    """Scenarios by families, and the mean of each family."""
    families = measured(entries)
    numbers_of = [[found(family, entry) for entry in entries] for family in families]
    told_apart = [apart([cell.estimate if cell else None for cell in column]) for column in numbers_of]
    rows = []
    for entry in entries:
        cells = [found(family, entry) for family in families]
        shades = [
            shaded(family, [cell.estimate.value if cell else None], entry.main_metric)[0] if differ else None
            for family, cell, differ in zip(families, cells, told_apart, strict=True)
        ]
        metric = Cell(
            entry.main_metric, readable(entry.main_metric), explained(entry.main_metric), meaning(entry.main_metric).note
        )
        numbers = (estimate_cell(cell, Address("run", entry.slug), shade) for cell, shade in zip(cells, shades, strict=True))
        scenario = replace(_scenario(catalog, entry), below=usable_answers([entry]))
        rows.append((scenario, metric, *numbers))
    if len(entries) > 1:
        over = [means(family, entries) for family in families]
        mean = [estimate_cell(next(iter(column.by_candidate.values()), None), note=_counted(column)) for column in over]
        rows.append((Cell("mean"), Cell(None, ""), *mean))
    columns = (Column("scenario", number=False), Column("main metric", number=False), *map(head, families))
    said = "Means over the scenarios that have the number, each weighing the same; of main metrics only those from 0 to 1."
    notes = (*([said] if len(entries) > 1 else []), *([SHADED] if any(told_apart) else []))
    return Grid("profile", "Profile: scenarios by families of metrics", columns, evened(rows), notes)


def _counted(column: Means) -> str:
    return f"mean of {len(column.scenarios)} scenario{'' if len(column.scenarios) == 1 else 's'}"


def _standings(view: View, candidate: Candidate, beside: Mapping[str, Sequence[Entry]]) -> Grid | None:
    """In which scenario it is shown to be better or worse than whom.

    Args:
        view: what there is, and how long its reader waits.
        candidate: who.
        beside: the runs of each scenario, one of each candidate.
    """
    rows, notes = [], [TIERS]
    for title, runs in beside.items():
        entry = next(entry for entry in runs if entry.label == candidate.label)
        made = separation(runs) if ready(view.patience, runs) else None
        if made is not None:
            notes += [f"{title}: {said}" for said in (made.said, asked_otherwise(runs)) if said]
        standing = made.standing(entry.label) if made is not None else None
        if made is None or standing is None:
            continue
        better, worse, open_ = _opponents(entry.label, made.board.pairs)
        others = (Cell(", ".join(held) or NOT_MEASURED) for held in (better, worse, open_))
        rows.append((_scenario(view.catalog, entry), Cell(standing.tier, tier_mark(standing.tier)), *others))
    if not rows:
        return None
    names = ("better than", "worse than", "no difference shown")
    columns = (Column("scenario", number=False), word_column("tier"), *(Column(name, number=False) for name in names))
    return Grid("standings", "Against the other candidates", columns, tuple(rows), tuple(notes))


def _opponents(label: str, pairs: Sequence[Pair]) -> tuple[list[str], list[str], list[str]]:
    """Who is shown to be worse than a candidate, who better, and of whom neither is shown."""
    held: tuple[list[str], list[str], list[str]] = ([], [], [])
    for pair in pairs:
        if label not in (pair.first, pair.second):
            continue
        other = pair.second if pair.first == label else pair.first
        ahead = "first" if pair.first == label else "second"
        decided = pair.verdict.startswith(("first", "second"))
        held[(0 if pair.verdict.startswith(ahead) else 1) if decided else 2].append(other)
    return held


@dataclass(frozen=True)
class _Searched:
    path: Path
    written: int
    entry: Entry = field(compare=False)


def _failing(entry: Entry) -> tuple[Failing, ...]:
    """The parts of a run in which it fails significantly more often than elsewhere."""
    return _searched(_Searched(*entry.key, entry))


@lru_cache(maxsize=RUNS_SEARCHED)
def _searched(of: _Searched) -> tuple[Failing, ...]:
    if meaning(of.entry.main_metric).metric is None:
        return ()
    return failures(evidence_of([of.entry])).slices


def _failures(slices: Sequence[tuple[Entry, Failing]]) -> Grid | None:
    if not slices:
        return None
    worst = sorted(slices, key=lambda held: -held[1].excess.value)[:SLICES_SHOWN]
    rows = tuple(
        (
            Cell(entry.title, entry.title, Address("run", entry.slug)),
            Cell(failing.what),
            Cell(failing.where),
            Cell(failing.items, f"{failing.items:,}"),
            Cell(failing.rate, f"{failing.rate:.2f}"),
            Cell(failing.elsewhere, f"{failing.elsewhere:.2f}"),
            estimate_cell(failing.excess),
            example(entry, failing),
        )
        for entry, failing in worst
    )
    words = ("scenario", "what", "where", "such as")
    names = ("scenario", "what", "where", "items", "rate", "elsewhere", "more by", "such as")
    notes = ["Only slices with significantly more failures than elsewhere are shown (Holm within a run), the worst first."]
    notes += [f"{len(slices)} were found; the first {SLICES_SHOWN} are shown."] if len(slices) > SLICES_SHOWN else []
    columns = tuple(Column(name, number=name not in words) for name in names)
    return Grid("failures", "Where it fails more than elsewhere", columns, rows, tuple(notes))


def _outcomes(entries: Sequence[Entry]) -> list[str]:
    names = dict.fromkeys(name for entry in entries for name in entry.metrics)
    return [name for name in names if family_of(name) == "outcomes" and not name.startswith("main_if")]


def _of_metrics(name: str, caption: str, catalog: Catalog, entries: Sequence[Entry], metrics: Sequence[str]) -> Grid | None:
    """Scenarios by some metrics."""
    there = [metric for metric in metrics if any(entry.cell(metric) for entry in entries)]
    if not there:
        return None
    cells = [[entry.cell(metric) for entry in entries] for metric in there]
    rows = tuple(
        (_scenario(catalog, entry), *(metric_cell(column[place]) for column in cells)) for place, entry in enumerate(entries)
    )
    return Grid(name, caption, (Column("scenario", number=False), *map(metric_column, there)), evened(rows))


def _evaluations(catalog: Catalog, candidate: Candidate, shown: Sequence[Entry]) -> Grid | None:
    """The evaluations of the same model that the rest of the page does not show, newest first, where there are any."""
    others = [entry for entry in same_model(catalog, candidate) if entry not in shown]
    if not others:
        return None
    slugs = {other.label: other.slug for other in catalog.candidates}
    rows = tuple(
        (
            _scenario(catalog, entry),
            Cell(entry.label, to=None if entry.label == candidate.label else Address("model", slugs[entry.label])),
            Cell(entry.suite, to=Address("run", entry.slug)),
            Cell(entry.asked_at, date_text(entry.asked_at)),
            Cell(entry.instances, f"{entry.instances:,}"),
            metric_cell(entry.cell()),
        )
        for entry in sorted(others, key=lambda entry: (-entry.asked_at, entry.title))
    )
    words = (Column(name, number=False) for name in ("scenario", "candidate", "suite", "asked"))
    return Grid("evaluations", "Other evaluations of it", (*words, Column("items"), Column("main metric")), evened(rows))


def every(catalog: Catalog) -> Iterable[Address]:
    """One for each candidate."""
    return (Address("model", candidate.slug) for candidate in catalog.candidates)


KIND = Kind("model", "", "One candidate over all scenarios.", draw, every)
