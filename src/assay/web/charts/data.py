"""What charts are drawn from: taken from the store, computed by the same functions as the numbers in tables.

What has to be read from a run's trials is computed once for each state of its files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from assay.comparison.matrices import units_of
from assay.comparison.results import Board
from assay.metrics.columns import Columns
from assay.metrics.library.calibration import BINS, ascending, equal_mass_cuts
from assay.metrics.library.selective import ranked
from assay.records import Cell, Estimate
from assay.statistics.estimates import clustered_mean
from assay.statistics.groups import FEWEST_CLUSTERS
from assay.statistics.variants import DRAWS, FORMATS
from assay.store.folders import TRANSCRIPTS
from assay.store.opening import reading
from assay.web.charts.calibration import Bin, Curve, Step
from assay.web.charts.intervals import Band, Dot, Moment
from assay.web.charts.shares import Bar, Share
from assay.web.entries import Entry
from assay.web.kept import Kept
from assay.web.measures import meaning
from assay.web.trials.index import index_of

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

RUNS_KEPT = 512
"""Runs whose bins, curves and bars are kept, a few kilobytes each."""
STEPS = 120
"""Thresholds of a risk-coverage curve that are drawn."""
QUANTILES = 80
"""Points of a distribution of latencies."""
BARS = 20
"""Bars of a histogram."""
MOST_GROUPS = 200
"""Subgroups that a chart and its table show."""
COVERAGES = (10, 50, 80, 90)
"""Percentages at which `selective_acc@…` is measured, with an interval."""
GROUPS_AS_A_WHOLE = ("robustness", "fairness")
"""Stand among the perturbations for several of them together."""


@dataclass(frozen=True)
class _Of:
    """What is kept of a run is kept for the state of its files, whoever asks."""

    path: Path
    written: int
    metric: str
    entry: Entry = field(compare=False)


def _of(entry: Entry, metric: str = "") -> _Of:
    return _Of(*entry.key, metric or entry.main_metric, entry)


def bins(entry: Entry) -> tuple[Bin, ...]:
    """The answers to a run's originals in the ten bins that its calibration error is computed over, by rising confidence.

    Nothing where no confidence is known, or where the main metric does not say how right an answer is.

    Raises:
        AssayError: the run's files cannot be read; so do the others that take a run.
    """
    return _calibration(_of(entry))[0]


def curve(entry: Entry) -> Curve:
    """The thresholds that a run's confidence offers, by rising coverage; empty where `bins` are."""
    steps = _calibration(_of(entry))[1]
    sure: dict[float, Estimate] = {}
    for percent in COVERAGES if steps else ():
        cell = entry.cell(f"selective_acc@{percent}")
        if cell is not None:
            sure[percent / 100] = _complement(cell.estimate)
    return Curve(steps, sure)


@lru_cache(maxsize=RUNS_KEPT)
def _calibration(of: _Of) -> tuple[tuple[Bin, ...], tuple[Step, ...]]:
    import numpy as np

    found = meaning(of.metric).metric
    if found is None or found.range != (0, 1) or found.better != "higher":
        return (), ()
    confidence, clusters, own = _own_trials(of.entry, "confidence")
    score = index_of(of.entry).values(of.metric)[own]
    known = np.isfinite(confidence) & np.isfinite(score)
    if not known.any():
        return (), ()
    columns, clusters = _columns(score[known], confidence[known]), clusters[known]
    return tuple(_bins(columns, clusters)), tuple(_steps(columns))


def _own_trials(entry: Entry, column: str) -> tuple[Floats, Integers, Integers]:
    """Of a run's originals in the scenario's own format and the split that is shown: a column, clusters and row numbers."""
    import numpy as np
    import polars as pl

    path = str(entry.folder.path / TRANSCRIPTS)
    with reading([path]):
        scan = pl.scan_parquet(path).with_row_index("row")
        mine = pl.col("perturbation").is_null() & (pl.col("format") == 0) & (pl.col("split") == entry.splits[-1])
        table = scan.filter(mine).select("row", "group", "instance_id", pl.col(column).cast(pl.Float64)).collect()
    values = table[column].fill_null(float("nan")).to_numpy()
    return values, units_of(table, path), table["row"].to_numpy().astype(np.int64)


def _columns(score: Floats, confidence: Floats) -> Columns:
    import numpy as np

    unknown = np.full(len(score), np.nan)
    others = {name: unknown for name in Columns.__dataclass_fields__ if name not in ("score", "confidence")}
    return Columns(score=score, confidence=confidence, **others)


def _bins(columns: Columns, clusters: Integers) -> list[Bin]:
    import numpy as np

    rising, order = ascending(columns)
    cuts = equal_mass_cuts(rising.confidence, BINS)
    found = []
    for start, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        units = np.unique(clusters[order[start:end]], return_inverse=True)[1]
        right = clustered_mean(rising.score[start:end], units, (0, 1))
        assert right is not None  # cuts that ties have emptied are left out
        confidence = rising.confidence[start:end]
        found.append(Bin(float(confidence.mean()), right, float(confidence[0]), float(confidence[-1])))
    return found


def _steps(columns: Columns) -> list[Step]:
    import numpy as np

    admitted, errors = (row[0, 1:] for row in ranked(columns, np.ones((1, len(columns)))))
    wanted = np.unique(np.linspace(0, len(admitted) - 1, min(STEPS, len(admitted))).round().astype(np.int64))
    return [Step(float(admitted[at] / len(columns)), float(errors[at] / admitted[at])) for at in wanted]


def _complement(estimate: Estimate) -> Estimate:
    import msgspec

    low, high = (None if bound is None else 1 - bound for bound in (estimate.high, estimate.low))
    return msgspec.structs.replace(estimate, value=1 - estimate.value, low=low, high=high)


def latencies(entry: Entry) -> tuple[Share, ...]:
    """Which share of a run's originals was answered within which time, seconds; empty where no time was measured."""
    return _latencies(_of(entry))


@lru_cache(maxsize=RUNS_KEPT)
def _latencies(of: _Of) -> tuple[Share, ...]:
    import numpy as np

    measured = _own_trials(of.entry, "latency_s")[0]
    measured = measured[np.isfinite(measured) & (measured > 0)]
    if not len(measured):
        return ()
    measured.sort()
    counts = np.unique(np.linspace(1, len(measured), min(QUANTILES, len(measured))).round().astype(np.int64))
    return tuple(Share(float(measured[count - 1]), int(count) / len(measured)) for count in counts)


def histogram(entry: Entry, metric: str = "") -> tuple[Bar, ...]:
    """How many of a run's instances have which value of a metric, draws and repeats averaged; without one, of the main one."""
    return _histogram(_of(entry, metric))


@lru_cache(maxsize=RUNS_KEPT)
def _histogram(of: _Of) -> tuple[Bar, ...]:
    import numpy as np

    _, units, own = _own_trials(of.entry, "latency_s")
    values = index_of(of.entry).values(of.metric)[own]
    there = np.isfinite(values)
    if not there.any():
        return ()
    counts = np.bincount(units[there])
    means = np.bincount(units[there], weights=values[there])[counts > 0] / counts[counts > 0]
    found = meaning(of.metric).metric
    low, high = (None, None) if found is None else found.range
    bounds = (low if low is not None else float(means.min()), high if high is not None else float(means.max()))
    numbers, edges = np.histogram(means, bins=BARS, range=bounds)
    return tuple(Bar(float(a), float(b), int(n)) for a, b, n in zip(edges[:-1], edges[1:], numbers, strict=True))


def drops(entries: Sequence[Entry]) -> list[Dot]:
    """What each perturbation changes in the main metric, paired by instance: perturbation by candidate."""
    names = dict.fromkeys(
        str(cell.perturbation)
        for entry in entries
        for cell in entry.cells
        if cell.computed_on == "change" and cell.metric == entry.main_metric and cell.perturbation not in (None, FORMATS, DRAWS)
    )
    found = ((name, entry, entry.cell("", name, "change")) for name in sorted(names, key=_together) for entry in entries)
    called = {name: f"{name}, together" if _together(name) else name for name in names}
    return [Dot(called[name], cell.estimate, entry.label) for name, entry, cell in found if cell is not None]


def _together(perturbation: str) -> bool:
    return perturbation in GROUPS_AS_A_WHOLE


def gaps(entries: Sequence[Entry]) -> list[Dot]:
    """The main metric in each subgroup: `axis=value` by candidate, where it was asked ten items at least.

    Of very many subgroups those in which any candidate is worst.
    """
    return _kept_gaps(entries)[0]


_gaps: Kept[tuple[list[Dot], int]] = Kept(RUNS_KEPT, lambda found: 1)


def _kept_gaps(entries: Sequence[Entry]) -> tuple[list[Dot], int]:
    key = (MOST_GROUPS, *((*entry.key, entry.label) for entry in entries))
    return _gaps.get(key, lambda: _worst_groups(entries))


def _worst_groups(entries: Sequence[Entry]) -> tuple[list[Dot], int]:
    """What `gaps` shows, and of how many subgroups."""
    held = {entry.label: _subgroups(entry) for entry in entries}
    names = sorted({name for of_run in held.values() for name in of_run})
    count = len(names)
    if len(names) > MOST_GROUPS:
        sign = -1 if meaning(entries[0].main_metric).direction.startswith("lower") else 1

        def worst(name: str) -> float:
            return min(sign * of_run[name].estimate.value for of_run in held.values() if name in of_run)

        names = sorted(sorted(names, key=worst)[:MOST_GROUPS])
    return [Dot(name, held[label][name].estimate, label) for name in names for label in held if name in held[label]], count


def subgroups(entries: Sequence[Entry]) -> int:
    """How many subgroups the main metric was measured in."""
    return _kept_gaps(entries)[1]


def _subgroups(entry: Entry) -> dict[str, Cell]:
    return {
        str(cell.subgroup): cell
        for cell in entry.all_cells()
        if cell.metric == entry.main_metric
        and cell.subgroup is not None
        and "=" in cell.subgroup
        and cell.perturbation is None
        and cell.computed_on == "original"
        and cell.estimate.clusters >= FEWEST_CLUSTERS
    }


def between_groups(entry: Entry) -> dict[str, Estimate]:
    """How far the groups of each axis lie apart in the main metric: axis to estimate."""
    return {str(cell.subgroup): cell.estimate for cell in entry.between}


def bands(entries: Sequence[Entry]) -> list[Band]:
    """Each candidate's lowest and highest mean over the prompt formats, and its own; nothing where one format was asked."""
    found = []
    for entry in entries:
        worst, gap, own = entry.cell("", FORMATS, "worst_group"), entry.cell("", FORMATS, "gap"), entry.cell()
        if worst is None or gap is None or own is None:
            continue
        other = (
            worst.estimate.value + (-1 if meaning(entry.main_metric).direction.startswith("lower") else 1) * gap.estimate.value
        )
        low, high = sorted((worst.estimate.value, other))
        found.append(Band(entry.label, low, high, own.estimate))
    return found


def pairs(board: Board) -> list[Dot]:
    """What separates each two candidates, on the instances that both answered; the largest differences first."""
    held = sorted(board.pairs, key=lambda pair: -abs(pair.difference.value))
    return [Dot(f"{pair.first} − {pair.second}", pair.difference) for pair in held]


def moments(entries: Sequence[Entry], metric: str = "", loose: Sequence[Entry] = ()) -> list[Moment]:
    """A number of several runs by the time at which they were asked: series are scenarios; in the order of time.

    Args:
        entries: runs that were asked alike.
        metric: its name; empty: the main one.
        loose: runs of these scenarios that were asked otherwise.
    """
    found = []
    for entry in (*entries, *loose):
        cell = entry.cell(metric)
        if cell is not None:
            found.append(Moment(entry.asked_at, cell.estimate, entry.file.title, entry in loose))
    return sorted(found, key=lambda moment: moment.at)
