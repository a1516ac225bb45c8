"""The trials of one candidate, with a failed one for everything that only others were asked."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from assay.comparison.contract import differences
from assay.comparison.evidence import Run
from assay.comparison.matrices import subgroups_of
from assay.decisions.answers import ORIGINAL, Asked, Trials
from assay.records import Estimate
from assay.store.folders import TRANSCRIPTS
from assay.store.opening import reading

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from assay.metrics.columns import Integers

ITEMS = frozenset({"scenario", "data", "seed", "split", "helm_compat"})
"""Parts of a spec that say which instances are asked."""


class Completed(Trials):
    """Trials that are not those of the run's own tables any more."""

    @cached_property
    def cells(self) -> Mapping[tuple[str, str, str | None, str | None, str], Estimate]:
        return {}


def same_items(run: Run, other: Run) -> bool:
    """Whether two runs of a scenario ask the same items, up to a limit of how many."""
    from assay.metrics.derived import find

    specs = {"run": run.file.spec, "other": other.file.spec}
    found = differences(run.scenario, specs, find(run.file.spec.metrics[0].name))
    return not any(difference.key.partition(".")[0] in ITEMS for difference in found)


def widened(asked: Asked, run: Run, others: Iterable[Run]) -> Asked:
    """One candidate's trials with a failed one for every instance and every copy that only others were asked.

    Raises:
        AssayError: a run's transcripts cannot be read.
    """
    import polars as pl

    own = _items(run, asked.split)
    known: dict[str | None, int] = {None: ORIGINAL, **{name: place for place, name in enumerate(asked.perturbations)}}
    all_others = pl.concat([_items(other, asked.split) for other in others])
    keys = ["instance_id", "perturbation"]
    lacking = all_others.join(own, on=keys, how="anti", nulls_equal=True).unique(keys, keep="first", maintain_order=True)
    lacking = lacking.filter(pl.col("perturbation").is_null() | pl.col("perturbation").is_in(list(asked.perturbations)))
    if lacking.is_empty():
        return asked
    numbers = {name: number for number, name in enumerate(own["instance_id"].unique().sort().to_list())}
    new = lacking.filter(~pl.col("instance_id").is_in(list(numbers))).unique("instance_id", maintain_order=True).sort(keys[:1])
    first_new = len(numbers)
    numbers |= {name: first_new + place for place, name in enumerate(new["instance_id"].to_list())}
    instances = [numbers[name] for name in lacking["instance_id"].to_list()]
    copies = [known[name] for name in lacking["perturbation"].to_list()]
    return _joined(asked, _clusters(asked, own, new, numbers), new, (instances, copies))


def _items(run: Run, split: str) -> pl.DataFrame:
    """What a run asked: a row an instance and copy, with group and subgroups."""
    import polars as pl

    path = str(run.folder.path / TRANSCRIPTS)
    with reading([path]):
        asked = pl.scan_parquet(path).filter((pl.col("split") == split) & (pl.col("format") == 0))
        columns = asked.select("instance_id", "perturbation", "group", "subgroups")
        return columns.unique(["instance_id", "perturbation"], keep="first", maintain_order=True).collect()


def _clusters(asked: Asked, own: pl.DataFrame, new: pl.DataFrame, numbers: Mapping[str, int]) -> list[int]:
    """The cluster of each new instance: that of its group, or one of its own."""
    groups = {
        group: int(asked.clusters[numbers[instance]])
        for instance, group in own.select("instance_id", "group").rows()
        if group is not None
    }
    fresh = itertools.count(asked.units)
    found = []
    for group in new["group"].to_list():
        if group is None:
            found.append(next(fresh))
            continue
        if groups.get(group, -1) < 0:
            groups[group] = next(fresh)
        found.append(groups[group])
    return found


def _joined(asked: Asked, clusters: list[int], new: pl.DataFrame, added: tuple[list[int], list[int]]) -> Asked:
    """With new instances and failed trials: the instance and the perturbation of each of them."""
    import numpy as np

    ((candidate, trials),) = asked.trials.items()
    instances, copies = (np.array(column, dtype=np.int64) for column in added)
    instance = np.concatenate([trials.instance, instances])
    perturbation = np.concatenate([trials.perturbation, copies])
    question = np.concatenate([trials.question, _questions(trials, instances)])
    order = np.lexsort((question, perturbation, instance))
    values = {
        name: np.concatenate([column, np.full(len(instances), 1.0 if name == "failed" else np.nan)])[order]
        for name, column in trials.values.items()
    }
    for counts in trials.counts.values():
        for _ in range(len(instances)):
            counts.add(None)
        counts.sort(order)
    completed = Completed(trials.run, instance[order], perturbation[order], question[order], values, trials.counts)
    more = tuple(map(subgroups_of, new["subgroups"].to_list())) if asked.subgroups else ()
    common: NDArray[np.bool_] = np.concatenate([asked.common, np.ones(len(clusters), dtype=np.bool_)])
    return replace(
        asked,
        trials={candidate: completed},
        instances=asked.instances + len(clusters),
        common=common,
        clusters=np.concatenate([asked.clusters, np.array(clusters, dtype=np.int64)]),
        subgroups=(*asked.subgroups, *more),
    )


def _questions(trials: Trials, instances: Integers) -> Integers:
    """The question of each new trial: the first of its instance's, or one of its own."""
    import numpy as np

    first: dict[int, int] = {}
    for instance, question in zip(trials.instance.tolist(), trials.question.tolist(), strict=True):
        first.setdefault(instance, question)
    fresh = itertools.count(int(trials.question.max(initial=-1)) + 1)
    found = [
        first[instance] if instance in first else first.setdefault(instance, next(fresh)) for instance in instances.tolist()
    ]
    return np.array(found, dtype=np.int64)
