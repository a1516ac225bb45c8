"""The runs that a comparison rests on: which candidates, which scenarios, and which runs there are of them.

Which run speaks for a candidate where it has several of a scenario is chosen in `speaking`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec

from assay.comparison.speaking import speaking
from assay.errors import AssayError, unknown
from assay.identity import digest
from assay.rescoring import read_as_today
from assay.store import RunFolder, find_runs
from assay.store.folders import SpecFile
from assay.store.manifest import misnamed
from assay.store.planned import lacking, not_measured, planned_in
from assay.store.recency import asked_last, scored_last
from assay.store.wholeness import check_whole, unfinished
from assay.tables.usable import unusable, usable_text


@dataclass(frozen=True)
class Run:
    """A finished run, and what its spec says."""

    folder: RunFolder
    file: SpecFile
    candidate: str
    planned: bool = False
    """The last `assay run` in its suite's folder asked it, or what differs from it in metrics alone."""

    @cached_property
    def age(self) -> tuple[bool, float]:
        """What sorts the runs of a candidate, the one that counts as the newest last.

        Raises:
            AssayError: its manifest cannot be read.
        """
        return self.planned, asked_last(self.folder.manifest())

    @property
    def scenario(self) -> str:
        """The scenario, with the parameters that are not its defaults."""
        return self.file.title

    @cached_property
    def unusable(self) -> dict[str, float]:
        """Shares of its answers that are not usable, by outcome; empty where at least 95 % are usable.

        Raises:
            AssayError: its stats.json cannot be read.
        """
        return unusable(self.folder.stats().cells, self.main_metric)

    @property
    def main_metric(self) -> str:
        """The scenario's own main metric."""
        return str(self.file.card.get("main_metric", ""))


@dataclass(frozen=True)
class Evidence:
    """Runs by scenario and candidate."""

    candidates: tuple[str, ...]
    """In the order in which they were asked for, or of their names."""
    runs: Mapping[str, Mapping[str, Run]]
    """Scenario to candidate to run; scenarios in the order of their names, candidates in that of `candidates`."""
    notes: tuple[str, ...] = ()


def gather(folders: Sequence[Path], candidates: Sequence[str] = (), alone: bool = False) -> Evidence:
    """The runs in some folders, of some candidates or of all.

    Args:
        folders: of runs, of suites, or of suites' folders. A candidate that is found in several suites counts once for each.
        candidates: labels as tables show them; none: all.
        alone: one candidate is enough, and so is a scenario that was asked of one.

    Raises:
        AssayError: a folder holds no run, no candidate has that label, or there are too few.
    """
    there = list({run.path.resolve(): run for folder in folders for run in find_runs(folder)}.values())
    runs = _labelled(_newest(there))
    known = sorted({run.candidate for run in runs})
    for wanted in candidates:
        if wanted not in known:
            raise unknown("candidate", wanted, known)
    chosen = tuple(dict.fromkeys(candidates)) or tuple(known)
    if len(chosen) < (1 if alone else 2):
        only = f"there is only {chosen[0]}" if chosen else "no run is finished"
        raise AssayError(f"nothing to compare: {only}", "run another candidate, or give its folder too")
    found: dict[str, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        found[run.scenario][run.candidate].append(run)
    held: dict[str, Mapping[str, Run]] = {}
    notes = [*unfinished(there), *not_measured([one for one in lacking(folders) if one.is_of(candidates)])]
    for scenario, by in sorted(found.items()):
        wanted_runs = {candidate: by[candidate] for candidate in chosen if candidate in by}
        if wanted_runs:
            held[scenario], left = speaking(scenario, wanted_runs)
            notes += left
    if alone:
        return Evidence(chosen, held, tuple(notes))
    compared = {scenario: by for scenario, by in held.items() if len(by) > 1}
    single = [scenario for scenario, by in held.items() if len(by) == 1]
    if not compared:
        hint = "run them on the same scenarios"
        raise AssayError("no scenario was asked of two candidates", hint)
    notes += [f"Asked of one candidate only, so not compared: {', '.join(single)}."] if single else []
    return Evidence(chosen, compared, tuple(notes))


def _newest(folders: Iterable[RunFolder]) -> list[tuple[RunFolder, SpecFile, bool]]:
    """Of finished runs that differ only in their metrics, the one that was scored last; and whether they were planned last.

    Raises:
        AssayError: of several runs one has a spec or a manifest that is not as it was written.
    """
    plans: dict[Path, frozenset[str]] = {}
    found: dict[tuple[Path, str], list[tuple[RunFolder, SpecFile]]] = defaultdict(list)
    for folder in folders:
        if folder.complete():
            file, home = folder.spec_file(), folder.path.resolve().parent
            found[home, digest(msgspec.structs.replace(read_as_today(file.spec), metrics=()))].append((folder, file))
            plans[home] = plans[home] if home in plans else planned_in(home)
    newest = []
    for (home, _), runs in found.items():
        names = plans[home]
        if len(runs) > 1:
            check_whole((folder for folder, _ in runs), misnamed)
            runs.sort(key=lambda run: scored_last(run[0].manifest(), run[1].spec, run[0].name in names))
        newest.append((*runs[-1], any(folder.name in names for folder, _ in runs)))
    return newest


def _labelled(runs: Sequence[tuple[RunFolder, SpecFile, bool]]) -> list[Run]:
    """The runs by candidate. A label that is found in several suites is told apart by the suite's name, or its whole path."""
    homes: dict[str, set[Path]] = defaultdict(set)
    for folder, file, _ in runs:
        homes[_label(file)].add(folder.path.resolve().parent)
    made = []
    for folder, file, planned in runs:
        label, home = _label(file), folder.path.resolve().parent
        if len(homes[label]) > 1:
            same_name = sum(other.name == home.name for other in homes[label]) > 1
            label = f"{label} ({home if same_name else home.name})"
        made.append(Run(folder, file, label, planned))
    return made


def _label(file: SpecFile) -> str:
    return file.spec.label or file.spec.model.name


def few_usable(evidence: Evidence) -> list[str]:
    """A note for each run with few usable answers: what is measured there may be manners rather than ability."""
    return [
        f"{scenario}, {candidate}: usable answers {usable_text(run.unusable)}."
        for scenario, by in evidence.runs.items()
        for candidate, run in by.items()
        if run.unusable
    ]
