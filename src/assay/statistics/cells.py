"""All estimates of a run: each metric over splits, subgroups, perturbations, prompt formats and few-shot draws.

    place (subgroup, perturbation)      computed on                      which metrics
    whole                               original                         all
    axis=value                          original                         those of SUBGROUPED families, and the main metric
    axis                                gap, ratio, worst_group          of these, those of single answers
    a perturbation                      perturbed                        all
    a perturbation                      original (of what it changed)    quality of single answers
    a perturbation or a kind            worst                            quality of single answers
    a perturbation or a kind            change                           quality of single answers, and of sums
    a perturbation or a kind            flips                            the main metric
    formats                             gap, worst_group, perturbed      the main metric
    draws                               gap, worst_group, spread         the main metric

Repeats and draws of an instance are averaged before instances are. Prompt formats other than the scenario's own enter the
cells of `formats` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from assay.metrics import Metric
from assay.records import Cell, Estimate, PerturbationKind, ScoredTrial
from assay.statistics.bootstrap import bootstrap_estimate
from assay.statistics.estimates import Bounds, clustered_mean, unit_means
from assay.statistics.gathered import Gathered
from assay.statistics.groups import FEWEST_CLUSTERS, Group, compare_groups
from assay.statistics.resampling import forget
from assay.statistics.table import Place, Table
from assay.statistics.totals import totals_change, totals_estimate
from assay.statistics.variants import draw_estimates, format_estimates
from assay.statistics.worst import QUALITY, has_worst_case, worst_cases

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

SUBGROUPED = frozenset({"accuracy", "calibration", "toxicity", "outcomes"})
"""Families that are broken down by subgroup; of calibration, what every run has."""
FEWEST_FOR_SUMMARY = 50
"""A subgroup with fewer trials gets no summaries: bins and quantiles need more."""
MOST_GROUPS = 20
"""An axis with more groups is broken down for the main metric only."""
SAME = 1e-9
"""Scores closer than this are equal."""


def estimate_cells(
    trials: Iterable[ScoredTrial],
    metrics: Sequence[Metric],
    main_metric: str,
    kinds: Mapping[str, PerturbationKind],
    seed: int,
) -> list[Cell]:
    """`cells_of` some trials that are at hand."""
    return cells_of(Gathered(metrics, trials), main_metric, kinds, seed)


def cells_of(gathered: Gathered, main_metric: str, kinds: Mapping[str, PerturbationKind], seed: int) -> list[Cell]:
    """Every estimate of a run, in the order of the metrics.

    The same trials give the same numbers in whatever order they come.

    Args:
        gathered: the scored trials of one run, and what to estimate.
        main_metric: name of the scenario's main metric; calibration measures confidence against it.
        kinds: what each perturbation among the trials is.
        seed: the run's seed, for the bootstrap.

    Returns:
        One cell for each metric and place that has a value. A metric without any value has no cell.
    """
    metrics = gathered.metrics
    table = Table(gathered, next((metric for metric in metrics if metric.name == main_metric), None))
    estimates: dict[str, dict[Place, Estimate]] = {metric.name: {} for metric in metrics}
    for name, place, estimate in (*_over_places(table, metrics, seed), *_gaps(table, metrics, seed)):
        estimates[name][place] = estimate
    for metric in metrics:
        found = estimates[metric.name]
        if has_worst_case(metric):
            found.update(_worst(table, metric, kinds))
            found.update(_before(table, metric))
            found.update(_changes(table, metric, kinds))
        elif metric.of_counts is not None and metric.family in QUALITY:
            found.update(_changes_of_sums(table, metric, kinds, seed))
        if metric.name == main_metric and metric.of_answer is not None:
            found.update(_flips(table, metric, kinds))
            found.update(format_estimates(table, metric, seed))
            found.update(draw_estimates(table, metric, seed))
    forget()
    return [
        Cell(
            metric=name,
            estimate=found[place],
            split=place.split,
            subgroup=place.subgroup,
            perturbation=place.perturbation,
            computed_on=place.computed_on,
        )
        for name, found in estimates.items()
        for place in sorted(found, key=lambda place: place.order)
    ]


Found = Iterator[tuple[str, Place, Estimate]]
"""Estimates by metric and place, place by place, so that the metrics of one place share its resamples."""


def _over_places(table: Table, metrics: Sequence[Metric], seed: int) -> Found:
    """The metrics over the rows of each place."""
    metrics = sorted(metrics, key=lambda metric: metric.needs)  # those that read the same columns share their resamples
    for place, rows in table.places.items():
        columns, clusters = table.columns.take(rows), table.clusters[rows]
        for metric in metrics:
            if place.subgroup is not None and not _is_subgrouped(table, metric, place):
                continue
            if metric.of_answer is not None:
                estimate = _mean(table, table.values(metric.name)[rows], rows, metric.range)
            elif place.subgroup is not None and len(rows) < FEWEST_FOR_SUMMARY:
                continue
            elif metric.of_counts is not None:
                estimate = totals_estimate(metric, table.counts(metric), rows, clusters, (seed, place.seed_name))
            else:
                estimate = bootstrap_estimate(metric, columns, clusters, seed, place.seed_name)
            if estimate is None:
                continue
            if place.subgroup is not None and estimate.clusters < FEWEST_CLUSTERS:
                estimate = msgspec.structs.replace(estimate, method=f"{estimate.method}; too few to compare")
            yield metric.name, place, estimate


def _is_subgrouped(table: Table, metric: Metric, place: Place) -> bool:
    axis = (place.subgroup or "").partition("=")[0]
    if metric is table.main_metric:
        return True
    if metric.family == "calibration" and not metric.everywhere:
        return False
    return metric.family in SUBGROUPED and len(table.axes[place.split, axis]) <= MOST_GROUPS


def _mean(table: Table, values: Floats, rows: Integers, bounds: Bounds) -> Estimate | None:
    """The mean of one value a row, repeats and draws averaged first; missing values are left out."""
    import numpy as np

    estimate = clustered_mean(*unit_means(values, table.copies[rows], table.clusters[rows]), bounds)
    n = int((~np.isnan(values)).sum())
    return estimate if estimate is None or estimate.n == n else msgspec.structs.replace(estimate, n=n)


def _gaps(table: Table, metrics: Sequence[Metric], seed: int) -> Found:
    """The largest difference, the ratio and the worst group of each axis of subgroups."""
    for (split, axis), groups in table.axes.items():
        place = Place(split, subgroup=axis)
        for metric in metrics:
            if metric.of_answer is None or not _is_subgrouped(table, metric, place):
                continue
            members = [_group(table, table.values(metric.name)[rows], rows) for rows in groups.values()]
            there = [group for group in members if group.n]
            compared = compare_groups(there, metric.range, metric.better, seed, place.seed_name)
            for on, estimate in compared.items():
                yield metric.name, Place(split, subgroup=axis, computed_on=on), estimate


def _group(table: Table, values: Floats, rows: Integers) -> Group:
    import numpy as np

    means, clusters = unit_means(values, table.copies[rows], table.clusters[rows])
    return Group(means, clusters, int((~np.isnan(values)).sum()))


def _worst(table: Table, metric: Metric, kinds: Mapping[str, PerturbationKind]) -> dict[Place, Estimate]:
    """The worst case by perturbation and by kind."""
    found = {}
    for split, families in table.families.items():
        for name, groups in families.groups(kinds).items():
            worst, rows = worst_cases(table.values(metric.name), groups, metric.better)
            instances = unit_means(worst, table.instances[rows], table.clusters[rows])
            estimate = clustered_mean(*instances, metric.range)
            if estimate is not None:
                place = Place(split, perturbation=name, computed_on="worst")
                found[place] = msgspec.structs.replace(estimate, n=len(worst))
    return found


def _before(table: Table, metric: Metric) -> dict[Place, Estimate]:
    """The original over the instances that each perturbation changed: what its copies are to be compared with."""
    found = {}
    for split, families in table.families.items():
        for name in sorted(families.copies):
            rows = families.touched(name)
            estimate = _mean(table, table.values(metric.name)[rows], rows, metric.range)
            if estimate is not None:
                found[Place(split, perturbation=name)] = estimate
    return found


def _changes(table: Table, metric: Metric, kinds: Mapping[str, PerturbationKind]) -> dict[Place, Estimate]:
    """The mean difference of a copy from its own original."""
    low, high = metric.range
    bounds = (None, None) if low is None or high is None else (low - high, high - low)
    found = {}
    for split, name, rows, differences in _differences(table, metric, kinds):
        estimate = _mean(table, differences, rows, bounds)
        if estimate is not None:
            found[Place(split, perturbation=name, computed_on="change")] = estimate
    return found


def _flips(table: Table, metric: Metric, kinds: Mapping[str, PerturbationKind]) -> dict[Place, Estimate]:
    """The share of copies whose score differs from that of their original."""
    import numpy as np

    found = {}
    for split, name, rows, differences in _differences(table, metric, kinds):
        differs = np.where(np.isnan(differences), np.nan, np.abs(differences) > SAME)
        estimate = _mean(table, differs, rows, (0, 1))
        if estimate is not None:
            found[Place(split, perturbation=name, computed_on="flips")] = estimate
    return found


def _differences(
    table: Table, metric: Metric, kinds: Mapping[str, PerturbationKind]
) -> Iterator[tuple[str, str, Integers, Floats]]:
    """Split, name of a perturbation or kind, rows of the copies, and how much each copy's value exceeds its original's."""
    values = table.values(metric.name)
    for split, families in table.families.items():
        for name, (copies, originals) in families.pairs(kinds).items():
            yield split, name, copies, values[copies] - values[originals]


def _changes_of_sums(table: Table, metric: Metric, kinds: Mapping[str, PerturbationKind], seed: int) -> dict[Place, Estimate]:
    """How much an additive metric over copies exceeds that over their originals."""
    found = {}
    for split, families in table.families.items():
        for name, pairs in families.pairs(kinds).items():
            place = Place(split, perturbation=name, computed_on="change")
            clusters = table.clusters[pairs[0]]
            estimate = totals_change(metric, table.counts(metric), pairs, clusters, (seed, place.seed_name))
            if estimate is not None:
                found[place] = estimate
    return found
