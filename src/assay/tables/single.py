"""The tables of one run: every metric, then the main one under perturbations and in subgroups."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assay.records import Cell, ComputedOn
from assay.store.folders import StatsFile
from assay.tables.drawing import Table
from assay.tables.numbers import NOT_MEASURED, format_estimate
from assay.tables.suite import find_cell, no_interval, splits_of
from assay.tables.units import family_of, named, shown_cell
from assay.tables.usable import usable_note


def run_tables(stats: StatsFile, every: bool = False) -> list[Table]:
    """The estimates of a run: every metric on the originals, the main one under each perturbation and in each subgroup.

    With `every`, all metrics under all perturbations and in all subgroups. A run over several splits has them split by split.
    """
    splits = splits_of(stats.cells)
    if len(splits) > 1:
        parts = [tuple(cell for cell in stats.cells if cell.split == split) for split in splits]
        titles = [f"{stats.title}, {split}" for split in splits]
        of_split = [msgspec.structs.replace(stats, title=t, cells=part) for t, part in zip(titles, parts, strict=True)]
        return [table for part in of_split for table in run_tables(part, every)]
    cells = [shown_cell(cell) for cell in stats.cells]
    overall = [cell for cell in cells if cell.subgroup is None]
    plain = [cell for cell in overall if cell.perturbation is None]
    order = sorted(plain, key=lambda cell: _place(cell.metric, stats.main_metric))
    groups = [_group(cell.metric) for cell in order]
    heads = [group if group != before else "" for group, before in zip(groups, ["", *groups], strict=False)]
    rows = [
        [group, named(cell.metric), format_estimate(cell.estimate), str(cell.estimate.n)]
        for group, cell in zip(heads, order, strict=True)
    ]
    if not any(cell.metric == stats.main_metric for cell in order):
        rows.insert(0, [_group(stats.main_metric), stats.main_metric, NOT_MEASURED, "0"])
    title = f"{stats.title} · {stats.label}: {stats.trials} trials, {stats.failed} failed"
    per_item = "" if not plain or plain[0].estimate.n <= stats.instances else ", more than one an item (draws, repeats)"
    notes = [f"[…]: 95 % interval, clustered by item; {stats.instances} items; n: trials of originals{per_item}."]
    notes += [few] if (few := usable_note(stats)) else []
    tables = [Table(title, ["family", "metric", "value", "n"], rows, keys=2, notes=notes)]
    shown = dict.fromkeys(cell.metric for cell in order) if every else {stats.main_metric: None}
    for metric in shown:
        tables += _by_perturbation(metric, overall) + _by_subgroup(metric, cells)
    notes[0] = f"{notes[0]} {no_interval(row for table in tables for row in table.rows)}".rstrip()
    return tables


def _by_perturbation(metric: str, cells: Sequence[Cell]) -> list[Table]:
    names = {cell.perturbation: None for cell in cells if cell.metric == metric and cell.perturbation is not None}
    kinds: tuple[ComputedOn, ...] = ("original", "perturbed", "change", "flips", "worst")
    rows = [_row(cells, metric, str(name), kinds) for name in names if name not in VARIANTS]
    header = ["perturbation", "items", "before", "after", "change", "flips", "worst of both"]
    tables = [Table(f"{named(metric)} under perturbation", header, rows)] if rows else []
    spreads: tuple[ComputedOn, ...] = ("worst_group", "gap", "spread")
    rows = [_row(cells, metric, name, spreads) for name in VARIANTS if name in names]
    if rows:
        header = ["over", "items", "lowest", "highest - lowest", "standard deviation"]
        tables.append(Table(f"{named(metric)} over prompt formats and draws of examples", header, rows))
    return tables


VARIANTS = ("formats", "draws")
"""Ways of asking the same instances, which stand among the perturbations in the cells."""


def _row(cells: Sequence[Cell], metric: str, name: str, kinds: Sequence[ComputedOn]) -> list[str]:
    found = [find_cell(cells, metric, name, kind) for kind in kinds]
    items = max((cell.estimate.clusters for cell in found if cell), default=0)
    return [name, str(items), *(format_estimate(cell.estimate) if cell else NOT_MEASURED for cell in found)]


def _by_subgroup(metric: str, cells: Sequence[Cell]) -> list[Table]:
    of_groups = [cell for cell in cells if cell.metric == metric and cell.subgroup is not None and cell.perturbation is None]
    rows = [
        [str(cell.subgroup), format_estimate(cell.estimate), str(cell.estimate.n)]
        for cell in of_groups
        if "=" in str(cell.subgroup)
    ]
    tables = [Table(f"{named(metric)} by subgroup", ["subgroup", "value", "n"], rows)] if rows else []
    kinds: tuple[ComputedOn, ...] = ("worst_group", "gap", "ratio")
    compared = []
    for axis in {str(cell.subgroup): None for cell in of_groups if "=" not in str(cell.subgroup)}:
        found = [next((c for c in of_groups if c.subgroup == axis and c.computed_on == kind), None) for kind in kinds]
        compared.append([axis, *(format_estimate(cell.estimate) if cell else NOT_MEASURED for cell in found)])
    if compared:
        notes = ["Intervals hold for all groups of an axis at once; groups with fewer than ten items are left out."]
        header = ["groups by", "worst group", "largest gap", "worst / best"]
        tables.append(Table(f"{named(metric)} between subgroups", header, compared, notes=notes))
    return tables


def _place(metric: str, main: str) -> tuple[bool, bool, int, str]:
    """Where a metric stands: the main one first, then its group, then the others; how it was answered and read comes last."""
    group = _group(metric)
    place = LAST.index(group) + 1 if group in LAST else 0
    return (group != _group(main), metric != main, place, f"{group} {metric}")


def _group(metric: str) -> str:
    """What a metric stands under: its family; for shares that only say how an answer was read, a group of their own."""
    return "evidence" if metric.startswith(BOOKKEEPING) else family_of(metric)


LAST = ("other", "efficiency", "outcomes", "evidence")
BOOKKEEPING = ("confidence_", "provider_counted")
