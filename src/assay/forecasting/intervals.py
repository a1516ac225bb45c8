"""How sure the main metric of a planned run will be: the width of its interval, and the items that make it narrower."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.records import Record
from assay.statistics.precision import clusters_for_share, half_width_of_mean, half_width_of_share, spread_of
from assay.store import RunFolder
from assay.store.folders import safe

if TYPE_CHECKING:
    from assay.planning import Run

TARGETS = (0.05, 0.02)
"""Half widths for which the items needed are said."""
EARLIER_RUNS = 200
"""Earlier runs that are looked at for a metric's spread."""


class Precision(Record):
    """How sure the main metric of a run will be."""

    metric: str
    clusters: int
    """Independent items."""
    half_width: float | None = None
    """Half of the 95 % interval; `None` where it cannot be known beforehand."""
    basis: str = "not known"
    """`at most`: the widest that so many items can give; `earlier run`: as much as the items of an earlier run varied."""
    items_for: dict[str, int] = {}
    """Items that keep it within that half width in any case, by half width."""


def precision(run: Run) -> Precision:
    """How sure the run's main metric will be."""
    metric = run.metrics[0]
    clusters = len({instance.id if instance.group is None else instance.group for instance in run.selection.asked})
    if metric.of_answer is not None and None not in metric.range:
        needed: Mapping[str, int | None] = {f"{target:g}": clusters_for_share(target, metric.range) for target in TARGETS}
        return Precision(
            metric=metric.name,
            clusters=clusters,
            half_width=half_width_of_share(clusters, metric.range),
            basis="at most",
            items_for={target: items for target, items in needed.items() if items is not None},
        )
    spread = _earlier_spread(run) if metric.of_answer is not None else None
    if spread is None:
        return Precision(metric=metric.name, clusters=clusters)
    half_width = half_width_of_mean(spread, clusters)
    return Precision(metric=metric.name, clusters=clusters, half_width=half_width, basis="earlier run")


def _earlier_spread(run: Run) -> float | None:
    """How much the main metric varied between the items of an earlier run of this scenario; of this model, if there is one."""
    found: float | None = None
    folders = run.folder.parent.parent.glob(f"*/{safe(run.scenario_name)}*/stats.json")
    for file in islice(folders, EARLIER_RUNS):
        try:
            stats = RunFolder(file.parent).stats()
        except AssayError:
            continue
        if stats.title != run.title or stats.main_metric != run.metrics[0].name:
            continue
        for cell in stats.cells:
            plain = cell.subgroup is None and cell.perturbation is None and cell.computed_on == "original"
            if plain and cell.metric == stats.main_metric and (spread := spread_of(cell.estimate)) is not None:
                if stats.label == run.label:
                    return spread
                found = spread
    return found
