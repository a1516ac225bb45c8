"""A scenario: what it asks, what the candidates' numbers are, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.tables.numbers import NOT_MEASURED
from assay.tables.single import family_of
from assay.web.addresses import Address
from assay.web.boards import TIERS, Separation, separation, tier_mark
from assay.web.catalog import Catalog, Scenario
from assay.web.charts import making
from assay.web.charts.data import between_groups, histogram
from assay.web.charts.drawing import Chart
from assay.web.entries import Entry
from assay.web.families import found, head, measured, shaded
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import estimate_cell, meaning, metric_cell, metric_name
from assay.web.page import Kind, Page, View
from assay.web.rendering import render

DRAWN = 6
"""Candidates that charts show where none were chosen, the first ones in the order of the board."""

LONG_LINE = 90
"""Characters from which on a line of a description goes on in the next."""


def draw(view: View, address: Address) -> Page:
    """A scenario with the candidates that were chosen, or all."""
    scenario = view.catalog.scenario(address.of)
    labels = {view.catalog.candidate(slug).label for slug in address.all("candidate")}
    entries = [entry for entry in scenario.entries if not labels or entry.label in labels]
    made = separation(entries, of=scenario.entries)
    ordered = _ordered(entries, made)
    drawn = ordered if labels else ordered[:DRAWN]
    charts = _charts(drawn, made)
    grids = [
        _profile(view.catalog, ordered, made),
        _metrics(view.catalog, ordered),
        _between(view.catalog, ordered),
        _runs(ordered),
    ]
    held = {grid.name: grid for grid in grids if grid is not None}
    body = render(
        "scenario.html",
        view,
        address,
        scenario=scenario,
        card=_card(scenario),
        facts_of_data=_facts(scenario.entries[0]),
        held=held,
        charts=charts,
        left_out=len(ordered) - len(drawn),
        charts_shown=len(drawn),
        options=[
            (candidate.slug, candidate.label) for candidate in view.catalog.candidates if _asked(candidate.entries, scenario)
        ],
        unlike=made.unlike if made is not None else (),
    )
    return Page(scenario.title, body, (*held.values(), *(chart.grid for chart in charts.values())))


def _asked(entries: Sequence[Entry], scenario: Scenario) -> bool:
    return any(entry.title == scenario.title for entry in entries)


def _ordered(entries: Sequence[Entry], made: Separation | None) -> list[Entry]:
    """Best first where there is a board."""
    places = {} if made is None else {standing.candidate: place for place, standing in enumerate(made.board.standings)}
    return sorted(entries, key=lambda entry: (places.get(entry.label, len(places)), entry.label))


def _card(scenario: Scenario) -> Mapping[str, Any]:
    """What the scenario says of itself; texts only, whoever wrote the file."""
    card = scenario.entries[0].file.card
    taxonomy = card.get("taxonomy")
    axes = taxonomy if isinstance(taxonomy, dict) else {}
    terms = axes.get("terms")
    return {
        "about": _reflowed(_text(card.get("about"))),
        "notes": _reflowed(_text(card.get("notes"))),
        "paper": _text(card.get("paper")),
        "facts": [
            ("licence", _text(card.get("licence"))),
            *((axis, _text(axes.get(axis))) for axis in ("task", "what", "who", "when", "language")),
            *(((str(axis), _text(term)) for axis, term in terms.items()) if isinstance(terms, dict) else ()),
        ],
    }


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _reflowed(text: str) -> str:
    """Lines that were only broken because they had become long, joined again."""
    lines = text.splitlines() or [""]
    ends = [
        " " if len(line) >= LONG_LINE and after.strip() else "\n" for line, after in zip(lines, [*lines[1:], ""], strict=True)
    ]
    return "".join(line.strip() + end for line, end in zip(lines, ends, strict=True)).strip()


def _facts(entry: Entry) -> list[tuple[str, str]]:
    spec = entry.spec
    parameters = ", ".join(f"{key}={value}" for key, value in spec.scenario.parameters.items() if value != "")
    return [
        ("parameters", parameters),
        ("version", str(spec.scenario.version)),
        ("data", spec.data.source),
        ("instances used, SHA-256", spec.data.instances[:16]),
        ("split", ", ".join(entry.splits)),
        ("asked", str(spec.prompting.get("method", "")).replace("_", " ")),
        ("items", f"{max(entry.instances, 0):,}"),
        ("perturbed by", ", ".join(named.name for named in spec.perturbations)),
    ]


def _candidate(catalog: Catalog, entry: Entry) -> Cell:
    slug = next(candidate.slug for candidate in catalog.candidates if candidate.label == entry.label)
    return Cell(entry.label, entry.label, Address("model", slug))


def _profile(catalog: Catalog, entries: Sequence[Entry], made: Separation | None) -> Grid:
    families = measured(entries)
    cells = [[found(family, entry) for entry in entries] for family in families]
    main_metric = entries[0].main_metric
    shades = [
        shaded(family, [cell.estimate.value if cell else None for cell in column], main_metric)
        for family, column in zip(families, cells, strict=True)
    ]
    rows = []
    for place, entry in enumerate(entries):
        standing = made.standing(entry.label) if made is not None else None
        tier = Cell(standing.tier, tier_mark(standing.tier)) if standing is not None else Cell(None, NOT_MEASURED)
        tiers = [tier] if made is not None else []
        numbers = [estimate_cell(column[place], None, shade[place]) for column, shade in zip(cells, shades, strict=True)]
        rows.append((_candidate(catalog, entry), *tiers, Cell(entry.instances, f"{entry.instances:,}"), *numbers))
    tier_head = [Column("tier", note=TIERS)] if made is not None else []
    columns = (Column("candidate", number=False), *tier_head, Column("items"), *map(head, families))
    notes = (f"accuracy: {main_metric}. {meaning(main_metric).note}", *([TIERS] if made is not None else []))
    return Grid("candidates", "Candidates by families of metrics", columns, tuple(rows), notes)


def _metrics(catalog: Catalog, entries: Sequence[Entry]) -> Grid:
    """Every metric on the originals."""
    names = dict.fromkeys(name for entry in entries for name in entry.metrics)
    order = sorted(names, key=lambda name: (name != entries[0].main_metric, family_of(name), name))
    rows = tuple(
        (
            metric_name(name),
            Cell(family_of(name)),
            *(metric_cell(name, entry.cell(name)) for entry in entries),
        )
        for name in order
    )
    heads = (Column(entry.label, to=_candidate(catalog, entry).to) for entry in entries)
    columns = (Column("metric", number=False), Column("family", number=False), *heads)
    return Grid("metrics", "All metrics on the originals", columns, rows)


def _between(catalog: Catalog, entries: Sequence[Entry]) -> Grid | None:
    """The largest difference between groups, for each axis."""
    held = [(entry, between_groups(entry)) for entry in entries]
    axes = sorted({axis for _, of_run in held for axis in of_run})
    if not axes:
        return None
    rows = tuple((_candidate(catalog, entry), *(estimate_cell(of_run.get(axis)) for axis in axes)) for entry, of_run in held)
    columns = (Column("candidate", number=False), *(Column(axis) for axis in axes))
    caption = "Largest gap between groups, by axis"
    return Grid("gaps", caption, columns, rows, ("Intervals hold for all groups of an axis at once.",))


def _runs(entries: Sequence[Entry]) -> Grid:
    rows = tuple(
        (
            Cell(entry.label),
            Cell(entry.suite),
            Cell(entry.trials, f"{entry.trials:,}"),
            Cell(entry.failed, f"{entry.failed:,}"),
            Cell("run", "spec, all estimates", Address("run", entry.slug)),
            Cell("instances", "prompts and answers", Address("instances", entry.slug)),
        )
        for entry in entries
    )
    names = ("candidate", "suite", "trials", "failed", "run", "instances")
    columns = tuple(Column(name, number=name in ("trials", "failed")) for name in names)
    return Grid("runs", "Runs", columns, rows)


def _charts(entries: Sequence[Entry], made: Separation | None) -> dict[str, Chart]:
    board = made.board if made is not None and len(made.board.standings) <= DRAWN else None
    some = (
        making.forest(board) if board is not None else None,
        making.drops(entries),
        making.gaps(entries),
        making.band(entries),
        making.reliability(entries),
        making.risk_coverage(entries),
        making.histogram(entries) if any(map(_graded, entries)) else None,
    )
    return {chart.name: chart for chart in some if chart is not None}


def _graded(entry: Entry) -> bool:
    """Whether items have other values than the two ends of the metric's range, so that their distribution tells something."""
    return any(bar.count for bar in histogram(entry)[1:-1])


def every(catalog: Catalog) -> Iterable[Address]:
    """One for each scenario."""
    return (Address("scenario", scenario.slug) for scenario in catalog.scenarios)


KIND = Kind("scenario", "", "One scenario: its card, its candidates, and what their numbers come from.", draw, every)
