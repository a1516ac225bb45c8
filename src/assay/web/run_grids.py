"""All estimates of a run as tables: the metrics, then the main one under perturbations, over variants and in subgroups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assay.records import Cell as StatsCell
from assay.records import ComputedOn, Estimate
from assay.tables.single import VARIANTS
from assay.tables.suite import find_cell
from assay.tables.units import named, shown_cell
from assay.web.addresses import Address
from assay.web.entries import Entry
from assay.web.grids import Cell, Column, Grid, Row, Rows
from assay.web.measures import estimate_cell, meaning, metric_cell, metric_column, metric_name, readable
from assay.web.portions import ROWS

LAST = ("efficiency", "outcomes", "other")
"""Families that stand behind the others."""
UNDER: tuple[ComputedOn, ...] = ("original", "perturbed", "change", "flips", "worst")
OVER: tuple[ComputedOn, ...] = ("worst_group", "gap", "spread")
BETWEEN: tuple[ComputedOn, ...] = ("worst_group", "gap", "ratio")
TOGETHER = {"robustness": "all for robustness", "fairness": "all for fairness"}
"""Perturbations taken together, by what they are asked for; they stand behind the single ones."""
HEADS = {
    "original": ("before", "the originals of these copies"),
    "perturbed": ("after", "the copies"),
    "change": ("change", "copy minus its own original, averaged"),
    "flips": ("flips", "share of copies that are scored otherwise than their original"),
    "worst": ("worst of both", "the worse of an item and its copies, averaged"),
    "worst_group": ("lowest", "the value where it is worst"),
    "gap": ("highest - lowest", "the largest difference"),
    "ratio": ("worst / best", "the smallest ratio"),
    "spread": ("standard deviation", "between choices of few-shot examples"),
}


def metric_grid(entry: Entry) -> Grid:
    """Every metric on the originals, the main one first, then by family."""
    cells = [cell for cell in entry.cells if cell.perturbation is None and cell.computed_on == "original"]
    main = meaning(entry.main_metric).family
    cells.sort(key=lambda cell: _place(cell.metric, entry.main_metric, main))
    columns = (Column("metric", number=False), Column("value"), Column("n", note="trials behind it"), _text("family"))
    rows = [
        (
            replace(metric_name(cell.metric), below="main metric" if cell.metric == entry.main_metric else ""),
            metric_cell(cell),
            Cell(cell.estimate.n, f"{cell.estimate.n:,}"),
            Cell(meaning(cell.metric).family),
        )
        for cell in cells
    ]
    return Grid("metrics", "Every metric on the originals", columns, tuple(rows))


def _text(name: str, note: str = "") -> Column:
    return Column(name, number=False, note=note)


def _place(metric: str, main: str, family: str) -> tuple[bool, bool, int, str, str]:
    own = meaning(metric).family
    return (own != family, metric != main, LAST.index(own) + 1 if own in LAST else 0, own, metric)


def main_metric_grids(entry: Entry) -> list[Grid]:
    """The main metric under perturbations, over formats and draws, in subgroups and between them; only what was measured."""
    cells = [cell for cell in entry.all_cells() if cell.metric == entry.main_metric]
    whole = [shown_cell(cell) for cell in cells if not cell.subgroup]
    copies = list(dict.fromkeys(cell.perturbation for cell in whole if cell.perturbation))
    under = sorted((name for name in copies if name not in VARIANTS), key=lambda name: name in TOGETHER)
    over = [name for name in copies if name in VARIANTS]
    what = readable(entry.main_metric)
    found = [
        _by_name("perturbations", f"{what} under perturbation", "perturbation", (whole, under, UNDER)),
        _by_name("variants", f"{what} over prompt formats and draws of examples", "over", (whole, over, OVER)),
        _in_subgroups(entry, cells),
        _between_subgroups(entry, cells),
    ]
    return [grid for grid in found if grid.rows]


def _by_name(
    name: str, caption: str, head: str, what: tuple[Sequence[StatsCell], Sequence[str], tuple[ComputedOn, ...]]
) -> Grid:
    cells, names, kinds = what
    columns = [Column(head, number=False), Column("items"), *(_computed(kind) for kind in kinds)]
    rows = []
    for each in names:
        estimates = [find_cell(cells, cells[0].metric, each, kind) for kind in kinds]
        items = max((cell.estimate.clusters for cell in estimates if cell), default=0)
        rows.append((Cell(each, TOGETHER.get(each, each)), Cell(items, f"{items:,}"), *map(estimate_cell, estimates)))
    return Grid(name, caption, tuple(columns), tuple(rows))


def _computed(kind: ComputedOn) -> Column:
    head, note = HEADS[kind]
    return Column(kind, head, note=note)


def _in_subgroups(entry: Entry, cells: Iterable[StatsCell]) -> Grid:
    """In the order of the run; the largest first where they are more than a page shows."""
    held = [cell for cell in cells if cell.subgroup and "=" in cell.subgroup and cell.perturbation is None]
    if len(held) > ROWS:
        held.sort(key=lambda cell: -cell.estimate.n)
    columns = (Column("subgroup", number=False), metric_column(entry.main_metric), Column("n", note="trials behind it"))

    def row(cell: StatsCell) -> Row:
        trials = Address("instances", entry.slug, (("subgroup", cell.subgroup or ""),))
        return (Cell(cell.subgroup, to=trials), metric_cell(cell), Cell(cell.estimate.n, f"{cell.estimate.n:,}"))

    notes = ("The largest first.",) if len(held) > ROWS else ()
    return Grid("subgroups", f"{readable(entry.main_metric)} by subgroup", columns, Rows(held, row), notes)


def _between_subgroups(entry: Entry, cells: Sequence[StatsCell]) -> Grid:
    held: dict[str, dict[str, Estimate]] = {}
    for cell in cells:
        if cell.subgroup and "=" not in cell.subgroup and cell.perturbation is None:
            held.setdefault(cell.subgroup, {})[cell.computed_on] = shown_cell(cell).estimate
    rows = [(Cell(axis), *(estimate_cell(found.get(kind)) for kind in BETWEEN)) for axis, found in held.items()]
    columns = (Column("groups by", number=False), *(_computed(kind) for kind in BETWEEN))
    notes = ("Intervals hold for all groups of an axis at once; groups with fewer than ten items are left out.",)
    return Grid("between-subgroups", f"{readable(entry.main_metric)} between subgroups", columns, tuple(rows), notes)


def every_estimate(entry: Entry) -> Grid:
    """All estimates there are, a row each, of all splits: for downloads and for looking up."""
    columns = (
        Column("metric", number=False),
        Column("split", number=False),
        Column("subgroup", number=False),
        Column("perturbation", number=False),
        Column("computed on", number=False),
        Column("value"),
        Column("items"),
    )
    return Grid("estimates", "Every estimate of the run", columns, Rows(entry.stats().cells, _estimate))


def _estimate(cell: StatsCell) -> Row:
    return (
        Cell(named(cell.metric)),
        Cell(cell.split),
        Cell(cell.subgroup, "" if cell.subgroup else "all"),
        Cell(cell.perturbation, "" if cell.perturbation else "none"),
        Cell(cell.computed_on, cell.computed_on.replace("_", " ")),
        metric_cell(cell),
        Cell(cell.estimate.clusters, f"{cell.estimate.clusters:,}"),
    )


def outcome_grid(entry: Entry, counts: Sequence[tuple[str | None, str, int]]) -> Grid:
    """How trials came out, a row for the originals and for each perturbation.

    Args:
        entry: the run.
        counts: perturbation, outcome, trials.
    """
    outcomes = sorted({outcome for _, outcome, _ in counts})
    held = {(copies, outcome): count for copies, outcome, count in counts}
    names = sorted({copies for copies, _, _ in counts}, key=lambda name: (name is not None, name))
    rows = []
    for name in names:
        row = [Cell(name or "original")]
        total = sum(held.get((name, outcome), 0) for outcome in outcomes)
        for outcome in outcomes:
            count = held.get((name, outcome), 0)
            to = Address("instances", entry.slug, (("outcome", outcome), ("copies", name or "original"))) if count else None
            row.append(Cell(count, f"{count:,}", to=to))
        rows.append((*row, Cell(total, f"{total:,}")))
    columns = (Column("copies", number=False), *(Column(outcome) for outcome in outcomes), Column("trials"))
    return Grid("outcomes", "What became of the trials", columns, tuple(rows))
