"""Where the variance of a single answer's value comes from: items, few-shot draws, prompt formats, repeats.

Items, draws (or formats) are crossed, repeats lie within. With I items, V variants and R repeats, mean squares over items,
variants, their interaction and repeats give the parts by the method of moments for random effects (Searle, Casella and
McCulloch 1992, chapter 4); a part that comes out negative is 0. What a variant does to all items alike and what it does to one
are both its part. Where one repeat was asked, what repeats would do is in the interaction, and so counted to the variants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.comparison.evidence import Evidence, Run
from assay.comparison.matrices import complete
from assay.comparison.results import Variance
from assay.metrics.derived import find
from assay.statistics.variants import spread_between
from assay.store.folders import SCORES
from assay.store.opening import reading

if TYPE_CHECKING:
    import polars as pl

    from assay.metrics.columns import Floats


@dataclass(frozen=True)
class Parts:
    """Variance components of one crossed design, in squared units of the values."""

    items: float
    variants: float
    repeats: float | None


def variances(evidence: Evidence, metrics: Sequence[str]) -> tuple[Variance, ...]:
    """The parts for each run whose draws, formats or repeats were several. Raises AssayError where a file cannot be read."""
    found = []
    for runs in evidence.runs.values():
        for run in runs.values():
            spec = run.file.spec
            if max(spec.draws, spec.formats, spec.repeats) > 1:
                found += [part for name in metrics or (run.main_metric,) if (part := _of_run(run, name)) is not None]
    return tuple(found)


def _of_run(run: Run, metric: str) -> Variance | None:
    """Draws and repeats are compared in the scenario's own format, formats in the first draw."""
    import polars as pl

    path = str(run.folder.path / SCORES)
    with reading([path]):
        asked = (pl.col("split") == run.file.spec.split[-1]) & pl.col("perturbation").is_null()
        originals = asked & (pl.col("metric") == metric) & pl.col("value").is_not_null()
        table = pl.scan_parquet(path).filter(originals).collect()
    complete(table, ("instance_id", "draw", "format", "repeat"), path)
    own, first = table.filter(table["format"] == 0), table.filter(table["draw"] == 0)
    by_draw, by_format = _cube(own, "draw"), _cube(first, "format")
    if by_draw.size == 0 or by_format.size == 0 or by_draw.shape[0] < 2:
        return None
    draws, formats = components(by_draw), components(by_format)
    several_draws, several_formats = by_draw.shape[1] > 1, by_format.shape[1] > 1
    items = draws.items if several_draws or not several_formats else formats.items
    parts = {
        "items": items,
        "draws": draws.variants if several_draws else None,
        "formats": formats.variants if several_formats else None,
        "repeats": draws.repeats,
    }
    total = math.fsum(part for part in parts.values() if part is not None)
    shares = {name: None if part is None else (part / total if total > 0 else 0.0) for name, part in parts.items()}
    return Variance(
        scenario=run.scenario,
        candidate=run.candidate,
        metric=metric,
        total=total,
        **shares,
        mean_over_draws=_spread(by_draw, metric) if several_draws else None,
        mean_over_formats=_spread(by_format, metric) if several_formats else None,
    )


def _cube(table: pl.DataFrame, variants: str) -> Floats:
    """Shape (items, variants, repeats), of the items that have a value everywhere."""
    import numpy as np

    items, repeats = table["instance_id"].rank("dense"), table["repeat"].rank("dense")
    chosen = table[variants].rank("dense")
    if table.is_empty():
        return np.empty((0, 0, 0))
    places = [column.to_numpy().astype(np.int64) - 1 for column in (items, chosen, repeats)]
    cube = np.full([int(place.max()) + 1 for place in places], np.nan)
    cube[tuple(places)] = table["value"].to_numpy()
    complete: Floats = cube[~np.isnan(cube).any(axis=(1, 2))]
    return complete


def components(values: Floats) -> Parts:
    """The variance components of a crossed design with repeats.

    Args:
        values: shape (items, variants, repeats), at least two items; nothing missing.
    """
    items, variants, repeats = values.shape
    within = float(values.var(axis=2, ddof=1).mean()) if repeats > 1 else 0.0
    cells = values.mean(axis=2)
    by_item = float(cells.mean(axis=1).var(ddof=1)) * variants
    if variants == 1:
        return Parts(max(0.0, by_item - within / repeats), 0.0, within if repeats > 1 else None)
    by_variant = float(cells.mean(axis=0).var(ddof=1)) * items
    residuals = cells - cells.mean(axis=1, keepdims=True) - cells.mean(axis=0, keepdims=True) + cells.mean()
    crossed = float((residuals**2).sum()) / ((items - 1) * (variants - 1))
    together = max(0.0, crossed - within / repeats)
    alike = max(0.0, (by_variant - crossed) / items)
    return Parts(max(0.0, (by_item - crossed) / variants), together + alike, within if repeats > 1 else None)


def _spread(cube: Any, metric: str) -> float | None:
    """How much a variant moves the mean of all items: a standard deviation without what chance on the items adds."""
    import numpy as np

    found = spread_between(cube.mean(axis=2).T, np.arange(len(cube)), find(metric).range)
    return None if found is None else found.value
