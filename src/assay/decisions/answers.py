"""What the candidates were asked in one scenario and what came of it, as arrays: a trial is a few numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from assay.comparison.evidence import Run
from assay.metrics import Columns, Metric
from assay.metrics.derived import find
from assay.metrics.scoring import READ, made_columns
from assay.records import Estimate
from assay.statistics.totals import Counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.metrics.columns import Floats, Integers


def columns_read(metric: Metric) -> tuple[str, ...]:
    """The columns that a summary reads: what it needs, and the score for those that also look at answers without one."""
    return metric.needs or ("score",)


@dataclass(frozen=True)
class Needs:
    """What is to be read of a scenario."""

    scores: frozenset[str]
    """Metrics that give each answer a value."""
    columns: frozenset[str] = frozenset()
    """Of `Columns`, that summaries read."""
    sums: tuple[Metric, ...] = ()
    """Additive metrics."""
    copies: bool = False
    """Perturbed copies too."""
    subgroups: bool = False
    """Which subgroups instances belong to."""


@dataclass(frozen=True, eq=False)
class Trials:
    """One candidate's trials, in the order of instances, perturbations, draws and repeats."""

    run: Run
    instance: Integers
    """The number of the instance of each trial."""
    perturbation: Integers
    """The number of its perturbation, `ORIGINAL` where it has none."""
    question: Integers
    """Equal for an original and its copies that were asked under the same draw and repeat."""
    values: Mapping[str, Floats]
    """Scores and columns by name, NaN where there is none."""
    counts: Mapping[str, Counts] = field(default_factory=dict)

    def value(self, name: str) -> Floats:
        """A score or column; NaN throughout where the run does not have it."""
        import numpy as np

        return self.values[name] if name in self.values else np.full(len(self.instance), np.nan)

    @cached_property
    def cells(self) -> Mapping[tuple[str, str, str | None, str | None, str], Estimate]:
        """The run's own estimates, by metric, split, subgroup, perturbation and what they are computed on."""
        return {
            (cell.metric, cell.split, cell.subgroup, cell.perturbation, cell.computed_on): cell.estimate
            for cell in self.run.folder.stats().cells
        }

    @cached_property
    def columns(self) -> Columns:
        """What summaries read."""
        main = find(self.run.main_metric) if self.run.main_metric else None
        return made_columns([self.value(name) for name in READ], self.values, main)


ORIGINAL = -1
"""The number of no perturbation."""


@dataclass(frozen=True, eq=False)
class Asked:
    """All candidates' trials of one scenario, instances numbered alike."""

    scenario: str
    split: str
    trials: Mapping[str, Trials]
    """By candidate."""
    instances: int
    """That anybody was asked."""
    common: NDArray[np.bool_]
    """Which of them everybody was asked, shape (instances,)."""
    clusters: Integers
    """The independent unit of each instance: those of common ones are numbered from 0 without gaps, -1 for the others."""
    subgroups: tuple[Mapping[str, str], ...]
    """Of each instance; empty where they are not needed."""
    perturbations: tuple[str, ...]
    """Those that all candidates with copies were asked, by number."""
    kinds: Mapping[str, str]

    @property
    def units(self) -> int:
        """How many clusters are common."""
        return int(self.clusters.max(initial=-1)) + 1

    def members(self, subgroup: str) -> NDArray[np.bool_]:
        """Which instances belong to a subgroup `axis=value`; all where it is empty."""
        import numpy as np

        if subgroup not in self._members:
            axis, _, value = subgroup.partition("=")
            mine = [groups.get(axis) == value for groups in self.subgroups] if subgroup else np.ones(self.instances)
            self._members[subgroup] = np.array(mine, dtype=np.bool_)
        return self._members[subgroup]

    @cached_property
    def _members(self) -> dict[str, NDArray[np.bool_]]:
        """What was asked of `members` before: it is asked for every measure of every candidate."""
        return {}
