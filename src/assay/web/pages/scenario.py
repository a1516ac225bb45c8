"""A scenario: what it asks, what the candidates' numbers are, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from assay.drift.shown import date_text
from assay.errors import AssayError
from assay.tables.numbers import NOT_MEASURED
from assay.tables.units import family_of
from assay.web.addresses import Address
from assay.web.boards import TIERS, Separation, ready, separation, tier_mark
from assay.web.catalog import Catalog, Scenario, slug_of
from assay.web.charts import making
from assay.web.charts.data import between_groups, histogram
from assay.web.charts.drawing import Chart
from assay.web.entries import Entry
from assay.web.evaluations import asked_otherwise
from assay.web.families import SHADED, found, head, heat, measured, usable_answers
from assay.web.grids import Cell, Column, Grid, Made
from assay.web.measures import estimate_cell, evened, meaning, metric_cell, metric_column, metric_name, readable
from assay.web.page import Kind, Page, View
from assay.web.patience import FILE_MS, TRIAL_MS
from assay.web.rendering import render
from assay.web.selection import select, suite_links
from assay.web.words import word_column

DRAWN, GROUPED = 6, 3
"""Candidates that charts show where none were chosen, the first ones in the order of the board; those by subgroup fewer."""

FILES, COLUMNS = 4, 2
"""What charts read of a run."""
LONG_LINE = 90
"""Characters from which on a line of a description goes on in the next."""


def draw(view: View, address: Address) -> Page:
    """A scenario with the candidates that were chosen, or all."""
    scenario = view.catalog.scenario(address.of)
    chosen = select(view.catalog, address.but(scenario=address.of))
    entries, whole = chosen.speaking, chosen.beside(scenario)
    if not entries:
        raise AssayError(f"{scenario.title} was not asked of what was chosen", "choose other candidates, or another suite")
    made = separation(entries, of=whole) if ready(view.patience, entries, whole) else None
    ordered = _ordered(entries, made)
    named = bool(address.all("candidate"))
    drawn = ordered if named else ordered[:DRAWN]
    grouped = ordered if named else ordered[:GROUPED]
    charts = _charts(drawn, grouped, made) if _soon_read(view, drawn, grouped) else {}
    grids = [
        _profile(ordered, whole, made),
        _metrics(ordered),
        _between(ordered),
        _runs(ordered),
        _evaluations([entry for entry in chosen.entries if entry not in entries]),
    ]
    held = {grid.name: grid for grid in grids if grid is not None}
    body = render(
        "scenario.html",
        view,
        address,
        scenario=scenario,
        card=_card(scenario),
        facts_of_data=_facts(ordered[0]),
        suites=suite_links(view, address, chosen, scenario.entries),
        grouped=len(grouped),
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


def _candidate(entry: Entry) -> Cell:
    return Cell(entry.label, entry.label, Address("model", slug_of(entry.label)))


def _profile(entries: Sequence[Entry], whole: Sequence[Entry], made: Separation | None) -> Grid:
    families = measured(entries)
    cells = [[found(family, entry) for entry in entries] for family in families]
    main_metric = entries[0].main_metric
    shades = [
        heat(family, [cell.estimate if cell else None for cell in column], main_metric)
        for family, column in zip(families, cells, strict=True)
    ]
    rows = []
    for place, entry in enumerate(entries):
        standing = made.standing(entry.label) if made is not None else None
        tier = Cell(standing.tier, tier_mark(standing.tier)) if standing is not None else Cell(None, NOT_MEASURED)
        tiers = [tier] if made is not None else []
        numbers = [estimate_cell(column[place], None, shade[place]) for column, shade in zip(cells, shades, strict=True)]
        candidate = replace(_candidate(entry), below=usable_answers([entry]))
        rows.append((candidate, *tiers, Cell(entry.instances, f"{entry.instances:,}"), *numbers))
    tier_head = [word_column("tier")] if made is not None else []
    columns = (Column("candidate", number=False), *tier_head, Column("items"), *map(head, families))
    otherwise = asked_otherwise(whole)
    said = [TIERS, made.said, otherwise[:1].upper() + otherwise[1:]] if made is not None else []
    notes = [f"accuracy: {readable(main_metric)}. {meaning(main_metric).note}", *filter(None, said)]
    notes += [SHADED] if any(shade is not None for column in shades for shade in column) else []
    return Grid("candidates", "Candidates by families of metrics", columns, evened(rows), tuple(notes))


def _metrics(entries: Sequence[Entry]) -> Grid:
    """Every metric on the originals."""
    names = dict.fromkeys(name for entry in entries for name in entry.metrics)
    order = sorted(names, key=lambda name: (name != entries[0].main_metric, family_of(name), name))
    rows = tuple(Made(range(2 + len(entries)), partial(_of_metric, name, entries)) for name in order)
    heads = (Column(entry.label, to=_candidate(entry).to) for entry in entries)
    columns = (Column("metric", number=False), Column("family", number=False), *heads)
    return Grid("metrics", "All metrics on the originals", columns, rows)


def _of_metric(name: str, entries: Sequence[Entry], place: int) -> Cell:
    """A place in the row of a metric: its name, its family, and what each run has."""
    return metric_cell(entries[place - 2].cell(name)) if place > 1 else Cell(family_of(name)) if place else metric_name(name)


def _between(entries: Sequence[Entry]) -> Grid | None:
    """The largest difference between groups, for each axis."""
    held = [(entry, between_groups(entry)) for entry in entries]
    axes = sorted({axis for _, of_run in held for axis in of_run})
    if not axes:
        return None
    rows = tuple((_candidate(entry), *(estimate_cell(of_run.get(axis)) for axis in axes)) for entry, of_run in held)
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


def _evaluations(entries: Sequence[Entry]) -> Grid | None:
    """The runs that do not speak for their candidates, as another does, newest first."""
    if not entries:
        return None
    rows = tuple(
        (
            Cell(entry.label),
            Cell(entry.suite, to=Address("run", entry.slug)),
            Cell(entry.asked_at, date_text(entry.asked_at)),
            Cell(entry.instances, f"{entry.instances:,}"),
            metric_cell(entry.cell()),
        )
        for entry in sorted(entries, key=lambda entry: -entry.asked_at)
    )
    metric = metric_column(entries[0].main_metric)
    columns = (*(Column(name, number=False) for name in ("candidate", "suite", "asked")), Column("items"), metric)
    return Grid("evaluations", "Other evaluations", columns, evened(rows))


def _charts(entries: Sequence[Entry], grouped: Sequence[Entry], made: Separation | None) -> dict[str, Chart]:
    board = made.board if made is not None and len(made.board.standings) <= DRAWN else None
    some = (
        making.forest(board) if board is not None else None,
        making.drops(entries),
        making.gaps(grouped),
        making.band(entries),
        making.reliability(entries),
        making.risk_coverage(entries),
        making.histogram(entries) if any(map(_graded, entries)) else None,
    )
    return {chart.name: chart for chart in some if chart is not None}


def _soon_read(view: View, entries: Sequence[Entry], grouped: Sequence[Entry]) -> bool:
    """Whether the page should have its charts now: what they show is read from the trials of each run."""
    cost = sum(FILES * FILE_MS + COLUMNS * TRIAL_MS * entry.trials for entry in entries)
    key = ("scenario charts", *((*entry.key, entry.label) for entry in entries))
    return view.patience is None or view.patience.now(key, cost, lambda: _charts(entries, grouped, None))


def _graded(entry: Entry) -> bool:
    """Whether items have other values than the two ends of the metric's range, so that their distribution tells something."""
    return any(bar.count for bar in histogram(entry)[1:-1])


def every(catalog: Catalog) -> Iterable[Address]:
    """One for each scenario."""
    return (Address("scenario", scenario.slug) for scenario in catalog.scenarios)


KIND = Kind("scenario", "", "One scenario: its card, its candidates, and what their numbers come from.", draw, every)
