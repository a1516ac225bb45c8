"""A measure of all candidates in one scenario: its estimates, and its values over resamples of the instances.

Resamples are of clusters, the same ones for every candidate and measure of a scenario: what two candidates have in common is in
every one of them. Means and sums need only what each cluster adds to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from assay.identity import array_generator
from assay.metrics import Columns, Metric
from assay.metrics.checks import called, number
from assay.statistics.bootstrap import SLOW_DRAWS, one_by_one
from assay.statistics.resampling import CACHED, FEWEST, REPLICATES, draws, replicates_for, sums_of_lists
from assay.statistics.totals import SUMS, Clustered

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

WORK = 2e9
"""Values added up in all replicates of everything, at most: a second or two."""
SUMMARY, SLOW, VALUE = 100.0, 10_000.0, 3000.0
"""How much longer than adding up a value it takes to read an answer into a summary, into one that has no fast way to be
resampled, or to call a function of sums."""
EXACT = 2.0**52
"""Whole numbers up to this size are added without rounding."""


def drawn_again(units: int, replicates: int, seed: int, scenario: str) -> Iterator[Floats]:
    """How often each cluster of a scenario is drawn, in blocks of shape (replicates, clusters)."""
    import numpy as np

    yield from draws(np.arange(units), replicates, array_generator(seed, "decision", scenario))


class Resampled(Protocol):
    """Values of all candidates over resamples."""

    @property
    def most(self) -> int:
        """Replicates that are worth their time."""

    @property
    def work(self) -> float:
        """What a replicate takes, in values of clusters that are added up."""

    def replicates(self, times: Floats) -> Floats:
        """Shape (replicates, candidates), NaN where there is no value; `times` has the shape (replicates, clusters)."""


@dataclass(frozen=True, eq=False)
class Means:
    """Means of single answers' values."""

    sums: Floats
    """What each cluster adds to each candidate's sum, shape (candidates, clusters)."""
    counts: Floats
    """How many values it has."""

    @property
    def most(self) -> int:
        return replicates_for(max(self.sums.shape[1], 1))

    @property
    def work(self) -> float:
        return float(self.sums.size)

    def replicates(self, times: Floats) -> Floats:
        import numpy as np

        alike = len(self.counts) > 1 and bool((self.counts == self.counts[0]).all())
        drawn = weighted_sums(self.counts[:1] if alike else self.counts, times)
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = weighted_sums(self.sums, times) / drawn
        return found


def weighted_sums(values: Floats, times: Floats) -> Floats:
    """The sums over clusters of times drawn × value, shape (replicates, rows of `values`).

    Values are rounded to whole multiples of a power of two, a millionth of a millionth of the row's largest for a thousand
    clusters. Their sums then have no rounding error, so that they are the same on any machine, in whatever order it adds.
    """
    import numpy as np

    largest = np.abs(values).max(axis=1, initial=0.0) * times.shape[1]
    step = 2.0 ** np.ceil(np.log2(np.where(largest > 0, largest, 1.0) / EXACT))
    found: Floats = np.einsum("rk,ck->rc", times, np.rint(values / step[:, None])) * step
    return found


@dataclass(frozen=True, eq=False)
class Summaries:
    """A metric of many answers."""

    metric: Metric
    answers: tuple[tuple[Columns, Integers], ...]
    """Of each candidate: the answers that have what the metric needs, and the number of the cluster of each."""

    @property
    def most(self) -> int:
        size = max((len(columns) for columns, _ in self.answers), default=1) or 1
        return replicates_for(size) if self.metric.resampled else max(FEWEST, min(REPLICATES, SLOW_DRAWS // size))

    @property
    def work(self) -> float:
        return (SUMMARY if self.metric.resampled else SLOW) * sum(len(columns) for columns, _ in self.answers)

    def replicates(self, times: Floats) -> Floats:
        import numpy as np

        found = np.full((len(times), len(self.answers)), np.nan)
        at_once = max(1, CACHED // times.shape[1])
        for place, (columns, clusters) in enumerate(self.answers):
            alone = np.array_equal(clusters, np.arange(times.shape[1]))
            for start in range(0, len(times) if len(columns) else 0, at_once):
                some = slice(start, start + at_once)
                found[some, place] = self._values(columns, None if alone else clusters, times[some])
        return found

    def _values(self, columns: Columns, clusters: Integers | None, times: Floats) -> Floats:
        """The values over some resamples of answers of these clusters; `None`: each is the next cluster, alone in it."""
        import numpy as np

        function = self.metric.resampled or partial(one_by_one, self.metric)
        if clusters is None:
            return np.asarray(called(self.metric, function, columns, times, over="a resample"))
        found = np.full(len(times), np.nan)
        weights = times.take(clusters, axis=1)
        drawn = weights.any(axis=1)  # of a small group perhaps nobody
        if drawn.any():
            found[drawn] = called(self.metric, function, columns, weights[drawn], over="a resample")
        return found


@dataclass(frozen=True, eq=False)
class Totals:
    """A function of sums over answers, or what copies add to it."""

    metric: Metric
    sums: tuple[tuple[Clustered, Integers] | None, ...]
    """Of each candidate: the counts by cluster, and the scenario's number of each of these clusters."""
    less: tuple[tuple[Clustered, Integers] | None, ...] = ()
    """Those of the originals whose value is taken away, where a change is measured."""

    @property
    def most(self) -> int:
        size = max((len(held[0].names) for held in self.sums if held is not None), default=1)
        return max(FEWEST, min(REPLICATES, SUMS // max(size, 1)))

    @property
    def work(self) -> float:
        held = (counted[0] for counted in (*self.sums, *self.less) if counted is not None)
        return sum(VALUE + SUMMARY * len(counts.values) for counts in held)

    def replicates(self, times: Floats) -> Floats:
        import numpy as np

        found = np.stack([self._values(held, times) for held in self.sums], axis=1)
        if self.less:
            found -= np.stack([self._values(held, times) for held in self.less], axis=1)
        return found

    def _values(self, held: tuple[Clustered, Integers] | None, times: Floats) -> Floats:
        import numpy as np

        if held is None or not held[0].names:
            return np.full(len(times), np.nan)
        counts, clusters = held
        function = self.metric.value
        assert function is not None
        values: list[float | None] = []
        times = times.take(clusters, axis=1)
        drawn = sums_of_lists(counts.values, counts.members, counts.starts, times)
        for sums, of in zip(drawn, times.sum(axis=1), strict=True):
            totals = dict(zip(counts.names, sums.tolist(), strict=True))
            value = called(self.metric, function, totals, over="the sums of a cell") if of else None
            values.append(number(self.metric, value, function))
        return np.array(values, dtype=np.float64)


def fewest(parts: Sequence[Resampled]) -> int:
    """One number of replicates for all, so that a row is one resample of everything: what the slowest and all together bear."""
    together = sum(part.work for part in parts)
    return max(FEWEST, min((REPLICATES, int(WORK / max(together, 1)), *(part.most for part in parts))))
