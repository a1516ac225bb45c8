"""The worst case of an instance over its original and its perturbed copies.

Worst depends on the metric: the smallest value where higher is better, the largest where lower is better. Original and
copies are compared within one few-shot draw and one repeat, so that chance between repeats is not taken for a weakness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.metrics import Metric
from assay.records import PerturbationKind

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from assay.metrics.columns import Floats, Integers

QUALITY = frozenset({"accuracy", "toxicity", "bias"})
"""Families in which a worst case says something about the model's answers."""


def has_worst_case(metric: Metric) -> bool:
    """Whether the metric judges single answers and has a better end."""
    return metric.of_answer is not None and metric.better != "neither" and metric.family in QUALITY


class Families:
    """Which trials are an original and which are its copies, as row numbers of a table of trials.

    Args:
        asked: what was asked in each row of the table, as a number from 0: an original and its copies of the same few-shot
            draw and repeat have the same.
        rows: the rows of the originals, by `None`, and of the copies, by name of their perturbation.
    """

    def __init__(self, asked: Integers, rows: Mapping[str | None, Integers]) -> None:
        import numpy as np

        def held(rows: Integers) -> Integers:
            found = np.full(int(asked.max(initial=-1)) + 1, NONE)
            found[asked[rows]] = rows
            return found

        self.original = held(rows.get(None, np.empty(0, dtype=np.int64)))
        self.copies = {name: held(rows[name]) for name in sorted(name for name in rows if name is not None)}
        """By perturbation: the row of the copy of each question, `NONE` where there is none."""

    def groups(self, kinds: Mapping[str, PerturbationKind]) -> dict[str, Integers]:
        """Rows to compare, by name of a perturbation or of a kind of perturbations, names sorted.

        A perturbation compares the instances it changed. A kind compares all instances: one that no perturbation of the kind
        changed stands for itself. Each has the shape (families, members), `NONE` where a family lacks a member.
        """
        import numpy as np

        found = {name: np.stack((self.original, rows), axis=1)[rows != NONE] for name, rows in self.copies.items()}
        for kind in sorted(set(kinds.values())):
            members = [rows for name, rows in self.copies.items() if kinds.get(name) == kind]
            if members:
                found[kind] = self._of_kind(members)
        return dict(sorted(found.items()))

    def _of_kind(self, members: Sequence[Integers]) -> Integers:
        import numpy as np

        table = np.stack((self.original, *members), axis=1)
        asked = table[(table != NONE).any(axis=1)]
        first_member: Integers = (asked != NONE).argmax(axis=1)
        families: Integers = asked[np.argsort(first_member, kind="stable")]  # those without an original come last
        return families

    def touched(self, name: str) -> Integers:
        """The rows of the originals that the perturbation changed."""
        rows: Integers = self.original[(self.copies[name] != NONE) & (self.original != NONE)]
        return rows

    def pairs(self, kinds: Mapping[str, PerturbationKind]) -> dict[str, tuple[Integers, Integers]]:
        """The rows of copies and of their originals, by name of a perturbation or of a kind, names sorted.

        The copies of a kind are those of all its perturbations together; a copy whose original was not asked is left out.
        """
        import numpy as np

        found: dict[str, list[Integers]] = {}
        for name, rows in self.copies.items():
            both = np.stack((rows, self.original))[:, (rows != NONE) & (self.original != NONE)]
            for place in (name, kinds.get(name)):
                if place is not None and both.shape[1]:
                    found.setdefault(place, []).append(both)
        joined = {name: np.concatenate(parts, axis=1) for name, parts in sorted(found.items())}
        return {name: (both[0], both[1]) for name, both in joined.items()}


NONE = -1
"""Stands for a row that there is not."""


def worst_cases(values: Floats, families: ArrayLike, better: str) -> tuple[Floats, Integers]:
    """The worst value of each family, and the row that the family begins with.

    A family of which a member has no value is left out: the worst of what is left would flatter the model.

    Args:
        values: one a row.
        families: shape (families, members), rows; `NONE` where a family has fewer members than others.
        better: `lower` makes the largest value the worst.
    """
    import numpy as np

    rows = np.asarray(families, dtype=np.int64)
    if not rows.size:
        return np.empty(0), np.empty(0, dtype=np.int64)
    member = rows != NONE
    taken = np.where(member, values[rows], -np.inf if better == "lower" else np.inf)
    worst = (np.max if better == "lower" else np.min)(taken, axis=1)  # NaN passes through both
    first = rows[np.arange(len(rows)), member.argmax(axis=1)]
    there = ~np.isnan(worst)
    return worst[there], first[there]
