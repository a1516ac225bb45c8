"""The answers of several evaluations of one scenario as arrays: what measures say of each instance, and what was answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.comparison.matrices import units_of
from assay.drift.gathering import Evaluation
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.store.folders import SCORES, TRANSCRIPTS
from assay.store.opening import reading

if TYPE_CHECKING:
    import polars as pl

    from assay.metrics.columns import Floats, Integers

BEHAVIOURS = ("refused", "empty", "truncated", "unparsed")
"""Outcomes that are watched beside the metrics."""
LENGTH = "characters"
"""Of the first completion. Characters mean the same whatever tokenizer a new version of a model has."""


@dataclass(frozen=True)
class Answers:
    """What was answered: evaluations × instances, NaN where an instance has no answer or one that an earlier evaluation has."""

    instances: tuple[str, ...]
    clusters: Integers
    """The independent unit of each instance, numbers from 0 without gaps."""
    values: Mapping[str, Floats]
    """Measure to its values."""
    metrics: Mapping[str, Metric]
    """What each measure is."""
    said: Floats
    """A number for each different answer of an instance, of its first draw and repeat."""
    anew: tuple[float, ...]
    """The share of each evaluation's answers that were not taken over from an earlier one."""
    versions: tuple[dict[str, int], ...]
    """Reported version to answers, most frequent first, for each evaluation."""

    def of(self, places: Sequence[int]) -> Answers:
        """The same of some of the evaluations."""
        rows = list(places)
        return replace(
            self,
            values={name: values[rows] for name, values in self.values.items()},
            said=self.said[rows],
            anew=tuple(self.anew[place] for place in rows),
            versions=tuple(self.versions[place] for place in rows),
        )


def read_answers(evaluations: Sequence[Evaluation], metrics: Sequence[Metric]) -> Answers:
    """The answers to original instances in the scenario's own format, those of the last split that was asked.

    Raises:
        AssayError: a run's files cannot be read.
    """
    import polars as pl

    trials = pl.concat([_trials(one, place) for place, one in enumerate(evaluations)])
    known = pl.col("times") != ""
    kept = trials.with_columns(
        new=~known | pl.struct("instance_id", "draw", "repeat", "times").is_first_distinct(),
    )
    anew = kept.group_by("evaluation").agg(pl.col("new").mean()).sort("evaluation")
    shares = dict(anew.iter_rows())
    there = kept.filter(pl.col("new") & (pl.col("outcome") != "failed"))
    # An instance counts in an evaluation where all of it was asked anew and answered.
    count = kept.group_by("evaluation", "instance_id").agg(pl.len().alias("asked"))
    whole = there.group_by("evaluation", "instance_id").agg(pl.len(), pl.col(*BEHAVIOURS, LENGTH).mean())
    whole = whole.join(count, on=("evaluation", "instance_id")).filter(pl.col("len") == pl.col("asked"))
    units = kept.select("instance_id", "group").unique("instance_id", keep="first", maintain_order=True).sort("instance_id")
    units = units.with_row_index("column")
    whole = whole.join(units.select("instance_id", "column"), on="instance_id")
    held = _Grid(len(evaluations), len(units))
    values = {name: held.filled(whole, name) for name in (*BEHAVIOURS, LENGTH)}
    scores = pl.concat([_scores(one, place, metrics) for place, one in enumerate(evaluations)])
    scores = scores.join(whole.select("evaluation", "instance_id", "column"), on=("evaluation", "instance_id"))
    by_metric = {metric.name: held.filled(scores.filter(pl.col("metric") == metric.name), "value") for metric in metrics}
    first = there.filter((pl.col("draw") == 0) & (pl.col("repeat") == 0))
    words = pl.concat_str("completion", "prediction", separator="\0")
    said = first.with_columns(words.rank("dense").cast(pl.Float64).alias("said"))
    said = said.join(whole.select("evaluation", "instance_id", "column"), on=("evaluation", "instance_id"))
    return Answers(
        instances=tuple(units["instance_id"].to_list()),
        clusters=units_of(units, "a transcripts.parquet"),
        values={**by_metric, **values},
        metrics={metric.name: metric for metric in metrics} | _behaviours(),
        said=held.filled(said, "said"),
        anew=tuple(float(shares.get(place, 0.0)) for place in range(len(evaluations))),
        versions=tuple(_versions(kept.filter(pl.col("evaluation") == place)) for place in range(len(evaluations))),
    )


def _behaviours() -> dict[str, Metric]:
    length = replace(find("completion_tokens"), name=LENGTH, unit="characters")
    return {**{name: find(name) for name in BEHAVIOURS}, LENGTH: length}


@dataclass(frozen=True)
class _Grid:
    evaluations: int
    instances: int

    def filled(self, rows: pl.DataFrame, name: str) -> Floats:
        """A column of rows at their evaluation and column, NaN elsewhere."""
        import numpy as np

        found = np.full((self.evaluations, self.instances), np.nan)
        found[rows["evaluation"].to_numpy(), rows["column"].to_numpy()] = rows[name].to_numpy()
        return found


def _trials(evaluation: Evaluation, place: int) -> pl.DataFrame:
    """A row a trial: what was answered, when, and by which version."""
    import polars as pl

    path = str(evaluation.folder.path / TRANSCRIPTS)
    asked = (pl.col("split") == evaluation.file.spec.split[-1]) & pl.col("perturbation").is_null() & (pl.col("format") == 0)
    outcomes = [(pl.col("outcome") == name).cast(pl.Float64).alias(name) for name in BEHAVIOURS]

    def told(name: str) -> pl.Expr:
        return pl.col("responses").list.eval(pl.element().str.json_path_match(f"$.{name}"))

    with reading([path]):
        return (
            pl.scan_parquet(path)
            .filter(asked)
            .select(
                pl.lit(place, pl.Int64).alias("evaluation"),
                *("instance_id", "draw", "repeat", "group", "outcome"),
                pl.col("completion", "prediction").fill_null(""),
                *outcomes,
                pl.col("completion").str.len_chars().cast(pl.Float64).alias(LENGTH),
                told("asked_at").list.join(",", ignore_nulls=True).fill_null("").alias("times"),
                told("model_version").alias("versions"),
            )
            .collect()
        )


def _scores(evaluation: Evaluation, place: int, metrics: Sequence[Metric]) -> pl.DataFrame:
    """Columns evaluation, metric, instance_id and value, the mean over draws and repeats."""
    import polars as pl

    path = str(evaluation.folder.path / SCORES)
    names = [metric.name for metric in metrics]
    asked = (pl.col("split") == evaluation.file.spec.split[-1]) & pl.col("perturbation").is_null() & (pl.col("format") == 0)
    with reading([path]):
        return (
            pl.scan_parquet(path)
            .filter(asked & pl.col("metric").is_in(names) & pl.col("value").is_not_null())
            .group_by("metric", "instance_id")
            .agg(pl.col("value").mean())
            .with_columns(pl.lit(place, pl.Int64).alias("evaluation"))
            .collect()
        )


def _versions(trials: pl.DataFrame) -> dict[str, int]:
    counts = Counter(version for version in trials["versions"].explode().to_list() if version)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
