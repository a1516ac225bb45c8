"""The stored scores of several runs as one matrix: candidates × instances.

An instance's value is the mean over its draws and repeats, in the scenario's own prompt format: repeats are no instances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from assay.comparison.evidence import Run
from assay.errors import AssayError
from assay.metrics import Metric
from assay.statistics.table import SPLITS
from assay.store.folders import SCORES, TRANSCRIPTS
from assay.store.opening import reading

if TYPE_CHECKING:
    import polars as pl

    from assay.metrics.columns import Floats, Integers

By = Literal["scenario", "subgroup", "perturbation"]


@dataclass(frozen=True)
class Matrix:
    """The values of candidates on the instances that all of them, or any of them, were asked."""

    scenario: str
    metric: Metric
    candidates: tuple[str, ...]
    instances: tuple[str, ...]
    values: Floats
    """Shape (candidates, instances), NaN where an answer has no value or there is none."""
    clusters: Integers
    """The independent unit of each instance, numbers from 0 without gaps."""
    part: str = ""
    """Empty: the whole scenario."""

    def cut(self, columns: Integers, part: str) -> Matrix:
        """The same candidates on some of the instances."""
        import numpy as np

        return replace(
            self,
            instances=tuple(self.instances[column] for column in columns),
            values=self.values[:, columns],
            clusters=np.unique(self.clusters[columns], return_inverse=True)[1],
            part=part,
        )


def matrices(runs: Mapping[str, Run], metric: Metric, by: By, shared: bool = True) -> list[Matrix]:
    """The values of a scenario's candidates: as a whole, or in parts. Nothing where they share no instance.

    A candidate without any value, such as the price of a model that has none, is left out.

    Args:
        runs: candidate to its run of the scenario.
        metric: one that gives each answer a value.
        by: `subgroup` gives a matrix for each group of each axis, `perturbation` one for each perturbation, over its copies.
        shared: only instances that all were asked; else all that any was asked, so that each two have those that they share.

    Raises:
        AssayError: a run's files cannot be read.
    """
    scores = _scores(runs, metric.name, perturbed=by == "perturbation")
    if scores.is_empty():
        return []
    first = next(iter(runs.values()))
    described = _described(runs, str(scores["split"][0]), shared)
    all_of = len(runs) if shared else 1
    if by == "perturbation":
        names = scores["perturbation"].unique().sort().to_list()
        parts = [(name, scores.filter(scores["perturbation"] == name)) for name in names]
    else:
        parts = [("", scores)]
    made = (_matrix(first.scenario, metric, tuple(runs), name, (part, described), all_of) for name, part in parts)
    found = [matrix for matrix in made if matrix is not None]
    return [part for matrix in found for part in _by_subgroup(matrix, described)] if by == "subgroup" else found


def _scores(runs: Mapping[str, Run], metric: str, perturbed: bool) -> pl.DataFrame:
    """Columns candidate (its number), perturbation, instance_id, split, value: a row an instance, of the last common split."""
    import polars as pl

    paths = [str(run.folder.path / SCORES) for run in runs.values()]
    copies = pl.col("perturbation").is_not_null() if perturbed else pl.col("perturbation").is_null()
    keys = ["path", "split", "perturbation", "instance_id"]
    with reading(paths):
        table = (
            pl.scan_parquet(paths, include_file_paths="path")
            .filter((pl.col("metric") == metric) & (pl.col("format") == 0) & copies)
            .group_by(keys)
            .agg(pl.col("value").mean())
            .sort(keys)
            .collect()
        )
    numbers = pl.DataFrame({"path": paths, "candidate": range(len(paths))}, schema_overrides={"candidate": pl.Int64})
    table = table.join(numbers, on="path").drop("path")
    common = [split for split in SPLITS if table.filter(pl.col("split") == split)["candidate"].n_unique() == len(paths)]
    return table.filter(pl.col("split") == (common[-1] if common else ""))


def _described(runs: Mapping[str, Run], split: str, shared: bool) -> pl.DataFrame:
    """Columns instance_id, group and subgroups of the instances that were asked, from the first run that has them all; from
    all runs where not all share them."""
    import polars as pl

    largest = max(runs.values(), key=lambda run: run.file.spec.max_instances or 2**62)
    paths = [str(run.folder.path / TRANSCRIPTS) for run in ([largest] if shared else runs.values())]
    with reading(paths):
        asked = pl.scan_parquet(paths).filter(pl.col("split") == split).select("instance_id", "group", "subgroups")
        return asked.unique("instance_id", keep="first", maintain_order=True).collect()


def _matrix(
    scenario: str,
    metric: Metric,
    candidates: tuple[str, ...],
    part: str,
    tables: tuple[pl.DataFrame, pl.DataFrame],
    asked_of: int,
) -> Matrix | None:
    """The matrix over the instances that at least so many candidates were asked; `None` where there are none."""
    import numpy as np
    import polars as pl

    scores, described = tables
    counts = scores.group_by("instance_id").agg(pl.len(), pl.col("value").is_not_null().any().alias("any"))
    asked = counts.filter((pl.col("len") >= asked_of) & pl.col("any")).select("instance_id")
    asked = asked.join(described, on="instance_id", how="left").sort("instance_id")
    if asked.is_empty():
        return None
    instances = asked["instance_id"].to_list()
    rows = scores.join(asked.select("instance_id").with_row_index("column"), on="instance_id")
    values = np.full((len(candidates), len(instances)), np.nan)
    values[rows["candidate"].to_numpy(), rows["column"].to_numpy()] = rows["value"].to_numpy()
    valued = np.flatnonzero(~np.isnan(values).all(axis=1))
    if len(valued) < 2:
        return None
    candidates, values = tuple(candidates[place] for place in valued), values[valued]
    clusters = units_of(asked, f"a scores.parquet of {scenario}")
    return Matrix(scenario, metric, candidates, tuple(instances), values, clusters, part)


def units_of(table: pl.DataFrame, where: str) -> Integers:
    """The independent unit of each row, numbers from 0 without gaps: its group, or its instance where it has none.

    Args:
        table: with columns group and instance_id; a group and an instance of the same name are two units.
        where: what the rows were read from, for the error.

    Raises:
        AssayError: a row has no instance.
    """
    import polars as pl

    complete(table, ("instance_id",), where)
    named = table.select(pl.concat_str(pl.col("group").is_null(), pl.coalesce("group", "instance_id"))).to_series()
    return named.rank("dense").cast(pl.Int64).to_numpy() - 1


def complete(table: pl.DataFrame, keys: Sequence[str], where: str) -> None:
    """Refuse rows that do not say which trial they are of; numbers made from nothing would be places outside of any array.

    Raises:
        AssayError: a key is null somewhere.
    """
    for key in keys:
        if table[key].has_nulls():
            raise AssayError(f"{where} is not what assay writes: {key} is missing in a row", "run `assay verify` on the run")


def _by_subgroup(matrix: Matrix, described: pl.DataFrame) -> list[Matrix]:
    """The matrix in parts, one for each value of each axis of subgroups, names sorted."""
    import numpy as np

    named = dict(zip(described["instance_id"].to_list(), described["subgroups"].to_list(), strict=True))
    members: dict[str, list[int]] = {}
    for column, instance in enumerate(matrix.instances):
        for axis, value in subgroups_of(named.get(instance)).items():
            members.setdefault(f"{axis}={value}", []).append(column)
    return [matrix.cut(np.array(columns), part) for part, columns in sorted(members.items())]


def subgroups_of(stored: Any) -> dict[str, str]:
    """The subgroups that a row of transcripts holds. Raises AssayError where they are not what assay writes."""
    try:
        return msgspec.json.decode(stored or "{}", type=dict[str, str])
    except (msgspec.DecodeError, ValueError) as error:
        raise AssayError(f"stored subgroups are not what assay writes: {error}", "run `assay verify` on the runs") from None
