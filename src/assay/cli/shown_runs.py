"""Which runs `assay show` shows of those that lie in some folders, in which order, and what it says of the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.plain_files import may_be_there
from assay.records import RunSpec
from assay.rescoring import asked_as, latest
from assay.store import RunFolder, find_runs
from assay.store.folders import SPEC, STATS, closed_in
from assay.store.planned import plans_in, read_plan
from assay.tables import plan_notes
from assay.text import one_line


def runs_and_notes(paths: Sequence[Path]) -> tuple[list[RunFolder], list[str]]:
    """The runs below some folders, each as it was scored last; and what to say of those that are not among them.

    Of a suite's folder those are left out in whose place the last `assay run` put others. Runs that are named by their own
    folders are all shown, a single one as it is.

    Raises:
        AssayError: a folder holds no finished run, or a run cannot be read.
    """
    named: dict[Path, RunFolder] = {}
    within: dict[Path, RunFolder] = {}
    notes: list[str] = []
    for path in [path for path in paths if not path.is_file()] or paths:  # SUITE/* names the files beside the runs, too
        missing = [note for plan in plans_in(path) for note in plan_notes(plan.parent)]
        try:
            found = {run.path.resolve(): run for run in find_runs(path)}
        except AssayError:
            if missing:
                raise AssayError(f"{path} holds no finished run: {' '.join(missing)}") from None
            raise
        there = {place: run for place, run in found.items() if not _lost_files(run)}
        if not there:
            raise AssayError(f"{path} holds no run that can be shown: {' '.join(map(_lost, found.values()))}")
        (named if path.resolve() in found else within).update(there)
        notes += [_lost(run) for place, run in found.items() if place not in there]
        notes += [_closed(folder) for folder in closed_in(path) if folder.resolve() not in found]
        notes += missing
    everything = list((within | named).values())
    if len(paths) == 1 and named:
        return everything, notes
    runs = latest(everything)
    if older := len(everything) - len(runs):
        differ = f"{older} older runs are not shown, as newer ones" if older > 1 else "1 older run is not shown, as a newer one"
        notes.append(f"{differ} of the same answers stand for them; name a run's folder alone to see it.")
    kept = _as_planned(runs, named)
    if older := len(runs) - len(kept):
        differ = f"{older} older runs are not shown" if older > 1 else "1 older run is not shown"
        notes.append(f"{differ}, as the last `assay run` asked the same candidates these scenarios otherwise; {ALL_OF_THEM}.")
    return kept, notes


ALL_OF_THEM = "name the runs' folders to see them (assay show SUITE/*/)"


def _lost_files(run: RunFolder) -> list[str]:
    """The files that a run lacks, or has out of reach, and cannot be shown without."""
    if any(closed_in(run.path, 0)):
        return [SPEC, STATS]
    return [name for name in (SPEC, STATS) if not may_be_there(run.path / name)]


def _lost(run: RunFolder) -> str:
    if any(closed_in(run.path, 0)):
        return _closed(run.path)
    lost = ", ".join(_lost_files(run))
    return one_line(f"{run.path}: not shown, as it lost {lost}: restore it, or run it again.")


def _closed(folder: Path) -> str:
    return one_line(f"{folder}: not shown, as it may not be read: give this user the right to read it.")


def _as_planned(runs: Sequence[RunFolder], named: Iterable[Path]) -> list[RunFolder]:
    """The runs in the order of their suites' plans, without those that were asked before the last plan in its place.

    A planned run that is finished takes the place of all other runs of its scenario and candidate, but those that are named.
    Those of other scenarios and candidates stay, behind the planned ones: a suite may have been asked in parts.
    """
    homes = list(dict.fromkeys(run.path.parent for run in runs))
    files = {run.path: run.spec_file() for run in runs}
    ranks: dict[tuple[Path, str], int] = {}
    for home in homes:
        plan = read_plan(home)
        for planned in plan.runs if plan else ():
            folder = RunFolder(home / planned.run)
            if folder.complete() and not _lost_files(folder):
                ranks.setdefault((home, asked_as(folder.spec_file().spec)), len(ranks))

    def rank(run: RunFolder) -> int | None:
        return ranks.get((run.path.parent, asked_as(files[run.path].spec)))

    def subject(run: RunFolder) -> tuple[Path, str, str]:
        return run.path.parent, files[run.path].title, _candidate(files[run.path].spec)

    def place(run: RunFolder) -> tuple[int, int, str, int, str]:
        planned, spec = rank(run), files[run.path].spec
        size = -1 if spec.max_instances is None else spec.max_instances
        return homes.index(run.path.parent), len(ranks) if planned is None else planned, files[run.path].title, size, run.name

    chosen = set(named)
    taken = {subject(run) for run in runs if rank(run) is not None}
    kept = [run for run in runs if rank(run) is not None or subject(run) not in taken or run.path.resolve() in chosen]
    return sorted(kept, key=place)


def _candidate(spec: RunSpec) -> str:
    return spec.label or spec.model.name
