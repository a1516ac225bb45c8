"""The overview: candidates by families of metrics, scenarios by candidates, and any two measures against each other."""

from __future__ import annotations

from collections.abc import Iterable

from assay.tables.numbers import NOT_MEASURED, format_estimate
from assay.tables.suite import ACCURACY
from assay.web.addresses import Address
from assay.web.boards import TIERS, Separation, separation, tier_mark
from assay.web.catalog import Candidate, Catalog
from assay.web.charts import making
from assay.web.charts.drawing import Chart
from assay.web.charts.scatter import Spot
from assay.web.entries import Entry
from assay.web.families import FAMILIES, Family, Means, found, head, means, measure, measured, of_metric, shaded
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import estimate_cell
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.selection import Selection, select

SECOND = ("latency s", "tokens read", "ECE", "robustness", "fairness", "judge")
"""What accuracy is held against where a reader has not chosen: the first of these that was measured."""

MEANS = (
    "[…]: 95 % interval. Means over the scenarios that all candidates with a number in the column were asked. "
    "The stronger the shade, the better."
)


def draw(view: View, address: Address) -> Page:
    """The candidates that were chosen on the scenarios that were chosen; everything is computed for the choice."""
    chosen = select(view.catalog, address)
    runs = set(chosen.entries)
    separations = {
        scenario.title: separation([entry for entry in scenario.entries if entry in runs], of=scenario.entries)
        for scenario in chosen.scenarios
    }
    profile, scenarios = _profile(chosen, separations), _scenarios(chosen, separations)
    options = _measures(chosen)
    x, y = _axes(address, options, chosen)
    scatter = _scatter(chosen, options, x, y)
    grids = [profile, scenarios, *([scatter.grid] if scatter is not None else [])]
    body = render(
        "overview.html",
        view,
        address,
        chosen=chosen,
        forms=forms(view.catalog),
        profile=profile,
        scenarios=scenarios,
        scatter=scatter,
        options=[(name, name) for name in options],
        x=x,
        y=y,
        trials=sum(entry.trials for entry in chosen.entries),
        failed=sum(entry.failed for entry in chosen.entries),
    )
    return Page("Overview", body, tuple(grids))


def forms(catalog: Catalog) -> dict[str, list[tuple[str, str]]]:
    """What can be chosen, as values and what is shown of them."""
    return {
        "candidate": [(candidate.slug, candidate.label) for candidate in catalog.candidates],
        "scenario": [(scenario.slug, scenario.title) for scenario in catalog.scenarios],
        "metric": [(name, name) for name in catalog.metrics],
        "suite": [(name, name) for name in catalog.suites],
    }


def _profile(chosen: Selection, separations: dict[str, Separation | None]) -> Grid:
    families = measured(chosen.entries, chosen.metrics)
    over = [means(family, chosen.entries) for family in families]
    shades = [
        shaded(family, [_value(column, candidate) for candidate in chosen.candidates])
        for family, column in zip(families, over, strict=True)
    ]
    rows = []
    for place, candidate in enumerate(chosen.candidates):
        cells = [Cell(candidate.label, candidate.label, Address("model", candidate.slug)), _first_tiers(candidate, separations)]
        for column, shade in zip(over, shades, strict=True):
            note = f"mean of {', '.join(column.scenarios)}"
            cells.append(estimate_cell(column.by_candidate.get(candidate.label), None, shade[place], note))
        rows.append(tuple(cells))
    first = Column("first tier", note="In how many scenarios no candidate is shown to be better.")
    notes = [MEANS]
    notes += [
        f"{family.title}: without {', '.join(column.left_out)}, where a candidate lacks it or it does not go from 0 to 1."
        for family, column in zip(families, over, strict=True)
        if column.left_out
    ]
    columns = (Column("candidate", number=False), first, *map(head, families))
    return Grid("profile", "Candidates by families of metrics", columns, tuple(rows), tuple(notes))


def _value(column: Means, candidate: Candidate) -> float | None:
    estimate = column.by_candidate.get(candidate.label)
    return None if estimate is None else estimate.value


def _first_tiers(candidate: Candidate, separations: dict[str, Separation | None]) -> Cell:
    standings = [made.standing(candidate.label) for made in separations.values() if made is not None]
    there = [standing.tier == 1 for standing in standings if standing is not None]
    return Cell(sum(there), f"{sum(there)} of {len(there)}") if there else Cell(None, NOT_MEASURED)


def _scenarios(chosen: Selection, separations: dict[str, Separation | None]) -> Grid:
    columns = [
        Column("scenario", number=False),
        Column("metric", number=False, note="The scenario's main metric."),
        *(Column(candidate.label, to=Address("model", candidate.slug)) for candidate in chosen.candidates),
    ]
    rows = []
    for scenario in chosen.scenarios:
        runs = [next(iter(reversed(chosen.of(scenario, candidate))), None) for candidate in chosen.candidates]
        metric = next(entry.main_metric for entry in scenario.entries)
        values = [_main(entry) for entry in runs]
        shades = shaded(ACCURACY, values, metric)
        marked = [_tiered(entry, shade, separations[scenario.title]) for entry, shade in zip(runs, shades, strict=True)]
        title = Cell(scenario.title, scenario.title, Address("scenario", scenario.slug))
        rows.append((title, Cell(metric, metric, of_glossary(metric)), *marked))
    notes = [TIERS]
    unlike = sorted({key for made in separations.values() if made for key in made.unlike})
    if unlike:
        notes.append(f"Compared are ways of asking too, as some runs of a scenario differ in {', '.join(unlike)}.")
    return Grid("scenarios", "Main metrics by scenario", tuple(columns), tuple(rows), tuple(notes))


def of_glossary(metric: str) -> Address | None:
    """Where a metric is explained."""
    return head(of_metric(metric)).to


def _main(entry: Entry | None) -> float | None:
    cell = entry.cell() if entry is not None else None
    return cell.estimate.value if cell is not None else None


def _tiered(entry: Entry | None, shade: float | None, made: Separation | None) -> Cell:
    """A main metric with its interval and tier."""
    cell = entry.cell() if entry is not None else None
    if entry is None or cell is None:
        return Cell(None, NOT_MEASURED, note="not measured")
    standing = made.standing(entry.label) if made is not None else None
    text, note = format_estimate(cell.estimate), f"{cell.estimate.clusters:,} items"
    if standing is not None:
        text, note = f"{text} {tier_mark(standing.tier)}", f"tier {standing.tier}; {note}"
    return Cell(cell.estimate.value, text, Address("run", entry.slug), note, shade, cell.estimate)


def _measures(chosen: Selection) -> dict[str, Family]:
    """Everything that can be an axis, by name: families first, then single metrics."""
    families = [family for family in FAMILIES if any(found(family, entry) for entry in chosen.entries)]
    metrics = {name for entry in chosen.entries for name in entry.metrics} - {family.metric for family in families}
    return {family.title: family for family in (*families, *map(of_metric, sorted(metrics)))}


def _axes(address: Address, options: dict[str, Family], chosen: Selection) -> tuple[str, str]:
    names = list(options)
    if not names:
        return "", ""
    y = ACCURACY.title if ACCURACY.title in options else names[0]
    x = next((name for name in SECOND if name in options and name != y), names[-1])
    return address.choice("x", names, x), address.choice("y", names, y)


def _scatter(chosen: Selection, options: dict[str, Family], x: str, y: str) -> Chart | None:
    if not x or not y:
        return None
    across, up = means(options[x], chosen.entries).by_candidate, means(options[y], chosen.entries).by_candidate
    both = [candidate.label for candidate in chosen.candidates if candidate.label in across and candidate.label in up]
    return making.pareto([Spot(label, across[label], up[label]) for label in both], measure(options[x]), measure(options[y]))


def every(catalog: Catalog) -> Iterable[Address]:
    """The one page."""
    return (Address("overview"),)


KIND = Kind("overview", "Overview", "All candidates on all scenarios, in families of metrics.", draw, every)
