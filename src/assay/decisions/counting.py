"""Which of a candidate's trials count to a measure, and what each counts: originals, copies, worst cases or changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.decisions.answers import ORIGINAL, Asked, Trials
from assay.decisions.profile import Measure
from assay.metrics import Metric
from assay.statistics.worst import Families, worst_cases

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats, Integers


class Counted(NamedTuple):
    """Values of single answers, one of each kind for each of them; none is missing."""

    values: Floats
    units: Integers
    """Values of one unit (an instance's or a copy's draws and repeats) are averaged first."""
    instances: Integers

    def of(self, chosen: NDArray[np.bool_]) -> Counted:
        """Some of the values."""
        return Counted(self.values[chosen], self.units[chosen], self.instances[chosen])


ANY = "*"
"""Names all perturbations together; no perturbation is called so."""


def counted(asked: Asked, trials: Trials, measure: Measure, metric: Metric, values: Floats) -> Counted:
    """The values that count to a measure of single answers, of all instances whether common or not.

    Args:
        asked: the scenario.
        trials: of one candidate.
        measure: whose `on`, `perturbation` and `subgroup` choose.
        metric: of the measure.
        values: one a trial, NaN where there is none.
    """
    import numpy as np

    if measure.on == "worst":
        families = _families(asked, trials, measure)
        found, rows = worst_cases(values, families, metric.better)
        units = trials.instance[rows]
    elif measure.on == "change":
        rows, originals = pairs(asked, trials, measure)
        found = values[rows] - values[originals]
        units = _copies(asked, trials)[rows]
    else:
        rows = rows_of(asked, trials, measure)
        found, units = values[rows], _copies(asked, trials)[rows]
    there = ~np.isnan(found) & asked.members(measure.subgroup)[trials.instance[rows]]
    return Counted(found[there], units[there], trials.instance[rows][there])


def rows_of(asked: Asked, trials: Trials, measure: Measure) -> Integers:
    """The rows of the originals, or of the copies that a measure on perturbed ones is about; of its subgroup."""
    import numpy as np

    if measure.on == "original":
        chosen: NDArray[np.bool_] = trials.perturbation == ORIGINAL
    else:
        chosen = np.isin(trials.perturbation, [asked.perturbations.index(name) for name in meant(asked, measure)])
    return np.flatnonzero(chosen & asked.members(measure.subgroup)[trials.instance])


def pairs(asked: Asked, trials: Trials, measure: Measure) -> tuple[Integers, Integers]:
    """The rows of copies and those of their originals, of the measure's perturbation and subgroup."""
    import numpy as np

    names = meant(asked, measure)
    found = _of(asked, trials, names).pairs(_together(names)).get(ANY)
    if found is None:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    mine = asked.members(measure.subgroup)[trials.instance[found[0]]]
    return found[0][mine], found[1][mine]


def meant(asked: Asked, measure: Measure) -> tuple[str, ...]:
    """The perturbations that a measure is about: one, all of a kind (`robustness`, `fairness`), or all."""
    if not measure.perturbation:
        return asked.perturbations
    if measure.perturbation in asked.perturbations:
        return (measure.perturbation,)
    return tuple(name for name in asked.perturbations if asked.kinds.get(name) == measure.perturbation)


def _families(asked: Asked, trials: Trials, measure: Measure) -> Integers:
    """Rows to compare, shape (families, members): the instances that one perturbation changed, else all of them."""
    import numpy as np

    names = meant(asked, measure)
    if not names:
        return np.empty((0, 1), dtype=np.int64)
    if measure.perturbation in asked.perturbations:
        return _of(asked, trials, names).groups({})[measure.perturbation]
    return _of(asked, trials, names).groups(_together(names))[ANY]


def _together(names: tuple[str, ...]) -> Mapping[str, Any]:
    """The perturbations as being all of one kind."""
    return dict.fromkeys(names, ANY)


def _of(asked: Asked, trials: Trials, names: tuple[str, ...]) -> Families:
    import numpy as np

    numbers: dict[str | None, int] = {None: ORIGINAL, **{name: asked.perturbations.index(name) for name in names}}
    return Families(trials.question, {name: np.flatnonzero(trials.perturbation == at) for name, at in numbers.items()})


def _copies(asked: Asked, trials: Trials) -> Integers:
    """Equal for trials that differ in draw and repeat only."""
    return trials.instance * (len(asked.perturbations) + 1) + trials.perturbation + 1
