"""The overview: candidates by families of metrics, scenarios by candidates, and any two measures against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from assay.errors import unknown
from assay.tables.numbers import NOT_MEASURED, format_estimate
from assay.tables.suite import ACCURACY
from assay.web.addresses import Address
from assay.web.boards import TIERS, Separation, ready, separation, tier_mark
from assay.web.catalog import Candidate, Catalog, slug_of
from assay.web.charts import making
from assay.web.charts.drawing import Chart
from assay.web.charts.scatter import Spot
from assay.web.entries import Entry
from assay.web.evaluations import asked_otherwise
from assay.web.families import (
    FAMILIES,
    SHADED,
    Family,
    Means,
    found,
    head,
    heat,
    left_out,
    means,
    measure,
    measured,
    of_metric,
    shaded,
    usable_answers,
)
from assay.web.grids import Cell, Column, Grid, Row
from assay.web.measures import estimate_cell, evened, meaning, readable
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.selection import Selection, SuiteLink, choices, in_suite, select, suite_links
from assay.web.underway import ahead, newest, newest_first
from assay.web.words import word_column

SECOND = ("latency s", "tokens read", "ECE", "robustness", "fairness", "judge")
"""What accuracy is held against where a reader has not chosen: the first of these that was measured."""

MARKED = "Shaded, the better the stronger, where candidates are shown to differ."
MEANS = f"[…]: 95 % interval. Means over the scenarios that all candidates with a number in the column were asked. {SHADED}"
MEANS_APART = (
    "[…]: 95 % interval. Not all candidates were asked the same scenarios, so each has the means over its own; only rows with "
    f"the same scenarios can be held against each other. {SHADED}"
)


def draw(view: View, address: Address) -> Page:
    """The candidates that were chosen on the scenarios that were chosen; everything is computed for the choice.

    Of several suites it shows the newest, or the one that the address names, as a report's does by its slug.
    """
    suite = _suite(view.catalog, address.of) if address.of else newest(view.catalog)
    chosen = select(view.catalog, address, suite)
    runs = set(chosen.speaking)
    separations: dict[str, Separation | None] = {}
    open_ = 0
    for scenario in chosen.scenarios:
        whole = chosen.beside(scenario)
        entries = [entry for entry in whole if entry in runs]
        here = ready(view.patience, entries, whole)
        separations[scenario.title] = separation(entries, of=whole) if here else None
        open_ += not here
    profile, scenarios = _profile(chosen, None if open_ else separations), _scenarios(view, chosen, separations)
    options = _measures(chosen)
    x, y = _axes(address, options, chosen)
    scatter, lacking = _scatter(chosen, options, x, y)
    grids = [profile, scenarios, *([scatter.grid] if scatter is not None else [])]
    body = render(
        "overview.html",
        view,
        address,
        chosen=chosen,
        forms={**choices(view.catalog, chosen), "metric": [(name, name) for name in _metrics(chosen)]},
        suites=suite_links(view, address, chosen) or _of_report(view, address, suite),
        profile=profile,
        scenarios=_with_metrics_below(scenarios),
        lacking=lacking,
        scatter=scatter,
        options=[(name, name) for name in options],
        x=x,
        y=y,
        underway=ahead(view.catalog, chosen.suites) if view.links.live else [],
        repeated=len(chosen.entries) - len(chosen.speaking),
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
    return [SuiteLink(name, Address(address.page, slug_of(name)), name == suite) for name in newest_first(view.catalog)]


def _metrics(chosen: Selection) -> list[str]:
    """Every metric of the suites that are looked at, main metrics first."""
    mains = dict.fromkeys(entry.main_metric for entry in chosen.offered)
    return [*mains, *sorted({name for entry in chosen.offered for name in entry.metrics} - set(mains))]


def _profile(chosen: Selection, separations: dict[str, Separation | None] | None) -> Grid:
    families = measured(chosen.speaking, chosen.metrics)
    there = {family: means(family, chosen.speaking) for family in families}
    groups = [(chosen.candidates, there)]
    together = all(column.by_candidate or not column.lacking for column in there.values())
    if not together:  # no scenario was asked of all: then each candidate has the means over its own
        groups = [(candidates, _of_group(candidates, chosen, families)) for candidates in _asked_the_same(chosen)]
    shown = [family for family in families if any(columns[family].by_candidate for _, columns in groups)]
    rows = [row for candidates, columns in groups for row in _of_means(candidates, columns, shown)]
    first = word_column("first tier")
    asked = [] if together else [Column("asked", number=False, note="The scenarios that the means are over.")]
    of_label: dict[str, list[Entry]] = {}
    for entry in chosen.speaking:
        of_label.setdefault(entry.label, []).append(entry)
    made = tuple(
        (
            replace(name, below=usable_answers(of_label.get(candidate.label, ()))),
            _first_tiers(candidate, separations),
            *([] if together else [_asked(candidate, chosen)]),
            *numbers,
        )
        for candidate, (name, *numbers) in zip((one for group, _ in groups for one in group), evened(rows), strict=True)
    )
    said = left_out({family.title: column for family, column in there.items()}) if together else ""
    notes = [MEANS if together else MEANS_APART, *filter(None, [said])]
    columns = (Column("candidate", number=False), first, *asked, *map(head, shown))
    return Grid("profile", "Candidates by families of metrics", columns, made, tuple(notes))


def _of_means(candidates: Sequence[Candidate], there: Mapping[Family, Means], families: Sequence[Family]) -> list[Row]:
    """A row for each of some candidates: its name and its means."""
    columns = [there[family] for family in families]
    held = [[column.by_candidate.get(candidate.label) for candidate in candidates] for column in columns]
    shades = [heat(family, estimates) for family, estimates in zip(families, held, strict=True)]
    notes = [f"mean of {', '.join(column.scenarios)}" for column in columns]
    rows: list[Row] = []
    for place, candidate in enumerate(candidates):
        numbers = zip(held, shades, notes, strict=True)
        cells = (estimate_cell(estimates[place], None, shade[place], note) for estimates, shade, note in numbers)
        rows.append((Cell(candidate.label, candidate.label, Address("model", candidate.slug)), *cells))
    return rows


def _of_group(candidates: Sequence[Candidate], chosen: Selection, families: Sequence[Family]) -> dict[Family, Means]:
    labels = {candidate.label for candidate in candidates}
    entries = [entry for entry in chosen.speaking if entry.label in labels]
    return {family: means(family, entries) for family in families}


def _asked_the_same(chosen: Selection) -> list[tuple[Candidate, ...]]:
    """The candidates in groups that were asked the same scenarios."""
    groups: dict[frozenset[str], list[Candidate]] = {}
    for candidate in chosen.candidates:
        groups.setdefault(frozenset(_titles(candidate, chosen)), []).append(candidate)
    return [tuple(candidates) for candidates in groups.values()]


def _titles(candidate: Candidate, chosen: Selection) -> list[str]:
    return [scenario.title for scenario in chosen.scenarios if chosen.of(scenario, candidate) is not None]


def _asked(candidate: Candidate, chosen: Selection) -> Cell:
    titles = _titles(candidate, chosen)
    text = titles[0] if len(titles) == 1 else f"{len(titles)} scenarios"
    return Cell(", ".join(titles), text, note=", ".join(titles))


def _first_tiers(candidate: Candidate, separations: dict[str, Separation | None] | None) -> Cell:
    if separations is None:
        return Cell(None, "…", note="being worked out")
    standings = [made.standing(candidate.label) for made in separations.values() if made is not None]
    there = [standing.tier == 1 for standing in standings if standing is not None]
    return Cell(sum(there), f"{sum(there)} of {len(there)}") if there else Cell(None, NOT_MEASURED)


def _scenarios(view: View, chosen: Selection, separations: dict[str, Separation | None]) -> Grid:
    columns = [
        Column("scenario", number=False),
        Column("metric", number=False, note="The scenario's main metric."),
        *(Column(candidate.label, to=Address("model", candidate.slug)) for candidate in chosen.candidates),
    ]
    rows = []
    for scenario in chosen.scenarios:
        made = separations[scenario.title]
        runs = [chosen.of(scenario, candidate) for candidate in chosen.candidates]
        metric = next(entry.main_metric for entry in runs if entry is not None)
        values = [_main(entry) for entry in runs]
        shades = shaded(ACCURACY, values, metric) if made is not None and made.differ else [None] * len(values)
        marked = [_tiered(entry, shade, made) for entry, shade in zip(runs, shades, strict=True)]
        title = Cell(scenario.title, scenario.title, in_suite(view, Address("scenario", scenario.slug), chosen))
        rows.append((title, Cell(metric, readable(metric), of_glossary(metric), meaning(metric).note), *marked))
    notes = [f"{TIERS} {MARKED}"] if any(separations.values()) else []
    notes += [f"{title}: {made.said}" for title, made in separations.items() if made is not None and made.said]
    notes += [
        f"{scenario.title}: {said}"
        for scenario in chosen.scenarios
        if separations[scenario.title] is not None and (said := asked_otherwise(chosen.beside(scenario)))
    ]
    unlike = sorted({key for made in separations.values() if made for key in made.unlike})
    if unlike:
        notes.append(f"Compared are ways of asking too, as some runs of a scenario differ in {', '.join(unlike)}.")
    return Grid("scenarios", "Main metrics by scenario", tuple(columns), evened(rows), tuple(notes))


def of_glossary(metric: str) -> Address | None:
    """Where a metric is explained."""
    return head(of_metric(metric)).to


def _with_metrics_below(grid: Grid) -> Grid:
    """The table of scenarios as a page shows it: with the metric below the scenario, not in a column that takes room."""
    rows = tuple((replace(title, below=metric.text, note=metric.note), *numbers) for title, metric, *numbers in grid.rows)
    return replace(grid, columns=(grid.columns[0], *grid.columns[2:]), rows=rows)


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
    families = [family for family in FAMILIES if any(found(family, entry) for entry in chosen.speaking)]
    metrics = {name for entry in chosen.speaking for name in entry.metrics} - {family.metric for family in families}
    return {family.title: family for family in (*families, *map(of_metric, sorted(metrics)))}


def _axes(address: Address, options: dict[str, Family], chosen: Selection) -> tuple[str, str]:
    names = list(options)
    if not names:
        return "", ""
    y = ACCURACY.title if ACCURACY.title in options else names[0]
    up = means(options[y], chosen.speaking).by_candidate
    both = (name for name in SECOND if name in options and name != y)
    likely = next((name for name in SECOND if name in options and name != y), names[-1])
    x = next((name for name in both if up.keys() & means(options[name], chosen.speaking).by_candidate.keys()), likely)
    return address.choice("x", names, x), address.choice("y", names, y)


def _scatter(chosen: Selection, options: dict[str, Family], x: str, y: str) -> tuple[Chart | None, str]:
    """Two measures against each other where two candidates have both; and who has not."""
    if not x or not y:
        return None, ""
    across, up = means(options[x], chosen.speaking).by_candidate, means(options[y], chosen.speaking).by_candidate
    both = [candidate.label for candidate in chosen.candidates if candidate.label in across and candidate.label in up]
    others = [candidate.label for candidate in chosen.candidates if candidate.label not in both]
    if len(both) < 2:
        who = f"Only {both[0]}" if both else "No candidate"
        return None, f"{who} has both measures on scenarios that all were asked, so there is nothing to compare."
    lacking = f"Left out, without a number of both on scenarios that all were asked: {', '.join(others)}." if others else ""
    spots = [Spot(label, across[label], up[label]) for label in both]
    return making.pareto(spots, measure(options[x]), measure(options[y])), lacking


def every(catalog: Catalog) -> Iterable[Address]:
    """The one page; of several suites each has one of its own too."""
    yield Address("overview")
    if len(catalog.suites) > 1:
        yield from (Address("overview", slug_of(name)) for name in catalog.suites)


KIND = Kind("overview", "Overview", "All candidates on all scenarios, in families of metrics.", draw, every)
