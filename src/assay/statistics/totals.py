"""A function of sums over many answers with a 95 % interval, by resampling the sums of clusters.

The same bootstrap as for summaries, at a fraction of the cost: what one cluster adds to the sums does not depend on the
others, so a resample is a weighted sum of rows, and the texts behind them are never read again. Answers that add nothing to
any count can change nothing: they do not count among the clusters that make an interval narrow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.metrics import Metric
from assay.metrics.checks import called, number, within
from assay.records import Estimate
from assay.statistics.bootstrap import FEWEST, replicates_for, resamples, with_replicates

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from assay.metrics.base import ValueFunction
    from assay.metrics.columns import Floats, Integers

REPLICATES_OF_CHANGE = FEWEST
"""Fewer than of a value itself: a change is one of many, and needs two values each."""
SUMS = 1_000_000
"""Resampled sums that are given to a metric, at most: one of very many counts (F1 over texts) gets fewer replicates."""


class Counts:
    """The counts of many answers as a sparse table: a row an answer, a column a count, columns sorted by name."""

    def __init__(self, counts: Sequence[Mapping[str, float] | None]) -> None:
        import numpy as np
        from scipy.sparse import csr_array

        self.there = np.array([row is not None for row in counts], dtype=np.bool_)
        self.names = sorted({name for row in counts if row for name in row})
        places = {name: number for number, name in enumerate(self.names)}
        rows = [sorted((places[name], value) for name, value in row.items()) if row else [] for row in counts]
        ends = np.cumsum([0] + [len(row) for row in rows])
        values = np.array([value for row in rows for _, value in row], dtype=np.float64)
        columns = np.array([place for row in rows for place, _ in row], dtype=np.int64)
        self.table: csr_array = csr_array((values, columns, ends), shape=(len(rows), len(self.names)))

    def by_cluster(self, rows: Integers, codes: Integers) -> csr_array:
        """The sums of some answers by cluster, shape (clusters, counts); `codes` number the cluster of each row."""
        import numpy as np
        from scipy.sparse import csr_array

        members = csr_array((np.ones(len(rows)), (codes, np.arange(len(rows)))), shape=(int(codes.max()) + 1, len(rows)))
        return members @ self.table[rows]


def totals_estimate(
    metric: Metric, counts: Counts, rows: Integers, clusters: Integers, seed_and_cell: tuple[int, str]
) -> Estimate | None:
    """An additive metric over one cell.

    Args:
        metric: a metric with `of_counts` and `value`.
        counts: the counts of all answers of a run.
        rows: the answers of the cell; those to which the metric does not apply are left out.
        clusters: number of the independent unit of each of these rows.
        seed_and_cell: the run's seed and the name of the cell, which fix every draw.

    Returns:
        The estimate, without bounds where there are fewer than two clusters or the metric has no value for half of the
        replicates; `None` where the sums have no value.

    Raises:
        AssayError: the metric failed, or its value is no finite number inside the range it declares.
    """
    import numpy as np

    there = counts.there[rows]
    n = int(there.sum())
    if n == 0:
        return None
    codes = np.unique(clusters[there], return_inverse=True)[1]
    by_cluster = counts.by_cluster(rows[there], codes)
    sums = Sums(metric, counts.names, by_cluster)
    value = sums.value()
    if value is None:
        return None
    if sums.informative < 2:
        return Estimate(value=value, low=None, high=None, n=n, clusters=sums.clusters, method="one cluster: no interval")
    replicates = max(FEWEST, min(replicates_for(n), SUMS // len(sums.totals)))
    values, noise = sums.replicates(replicates, seed_and_cell)
    return with_replicates(metric.range, value, (n, sums.clusters), values, noise, sums.informative)


def totals_change(
    metric: Metric, counts: Counts, pairs: tuple[Integers, Integers], clusters: Integers, seed_and_cell: tuple[int, str]
) -> Estimate | None:
    """How much an additive metric over copies exceeds that over their originals, with a paired bootstrap.

    Args:
        metric: a metric with `of_counts` and `value`.
        counts: the counts of all answers of a run.
        pairs: the rows of copies, and of the original of each.
        clusters: number of the independent unit of each pair.
        seed_and_cell: the run's seed and the name of the cell, which fix every draw.

    Returns:
        The estimate; `None` where either side has no value. Pairs of which one was not counted are left out.
    """
    import numpy as np

    there = counts.there[pairs[0]] & counts.there[pairs[1]]
    n = int(there.sum())
    if n == 0:
        return None
    codes = np.unique(clusters[there], return_inverse=True)[1]
    copies, originals = (Sums(metric, counts.names, counts.by_cluster(rows[there], codes)) for rows in pairs)
    after, before = copies.value(), originals.value()
    if after is None or before is None:
        return None
    value, count = after - before, copies.clusters
    informative = min(copies.informative, originals.informative)
    if informative < 2:
        return Estimate(value=value, low=None, high=None, n=n, clusters=count, method="one cluster: no interval")
    ends = [sums.replicates(REPLICATES_OF_CHANGE, seed_and_cell)[0] for sums in (copies, originals)]
    low, high = metric.range
    bounds = (None, None) if low is None or high is None else (low - high, high - low)
    return with_replicates(bounds, value, (n, count), ends[0] - ends[1], None, informative)


class Sums:
    """The sums of counts by cluster, and an additive metric over them and over resamples of them."""

    def __init__(self, metric: Metric, names: Sequence[str], by_cluster: csr_array) -> None:
        import numpy as np

        self.metric = metric
        self.clusters = by_cluster.shape[0]
        self.informative = int((abs(by_cluster).sum(axis=1) > 0).sum())
        """Clusters that add to any count: the others can change nothing, however many they are."""
        self._by_count = by_cluster.T.tocsr()
        self._used = [name for name, entries in zip(names, np.diff(self._by_count.indptr), strict=True) if entries]
        self._by_count = self._by_count[np.diff(self._by_count.indptr) > 0]
        self.totals = self._named((self._by_count @ np.ones(self.clusters)).tolist())

    def value(self) -> float | None:
        """The metric over all.

        Raises:
            AssayError: the metric failed, or the value is no finite number inside the range that it declares.
        """
        value = self._of(self.totals)
        return None if value is None else within(self.metric, value, self._function)

    def replicates(self, number: int, seed_and_cell: tuple[int, str]) -> tuple[Floats, Floats | None]:
        """The metric of each resample, NaN where it has no value, and its distance from the whole where the metric has one."""
        import numpy as np

        values: list[float | None] = []
        noise: list[float | None] = []
        distance = self.metric.distance
        for weights in resamples(np.arange(self.clusters), number, *seed_and_cell):
            for sums in (self._by_count @ weights.T).T.tolist():
                resampled = self._named(sums)
                values.append(self._of(resampled))
                if distance is not None:
                    noise.append(distance(self.totals, resampled))
        return np.array(values, dtype=np.float64), None if distance is None else np.array(noise, dtype=np.float64)

    def _named(self, sums: Sequence[float]) -> dict[str, float]:
        return dict(zip(self._used, sums, strict=True))

    def _of(self, totals: Mapping[str, float]) -> float | None:
        found = called(self.metric, self._function, totals, over="the sums of a cell")
        return number(self.metric, found, self._function)

    @property
    def _function(self) -> ValueFunction:
        assert self.metric.value is not None
        return self.metric.value
