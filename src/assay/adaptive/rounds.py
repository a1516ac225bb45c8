"""Parts of planned runs, asked before it is known how much of them will be: the next instances of each in the order of
selection.

A part is carried out as a run of its own in a temporary folder, so it is stopped, resumed, shared and paced as any run. What it
was answered stays in the response cache: a run that is written at the end asks nothing again, and neither does the same command
after an interruption.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from assay.engine import Engine
from assay.identity import ranking
from assay.metrics import Metric
from assay.planning import Run
from assay.runs import Progress, carry_out
from assay.selection import Instances, Selection, select
from assay.store import RunFolder, run_name
from assay.store.folders import SCORES

if TYPE_CHECKING:
    from assay.metrics.columns import Floats
    from assay.store.transcripts import Transcript


@dataclass
class Growing:
    """A run of which more and more is asked."""

    run: Run
    """As it was planned, with all the instances it may ask."""
    order: list[int]
    """Their places in the order of selection: a limit picks the first ones."""
    names: list[str]
    """Their ids in that order."""
    values: dict[str, Floats]
    """By metric, of the instances asked so far in that order: the mean over draws and repeats, NaN where there is none."""

    @classmethod
    def begin(cls, run: Run, metrics: Iterable[Metric]) -> Growing:
        """Nothing of it is asked yet."""
        import numpy as np

        rank = ranking(run.spec.seed, "eval")
        ids = [instance.id for instance in run.selection.asked]
        order = sorted(range(len(ids)), key=lambda place: (rank(ids[place]), place))
        return cls(run, order, [ids[place] for place in order], {metric.name: np.empty(0) for metric in metrics})

    @property
    def asked(self) -> int:
        """Instances asked so far."""
        return len(next(iter(self.values.values())))

    def part(self, count: int, place: Path) -> Run:
        """The next instances as a run, in the order of the data."""
        run, chosen = self.run, sorted(self.order[self.asked : self.asked + count])
        instances = Instances(run.selection.asked[number] for number in chosen)
        selection = Selection(instances, run.selection.pool, run.selection.data)
        return dataclasses.replace(run, selection=selection, folder=place / run.name, completions={})

    def take(self, folder: RunFolder, count: int) -> None:
        """Add what came of a part."""
        import numpy as np

        for metric, values in self.values.items():
            found = values_of(folder, metric)
            names = self.names[len(values) : len(values) + count]
            self.values[metric] = np.concatenate((values, [found.get(name, np.nan) for name in names]))


def values_of(folder: RunFolder, metric: str) -> dict[str, float]:
    """The value of each instance as it is, in the scenario's own format; instances without one are left out."""
    import polars as pl

    table = (
        pl.scan_parquet(folder.path / SCORES)
        .filter((pl.col("metric") == metric) & (pl.col("format") == 0) & pl.col("perturbation").is_null())
        .group_by("instance_id")
        .agg(pl.col("value").mean())
        .drop_nulls()
        .collect()
    )
    return dict(table.select("instance_id", "value").iter_rows())


class Rounds:
    """Asks parts of runs, round by round, and writes what was asked as ordinary runs at the end.

    Args:
        runs: all runs as they were planned.
        engine: asks.
        progress: is told, as if the runs were carried out in one go.
    """

    def __init__(self, runs: Sequence[Run], engine: Engine, progress: Progress) -> None:
        self._engine, self._progress = engine, _InOneGo(progress, runs)

    def ask(self, parts: Sequence[tuple[Growing, int]]) -> None:
        """Ask so many more instances of each of some runs, all of them together.

        Raises:
            AssayError: as `carry_out`.
        """
        parts = [(growing, count) for growing, count in parts if count]
        if not parts:
            return
        with tempfile.TemporaryDirectory(prefix="assay-") as place:
            folders = carry_out([growing.part(count, Path(place)) for growing, count in parts], self._engine, self._progress)
            for (growing, count), folder in zip(parts, folders, strict=True):
                growing.take(folder, count)

    def write(self, runs: Sequence[Run], planned: Sequence[Run]) -> list[RunFolder]:
        """Put in place what was asked.

        Args:
            runs: with limits so that they hold it; see `narrowed`.
            planned: the runs that these were, in the same order.
        """
        self._progress.writes(dict(zip((run.name for run in runs), planned, strict=True)))
        return carry_out(runs, self._engine, self._progress)


def narrowed(run: Run, limit: int) -> Run:
    """A run as it would have been planned with a lower limit: the same one that `--max-instances` gives."""
    spec = run.spec
    selection = select(run.scenario, run.scenario_name, spec.split, limit, spec.seed, helm=spec.helm_compat)
    spec = msgspec.structs.replace(spec, data=selection.data, max_instances=limit)
    name = run_name(spec)
    folder = run.folder.parent / name
    return dataclasses.replace(run, spec=spec, name=name, selection=selection, folder=folder, completions={})


def population(run: Run) -> int:
    """How many instances a run could ask without its limit."""
    if run.spec.max_instances is None:
        return len(run.selection.asked)
    available, seen = run.scenario.source.splits(), set[str]()
    return sum(1 for part in run.spec.split if part in available for _ in run.scenario.instances(part, seen))


class _InOneGo:
    """Tells of rounds as if the runs were carried out in one go; what is written at the end was told of before."""

    def __init__(self, progress: Progress, runs: Sequence[Run]) -> None:
        self._inner, self._to_begin = progress, list(runs)
        self._started: set[str] = set()
        self._written: Mapping[str, Run] | None = None

    def writes(self, planned: Mapping[str, Run]) -> None:
        """From now on runs are put in place; by their names, those they were planned as."""
        self._written = planned

    def begins(self, runs: Sequence[Run]) -> None:
        self._inner.begins(self._to_begin)
        self._to_begin = []

    def started(self, run: Run) -> None:
        if self._written is None and run.name not in self._started:
            self._started.add(run.name)
            self._inner.started(run)

    def waiting(self, run: Run) -> None:
        self._inner.waiting(run)

    def rebuilding(self, run: Run, problem: str) -> None:
        self._inner.rebuilding(run, problem)

    def advanced(self, run: Run, transcript: Transcript) -> None:
        if self._written is None:
            self._inner.advanced(run, transcript)

    def finished(self, run: Run) -> None:
        if self._written is not None:
            self._inner.finished(self._written[run.name])
