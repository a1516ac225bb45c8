"""The scored trials of a run as they come, held compactly: what estimates need of a trial are numbers, and names are kept once.

A trial takes a few hundred bytes here, with its answer's text it would take thousands.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.metrics import Metric, count_answer
from assay.metrics.scoring import READ, readings
from assay.records import ScoredTrial
from assay.statistics.packed import Packed
from assay.statistics.totals import Counts

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

Groups = tuple[tuple[str, str], ...]
"""The subgroups of a trial: axis and value."""


class Keys(NamedTuple):
    """Which trial it is, in numbers; shape (trials,) each."""

    instance: Integers
    cluster: Integers
    split: Integers
    perturbation: Integers
    subgroups: Integers
    draw: Integers
    format: Integers
    repeat: Integers


class Gathered:
    """Trials in the order they were added.

    Args:
        metrics: what will be estimated.
        trials: the first trials.
    """

    def __init__(self, metrics: Sequence[Metric], trials: Iterable[ScoredTrial] = ()) -> None:
        self.metrics = tuple(metrics)
        self._judges = [metric.name for metric in self.metrics if metric.of_answer is not None]
        self._clear()
        for trial in trials:
            self.add(trial)

    def _clear(self) -> None:
        """No trials."""
        self.names: dict[str, int] = {}
        """The number of each name of an instance or of a group of instances."""
        self.splits: dict[str, int] = {}
        self.perturbations: dict[str | None, int] = {}
        self.subgroups: dict[Groups, int] = {}
        self._additive = [(metric, Counts()) for metric in self.metrics if metric.of_counts is not None]
        self.counts = {metric.name: counts for metric, counts in self._additive}
        self._keys = Packed(len(Keys._fields), "i")
        self._scores, self._readings = Packed(len(self._judges)), Packed(len(READ))

    def add(self, trial: ScoredTrial) -> None:
        """Add a trial.

        Raises:
            AssayError: a metric fails to count its answer.
        """
        names, perturbations, groups = self.names, self.perturbations, tuple(trial.subgroups.items())
        self._keys.add(
            (
                names.setdefault(trial.instance_id, len(names)),
                names.setdefault(trial.cluster, len(names)),
                self.splits.setdefault(trial.split, len(self.splits)),
                perturbations.setdefault(trial.perturbation, len(perturbations)),
                self.subgroups.setdefault(groups, len(self.subgroups)),
                trial.draw,
                trial.format,
                trial.repeat,
            )
        )
        scores = trial.scores
        self._scores.add([math.nan if (score := scores.get(name)) is None else score for name in self._judges])
        self._readings.add(readings(trial.answer))
        for metric, counts in self._additive:
            counts.add(count_answer(trial.answer, metric))

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def instances(self) -> int:
        """How many different instances the trials are of."""
        import numpy as np

        return len(np.unique(self.keys().instance))

    def sort(self) -> None:
        """Put the trials into a fixed order, whatever order they came in: by instance, perturbation, draw, format, repeat."""
        import numpy as np

        keys = self.keys()
        instance, perturbation = _ranks(self.names)[keys.instance], _ranks(self.perturbations)[keys.perturbation]
        order = np.lexsort((keys.repeat, keys.format, keys.draw, perturbation, instance))
        self._keys.sort(order)
        self._scores.sort(order)
        self._readings.sort(order)
        for counts in self.counts.values():
            counts.sort(order)

    def release(self) -> None:
        """Forget the trials, once they are estimated: writing a large run needs the memory that they took.

        It is given back to the system where the C library can, because what writes has an allocator of its own.
        """
        self._clear()
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)

    def keys(self) -> Keys:
        """Which trials they are. The columns may not be written to."""
        return Keys(*self._keys.columns())

    def scores(self) -> dict[str, Floats]:
        """The scores by metric, NaN where there is none."""
        return dict(zip(self._judges, self._scores.columns(), strict=True))

    def readings(self) -> Sequence[Floats]:
        """What the answers have for each column of `READ`, NaN where they have nothing."""
        return self._readings.columns()


def _ranks(names: Iterable[str | None]) -> Integers:
    """The place of each name among all of them in alphabetical order."""
    import numpy as np

    listed = [name or "" for name in names]
    ranks = np.empty(len(listed), dtype=np.int64)
    ranks[sorted(range(len(listed)), key=listed.__getitem__)] = np.arange(len(listed))
    return ranks
