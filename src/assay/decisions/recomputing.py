"""Every number of a run computed again from its stored responses, and compared with what stands in its files.

The manifest finds what was changed by somebody who cannot make another one. This finds what was changed by somebody who can: a
number that does not follow from the responses that it is said to be computed from.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from assay import registry
from assay.errors import AssayError
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.prompting import decode
from assay.records import SCHEMA, Cell, Estimate, NamedSpec, RunSpec, ScoredTrial
from assay.rescoring import read_again
from assay.runs import environment, score, stats_of
from assay.statistics import Gathered
from assay.store import RunFolder
from assay.store.columns import ColumnDigests, seals_of
from assay.store.folders import MANIFEST, SCORES, STATS, TRANSCRIPTS, SpecFile, StatsFile
from assay.store.transcripts import EVIDENCE, Transcript, long_scores, table_of, to_row, transcript_schema
from assay.store.writer import Counting
from assay.text import one_line

if TYPE_CHECKING:
    import polars as pl

TOGETHER = 2000
"""Trials that are compared together."""
TOLERANCE = 1e-9
"""How far numbers may differ, relative to their size where that is above 1, if other versions computed them."""
NO_NUMBERS = frozenset({"huggingface_hub", "tokenizers"})
"""What is on record of a run's environment, and computes none of its numbers from responses."""
EACH = ("instance_id", "split", "perturbation", "draw", "format", "repeat", "metric")
"""What names a row of the scores."""


@dataclass
class Recomputed:
    """What came of it."""

    problems: list[str] = field(default_factory=list)
    """Numbers that do not follow from the responses, a line each."""
    notes: list[str] = field(default_factory=list)
    """What could not be recomputed, and why; with which versions."""
    partial: bool = False
    """Something could not be recomputed."""

    def leave_out(self, what: str, why: object) -> None:
        """Note what could not be recomputed."""
        self.notes.append(f"not recomputed: {what}: {why}")
        self.partial = True


def recompute(folder: RunFolder) -> Recomputed:
    """Read the stored responses again, score them, estimate, and compare with transcripts, scores, estimates and counts.

    Where the same versions compute as did then, numbers must be equal; otherwise within `TOLERANCE`. Metrics that are not
    installed, or of another version, are left out and noted.
    """
    import polars as pl

    found = Recomputed()
    try:
        file = folder.spec_file()
        try:
            decode(file.spec.prompting)
            if file.spec.schema < SCHEMA:
                raise AssayError("an earlier version read its answers", "`assay rescore` reads them anew")
        except AssayError as error:
            found.leave_out(f"{folder.path}", error)
            return found
        _compare(folder, file, _metrics(file.spec, found), found)
    except AssayError as error:
        found.problems.append(str(error))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        found.problems.append(f"{folder.path}: its tables cannot be read: {one_line(str(error), 300)}")
    return found


def _metrics(spec: RunSpec, found: Recomputed) -> list[Metric]:
    """The metrics of a run that are here as they were then."""
    there = {named.name: _as_then(named, found) for named in spec.metrics}
    main = spec.metrics[0].name if spec.metrics else ""
    if there.get(main) is None:
        for name, metric in there.items():
            if metric is not None and metric.of_answers is not None:
                found.leave_out(name, f"it may measure against {main}")
                there[name] = None
    return [metric for metric in there.values() if metric is not None]


def _as_then(named: NamedSpec, found: Recomputed) -> Metric | None:
    try:
        metric = find(named.name)
    except AssayError as error:
        found.leave_out(named.name, error)
        return None
    if metric.version != named.version:
        found.leave_out(named.name, f"the run has its version {named.version}, here is version {metric.version}")
        return None
    if not metric.computable:
        found.leave_out(named.name, f"{metric.package} is not installed")
        return None
    return metric


def _compare(folder: RunFolder, file: SpecFile, metrics: Sequence[Metric], found: Recomputed) -> None:
    differ = versions_that_differ(file.environment)
    if differ:
        found.notes.append(f"computed with {differ}: numbers are compared to within {TOLERANCE:g}")
    exact = not differ
    gathered, counting = Gathered(metrics), Counting()
    trials = _scored(folder, file, gathered, counting)
    left_out = {named.name for named in file.spec.metrics} - {metric.name for metric in metrics}
    problem = next(_tables(folder, trials, left_out, exact), None)
    if problem is not None:
        found.problems.append(problem)
        return  # what follows from it differs too, and would only repeat it
    found.problems += _counts(folder, counting)
    missing = [named.name for named in file.spec.perturbations if named.name not in registry.perturbations]
    if missing:
        found.leave_out("estimates", f"the perturbation {missing[0]} is not installed")
    elif not found.problems:
        again = stats_of(file, gathered, counting.tally, file.spec.metrics[0].name if file.spec.metrics else "")
        found.problems += _estimates(folder, again, left_out, exact)


def versions_that_differ(then: Mapping[str, str]) -> str:
    """`numpy 2.1 (here 2.4)`: what computed then and is another here; empty where all is the same."""
    here = environment()
    keys = sorted((here.keys() | then.keys()) - NO_NUMBERS)
    differ = [key for key in keys if here.get(key) != then.get(key)]
    return one_line(", ".join(f"{key} {then.get(key, 'unknown')} (here {here.get(key, 'none')})" for key in differ), 400)


def _scored(
    folder: RunFolder, file: SpecFile, gathered: Gathered, counting: Counting
) -> Iterator[tuple[Transcript, ScoredTrial]]:
    """The trials in order; each is gathered and counted as it comes."""
    for transcript in read_again(folder, file):
        scored = score(transcript.trial, transcript.answer, gathered.metrics)
        gathered.add(scored)
        counting.add(transcript)
        yield transcript, scored


def _tables(
    folder: RunFolder, trials: Iterator[tuple[Transcript, ScoredTrial]], left_out: Collection[str], exact: bool
) -> Iterator[str]:
    """What differs in transcripts and scores, a batch of trials after the other."""
    import polars as pl

    transcripts, scores = folder.path / TRANSCRIPTS, folder.path / SCORES
    each = _scores_of_a_trial(folder)
    digests = ColumnDigests()
    start = 0
    while batch := list(islice(trials, TOGETHER)):
        again = table_of([to_row(transcript) for transcript, _ in batch], transcript_schema())
        stored = pl.scan_parquet(transcripts).slice(start, len(batch)).collect()
        digests.add(stored)
        for column in stored.columns:
            if column not in EVIDENCE and column in again.columns:
                yield from _named(f"{transcripts}: {column}", stored, stored[column], again[column], exact)
        held = pl.scan_parquet(scores).slice(start * each, len(batch) * each).collect()
        held = held.filter(~pl.col("metric").is_in(list(left_out)))
        scored = long_scores(again, [scored.scores for _, scored in batch])
        if not held.select(EACH).equals(scored.select(EACH)):
            yield f"{scores}: its rows are not those of the trials and metrics"
        yield from _named(f"{scores}: value", held, held["value"], scored["value"], exact)
        start += len(batch)
    seals = folder.manifest().columns
    if seals is not msgspec.UNSET and seals != seals_of(digests.digests):
        yield f"{folder.path / MANIFEST}: columns: the seals are not those of the columns of {TRANSCRIPTS}"


def _scores_of_a_trial(folder: RunFolder) -> int:
    """How many rows of scores each trial has."""
    import polars as pl

    scores, trials = (pl.scan_parquet(folder.path / name).select(pl.len()).collect().item() for name in (SCORES, TRANSCRIPTS))
    return -(-int(scores) // max(1, int(trials)))


def _named(what: str, rows: pl.DataFrame, stored: pl.Series, again: pl.Series, exact: bool) -> Iterator[str]:
    """The first place where two columns differ."""
    if stored.equals(again, null_equal=True):
        return
    pairs = zip(stored.to_list(), again.to_list(), strict=False)
    for row, (old, new) in zip(rows.iter_rows(named=True), pairs, strict=False):
        if not alike(old, new, exact):
            metric = f", {row['metric']}" if "metric" in row else ""
            yield f"{what} of {one_line(str(row['instance_id']), 80)}{metric} is {_short(old)}, recomputed {_short(new)}"
            return
    if len(stored) != len(again):
        yield f"{what}: {len(stored)} rows, recomputed {len(again)}"


def alike(old: Any, new: Any, exact: bool) -> bool:
    """Whether two values are equal, or, if they need not be exact, their numbers within `TOLERANCE`; any nesting."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(alike(old[key], new[key], exact) for key in old)
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        return len(old) == len(new) and all(alike(a, b, exact) for a, b in zip(old, new, strict=True))
    if type(old) is float and type(new) is float:
        if math.isnan(old) or math.isnan(new) or exact:
            return old == new or (math.isnan(old) and math.isnan(new))
        return math.isclose(old, new, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(old == new)


def _short(value: Any) -> str:
    return one_line(str(value), 80)


def _counts(folder: RunFolder, counting: Counting) -> Iterator[str]:
    """What the manifest counts otherwise than the transcripts."""
    manifest = folder.manifest()
    for name, counted in msgspec.structs.asdict(counting.tally).items():
        held = getattr(manifest, name)
        if held != counted:
            yield f"{folder.path / MANIFEST}: {name} is {held}, recomputed {counted}"


def _estimates(folder: RunFolder, again: StatsFile, left_out: Collection[str], exact: bool) -> Iterator[str]:
    """What stats.json has otherwise than the trials give it."""
    path, stored = folder.path / STATS, folder.stats()
    for name in stored.__struct_fields__:
        if name != "cells" and getattr(stored, name) != getattr(again, name):
            yield f"{path}: {name} is {_short(getattr(stored, name))}, recomputed {_short(getattr(again, name))}"
    compared = [cell for cell in stored.cells if cell.metric not in left_out]
    cells = {_place(cell): cell.estimate for cell in compared}
    expected = {_place(cell): cell.estimate for cell in again.cells}
    for place in dict.fromkeys((*cells, *expected)):
        yield from (f"{path}: {problem}" for problem in _estimate(place, cells.get(place), expected.get(place), exact))
    if len(cells) != len(compared):
        yield f"{path}: has a cell twice"


def _estimate(place: tuple[str | None, ...], old: Estimate | None, new: Estimate | None, exact: bool) -> Iterator[str]:
    where = one_line(", ".join(part for part in place if part), 300)
    if old is None or new is None:
        yield f"{where}: {'missing' if old is None else 'has an estimate that the responses do not give'}"
        return
    for name in old.__struct_fields__:
        if not alike(getattr(old, name), getattr(new, name), exact):
            yield f"{where}: {name} is {_short(getattr(old, name))}, recomputed {_short(getattr(new, name))}"


def _place(cell: Cell) -> tuple[str | None, ...]:
    return (cell.metric, cell.computed_on, cell.split, cell.subgroup, cell.perturbation)
