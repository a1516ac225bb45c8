"""The scored trials of a run as arrays, and the places that its estimates stand in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, get_args

from assay.identity import canonical
from assay.metrics import Columns, Metric
from assay.metrics.scoring import made_columns
from assay.records import ComputedOn, Split
from assay.statistics.gathered import Gathered
from assay.statistics.worst import Families

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers
    from assay.statistics.totals import Counts

T = TypeVar("T")
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

    def __init__(self, gathered: Gathered, main_metric: Metric | None) -> None:
        gathered.sort()
        self.gathered = gathered
        self.main_metric = main_metric
        self._keys = gathered.keys()
        self._scores = gathered.scores()

    @cached_property
    def clusters(self) -> Integers:
        """The number of each trial's cluster."""
        return _numbered(self._keys.cluster)

    @cached_property
    def instances(self) -> Integers:
        """The number of each trial's instance."""
        return _numbered(self._keys.instance)

    @cached_property
    def copies(self) -> Integers:
        """The number of each trial's instance or copy of it: trials that share one differ in draw, format and repeat only."""
        return _numbered(self._keys.instance, self._keys.perturbation)

    @property
    def formats(self) -> Integers:
        """The prompt format of each trial."""
        return self._keys.format

    @property
    def draws(self) -> Integers:
        """The few-shot draw of each trial."""
        return self._keys.draw

    @cached_property
    def columns(self) -> Columns:
        """What summaries read."""
        return made_columns(self.gathered.readings(), self._scores, self.main_metric)

    def values(self, metric: str) -> Floats:
        """The scores of a metric, NaN where there is none."""
        return self._scores[metric]

    def counts(self, metric: Metric) -> Counts:
        """The counts of an additive metric."""
        return self.gathered.counts[metric.name]

    @cached_property
    def places(self) -> dict[Place, Integers]:
        """The rows of each cell that covers originals or copies, asked in the scenario's own prompt format."""
        import numpy as np

        found: dict[Place, Integers] = {}
        groups: dict[Place, list[Integers]] = defaultdict(list)
        for (split, perturbation), rows in self._asked_alike.items():
            if perturbation is not None:
                found[Place(split, perturbation=perturbation, computed_on="perturbed")] = rows
                continue
            found[Place(split)] = rows
            for subgroups, members in _parts(rows, self._keys.subgroups, self.gathered.subgroups):
                for axis, value in subgroups:
                    groups[Place(split, subgroup=f"{axis}={value}")].append(members)
        found |= {place: np.sort(np.concatenate(parts)) for place, parts in groups.items()}
        return {place: found[place] for place in sorted(found, key=lambda place: place.order)}

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
        keys = self._keys
        asked = _numbered(keys.instance, keys.draw, keys.repeat)
        alike = self._asked_alike
        splits = [split for split in SPLITS if any(split == there for there, _ in alike)]
        return {split: Families(asked, {by: rows for (there, by), rows in alike.items() if there == split}) for split in splits}

    @cached_property
    def originals(self) -> dict[str, Integers]:
        """The rows of unperturbed trials in every prompt format, by split."""
        import numpy as np

        rows = np.flatnonzero(self._keys.perturbation == self.gathered.perturbations.get(None, -1))
        found = dict(_parts(rows, self._keys.split, self.gathered.splits))
        return {split: found[split] for split in SPLITS if split in found}

    @cached_property
    def _asked_alike(self) -> dict[tuple[str, str | None], Integers]:
        """The rows of each split and perturbation, asked in the scenario's own prompt format."""
        import numpy as np

        own = np.flatnonzero(self._keys.format == 0)
        return {
            (split, perturbation): rows
            for split, there in _parts(own, self._keys.split, self.gathered.splits)
            for perturbation, rows in _parts(there, self._keys.perturbation, self.gathered.perturbations)
        }


def _parts(rows: Integers, numbers: Integers, things: Collection[T]) -> Iterator[tuple[T, Integers]]:
    """Some rows parted by the thing whose number each has; every part in the order of the rows."""
    import numpy as np

    by_number = rows[np.argsort(numbers[rows], kind="stable")]
    ends = np.searchsorted(numbers[by_number], np.arange(len(things) + 1))
    for thing, start, end in zip(things, ends[:-1], ends[1:], strict=True):
        if start < end:
            yield thing, by_number[start:end]


def _numbered(*keys: Integers) -> Integers:
    """Rows with the same keys have the same number; numbers count from 0 in the order in which they first occur."""
    import numpy as np

    combined = np.zeros(len(keys[0]), dtype=np.int64)
    for key in keys:
        distinct, codes = np.unique(key, return_inverse=True)
        combined = combined * len(distinct) + codes
    _, first, codes = np.unique(combined, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), dtype=np.int64)
    numbers[np.argsort(first)] = np.arange(len(first))
    return numbers[codes]
