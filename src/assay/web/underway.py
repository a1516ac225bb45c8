"""Which suite is the newest, and whether a suite is still being asked, so that its numbers are those of a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError
from assay.store import RunFolder
from assay.store.folders import being_written
from assay.store.planned import read_plan
from assay.web.catalog import Catalog


def newest(catalog: Catalog) -> str:
    """The suite with the run that was written last, of those that are not being asked if there are any; empty: no runs."""
    names = newest_first(catalog)
    return next((name for name in names if underway(catalog, name) is None), names[0] if names else "")


def newest_first(catalog: Catalog) -> list[str]:
    """The suites in the order in which their last runs were written."""
    last = {entry.suite: entry.written for entry in sorted(catalog.entries, key=lambda entry: entry.written)}
    return sorted(catalog.suites, key=lambda name: -last[name])


@dataclass(frozen=True)
class Underway:
    """A suite of which some runs are finished and others are being asked."""

    suite: str
    finished: int
    planned: int


def underway(catalog: Catalog, suite: str) -> Underway | None:
    """How far a suite is that is being asked; `None` of any other."""
    for folder in dict.fromkeys(entry.folder.path.parent for entry in catalog.entries if entry.suite == suite):
        try:
            plan = read_plan(folder)
        except AssayError:
            continue  # the page of runs in progress says it
        runs = [RunFolder(folder / Path(planned.run).name) for planned in (plan.runs if plan is not None else ())]
        open_ = [run for run in runs if not run.complete()]
        if any(being_written(run.path) for run in open_):
            return Underway(suite, len(runs) - len(open_), len(runs))
    return None


def ahead(catalog: Catalog, suites: Sequence[str]) -> list[Underway]:
    """The suites that are being asked among some, and of those with newer runs."""
    names = newest_first(catalog)
    upto = min((names.index(name) for name in suites), default=-1) + 1
    return [found for name in dict.fromkeys((*names[:upto], *suites)) if (found := underway(catalog, name)) is not None]
