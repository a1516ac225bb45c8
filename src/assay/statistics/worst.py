"""The worst case of an instance over its original and its perturbed copies.

Worst depends on the metric: the smallest value where higher is better, the largest where lower is better. Original and
copies are compared within one few-shot draw and one repeat, so that chance between repeats is not taken for a weakness.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.metrics import Metric
from assay.records import PerturbationKind, ScoredTrial

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

QUALITY = frozenset({"accuracy", "toxicity", "bias"})
"""Families in which a worst case says something about the model's answers."""


def has_worst_case(metric: Metric) -> bool:
    """Whether the metric judges single answers and has a better end."""
    return metric.of_answer is not None and metric.better != "neither" and metric.family in QUALITY


Asked = tuple[str, int, int]
"""What an original and its copies have in common: instance, few-shot draw, repeat."""


class Families:
    """Which trials are an original and which are its copies, as row numbers of a table of trials."""

    def __init__(self, trials: Sequence[ScoredTrial], rows: Iterable[int]) -> None:
        self.original: dict[Asked, int] = {}
        self.copies: dict[str, dict[Asked, int]] = {}
        for row in rows:
            trial = trials[row]
            held = self.original if trial.perturbation is None else self.copies.setdefault(trial.perturbation, {})
            held[trial.instance_id, trial.draw, trial.repeat] = row

    def groups(self, kinds: Mapping[str, PerturbationKind]) -> dict[str, list[list[int]]]:
        """Rows to compare, by name of a perturbation or of a kind of perturbations, names sorted.

        A perturbation compares the instances it changed. A kind compares all instances: one that no perturbation of the kind
        changed stands for itself.
        """
        found = {name: [[*self._own(key), row] for key, row in rows.items()] for name, rows in self.copies.items()}
        for kind in sorted(set(kinds.values())):
            members = [name for name in sorted(self.copies) if kinds.get(name) == kind]
            if not members:
                continue
            keys = dict.fromkeys([*self.original, *(key for name in members for key in self.copies[name])])
            found[kind] = [
                [*self._own(key), *(self.copies[name][key] for name in members if key in self.copies[name])] for key in keys
            ]
        return dict(sorted(found.items()))

    def touched(self, name: str) -> Integers:
        """The rows of the originals that the perturbation changed."""
        import numpy as np

        return np.array([self.original[key] for key in self.copies[name] if key in self.original], dtype=np.int64)

    def pairs(self, kinds: Mapping[str, PerturbationKind]) -> dict[str, tuple[Integers, Integers]]:
        """The rows of copies and of their originals, by name of a perturbation or of a kind, names sorted.

        The copies of a kind are those of all its perturbations together; a copy whose original was not asked is left out.
        """
        import numpy as np

        found: dict[str, list[tuple[int, int]]] = {}
        for name in sorted(self.copies):
            pairs = [(row, self.original[key]) for key, row in self.copies[name].items() if key in self.original]
            for place in (name, kinds.get(name)):
                if place is not None and pairs:
                    found.setdefault(place, []).extend(pairs)
        rows = {name: np.array(pairs, dtype=np.int64) for name, pairs in sorted(found.items())}
        return {name: (both[:, 0], both[:, 1]) for name, both in rows.items()}

    def _own(self, key: Asked) -> list[int]:
        return [self.original[key]] if key in self.original else []


def worst_cases(values: Floats, families: list[list[int]], better: str) -> tuple[Floats, Integers]:
    """The worst value of each family, and the row that the family begins with.

    A family of which a member has no value is left out: the worst of what is left would flatter the model.
    """
    import numpy as np

    if not families:
        return np.empty(0), np.empty(0, dtype=np.int64)
    starts = np.cumsum([0] + [len(rows) for rows in families[:-1]])
    flat = values[np.concatenate([np.asarray(rows, dtype=np.int64) for rows in families])]
    worst = (np.maximum if better == "lower" else np.minimum).reduceat(flat, starts)  # NaN passes through both
    first = np.array([rows[0] for rows in families], dtype=np.int64)
    there = ~np.isnan(worst)
    return worst[there], first[there]
