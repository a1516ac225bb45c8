"""Efficiency: how long answers take, how much is read and written for them, and what a right one costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.tables.numbers import format_amount
from assay.tables.units import PER_THOUSAND
from assay.web.addresses import Address
from assay.web.catalog import Candidate, Catalog, Scenario
from assay.web.charts import making
from assay.web.charts.drawing import Chart
from assay.web.entries import Entry
from assay.web.families import left_out, means, of_metric
from assay.web.grids import Cell, Column, Grid
from assay.web.kept import Kept
from assay.web.measures import estimate_cell, evened, metric_cell, metric_column
from assay.web.page import Kind, Page, View
from assay.web.patience import FILE_MS, TRIAL_MS, Patience
from assay.web.rendering import render
from assay.web.selection import Selection, choices, select, suite_links
from assay.web.underway import newest

METRICS = {
    "latency_p50_s": "half within, s",
    "latency_p95_s": "95 % within, s",
    "latency_p99_s": "99 % within, s",
    "first_token_p50_s": "first token, half within, s",
    "first_token_p95_s": "first token, 95 % within, s",
    "time_per_output_token_s": "from token to token, s",
    "output_tokens_per_s": "tokens/s",
    "prompt_tokens": "tokens read",
    "completion_tokens": "tokens written",
    **PER_THOUSAND,
}
"""What is shown, in this order, as far as it was measured."""
ROWS_KEPT = 200_000
"""Rows behind charts that are kept, half a kilobyte each."""
_charts: Kept[tuple[Chart | None]] = Kept(ROWS_KEPT, lambda held: 1 if held[0] is None else len(held[0].grid.rows))

MEANS = (
    "Means over the scenarios that all candidates with a number in the column were asked, each weighing the same. Seconds, "
    "tokens and cost are those of when an answer was asked: one from the response cache never counts as fast or free."
)


def draw(view: View, address: Address) -> Page:
    """All scenarios together, or the one that the address names."""
    chosen = select(view.catalog, address, newest(view.catalog) if view.links.live and not address.of else "")
    if address.of:
        return _of_scenario(view, address, view.catalog.scenario(address.of), chosen)
    there = measured(chosen.entries)
    metric = address.choice("by", there, there[0] if there else "")
    totals, summary = _totals(chosen), _means(chosen, there)
    matrix = _matrix(chosen, metric) if metric else None
    body = render(
        "efficiency.html",
        view,
        address,
        totals=totals,
        summary=summary.upright() if summary is not None else None,
        matrix=matrix.upright() if matrix is not None else None,
        metric=metric,
        metrics=[(name, METRICS[name]) for name in there],
        candidates=choices(view.catalog, chosen)["candidate"],
        suites=suite_links(view, address, chosen),
    )
    return Page("Efficiency", body, tuple(grid for grid in (totals, summary, matrix) if grid is not None))


def measured(entries: Sequence[Entry]) -> list[str]:
    """The metrics that some of these runs have a number for."""
    return [name for name in METRICS if any(entry.cell(name) is not None for entry in entries)]


def _totals(chosen: Selection) -> Grid:
    columns = (
        Column("candidate", number=False),
        Column("runs"),
        Column("trials"),
        Column("requests"),
        Column("failed"),
        Column("tokens read"),
        Column("tokens written"),
        Column("cost", "cost of all requests", note="What all requests cost at the model's prices, as far as these are known."),
    )
    rows = tuple(_total(candidate, chosen) for candidate in chosen.candidates)
    return Grid("totals", "Everything asked, all runs together", columns, rows)


def _total(candidate: Candidate, chosen: Selection) -> tuple[Cell, ...]:
    runs = [entry for entry in candidate.entries if entry in chosen.entries]
    manifests = [entry.manifest for entry in runs]
    costs = [manifest.cost for manifest in manifests if manifest.cost is not None]
    whole = sum(costs) if costs else None
    partly = "" if len(costs) in (0, len(runs)) else f"of {len(costs)} of {len(runs)} runs"
    return (
        Cell(candidate.label, to=Address("model", candidate.slug)),
        _count(len(runs)),
        _count(sum(manifest.trials for manifest in manifests)),
        _count(sum(manifest.requests for manifest in manifests)),
        _count(sum(manifest.failed for manifest in manifests)),
        _count(sum(manifest.prompt_tokens for manifest in manifests)),
        _count(sum(manifest.completion_tokens for manifest in manifests)),
        Cell(whole, f"{format_amount(whole)}{' ' if partly else ''}{partly}"),
    )


def _count(number: int) -> Cell:
    return Cell(number, f"{number:,}")


def _means(chosen: Selection, there: Sequence[str]) -> Grid | None:
    if not there:
        return None
    over = {name: means(of_metric(name), chosen.speaking) for name in there}
    shown = [name for name in there if over[name].by_candidate]
    if not shown:
        return None
    columns = (Column("candidate", number=False), *(metric_column(name, METRICS[name]) for name in shown))
    rows = tuple(
        (
            Cell(candidate.label, to=Address("model", candidate.slug)),
            *(
                estimate_cell(over[name].by_candidate.get(candidate.label), note=f"mean of {', '.join(over[name].scenarios)}")
                for name in shown
            ),
        )
        for candidate in chosen.candidates
    )
    notes = (MEANS, *filter(None, [left_out({METRICS[name]: over[name] for name in there})]))
    return Grid("means", "Times, tokens and cost, on average", columns, evened(rows), notes)


def _matrix(chosen: Selection, metric: str) -> Grid:
    columns = (
        Column("scenario", number=False),
        *(Column(candidate.label, to=Address("model", candidate.slug)) for candidate in chosen.candidates),
    )
    rows = []
    for scenario in chosen.scenarios:
        runs = [chosen.of(scenario, candidate) for candidate in chosen.candidates]
        numbers = [metric_cell(entry.cell(metric) if entry is not None else None) for entry in runs]
        rows.append((Cell(scenario.title, to=Address("efficiency", scenario.slug)), *numbers))
    return Grid("scenarios", f"By scenario: {METRICS[metric]}", columns, tuple(rows))


def _of_scenario(view: View, address: Address, scenario: Scenario, chosen: Selection) -> Page:
    speaking = set(chosen.speaking)
    entries = [entry for entry in scenario.entries if entry in speaking]
    there = measured(entries)
    columns = (Column("candidate", number=False), *(metric_column(name, METRICS[name]) for name in there))
    rows = tuple(
        (Cell(entry.label, to=Address("run", entry.slug)), *(metric_cell(entry.cell(name)) for name in there))
        for entry in entries
    )
    table = Grid("efficiency", f"Efficiency on {scenario.title}", columns, rows)
    chart = _latency(entries, view.patience)
    asked = {entry.label for entry in scenario.entries}
    body = render(
        "efficiency_scenario.html",
        view,
        address,
        scenario=scenario,
        table=table.upright(),
        measured=bool(there),
        chart=chart,
        candidates=[(candidate.slug, candidate.label) for candidate in view.catalog.candidates if candidate.label in asked],
    )
    return Page(f"Efficiency: {scenario.title}", body, (table, *([chart.grid] if chart is not None else [])))


def _latency(entries: Sequence[Entry], patience: Patience | None) -> Chart | None:
    """How long answers take; `None` too where it is worked out apart from this page."""
    key = ("latencies", *((*entry.key, entry.title, entry.label) for entry in entries))
    cost = sum(FILE_MS + TRIAL_MS * entry.trials for entry in entries)

    def made() -> tuple[Chart | None]:
        return _charts.get(key, lambda: (making.latency(entries),))

    return made()[0] if patience is None or patience.now(key, cost, made) else None


def every(catalog: Catalog) -> Iterable[Address]:
    """All scenarios together, and each by itself."""
    if catalog.entries:
        yield Address("efficiency")
    for scenario in catalog.scenarios:
        yield Address("efficiency", scenario.slug)


KIND = Kind("efficiency", "Efficiency", "How long answers take, and what a right one costs.", draw, every)
