"""The evaluations of a candidate: found, put in the order of their times, and left out where they were asked otherwise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from assay.comparison.contract import LONGEST_VALUE, differences, flat
from assay.comparison.results import Difference
from assay.drift.otherwise import asked_otherwise
from assay.errors import AssayError, unknown
from assay.identity import canonical, digest
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.records import RunSpec
from assay.store import Manifest, RunFolder, find_runs
from assay.store.folders import SpecFile
from assay.store.manifest import misnamed
from assay.store.recency import asked_last, scored_last
from assay.store.wholeness import check_finished, check_whole

SECONDS = "s"
"""The unit of what is measured by a clock."""
ADDRESS = "base_url"
"""The option of a model that says where it is asked."""


@dataclass(frozen=True)
class Evaluation:
    """A finished run of the candidate."""

    folder: RunFolder
    file: SpecFile
    manifest: Manifest

    @property
    def suite(self) -> str:
        """The name of the folder it lies in."""
        return self.folder.path.resolve().parent.name

    @property
    def when(self) -> float:
        """Unix time of its last answer, seconds; 0 where no answer has a time."""
        return asked_last(self.manifest)

    @property
    def address(self) -> str:
        """Where the model was asked; empty for one that has no address."""
        return str(self.file.spec.model.options.get(ADDRESS, ""))

    def measures(self, metric: str) -> bool:
        """Whether it has values of a metric."""
        return any(named.name == metric for named in self.file.spec.metrics)


@dataclass(frozen=True)
class Gathered:
    """A candidate's evaluations of one scenario that were asked alike, oldest first."""

    scenario: str
    candidate: str
    metrics: tuple[Metric, ...]
    evaluations: tuple[Evaluation, ...]
    differences: tuple[Difference, ...] = ()
    """In what those that were left out were asked otherwise: the value of an evaluation that counts, then theirs."""
    why: str = ""
    """Why there are none."""


def gather(folders: Sequence[Path], model: str, baseline: Path | None, metrics: Sequence[str]) -> list[Gathered]:
    """The evaluations of a candidate in some folders, by scenario and candidate.

    Args:
        folders: of runs, of suites, or of suites' folders.
        model: what tables call the candidate; or the model's name, which stands for all candidates that are that model.
        baseline: a folder of runs or of a suite; evaluations before it do not count. `None`: the first one is the baseline.
        metrics: names; none: the main metric of each scenario.

    Raises:
        AssayError: a folder holds no run, no candidate has that name, a metric is unknown or judges no single answer, the
            latest evaluation was asked otherwise than the baseline that was named, or a run of the candidate is not finished or
            not as it was written.
    """
    runs = list(
        {run.path.resolve(): run for path in (*folders, *([baseline] if baseline else [])) for run in find_runs(path)}.values()
    )
    found = _evaluations([run for run in runs if run.complete()])
    labels = sorted({_label(one.file.spec) for one in found})
    names = sorted({one.file.spec.model.name for one in found})
    chosen = [one for one in found if _label(one.file.spec) == model] or [
        one for one in found if one.file.spec.model.name == model
    ]
    if not chosen:
        raise unknown("candidate", model, sorted({*labels, *names}))
    check_whole(one.folder for one in chosen)
    check_finished(runs, {model, *(_label(one.file.spec) for one in chosen)})
    by: dict[tuple[str, str], list[Evaluation]] = defaultdict(list)
    for one in sorted(chosen, key=lambda one: (one.when, one.suite, one.folder.name)):
        by[one.file.title, _label(one.file.spec)].append(one)
    first = {run.path.resolve() for run in find_runs(baseline)} if baseline else set()
    return [_alike(*key, held, first, metrics) for key, held in sorted(by.items())]


def _evaluations(runs: Sequence[RunFolder]) -> list[Evaluation]:
    """What finished runs are evaluations of. Of runs of one suite that differ only in metrics and number of items, that with
    the most items, and of these the one that was scored last: they are one asking."""
    check_whole(runs, misnamed)
    found: dict[tuple[Path, str], list[Evaluation]] = defaultdict(list)
    for folder in runs:
        file = folder.spec_file()
        data = msgspec.structs.replace(file.spec.data, instances="")
        bare = msgspec.structs.replace(file.spec, metrics=(), max_instances=None, data=data)
        found[folder.path.resolve().parent, digest(bare)].append(Evaluation(folder, file, folder.manifest()))
    return [max(alike, key=_size) for alike in found.values()]


def _size(one: Evaluation) -> tuple[bool, int, tuple[float, int, bool, str]]:
    limit = one.file.spec.max_instances
    return limit is None, limit or 0, scored_last(one.manifest, one.file.spec)


def _label(spec: RunSpec) -> str:
    return spec.label or spec.model.name


def _alike(scenario: str, candidate: str, found: Sequence[Evaluation], baseline: set[Path], named: Sequence[str]) -> Gathered:
    """Those asked as the named baseline was, and not before it; else those asked as the latest."""
    first = next((place for place, one in enumerate(found) if one.folder.path.resolve() in baseline), None)
    if baseline and first is None:
        return Gathered(scenario, candidate, (), (), why="it is not in the baseline")
    held = found[first or 0 :]
    reference = held[0] if baseline else held[-1]
    names = named or (str(reference.file.card.get("main_metric", "")),)
    metrics = tuple(metric for metric in map(_paired, names) if reference.measures(metric.name))
    if not metrics:
        return Gathered(scenario, candidate, (), (), why=f"{', '.join(names)} was not measured (`assay rescore` does)")
    unlike = {one.folder.path: tuple(_unlike(scenario, reference, one, metrics)) for one in held}
    if unlike[held[-1].folder.path]:
        hint = "name a --baseline that was asked as the latest evaluation was; without it drift looks for one itself"
        raise asked_otherwise(unlike[held[-1].folder.path], hint)
    left = {(d.key, *d.values.items()): d for one in held for d in unlike[one.folder.path]}
    alike = tuple(one for one in held if not unlike[one.folder.path])
    return Gathered(scenario, candidate, metrics, alike, tuple(left.values()))


def _paired(name: str) -> Metric:
    metric = find(name)
    if metric.of_answer is None:
        hint = "watch a metric that judges each answer"
        raise AssayError(f"{name} is computed over many answers, so answers cannot be paired by it", hint)
    if metric.unit == SECONDS:
        hint = "seconds are shown beside what is watched"
        raise AssayError(f"{name} changes with the load of server and network, so it tells nothing of the model", hint)
    return metric


def _unlike(scenario: str, one: Evaluation, other: Evaluation, metrics: Sequence[Metric]) -> Iterator[Difference]:
    """In what two evaluations were asked otherwise. The model's revision may differ: that is its version."""
    if one is other:
        return
    names = [f"{held.suite}/{held.folder.name}" for held in (one, other)]
    specs = dict(zip(names, (one.file.spec, other.file.spec), strict=True))
    found = {d.key: d for metric in metrics for d in differences(scenario, specs, metric)}
    yield from found.values()
    told = {name: _of_model(spec) for name, spec in specs.items()}
    for key in sorted({key for terms in told.values() for key in terms}):
        values = {name: terms.get(key, "not set") for name, terms in told.items()}
        if len(set(values.values())) > 1:
            yield Difference(scenario=scenario, key=key, values={name: text[:LONGEST_VALUE] for name, text in values.items()})


def _of_model(spec: RunSpec) -> dict[str, str]:
    """What makes it the same model: key to value, as JSON. Not its address: a server may move."""
    model = spec.model
    options = {key: value for key, value in model.options.items() if key != ADDRESS}
    held = {"name": model.name, "endpoint": model.endpoint, "options": options}
    return {key: canonical(value).decode() for key, value in flat(held, "model.") if value != {}}
