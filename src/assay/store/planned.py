"""What is to be in the folder of a suite: written before anything is asked, so that a broken-off suite says what it lacks.

<runs>/<suite>/suite.json       the runs of the last `assay run`, finished or not, and what it left out
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.plain_files import held_in, is_folder
from assay.records import Record
from assay.store.folders import DIGEST, RunFolder, begun_in, encode_json, make_folder, names_in, safe
from assay.text import one_line

PLAN = "suite.json"
NAMED = 5
"""Unfinished runs that a note names; of more, the rest is counted."""


class PlannedRun(Record):
    """A run by its names."""

    run: str
    """The run's id, which is its folder's name."""
    title: str
    """The scenario, as tables call it."""
    label: str
    """The candidate, as tables call it."""
    scenario: str = ""
    """The scenario as its run has it, where tables call it otherwise to tell it from another of the suite."""
    candidate: str = ""
    """The candidate, likewise."""
    trials_at_most: int = 0
    """How many trials it has if every perturbation changes every instance; 0 where nobody wrote it down."""


class SuitePlan(Record):
    """What suite.json holds."""

    runs: tuple[PlannedRun, ...]
    left_out: tuple[str, ...] = ()
    """What could not be carried out and was left out, a line with its reason each."""
    notes: tuple[str, ...] = ()
    """How much was asked, and why no more, where that was not settled before."""
    suite: dict[str, Any] = {}
    """The suite, so that it can be asked again."""


def write_plan(place: Path, plan: SuitePlan) -> None:
    """Write what a suite's folder is to hold, in one piece, over what an earlier command wrote there.

    Raises:
        AssayError: a file is where the folder should be.
    """
    make_folder(place)
    draft = place / f".{PLAN}.{os.getpid()}"
    try:
        draft.write_bytes(encode_json(plan))
        os.replace(draft, place / PLAN)
    finally:
        draft.unlink(missing_ok=True)


def read_plan(place: Path) -> SuitePlan | None:
    """What was planned for a suite's folder; `None` where no `assay run` wrote it down.

    Raises:
        AssayError: the file is not what assay writes.
    """
    path = place / PLAN
    try:
        if path.exists() and not path.is_file():  # reading a pipe would never end
            raise AssayError(f"{path} is no file", "remove it; the next `assay run` writes it again")
        return msgspec.json.decode(path.read_bytes(), type=SuitePlan)
    except FileNotFoundError:
        if path.is_symlink():
            raise AssayError(f"{path} is a link to nothing", "remove it; the next `assay run` writes it again") from None
        return None
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror}", "give this user the right to read it") from None
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise AssayError(
            f"{path} is not what assay writes: {error}", "remove it; the next `assay run` writes it again"
        ) from None


def planned_in(place: Path) -> frozenset[str]:
    """The names of the runs that were planned last for a suite's folder. Raises AssayError as `read_plan` does."""
    plan = read_plan(place)
    return frozenset(run.run for run in plan.runs) if plan else frozenset()


@dataclass(frozen=True)
class Lacking:
    """A run that an `assay run` planned for a suite or began, and that is not there or not finished."""

    suite: Path
    """Its folder, resolved."""
    scenario: str
    candidate: str
    """Its label, without the suite's name; empty where that is not known."""
    planned: bool = True
    """By the last one; else an earlier one began it, and names are as they stand in the folder's."""

    def is_of(self, candidates: Collection[str]) -> bool:
        """Whether it is a run of one of these, whose labels can have the suite's name or its path behind them; none: of all."""
        label = self.candidate
        names = {label, f"{label} ({self.suite.name})", f"{label} ({self.suite})"}
        if not self.planned:
            return not candidates or not label or not {safe(name) for name in names}.isdisjoint(map(safe, candidates))
        return not candidates or not names.isdisjoint(candidates)


def lacking(folders: Iterable[Path]) -> list[Lacking]:
    """What the suites in some folders lack of what was planned last, and what was broken off before.

    A run's own folder is given for itself, and lacks nothing.

    Raises:
        AssayError: a suite.json cannot be read.
    """
    folders = list(folders)
    planned = [
        Lacking(place, run.scenario or run.title, run.candidate or run.label)
        for place, plan in _plans_of(folders).items()
        for run in plan.runs
        if not RunFolder(place / run.run).complete()
    ]
    return [*planned, *(lack for place in dict.fromkeys(_suites_in(folders)) for lack in _broken_off(place))]


def _suites_in(folders: Iterable[Path]) -> Iterator[Path]:
    """The folders in which parts of runs may lie, resolved."""
    for folder in folders:
        yield folder.resolve()
        yield from (held.resolve() for held in held_in(folder) if not held.name.startswith(".") and is_folder(held))


def _broken_off(place: Path) -> Iterator[Lacking]:
    """The runs of a suite that were begun and not finished, and that the last plan neither has nor has others in place of."""
    begun = [name for part in held_in(place) if (name := begun_in(part)) and is_folder(part)]
    if not begun:
        return
    last = planned_in(place)
    instead = {run[:-DIGEST] for run in last if RunFolder(place / run).complete()}
    for run in begun:
        if run not in last and run[:-DIGEST] not in instead and not RunFolder(place / run).complete():
            scenario, candidate = names_in(run) or (run, "")
            yield Lacking(place, scenario, candidate, planned=False)


def left_out(folders: Iterable[Path]) -> list[str]:
    """What could not be carried out in the suites in some folders, a line each. Raises AssayError as `lacking` does."""
    return [one_line(f"{place.name}: {line}") for place, plan in _plans_of(folders).items() for line in plan.left_out]


def _plans_of(folders: Iterable[Path]) -> dict[Path, SuitePlan]:
    places = dict.fromkeys(plan.parent.resolve() for folder in folders for plan in plans_in(folder))
    return {place: plan for place in places if (plan := read_plan(place)) is not None}


def plans_in(path: Path) -> list[Path]:
    """The suite.json of a suite, or those of all suites in a folder."""
    return [path / PLAN] if os.path.lexists(path / PLAN) else sorted(path.glob(f"[!.]*/{PLAN}"))


def not_measured(lacks: Sequence[Lacking]) -> list[str]:
    """A note for each suite that lacks runs, or two: of what was planned, and of what was begun."""
    by: dict[tuple[Path, bool], list[str]] = defaultdict(list)
    for one in lacks:
        by[one.suite, one.planned].append(f"{one.scenario} of {one.candidate}" if one.candidate else one.scenario)
    how = {True: "planned by the last `assay run` and not finished", False: "begun by an earlier `assay run` and broken off"}
    return [
        one_line(f"{suite.name}: {how[planned]}, so not measured: {_listed(names)}.") for (suite, planned), names in by.items()
    ]


def _listed(names: Sequence[str]) -> str:
    more = f"; and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return "; ".join(names[:NAMED]) + more
