"""How much a number depends on what should not matter: the prompt's format, and which examples were shown.

Prompt formats and few-shot draws are asked of the same instances, so their means are compared paired.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.metrics import Metric
from assay.records import Estimate
from assay.statistics.estimates import Bounds, clustered_mean, rounded, unit_means
from assay.statistics.groups import Group, compare_groups
from assay.statistics.table import Place, Table

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

FORMATS = "formats"
"""Stands where a perturbation's name does, for cells over prompt formats."""
DRAWS = "draws"
"""Stands where a perturbation's name does, for cells over few-shot draws."""


def format_estimates(table: Table, metric: Metric, seed: int) -> dict[Place, Estimate]:
    """Prompt sensitivity: over the formats, the largest difference of means, the worst mean, and the mean of all.

    Only instances with a value in every format count. Nothing where one format was asked.
    """
    found = {}
    for split, rows in table.originals.items():
        found.update(_compared(table, metric, rows, table.formats, Place(split, perturbation=FORMATS), seed))
    return found


def draw_estimates(table: Table, metric: Metric, seed: int) -> dict[Place, Estimate]:
    """Over few-shot draws: the largest difference of means, the worst mean, and the standard deviation between draws.

    Only instances with a value in every draw count. Nothing where one draw was asked.
    """
    found = {}
    for place, rows in table.places.items():
        if place != Place(place.split):
            continue
        there = Place(place.split, perturbation=DRAWS)
        found.update(_compared(table, metric, rows, table.draws, there, seed))
        values, clusters = _crossed(table, metric, rows, table.draws)
        if values.shape[0] > 1:
            spread = spread_between(values, clusters, metric.range)
            if spread is not None:
                found[Place(place.split, perturbation=DRAWS, computed_on="spread")] = spread
    return found


def _compared(
    table: Table, metric: Metric, rows: Integers, variants: Integers, place: Place, seed: int
) -> dict[Place, Estimate]:
    """The comparison of the variants of one split."""
    values, clusters = _crossed(table, metric, rows, variants)
    if values.shape[0] < 2 or values.shape[1] == 0:
        return {}
    groups = [Group(row, clusters, len(row)) for row in values]
    compared = compare_groups(groups, metric.range, metric.better, seed, place.seed_name)
    found = {Place(place.split, None, place.perturbation, on): compared[on] for on in compared if on != "ratio"}
    if place.perturbation == FORMATS:
        mean = clustered_mean(values.sum(axis=0) / len(values), clusters, metric.range)
        if mean is not None:
            found[Place(place.split, None, FORMATS, "perturbed")] = mean
    return found


def _crossed(table: Table, metric: Metric, rows: Integers, variants: Integers) -> tuple[Floats, Integers]:
    """The value of each instance in each variant, shape (variants, instances), and the instances' clusters."""
    import numpy as np

    values, instances = table.values(metric.name)[rows], table.instances[rows]
    numbers = np.unique(variants[rows])
    matrix = np.full((len(numbers), int(instances.max()) + 1), np.nan)
    clusters = np.zeros(matrix.shape[1], dtype=np.int64)
    clusters[instances] = table.clusters[rows]
    for number, variant in enumerate(numbers):
        chosen = variants[rows] == variant
        means, units = unit_means(values[chosen], instances[chosen], instances[chosen])
        matrix[number, units] = means
    complete = ~np.isnan(matrix).any(axis=0)
    return matrix[:, complete], clusters[complete]


def spread_between(values: Floats, clusters: Integers, bounds: Bounds) -> Estimate | None:
    """The standard deviation between variants, apart from what chance on the instances adds.

    Variants and instances are crossed: the variance of the variants' means, less the clustered variance of a variant's
    deviation from the mean of all (two-way analysis of variance, Searle, Casella and McCulloch 1992, chapter 4). The
    interval inverts the F distribution of the ratio of these two. With two variants it is honestly wide.

    Args:
        values: shape (variants, instances).
        clusters: of each instance.
        bounds: smallest and largest possible value.

    Returns:
        The estimate, without bounds where there are fewer than two clusters.
    """
    import numpy as np
    from scipy.special import fdtri

    variants, instances = values.shape
    means = values.mean(axis=1)
    between = float(means.var(ddof=1))
    residuals = values - means[:, None] - values.mean(axis=0)[None, :] + values.mean()
    codes = np.unique(clusters, return_inverse=True)[1]
    count = int(codes.max()) + 1
    n = variants * instances
    if count < 2:
        return Estimate(value=math.sqrt(between), low=None, high=None, n=n, clusters=count, method="one cluster: no interval")
    sums = np.array([np.bincount(codes, weights=row) for row in residuals])
    chance = float((sums * sums).sum()) * count / (count - 1) / instances**2 / (variants - 1)
    freedom = ((variants - 1), (variants - 1) * (count - 1))
    spread, low, high = (
        math.sqrt(max(0.0, between / float(quantile) - chance)) for quantile in (1.0, *fdtri(*freedom, [0.975, 0.025]))
    )
    greatest = math.inf if bounds[0] is None or bounds[1] is None else (bounds[1] - bounds[0]) / math.sqrt(2)
    value = min(spread, greatest)
    high = max(value, min(rounded(high), greatest))
    return Estimate(value=value, low=min(value, rounded(low)), high=high, n=n, clusters=count, method="analysis of variance")
