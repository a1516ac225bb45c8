"""All estimates of a run: each metric over splits, subgroups and perturbations.

For every metric there is the original, by split, and the copies of each perturbation. The main metric and the outcomes are
also broken down by subgroup. Metrics that judge single answers also get, where copies were asked, their worst case by
perturbation and by kind of perturbation, and the original restricted to the instances that the perturbation changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from assay.identity import canonical
from assay.metrics import Columns, Metric, columns_of
from assay.records import Cell, ComputedOn, Estimate, PerturbationKind, ScoredTrial
from assay.statistics.bootstrap import bootstrap_estimate
from assay.statistics.estimates import clustered_mean
from assay.statistics.worst import Families, has_worst_case, worst_cases

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

SPLITS = ("train", "valid", "test")
COMPUTED_ON = ("original", "perturbed", "worst")


@dataclass(frozen=True)
class Place:
    """Where a cell stands among the cells of its metric."""

    split: str
    subgroup: str | None = None
    perturbation: str | None = None
    computed_on: ComputedOn = "original"

    @property
    def order(self) -> tuple[int, str, int, str]:
        """The place in tables: by split, then the original before perturbations, then the whole before its subgroups."""
        return (SPLITS.index(self.split), self.perturbation or "", COMPUTED_ON.index(self.computed_on), self.subgroup or "")


class Table:
    """The trials of a run in a fixed order, as arrays."""

    def __init__(self, trials: Sequence[ScoredTrial], main_metric: Metric | None) -> None:
        self.trials = sorted(trials, key=lambda t: (t.instance_id, t.perturbation or "", t.draw, t.repeat))
        self.main_metric = main_metric
        self._values: dict[str, Floats] = {}

    @cached_property
    def clusters(self) -> Integers:
        """The number of each trial's cluster."""
        import numpy as np

        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(trial.cluster, len(numbers)) for trial in self.trials], dtype=np.int64)

    @cached_property
    def columns(self) -> Columns:
        """What summaries read."""
        return columns_of(self.trials, self.main_metric)

    def values(self, metric: str) -> Floats:
        """The scores of a metric, NaN where there is none."""
        import numpy as np

        if metric not in self._values:
            scores = [trial.scores.get(metric) for trial in self.trials]
            self._values[metric] = np.array(scores, dtype=np.float64)
        return self._values[metric]

    def places(self) -> dict[Place, Integers]:
        """The rows of each cell that averages originals or copies."""
        import numpy as np

        found: dict[Place, list[int]] = defaultdict(list)
        for row, trial in enumerate(self.trials):
            if trial.perturbation is not None:
                found[Place(trial.split, perturbation=trial.perturbation, computed_on="perturbed")].append(row)
                continue
            found[Place(trial.split)].append(row)
            for axis, value in trial.subgroups.items():
                found[Place(trial.split, subgroup=f"{axis}={value}")].append(row)
        return {place: np.array(found[place], dtype=np.int64) for place in sorted(found, key=lambda place: place.order)}

    def families(self) -> dict[str, Families]:
        """Originals and their copies, by split."""
        rows: dict[str, list[int]] = defaultdict(list)
        for row, trial in enumerate(self.trials):
            rows[trial.split].append(row)
        return {split: Families(self.trials, rows[split]) for split in SPLITS if split in rows}


def estimate_cells(
    trials: Sequence[ScoredTrial],
    metrics: Sequence[Metric],
    main_metric: str,
    kinds: Mapping[str, PerturbationKind],
    seed: int,
) -> list[Cell]:
    """Every estimate of a run, in the order of the metrics.

    The same trials give the same numbers in whatever order they come.

    Args:
        trials: the scored trials of one run.
        metrics: what to estimate.
        main_metric: name of the scenario's main metric; calibration measures confidence against it.
        kinds: what each perturbation among the trials is.
        seed: the run's seed, for the bootstrap.

    Returns:
        One cell for each metric and place that has a value. A metric without any value has no cell.
    """
    table = Table(trials, next((metric for metric in metrics if metric.name == main_metric), None))
    places, families = table.places(), table.families()
    groups = {split: members.groups(kinds) for split, members in families.items()}
    cells = []
    for metric in metrics:
        by_subgroup = metric.name == main_metric or metric.family == "outcomes"
        estimates = _averages(table, metric, {p: rows for p, rows in places.items() if by_subgroup or p.subgroup is None}, seed)
        if has_worst_case(metric):
            for split, members in families.items():
                estimates.update(_worst(table, metric, split, groups[split]))
                estimates.update(_before(table, metric, split, members))
        cells += [
            Cell(
                metric=metric.name,
                estimate=estimates[place],
                split=place.split,
                subgroup=place.subgroup,
                perturbation=place.perturbation,
                computed_on=place.computed_on,
            )
            for place in sorted(estimates, key=lambda place: place.order)
        ]
    return cells


def _averages(table: Table, metric: Metric, places: Mapping[Place, Integers], seed: int) -> dict[Place, Estimate]:
    """The metric over the rows of each place."""
    found = {}
    for place, rows in places.items():
        if metric.of_answer is not None:
            estimate = _mean(table, metric, rows)
        else:
            name = canonical((metric.name, place.split, place.subgroup, place.perturbation, place.computed_on)).decode()
            estimate = bootstrap_estimate(metric, table.columns.take(rows), table.clusters[rows], seed, name)
        if estimate is not None:
            found[place] = estimate
    return found


def _mean(table: Table, metric: Metric, rows: Integers) -> Estimate | None:
    import numpy as np

    values = table.values(metric.name)[rows]
    there = ~np.isnan(values)
    return clustered_mean(values[there], table.clusters[rows][there], metric.range)


def _worst(table: Table, metric: Metric, split: str, groups: Mapping[str, list[list[int]]]) -> dict[Place, Estimate]:
    """The worst case by perturbation and by kind."""
    found = {}
    for name, families in groups.items():
        worst, rows = worst_cases(table.values(metric.name), families, metric.better)
        estimate = clustered_mean(worst, table.clusters[rows], metric.range)
        if estimate is not None:
            found[Place(split, perturbation=name, computed_on="worst")] = estimate
    return found


def _before(table: Table, metric: Metric, split: str, families: Families) -> dict[Place, Estimate]:
    """The original over the instances that each perturbation changed: what its copies are to be compared with."""
    found = {}
    for name in sorted(families.copies):
        estimate = _mean(table, metric, families.touched(name))
        if estimate is not None:
            found[Place(split, perturbation=name)] = estimate
    return found
