"""The scored trials of a run as arrays, and the places that its estimates stand in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, get_args

from assay.identity import canonical
from assay.metrics import Columns, Metric, columns_of, count_answer
from assay.records import ComputedOn, ScoredTrial, Split
from assay.statistics.worst import Families

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers
    from assay.statistics.totals import Counts

SPLITS: tuple[Split, ...] = ("train", "valid", "test")
COMPUTED_ON: tuple[ComputedOn, ...] = get_args(ComputedOn)


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

    @property
    def seed_name(self) -> str:
        """A name of the place that is its own in the whole run, for its generator."""
        return canonical((self.split, self.subgroup, self.perturbation, self.computed_on)).decode()


class Table:
    """The trials of a run in a fixed order, whatever order they came in."""

    def __init__(self, trials: Sequence[ScoredTrial], main_metric: Metric | None) -> None:
        self.trials = sorted(trials, key=lambda t: (t.instance_id, t.perturbation or "", t.draw, t.format, t.repeat))
        self.main_metric = main_metric
        self._values: dict[str, Floats] = {}
        self._counts: dict[str, Counts] = {}

    @cached_property
    def clusters(self) -> Integers:
        """The number of each trial's cluster."""
        return _numbered([trial.cluster for trial in self.trials])

    @cached_property
    def instances(self) -> Integers:
        """The number of each trial's instance."""
        return _numbered([trial.instance_id for trial in self.trials])

    @cached_property
    def copies(self) -> Integers:
        """The number of each trial's instance or copy of it: trials that share one differ in draw, format and repeat only."""
        return _numbered([(trial.instance_id, trial.perturbation) for trial in self.trials])

    @cached_property
    def formats(self) -> Integers:
        """The prompt format of each trial."""
        import numpy as np

        return np.array([trial.format for trial in self.trials], dtype=np.int64)

    @cached_property
    def draws(self) -> Integers:
        """The few-shot draw of each trial."""
        import numpy as np

        return np.array([trial.draw for trial in self.trials], dtype=np.int64)

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

    def counts(self, metric: Metric) -> Counts:
        """The counts of an additive metric."""
        from assay.statistics.totals import Counts

        if metric.name not in self._counts:
            self._counts[metric.name] = Counts([count_answer(trial.answer, metric) for trial in self.trials])
        return self._counts[metric.name]

    @cached_property
    def places(self) -> dict[Place, Integers]:
        """The rows of each cell that covers originals or copies, asked in the scenario's own prompt format."""
        found: dict[Place, list[int]] = defaultdict(list)
        for row, trial in enumerate(self.trials):
            if trial.format:
                continue
            if trial.perturbation is not None:
                found[Place(trial.split, perturbation=trial.perturbation, computed_on="perturbed")].append(row)
                continue
            found[Place(trial.split)].append(row)
            for axis, value in trial.subgroups.items():
                found[Place(trial.split, subgroup=f"{axis}={value}")].append(row)
        return {place: _rows(found[place]) for place in sorted(found, key=lambda place: place.order)}

    @cached_property
    def axes(self) -> dict[tuple[str, str], dict[str, Integers]]:
        """The rows of the originals in each group, by split and axis."""
        found: dict[tuple[str, str], dict[str, Integers]] = defaultdict(dict)
        for place, rows in self.places.items():
            if place.subgroup is not None:
                found[place.split, place.subgroup.partition("=")[0]][place.subgroup] = rows
        return dict(found)

    @cached_property
    def families(self) -> dict[str, Families]:
        """Originals and their copies, by split, asked in the scenario's own prompt format."""
        rows: dict[str, list[int]] = defaultdict(list)
        for row, trial in enumerate(self.trials):
            if not trial.format:
                rows[trial.split].append(row)
        return {split: Families(self.trials, rows[split]) for split in SPLITS if split in rows}

    @cached_property
    def originals(self) -> dict[str, Integers]:
        """The rows of unperturbed trials in every prompt format, by split."""
        rows: dict[str, list[int]] = defaultdict(list)
        for row, trial in enumerate(self.trials):
            if trial.perturbation is None:
                rows[trial.split].append(row)
        return {split: _rows(rows[split]) for split in SPLITS if split in rows}


def _numbered(names: Sequence[object]) -> Integers:
    import numpy as np

    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def _rows(rows: Sequence[int]) -> Integers:
    import numpy as np

    return np.array(rows, dtype=np.int64)
