"""From a candidate's evaluations to what changed: every scenario's series, and how old everything is."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import msgspec

from assay.comparison.multiplicity import holm
from assay.drift.answers import Answers, read_answers
from assay.drift.changes import between, changes, identical, means
from assay.drift.gathering import Evaluation, Gathered, gather
from assay.drift.otherwise import asked_otherwise
from assay.drift.results import Age, Change, Drift, Evaluated, Latency, Rerun, Series
from assay.errors import AssayError
from assay.records import Cell, Estimate, Record
from assay.statistics.estimates import rounded
from assay.store import find_runs
from assay.store.planned import lacking, not_measured
from assay.store.wholeness import unfinished
from assay.text import one_line

DAY_S = 86_400.0
"""Seconds."""
CLOCKS_DIFFER = 1 / 24
"""Days by which an answer may be younger than now: clocks of two machines differ by minutes."""
MEASURES_BESIDE = 6
"""What is watched in each scenario beside its metrics: four outcomes, the length, and new answers."""
QUANTILES = {"median": "latency_p50_s", "95 %": "latency_p95_s"}
AGAIN = "`assay run … --again today` asks anew, see docs/drift.md"


class Watch(Record):
    """What is asked of the evaluations."""

    metrics: tuple[str, ...] = ()
    """Empty: the main metric of each scenario."""
    level: float = 0.05
    """Chance of any false alarm, ever, over all measures together."""
    max_age: float | None = None
    """Days after which a number is stale."""
    examples: int = 5
    """Changed instances that are named for each direction."""


def watch(folders: Sequence[Path], model: str, baseline: Path | None, asked: Watch, now: float) -> Drift:
    """What changed in a candidate's evaluations since the baseline, the first of them unless one is named.

    Args:
        folders: of runs, of suites, or of suites' folders.
        model: the candidate, or the model of several.
        baseline: a folder of runs or of a suite.
        asked: metrics, level and age.
        now: Unix time, seconds.

    Raises:
        AssayError: nothing was evaluated twice and no age is asked for, the latest evaluation was asked otherwise than those
            before or than the baseline, a folder holds no run, a metric is unknown, level or age is out of range, or a file
            cannot be read or is not as it was written.
    """
    if not 0 < asked.level < 1:
        raise AssayError(f"--level must lie between 0 and 1, not {asked.level}", "0.05 allows one false alarm in 20 series")
    if asked.max_age is not None and not asked.max_age >= 0:
        raise AssayError(f"--max-age must be a number of days, not {asked.max_age}", "7 lets no number be older than a week")
    gathered = gather(folders, model, baseline, asked.metrics)
    candidates = {one.candidate for one in gathered}
    notes = unfinished(run for folder in folders for run in find_runs(folder))
    notes += not_measured([one for one in lacking(folders) if one.is_of(candidates)])
    notes += [f"{one.scenario}, {one.candidate}: left out, as {one.why}." for one in gathered if one.why]
    differing = tuple(difference for one in gathered for difference in one.differences)
    ready = [pair for one in gathered if (pair := _asked_twice(one, notes)) is not None]
    if not ready and asked.max_age is None:
        if differing:
            hint = "evaluate it once more as the latest; or name the runs before that, and the first of them as --baseline"
            raise asked_otherwise(differing, hint)
        since = " since the baseline" if baseline else ""
        why = f": {notes[0].rstrip('.')}" if notes else ""
        raise AssayError(f"{model} was evaluated only once{since}, so nothing can have changed{why}", AGAIN)
    series = [
        _series(one, answers, _thresholds([one for one, _ in ready], asked.level), asked.examples) for one, answers in ready
    ]
    notes += [note for one, _ in ready for note in _moves(one)]
    return Drift(
        model=model,
        series=_corrected(series),
        ages=tuple(age for one in gathered for age in _ages(one, asked.max_age, now)),
        level=asked.level,
        max_age=asked.max_age,
        differences=differing,
        notes=tuple(dict.fromkeys(notes)),
    )


def _asked_twice(gathered: Gathered, notes: list[str]) -> tuple[Gathered, Answers] | None:
    """The evaluations that asked anything anew, and their answers; `None` where fewer than two did. The others are noted."""
    if len(gathered.evaluations) < 2:
        return None
    answers = read_answers(gathered.evaluations, gathered.metrics)
    places = [place for place, share in enumerate(answers.anew) if share > 0]
    copies = [one.suite for place, one in enumerate(gathered.evaluations) if place not in places]
    if copies:
        where = f"{gathered.scenario}, {gathered.candidate}: {', '.join(copies)}"
        notes.append(f"{where}: the answers of an earlier evaluation again, nothing was asked anew.")
    if len(places) < 2:
        return None
    return replace(gathered, evaluations=tuple(gathered.evaluations[place] for place in places)), answers.of(places)


def _moves(gathered: Gathered) -> Iterator[str]:
    """A note for each evaluation that asked the model at another address than the one before."""
    for one, other in pairwise(gathered.evaluations):
        if one.address and other.address and one.address != other.address:
            where = f"{gathered.scenario}, {gathered.candidate}: asked at {other.address} since {other.suite}"
            yield one_line(f"{where}, before at {one.address}; that alone is no change.")


def _thresholds(watched: Sequence[Gathered], level: float) -> Callable[[str], float]:
    """The e-value that is an alarm for a measure: half of the level is shared by all metrics, half by what is beside them."""
    metrics, named = sum(len(one.metrics) for one in watched), {metric.name for one in watched for metric in one.metrics}
    beside = MEASURES_BESIDE * len(watched)
    return lambda measure: rounded(2 * (metrics if measure in named else beside) / level)


def _series(gathered: Gathered, answers: Answers, thresholds: Callable[[str], float], examples: int) -> Series:
    found = changes(f"{gathered.scenario}\n{gathered.candidate}", answers, thresholds, examples)
    measure = gathered.metrics[0].name
    evaluations = [_evaluated(answers, measure, place, one) for place, one in enumerate(gathered.evaluations)]
    return Series(
        scenario=gathered.scenario,
        candidate=gathered.candidate,
        better={name: metric.better for name, metric in answers.metrics.items()},
        evaluations=tuple(evaluations),
        changes=tuple(found),
        latencies=tuple(_latencies(gathered, answers)),
        identical=evaluations[-1].identical,
        reruns=tuple(_reruns(gathered, answers, measure, {change.monitor.alarm for change in found})),
        version_changed=not _names(answers.versions[-1]) <= _names(answers.versions[0]) and bool(answers.versions[0]),
    )


def _names(versions: Iterable[str]) -> set[str]:
    """Versions without the fingerprint of the server behind the last @."""
    return {version.rpartition("@")[0] or version for version in versions}


def _evaluated(answers: Answers, measure: str, place: int, one: Evaluation) -> Evaluated:
    board = between(answers, measure, 0, place)
    return Evaluated(
        run=one.file.run,
        suite=one.suite,
        first_asked=one.manifest.first_asked,
        last_asked=one.manifest.last_asked,
        versions=answers.versions[place],
        asked_anew=rounded(answers.anew[place]),
        value=means(board)["later"] if board else None,
        change=board.pairs[0].difference if board and place else None,
        identical=identical(answers, 0, place) if place else None,
    )


def _latencies(gathered: Gathered, answers: Answers) -> Iterator[Latency]:
    """Quantiles of the first and the last evaluation, where all of their answers were asked anew."""
    if answers.anew[0] < 1 or answers.anew[-1] < 1:
        return
    split = gathered.evaluations[-1].file.spec.split[-1]
    first, last = (gathered.evaluations[place].folder.stats().cells for place in (0, -1))
    for quantile, metric in QUANTILES.items():
        before, after = _plain(first, metric, split), _plain(last, metric, split)
        if before is not None and after is not None:
            yield Latency(quantile=quantile, before=before, after=after, change=difference(after, before))


def _plain(cells: Sequence[Cell], metric: str, split: str) -> Estimate | None:
    for cell in cells:
        whole = cell.subgroup is None and cell.perturbation is None and cell.computed_on == "original"
        if cell.metric == metric and cell.split == split and whole:
            return cell.estimate
    return None


def difference(first: Estimate, second: Estimate) -> Estimate:
    """The first less the second, measured independently, with an interval made of both intervals, whatever their shapes: each
    end is as far away as the ends that lead there, squared and added (Zou and Donner 2008, Statistics in Medicine 27)."""
    value = first.value - second.value
    low = high = None
    if first.low is not None and first.high is not None and second.low is not None and second.high is not None:
        low = rounded(value - math.hypot(first.value - first.low, second.high - second.value))
        high = rounded(value + math.hypot(first.high - first.value, second.value - second.low))
    n, clusters = first.n + second.n, first.clusters + second.clusters
    return Estimate(value=rounded(value), low=low, high=high, n=n, clusters=clusters, method="unpaired, of both intervals")


def _reruns(gathered: Gathered, answers: Answers, measure: str, alarms: Collection[int | None]) -> Iterator[Rerun]:
    """Neighbours within half a day of each other; one in which the model seems to have changed tells nothing of its noise."""
    for place, (one, other) in enumerate(pairwise(gathered.evaluations)):
        if abs(other.when - one.when) > DAY_S / 2:
            continue
        alike, board = identical(answers, place, place + 1), between(answers, measure, place, place + 1)
        same = _names(answers.versions[place]) == _names(answers.versions[place + 1])
        if alike is not None and board is not None:
            pair = board.pairs[0]
            yield Rerun(
                first=one.suite,
                second=other.suite,
                minutes=round(abs(other.when - one.when) / 60, 2),
                identical=rounded(alike),
                changed=rounded((pair.first_ahead + pair.second_ahead) / pair.items),
                counts=same and place + 1 not in alarms,
            )


def _corrected(series: Sequence[Series]) -> tuple[Series, ...]:
    """The same with p values corrected for all changes of all series (Holm), but those that nothing could show: no instance
    differs (Tarone 1990, Biometrics 46)."""
    corrected = iter(holm([change.p if change.up or change.down else None for one in series for change in one.changes]))

    def with_p(change: Change) -> Change:
        p = next(corrected)
        return msgspec.structs.replace(change, p_corrected=change.p if p is None else p)

    return tuple(msgspec.structs.replace(one, changes=tuple(map(with_p, one.changes))) for one in series)


def _ages(gathered: Gathered, most: float | None, now: float) -> Iterator[Age]:
    """The age of each metric's newest evaluation: that of its oldest answer. One from the future has no age to go by."""
    if not gathered.evaluations:
        return
    newest = gathered.evaluations[-1]
    oldest = newest.manifest.first_asked
    days = None if oldest is None else (now - oldest) / DAY_S
    for metric in gathered.metrics:
        yield Age(
            scenario=gathered.scenario,
            candidate=gathered.candidate,
            metric=metric.name,
            run=f"{newest.suite}/{newest.folder.name}",
            days=None if days is None else round(days, 4),
            stale=most is not None and (days is None or days > most or days < -CLOCKS_DIFFER),
        )
