"""Resamples: how often each cluster is drawn, with replacement, as many as there are.

Seed and name of a cell fix every draw, so metrics over the same clusters of one cell see the same resamples.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.identity import array_generator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats, Integers

REPLICATES = 1000
DRAWS = 5_000_000
"""Answers drawn in all, at most: above 5,000 answers there are fewer replicates, down to FEWEST."""
FEWEST = 200
BLOCK = 100_000
"""Answers drawn at once, which bounds memory to a few times 0.8 MB."""
CACHED = 50_000
"""Numbers that are worked on at once where they are read several times: they fit a processor's cache."""


def replicates_for(n: int) -> int:
    """How many replicates a cell of n answers gets."""
    return max(FEWEST, min(REPLICATES, DRAWS // n))


def resamples(clusters: Integers, replicates: int, seed: int, cell: str) -> Iterator[Floats]:
    """`draws` by the generator of a cell. Metrics over the same clusters of one cell see the same resamples."""
    import numpy as np

    count = int(clusters.max()) + 1
    alone = count == len(clusters) and bool((clusters == np.arange(count)).all())
    times = _times(count, replicates, seed, cell)
    at_once = max(1, BLOCK // len(clusters))
    for start in range(0, replicates, at_once):
        block = times[start : start + at_once].astype(np.float64)
        yield block if alone else block[:, clusters]


def sums_of_lists(values: Floats, places: Integers, starts: Integers, weights: Floats) -> Floats:
    """The sum of each of several lists of values, in every resample.

    Args:
        values: the lists one after the other, none of them empty, shape (entries,).
        places: whose value each is: the column of its weight.
        starts: where each list begins.
        weights: how often each is drawn, shape (resamples, places).

    Returns:
        Shape (resamples, lists). No BLAS is used, as everywhere.
    """
    import numpy as np

    sums = np.empty((len(weights), len(starts)))
    at_once = max(1, CACHED // len(values))
    for first in range(0, len(weights), at_once):
        some = slice(first, first + at_once)
        drawn = weights[some].take(places, axis=1)
        drawn *= values
        np.add.reduceat(drawn, starts, axis=1, out=sums[some])
    return sums


@lru_cache(maxsize=1)
def _times(count: int, replicates: int, seed: int, cell: str) -> NDArray[np.uint8]:
    """How often each of `count` clusters is drawn, shape (replicates, count). The last is kept, until `forget`."""
    import numpy as np

    times = np.empty((replicates, count), dtype=np.uint8)
    start = 0
    for block in draws(np.arange(count), replicates, array_generator(seed, "bootstrap", cell)):
        times[start : start + len(block)] = block
        start += len(block)
    return times


def forget() -> None:
    """Free the resamples that are kept for the next metric of the same cell."""
    _times.cache_clear()


def draws(clusters: Integers, replicates: int, generator: np.random.Generator) -> Iterator[Floats]:
    """How often each answer is drawn in each resample, in blocks of shape (resamples, answers)."""
    import numpy as np

    count = int(clusters.max()) + 1
    alone = count == len(clusters) and bool((clusters == np.arange(count)).all())
    at_once = max(1, BLOCK // len(clusters))
    for start in range(0, replicates, at_once):
        rows = min(at_once, replicates - start)
        drawn = generator.integers(count, size=(rows, count))
        drawn += count * np.arange(rows)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count).astype(np.float64)
        yield times if alone else times[:, clusters]
