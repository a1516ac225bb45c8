"""Reading what candidates were asked in a scenario from their runs.

Scores come from scores.parquet. Confidence stands in transcripts.parquet; what stands in neither (sums behind F1 or BLEU,
log-probabilities of a text) is read again from the stored responses, and only for metrics that need it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from assay import registry
from assay.comparison.evidence import Run
from assay.comparison.matrices import complete, subgroups_of
from assay.decisions.answers import ORIGINAL, Asked, Needs, Trials
from assay.errors import AssayError
from assay.metrics import count_answer
from assay.metrics.scoring import OF_TEXT, READ, readings
from assay.rescoring import read_again
from assay.statistics.table import SPLITS
from assay.statistics.totals import Counts
from assay.store.folders import SCORES, TRANSCRIPTS
from assay.store.opening import reading

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

KEYS = ("split", "perturbation", "instance_id", "draw", "repeat")
"""What tells the trials of a run apart, in the scenario's own prompt format."""
SCORED = frozenset({"latency_s", "first_token_s", "prompt_tokens", "completion_tokens", "cost"})
"""Columns that summaries read and that stand among the scores, under the same names."""


def load(runs: Mapping[str, Run], needs: Needs) -> Asked:
    """The trials of a scenario's candidates, of the last split that all of them have.

    Raises:
        AssayError: a file cannot be read, or the candidates share no instance.
    """
    import numpy as np

    scenario = next(iter(runs.values())).scenario
    table = _scores(runs, needs)
    splits = [split for split in SPLITS if table.filter(table["split"] == split)["candidate"].n_unique() == len(runs)]
    split = splits[-1] if splits else ""
    table = _with_confidence(table.filter(table["split"] == split), runs, needs)
    complete(table, ("instance_id", "draw", "repeat"), f"a scores.parquet of {scenario}")
    described = _described(runs, table, split)
    perturbations = _perturbations(table)
    table = _numbered(table, described, perturbations)
    candidate, instance = table["candidate"].to_numpy(), table["instance"].to_numpy()
    asked = np.zeros((len(runs), len(described)), dtype=np.bool_)
    original = table["perturbation"].to_numpy() == ORIGINAL
    asked[candidate[original], instance[original]] = True
    common: NDArray[np.bool_] = np.logical_and.reduce(asked, axis=0)
    if not common.any():
        raise AssayError(f"the candidates share no instance of {scenario}", "run them on the same instances")
    units = np.full(len(described), -1)
    units[common] = np.unique(described["unit"].to_numpy()[common], return_inverse=True)[1]
    return Asked(
        scenario=scenario,
        split=split,
        trials=_trials(runs, table, needs, perturbations),
        instances=len(described),
        common=common,
        clusters=units,
        subgroups=_subgroups(described["subgroups"]) if needs.subgroups else (),
        perturbations=perturbations,
        kinds={name: registry.perturbations.get(name).kind for name in perturbations if name in registry.perturbations},
    )


def _scores(runs: Mapping[str, Run], needs: Needs) -> pl.DataFrame:
    """A row a trial: candidate (its number), the columns of KEYS, and one for each score and column that any run has."""
    import polars as pl

    paths = [str(run.folder.path / SCORES) for run in runs.values()]
    names = {*needs.scores, *(needs.columns & SCORED), "failed", "answered"}
    if "score" in needs.columns or not needs.scores:
        names |= {run.main_metric for run in runs.values()} | {OF_TEXT}
    asked = (pl.col("format") == 0) & pl.col("metric").is_in(sorted(names))
    if not needs.copies:
        asked &= pl.col("perturbation").is_null()
    with reading(paths):
        long = (
            pl.scan_parquet(paths, include_file_paths="path").filter(asked).select("path", *KEYS, "metric", "value").collect()
        )
    table = _of_candidates(long, paths)
    wide = pl.DataFrame(schema=table.select("candidate", *KEYS).schema)
    for metric in table["metric"].unique(maintain_order=True):
        part = table.filter(pl.col("metric") == metric)
        column = part.select(pl.exclude("metric", "value"), pl.col("value").alias(f"{VALUE}{metric}"))
        wide = _beside(wide, column) if len(wide) else column
    return wide


def _beside(table: pl.DataFrame, column: pl.DataFrame, how: Literal["full", "left"] = "full") -> pl.DataFrame:
    """One more column; a run's files and metrics list its trials in the same order, as a rule."""
    keys = ["candidate", *KEYS]
    if table.select(keys).equals(column.select(keys)):
        return table.hstack(column.select(column.columns[len(keys) :]))
    return table.join(column, on=keys, how=how, coalesce=True, nulls_equal=True)


def _with_confidence(table: pl.DataFrame, runs: Mapping[str, Run], needs: Needs) -> pl.DataFrame:
    """The trials with the confidence that transcripts hold, where it is needed."""
    import polars as pl

    if "confidence" not in needs.columns:
        return table
    paths = [str(run.folder.path / TRANSCRIPTS) for run in runs.values()]
    with reading(paths):
        asked = pl.scan_parquet(paths, include_file_paths="path").filter(pl.col("format") == 0)
        column = asked.select("path", *KEYS, pl.col("confidence").alias(f"{VALUE}confidence")).collect()
    return _beside(table, _of_candidates(column, paths), how="left")


def _of_candidates(table: pl.DataFrame, paths: Sequence[str]) -> pl.DataFrame:
    """The table with the number of the candidate in place of the path."""
    import numpy as np
    import polars as pl

    number = {path: place for place, path in enumerate(paths)}
    files = table["path"].rle().struct.unnest()
    candidates = np.repeat(np.array([number[path] for path in files["value"]], dtype=np.int64), files["len"])
    return table.select(pl.Series("candidate", candidates), pl.exclude("path"))


VALUE = "value of "
"""Before the names of scores as columns, so that none is taken for a key."""


def _described(runs: Mapping[str, Run], table: pl.DataFrame, split: str) -> pl.DataFrame:
    """Columns instance_id (sorted), instance (its number), unit (that of its cluster) and subgroups, of all that were asked."""
    import polars as pl

    largest = max(runs.values(), key=lambda run: run.file.spec.max_instances or 2**62)
    path = str(largest.folder.path / TRANSCRIPTS)
    with reading([path]):
        asked = pl.scan_parquet(path).filter(pl.col("split") == split).select("instance_id", "group", "subgroups")
        rows = asked.unique("instance_id", keep="first", maintain_order=True).collect()
    ids = table.select("instance_id").unique().sort("instance_id")
    named = ids.join(rows, on="instance_id", how="left", maintain_order="left")
    unit = pl.concat_str(pl.col("group").is_null(), pl.coalesce("group", "instance_id")).rank("dense").cast(pl.Int64)
    return named.with_columns(unit.alias("unit")).with_row_index("instance").with_columns(pl.col("instance").cast(pl.Int64))


def _subgroups(stored: pl.Series) -> tuple[Mapping[str, str], ...]:
    """The subgroups of each instance; there are few different ones."""
    groups = {kind: subgroups_of(kind) for kind in stored.unique()}
    return tuple(groups[kind] for kind in stored)


def _perturbations(table: pl.DataFrame) -> tuple[str, ...]:
    """The perturbations whose copies all candidates were asked that were asked any, sorted."""
    copies = table.filter(table["perturbation"].is_not_null())
    asked = [set(part["perturbation"].unique()) for part in copies.partition_by("candidate")]
    return tuple(sorted(set.intersection(*asked))) if asked else ()


def _numbered(table: pl.DataFrame, described: pl.DataFrame, perturbations: Sequence[str]) -> pl.DataFrame:
    """The trials with instances and perturbations as numbers, in order; copies that not all were asked are left out."""
    import polars as pl

    numbers: dict[str | None, int] = {None: ORIGINAL, **{name: place for place, name in enumerate(perturbations)}}
    kept = table.filter(pl.col("perturbation").is_null() | pl.col("perturbation").is_in(list(perturbations)))
    named = kept.join(described.select("instance_id", "instance"), on="instance_id", how="left").with_columns(
        pl.col("perturbation").replace_strict(list(numbers), list(numbers.values()), return_dtype=pl.Int64)
    )
    return named.sort("candidate", "instance", "perturbation", "draw", "repeat")


def _trials(runs: Mapping[str, Run], table: pl.DataFrame, needs: Needs, perturbations: Sequence[str]) -> dict[str, Trials]:
    """The trials of each candidate."""
    import numpy as np
    import polars as pl

    names = ("candidate", "instance", "perturbation", "draw", "repeat")
    numbers = {name: table[name].cast(pl.Int64).to_numpy() for name in names}
    question = np.zeros(len(table), dtype=np.int64)
    for name in ("instance", "draw", "repeat"):
        question = question * (int(numbers[name].max(initial=0)) + 1) + numbers[name]
    values = {
        name.removeprefix(VALUE): table[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        for name in table.columns
        if name.startswith(VALUE)
    }
    ends = np.searchsorted(numbers["candidate"], np.arange(len(runs) + 1))
    found = {}
    for (candidate, run), start, end in zip(runs.items(), ends[:-1], ends[1:], strict=True):
        own = slice(int(start), int(end))
        made = Trials(
            run=run,
            instance=numbers["instance"][own],
            perturbation=numbers["perturbation"][own],
            question=np.unique(question[own], return_inverse=True)[1],
            values={name: column[own] for name, column in values.items()},
        )
        again = bool(needs.sums) or bool(needs.columns - SCORED - {"score", "confidence"})
        found[candidate] = _read_again(made, table[own], needs, perturbations) if again else made
    return found


def _read_again(trials: Trials, table: pl.DataFrame, needs: Needs, perturbations: Sequence[str]) -> Trials:
    """The trials with all that their stored responses say: every column, and the counts of additive metrics."""
    import numpy as np

    number: dict[str | None, int] = {None: ORIGINAL, **{name: place for place, name in enumerate(perturbations)}}
    keys = zip(*(table[name].to_list() for name in ("instance_id", "perturbation", "draw", "repeat")), strict=True)
    places = {key: place for place, key in enumerate(keys)}
    read = np.full((len(table), len(READ)), np.nan)
    counts: dict[str, list[Mapping[str, float] | None]] = {metric.name: [None] * len(table) for metric in needs.sums}
    run = trials.run
    for transcript in read_again(run.folder, run.file):
        trial, instance = transcript.trial, transcript.trial.instance
        place = places.get((instance.id, number.get(instance.perturbation), trial.draw, trial.repeat))
        if place is None or trial.format != 0 or instance.split != table["split"][0]:
            continue
        read[place] = readings(transcript.answer)
        for metric in needs.sums:
            counts[metric.name][place] = count_answer(transcript.answer, metric)
    values = {**trials.values, **dict(zip(READ, read.T, strict=True))}
    return replace(trials, values=values, counts={name: Counts(rows) for name, rows in counts.items()})
