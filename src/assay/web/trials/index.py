"""What every page of a run's trials needs of all of them at once: narrow columns, a row a trial, in the order of the file.

A million trials take about 40 MB and a third of a second to read; a few runs are kept. Texts are never among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.comparison.matrices import complete, subgroups_of
from assay.comparison.misses import RIGHT
from assay.errors import AssayError
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.records import Record
from assay.store.folders import SCORES, TRANSCRIPTS
from assay.store.opening import reading
from assay.store.transcripts import added_later, score_schema, transcript_schema
from assay.web.entries import Entry
from assay.web.kept import Kept

if TYPE_CHECKING:
    import polars as pl

    from assay.metrics.columns import Floats, Integers

ROWS_KEPT = 4_000_000
"""Trials of which the index is kept, of all runs together: some 160 MB."""
VALUES_KEPT = 8_000_000
"""Numbers that are kept beside it, eight bytes each."""
ASKED = ("instance_id", "split", "perturbation", "draw", "format", "repeat")
"""The columns that tell the trials of a run apart."""
WORDS = ("instance_id", "split", "perturbation")


class Key(Record):
    """Which trial of a run."""

    instance_id: str
    perturbation: str | None = None
    draw: int = 0
    format: int = 0
    repeat: int = 0
    split: str = "test"


@dataclass(frozen=True, eq=False)
class Index:
    """A run's trials without their texts."""

    table: pl.DataFrame
    """`ASKED`, outcome, subgroups (as stored)."""
    metrics: tuple[str, ...]
    """The metrics that every trial has a value or a gap for, in the order of the file."""
    in_step: bool
    """Row r of the transcripts has the rows r * len(metrics) and following of the scores."""
    path: Path
    written: int

    @property
    def rows(self) -> int:
        """How many trials there are."""
        return self.table.height

    def key(self, row: int) -> Key:
        """Which trial a row is."""
        held = self.table.row(row, named=True)
        return Key(**{name: held[name] for name in ASKED})

    def row_of(self, key: Key) -> int | None:
        """The row of a trial; `None` where the run has no such trial."""
        import polars as pl

        same = [pl.col(name).eq_missing(pl.lit(getattr(key, name))) for name in ASKED]
        found = self.table.select(pl.arg_where(pl.all_horizontal(same))).to_series()
        return int(found[0]) if len(found) else None

    def rows_of(self, key: Key) -> list[int]:
        """The rows of a trial's original and of all its copies, asked in the same way."""
        import polars as pl

        same = [pl.col(name) == getattr(key, name) for name in ASKED if name != "perturbation"]
        return self.table.select(pl.arg_where(pl.all_horizontal(same))).to_series().to_list()

    def values(self, metric: str) -> Floats:
        """A metric's value for each trial, NaN where it has none. Raises AssayError where they cannot be read."""
        return _values(self.path, self.written, metric)

    @cached_property
    def outcomes(self) -> list[tuple[str | None, str, int]]:
        """How many trials came out how: perturbation, outcome, trials."""
        import polars as pl

        words = pl.col("perturbation", "outcome").cast(pl.String)
        counted = self.table.group_by("perturbation", "outcome").len().with_columns(words)
        return counted.sort("perturbation", "outcome").rows()

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """`axis=value` to the stored subgroups that hold it, in the order of their names."""
        found: dict[str, list[str]] = {}
        for stored in self.table["subgroups"].unique().drop_nulls().cast(str).sort():
            for axis, value in subgroups_of(stored).items():
                found.setdefault(f"{axis}={value}", []).append(stored)
        return {name: tuple(found[name]) for name in sorted(found)}

    def names(self, column: str) -> list[str]:
        """The values that occur in a column of words, in the order of their names."""
        return self._names[column]

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        columns = ("split", "perturbation", "outcome")
        return {name: sorted(map(str, self.table[name].unique().drop_nulls().cast(str))) for name in columns}


def index_of(entry: Entry) -> Index:
    """The index of a run. Raises AssayError where its files cannot be read."""
    return _index(*entry.key)


_indexes: Kept[Index] = Kept(ROWS_KEPT, lambda index: index.rows)
_columns: Kept[Floats] = Kept(VALUES_KEPT, len)
_rows: Kept[Integers] = Kept(VALUES_KEPT, len)


def _index(path: Path, written: int) -> Index:
    return _indexes.get((path, written), lambda: _read(path, written))


def _read(path: Path, written: int) -> Index:
    import polars as pl

    transcripts, scores = str(path / TRANSCRIPTS), str(path / SCORES)
    with reading([transcripts, scores]):
        _check_columns(transcripts, transcript_schema())
        _check_columns(scores, score_schema())
        words = pl.col("split", "perturbation", "outcome", "subgroups").cast(pl.Categorical)
        table = pl.scan_parquet(transcripts).select("instance_id", words, pl.col("draw", "format", "repeat")).collect()
        complete(table, ("instance_id", "split", "outcome", "draw", "format", "repeat"), transcripts)
        scored = pl.scan_parquet(scores)
        count = int(scored.select(pl.len()).collect().item())
        per_trial = count // table.height if table.height else 0
        metrics = scored.slice(0, per_trial).select("metric").collect()["metric"].to_list()
        in_step = per_trial * table.height == count and len(set(metrics)) == per_trial
        if not in_step:
            metrics = scored.select(pl.col("metric").unique(maintain_order=True)).collect()["metric"].to_list()
        complete(pl.DataFrame({"metric": metrics}, {"metric": pl.String}), ("metric",), scores)
    return Index(table, tuple(metrics), in_step, path, written)


def _check_columns(path: str, wanted: Mapping[str, Any]) -> None:
    """Refuse a file whose columns are not those that pages rely on."""
    import polars as pl

    there, later = pl.scan_parquet(path).collect_schema(), added_later()
    for name, kind in wanted.items():
        if there.get(name, kind if name in later else None) != kind:
            raise AssayError(f"{path} is not what assay writes: its column {name}", "run `assay verify` on the run")


def _values(path: Path, written: int, metric: str) -> Floats:
    return _columns.get((path, written, metric), lambda: _read_values(path, written, metric))


def _read_values(path: Path, written: int, metric: str) -> Floats:
    import numpy as np
    import polars as pl

    index, scores = _index(path, written), str(path / SCORES)
    if metric not in index.metrics:
        return np.full(index.rows, np.nan)
    with reading([scores]):
        table, found = pl.scan_parquet(scores), None
        if index.in_step:
            place = pl.col("metric", "value").gather_every(len(index.metrics), index.metrics.index(metric))
            step = table.select(place).collect()
            found = step["value"] if (step["metric"] == metric).all() else None
        if found is None:
            asked = index.table.select(ASKED).with_columns(pl.col("split", "perturbation").cast(pl.String))
            own = table.filter(pl.col("metric") == metric).select(*ASKED, "value").unique(ASKED, keep="first").collect()
            found = asked.join(own, on=ASKED, how="left", nulls_equal=True, maintain_order="left")["value"]
    return found.fill_null(float("nan")).to_numpy()


def scores_of(index: Index, row: int) -> dict[str, float | None]:
    """Every metric's value of one trial."""
    import polars as pl

    path = str(index.path / SCORES)
    with reading([path]):
        scan = pl.scan_parquet(path)
        if index.in_step:
            table = scan.slice(row * len(index.metrics), len(index.metrics)).collect()
        else:
            key = index.key(row)
            same = [pl.col(name).eq_missing(pl.lit(getattr(key, name))) for name in ASKED]
            table = scan.filter(pl.all_horizontal(same)).collect()
    return dict(table.select("metric", "value").rows())


@dataclass(frozen=True, eq=False)
class Marked:
    """How right the trials of a run are, by its main metric."""

    metric: Metric
    values: Floats

    @property
    def right(self) -> Floats:
        """1 where a trial counts as right, 0 where not, NaN where it has no value."""
        import numpy as np

        low, high = self.metric.range
        assert low is not None
        assert high is not None
        best = low if self.metric.better == "lower" else high
        wrong = abs(self.values - best) / (high - low)
        return np.where(np.isnan(wrong), np.nan, wrong < RIGHT)

    @property
    def better(self) -> Floats:
        """The values, turned round where lower is better."""
        return -self.values if self.metric.better == "lower" else self.values


def marked(entry: Entry) -> Marked | None:
    """How right a run's trials are; `None` where its main metric judges no single answers, or has no best end."""
    try:
        metric = find(entry.main_metric)
    except AssayError:
        return None  # of a plugin that is not there
    low, high = metric.range
    if metric.of_answer is None or metric.better == "neither" or low is None or high is None:
        return None
    return Marked(metric, index_of(entry).values(metric.name))


def _hashes(index: Index, names: Sequence[str]) -> pl.Series:
    """A number of 64 bits for what tells trials apart: of ten million trials two are alike by chance once in 300,000 runs."""
    import polars as pl

    numbers = [pl.col(name) for name in names if name not in WORDS]
    words = [pl.col(name).cast(pl.String) for name in names if name in WORDS]
    return index.table.select(pl.struct(*words, *numbers).hash()).to_series()


def _places(index: Index, other: Index | None) -> Integers:
    """For each trial the row of the same trial in another run; without one, of its original. -1 where there is none."""
    import polars as pl

    names = [name for name in ASKED if name != "perturbation"] if other is None else ASKED
    theirs = pl.DataFrame({"key": _hashes(other or index, names)}).with_row_index("place")
    if other is None:
        theirs = theirs.filter(index.table["perturbation"].is_null())
    theirs = theirs.unique("key", keep="first")
    own = pl.DataFrame({"key": _hashes(index, names)})
    found = own.join(theirs, on="key", how="left", maintain_order="left")["place"]
    return found.cast(pl.Int32).fill_null(-1).to_numpy()


def originals(index: Index) -> Integers:
    """The row of each trial's original, -1 where there is none; an original's is its own."""
    return _rows.get((index.path, index.written), lambda: _places(index, None))


def same_trials(index: Index, other: Index) -> Integers:
    """The row of each trial in another run, -1 where that was not asked it."""
    return _rows.get((index.path, index.written, other.path, other.written), lambda: _places(index, other))


def values_at(values: Floats, places: Integers) -> Floats:
    """The values at some rows, NaN for row -1."""
    import numpy as np

    return np.where(places < 0, np.nan, values[places]) if len(values) else np.full(len(places), np.nan)
