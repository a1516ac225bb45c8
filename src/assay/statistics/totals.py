"""A function of sums over many answers with a 95 % interval, by resampling the sums of clusters.

The same bootstrap as for summaries, at a fraction of the cost: what one cluster adds to the sums does not depend on the
others, so a resample is a weighted sum of rows, and the texts behind them are never read again. Answers that add nothing to
any count can change nothing: they do not count among the clusters that make an interval narrow.

Between two bounds the interval is Wilson's, with an effective size from the spread of the replicates and from how many clusters
bear the value. In simulations it holds the truth in 93 to 98 of 100 from n = 50 on, where every class of a macro F1 occurs
several times. A class that does not occur has no F1, and the mean over the others is one of something else: 77 of 100 where a
class of 4 % is asked 50 times, 88 where thirty classes are, 92 for five of which the rarest has 5 %.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from assay.metrics import Metric
from assay.metrics.checks import called, number, within
from assay.records import Estimate
from assay.statistics.bootstrap import with_replicates
from assay.statistics.estimates import interval_of_mean, rounded
from assay.statistics.resampling import FEWEST, replicates_for, resamples, sums_of_lists

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.base import ValueFunction
    from assay.metrics.columns import Floats, Integers

REPLICATES_OF_CHANGE = FEWEST
"""Fewer than of a value itself: a change is one of many, and needs two values each."""
SUMS = 1_000_000
"""Resampled sums that are given to a metric, at most: one of very many counts (F1 over texts) gets fewer replicates."""

MOST_SLOPES = 120
"""With more counts than this, the slopes of the value are not taken: it rests on many of them anyway."""
STEP = 1e-6
"""By what share of itself a count is lowered to take a slope."""


NONE = -1
"""The number of counts of an answer to which the metric does not apply."""


class Counts:
    """The counts of many answers, answer after answer: only those that an answer mentions are kept."""

    def __init__(self, counts: Iterable[Mapping[str, float] | None] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self._sizes, self._columns, self._values = array("i"), array("i"), array("d")
        for row in counts:
            self.add(row)

    def add(self, row: Mapping[str, float] | None) -> None:
        """Add the counts of the next answer, `None` where there are none. Not after the counts have been looked at."""
        self._sizes.append(NONE if row is None else len(row))
        if row:
            self._columns.extend([self._numbers.setdefault(name, len(self._numbers)) for name in row])
            self._values.extend(row.values())

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which answers have counts."""
        import numpy as np

        return np.asarray(np.asarray(self._sizes) != NONE)

    @cached_property
    def names(self) -> list[str]:
        """The counts that any answer has."""
        return sorted(self._numbers)

    @cached_property
    def _places(self) -> Integers:
        """The place among the sorted names of the name that each entry is for."""
        import numpy as np

        places = np.empty(len(self.names), dtype=np.int32)
        places[[self._numbers[name] for name in self.names]] = np.arange(len(self.names))
        return places[np.asarray(self._columns)] if self._columns else np.empty(0, dtype=np.int32)

    def sort(self, order: Integers) -> None:
        """Put the answers into this order, in place."""
        import numpy as np

        self.__dict__.pop("_places", None)
        entries, _ = self._entries(order)
        for held, places in ((self._sizes, order), (self._columns, entries), (self._values, entries)):
            if held:
                numbers = np.asarray(held)
                numbers[:] = numbers[places]

    def by_cluster(self, rows: Integers, codes: Integers) -> Clustered:
        """The sums of some answers by cluster; `codes` number the cluster of each row, all of those from 0."""
        import numpy as np

        entries, sizes = self._entries(rows)
        clusters = int(codes.max()) + 1
        keys = self._places[entries].astype(np.int64) * clusters + np.repeat(codes, sizes)  # by count, then by cluster
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        values = np.asarray(self._values)[entries][order]
        values = values if len(first) == len(values) else np.add.reduceat(values, first)
        places, members = np.divmod(keys[first], clusters)
        starts = np.flatnonzero(np.diff(places, prepend=-1))
        return Clustered(clusters, [self.names[place] for place in places[starts]], starts, members, values)

    def _entries(self, rows: Integers) -> tuple[Integers, Integers]:
        """The entries of some answers, one answer after the other, and how many each has."""
        import numpy as np

        every = np.maximum(np.asarray(self._sizes, dtype=np.int64), 0)
        starts, sizes = (np.cumsum(every) - every)[rows], every[rows]
        starts -= np.cumsum(sizes) - sizes  # less what comes before them here
        entries = np.repeat(starts, sizes)
        entries += np.arange(len(entries))
        return entries, sizes


class Clustered(NamedTuple):
    """The sums of counts by cluster: for each count, one list after the other, the clusters that mention it and their sums."""

    clusters: int
    """How many there are."""
    names: list[str]
    """Of the counts, sorted."""
    starts: Integers
    """Where the list of each count begins."""
    members: Integers
    """The number of the cluster that each sum is of."""
    values: Floats


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
    sums = Sums(metric, by_cluster)
    value = sums.value()
    if value is None:
        return None
    if sums.informative < 2:
        return Estimate(value=value, low=None, high=None, n=n, clusters=sums.clusters, method="one cluster: no interval")
    replicates = max(FEWEST, min(replicates_for(n), SUMS // len(sums.totals)))
    values, noise = sums.replicates(replicates, seed_and_cell)
    estimate = with_replicates(metric.range, value, (n, sums.clusters), values, noise, sums.bearing())
    return estimate if metric.as_share is None else _as_share(metric.as_share, estimate, values, sums.informative)


def _as_share(
    forms: tuple[Callable[[float], float], Callable[[float], float]], estimate: Estimate, values: Floats, informative: int
) -> Estimate:
    """The estimate with Wilson's interval for the share of hits that the value is another form of.

    Its effective size comes from the spread of the replicates only where answers are clustered.
    """
    import numpy as np

    into, back = forms
    spread = float(np.array([into(value) for value in values[np.isfinite(values)].tolist()]).std())
    alone = estimate.n == estimate.clusters
    ends = interval_of_mean(into(estimate.value), spread, informative, (0, 1), counted=alone)
    low, high = (rounded(back(end)) for end in ends)
    method = "wilson, as a share of hits" if alone else "wilson, as a share of hits, effective size"
    return msgspec.structs.replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value), method=method)


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
    copies, originals = (Sums(metric, counts.by_cluster(rows[there], codes)) for rows in pairs)
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

    def __init__(self, metric: Metric, by_cluster: Clustered) -> None:
        import numpy as np

        self.metric = metric
        self.clusters = by_cluster.clusters
        self._counts = by_cluster
        self.informative = len(np.unique(by_cluster.members[by_cluster.values != 0]))
        """Clusters that add to any count: the others can change nothing, however many they are."""
        whole = np.add.reduceat(by_cluster.values, by_cluster.starts) if by_cluster.names else np.empty(0)
        self.totals = self._named(whole.tolist())

    def value(self) -> float | None:
        """The metric over all.

        Raises:
            AssayError: the metric failed, or the value is no finite number inside the range that it declares.
        """
        value = self._of(self.totals)
        return None if value is None else within(self.metric, value, self._function)

    def bearing(self) -> float:
        """How many clusters bear the value: Kish's effective number (1965), (sum l)^2 / sum l^2, of their leverages.

        The leverage of a cluster is the sum over its counts of |slope of the value in the count| * count. A mean of F1 over a
        common class and one that four answers have rests on about fifteen clusters, however many answers the common one has.
        """
        import numpy as np

        whole = self._of(self.totals)
        if len(self.totals) > MOST_SLOPES or whole is None:
            return float(self.informative)
        slopes = np.zeros(len(self.totals))
        for place, (name, total) in enumerate(self.totals.items()):
            less = self._of({**self.totals, name: total * (1 - STEP)}) if total else None
            slopes[place] = 0.0 if less is None else abs(whole - less) / abs(total * STEP)
        counts = self._counts
        sizes = np.diff(counts.starts, append=len(counts.values))
        leverage = np.bincount(counts.members, np.abs(counts.values) * np.repeat(slopes, sizes), minlength=self.clusters)
        squares = float((leverage * leverage).sum())
        return max(2.0, float(leverage.sum()) ** 2 / squares) if squares > 0 else float(self.informative)

    def replicates(self, number: int, seed_and_cell: tuple[int, str]) -> tuple[Floats, Floats | None]:
        """The metric of each resample, NaN where it has no value, and its distance from the whole where the metric has one."""
        import numpy as np

        values: list[float | None] = []
        noise: list[float | None] = []
        distance = self.metric.distance
        counts = self._counts
        for weights in resamples(np.arange(self.clusters), number, *seed_and_cell):
            for sums in sums_of_lists(counts.values, counts.members, counts.starts, weights):
                resampled = self._named(sums.tolist())
                values.append(self._of(resampled))
                if distance is not None:
                    noise.append(distance(self.totals, resampled))
        return np.array(values, dtype=np.float64), None if distance is None else np.array(noise, dtype=np.float64)

    def _named(self, sums: Sequence[float]) -> dict[str, float]:
        return dict(zip(self._counts.names, sums, strict=True))

    def _of(self, totals: Mapping[str, float]) -> float | None:
        found = called(self.metric, self._function, totals, over="the sums of a cell")
        return number(self.metric, found, self._function)

    @property
    def _function(self) -> ValueFunction:
        assert self.metric.value is not None
        return self.metric.value
