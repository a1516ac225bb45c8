"""The overview: candidates by families of metrics, scenarios by candidates, and any two measures against each other."""

from __future__ import annotations

from collections.abc import Iterable

from assay.errors import unknown
from assay.tables.numbers import NOT_MEASURED, format_estimate
from assay.tables.suite import ACCURACY
from assay.web.addresses import Address
from assay.web.boards import TIERS, Separation, separation, tier_mark
from assay.web.catalog import Candidate, Catalog, slug_of
from assay.web.charts import making
from assay.web.charts.drawing import Chart
from assay.web.charts.scatter import Spot
from assay.web.entries import Entry
from assay.web.families import (
    FAMILIES,
    Family,
    Means,
    apart,
    found,
    head,
    left_out,
    means,
    measure,
    measured,
    of_metric,
    shaded,
)
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import estimate_cell
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.selection import Selection, SuiteLink, choices, newest, select, suite_links

SECOND = ("latency s", "tokens read", "ECE", "robustness", "fairness", "judge")
"""What accuracy is held against where a reader has not chosen: the first of these that was measured."""

MARKED = "Shaded, the better the stronger, where candidates are shown to differ."
MEANS = (
    "[…]: 95 % interval. Means over the scenarios that all candidates with a number in the column were asked. "
    "Shaded, the better the stronger, where some interval lies wholly beside another."
)


def draw(view: View, address: Address) -> Page:
    """The candidates that were chosen on the scenarios that were chosen; everything is computed for the choice.

    Of several suites it shows the newest, or the one that the address names, as a report's does by its slug.
    """
    suite = _suite(view.catalog, address.of) if address.of else newest(view.catalog)
    chosen = select(view.catalog, address, suite)
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
        forms={**choices(view.catalog, chosen), "metric": [(name, name) for name in _metrics(chosen)]},
        suites=suite_links(view, address, chosen) or _of_report(view, address, suite),
        profile=profile,
        scenarios=scenarios,
        scatter=scatter,
        options=[(name, name) for name in options],
        x=x,
        y=y,
        wanted=bool(address.one("x") or address.one("y")),
        trials=sum(entry.trials for entry in chosen.entries),
        failed=sum(entry.failed for entry in chosen.entries),
    )
    return Page(f"Overview: {suite}" if address.of else "Overview", body, tuple(grids))


def _suite(catalog: Catalog, slug: str) -> str:
    slugs = {slug_of(name): name for name in catalog.suites}
    if slug not in slugs:
        raise unknown("suite", slug, slugs)
    return slugs[slug]


def _of_report(view: View, address: Address, suite: str) -> list[SuiteLink]:
    """In a report every suite has an overview of its own."""
    if len(view.catalog.suites) < 2 or view.links.live:
        return []
    return [SuiteLink(name, Address(address.page, slug_of(name)), name == suite) for name in view.catalog.suites]


def _metrics(chosen: Selection) -> list[str]:
    """Every metric of the suites that are looked at, main metrics first."""
    mains = dict.fromkeys(entry.main_metric for entry in chosen.offered)
    return [*mains, *sorted({name for entry in chosen.offered for name in entry.metrics} - set(mains))]


def _profile(chosen: Selection, separations: dict[str, Separation | None]) -> Grid:
    there = {family: means(family, chosen.entries) for family in measured(chosen.entries, chosen.metrics)}
    shown = {family: column for family, column in there.items() if column.by_candidate}
    families, over = tuple(shown), tuple(shown.values())
    shades = [_shades(family, column, chosen) for family, column in shown.items()]
    rows = []
    for place, candidate in enumerate(chosen.candidates):
        cells = [Cell(candidate.label, candidate.label, Address("model", candidate.slug)), _first_tiers(candidate, separations)]
        for column, shade in zip(over, shades, strict=True):
            note = f"mean of {', '.join(column.scenarios)}"
            cells.append(estimate_cell(column.by_candidate.get(candidate.label), None, shade[place], note))
        rows.append(tuple(cells))
    first = Column("first tier", note="In how many scenarios no candidate is shown to be better.")
    notes = [MEANS, *filter(None, [left_out({family.title: column for family, column in there.items()})])]
    columns = (Column("candidate", number=False), first, *map(head, families))
    return Grid("profile", "Candidates by families of metrics", columns, tuple(rows), tuple(notes))


def _shades(family: Family, column: Means, chosen: Selection) -> list[float | None]:
    estimates = [column.by_candidate.get(candidate.label) for candidate in chosen.candidates]
    if not apart(estimates):
        return [None] * len(estimates)
    return shaded(family, [None if estimate is None else estimate.value for estimate in estimates])


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
        shades = shaded(ACCURACY, values, metric) if _differ(separations[scenario.title]) else [None] * len(values)
        marked = [_tiered(entry, shade, separations[scenario.title]) for entry, shade in zip(runs, shades, strict=True)]
        title = Cell(scenario.title, scenario.title, Address("scenario", scenario.slug))
        rows.append((title, Cell(metric, metric, of_glossary(metric)), *marked))
    notes = [f"{TIERS} {MARKED}"]
    unlike = sorted({key for made in separations.values() if made for key in made.unlike})
    if unlike:
        notes.append(f"Compared are ways of asking too, as some runs of a scenario differ in {', '.join(unlike)}.")
    return Grid("scenarios", "Main metrics by scenario", tuple(columns), tuple(rows), tuple(notes))


def _differ(made: Separation | None) -> bool:
    """Whether any candidate of a scenario is shown to differ from its first."""
    return made is not None and any(standing.tier > 1 for standing in made.board.standings)


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
    up = means(options[y], chosen.entries).by_candidate
    both = (name for name in SECOND if name in options and name != y)
    x = next((name for name in both if up.keys() & means(options[name], chosen.entries).by_candidate.keys()), names[-1])
    return address.choice("x", names, x), address.choice("y", names, y)


def _scatter(chosen: Selection, options: dict[str, Family], x: str, y: str) -> Chart | None:
    if not x or not y:
        return None
    across, up = means(options[x], chosen.entries).by_candidate, means(options[y], chosen.entries).by_candidate
    both = [candidate.label for candidate in chosen.candidates if candidate.label in across and candidate.label in up]
    return making.pareto([Spot(label, across[label], up[label]) for label in both], measure(options[x]), measure(options[y]))


def every(catalog: Catalog) -> Iterable[Address]:
    """The one page; of several suites each has one of its own too."""
    yield Address("overview")
    if len(catalog.suites) > 1:
        yield from (Address("overview", slug_of(name)) for name in catalog.suites)


KIND = Kind("overview", "Overview", "All candidates on all scenarios, in families of metrics.", draw, every)
