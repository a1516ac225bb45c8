"""Runs in progress: what the last `assay run` of each suite planned, and how far it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.errors import AssayError
from assay.store import RunFolder
from assay.store.folders import being_written
from assay.store.planned import PLAN, PlannedRun, read_plan
from assay.store.writer import Tally, tally_so_far, work_folder
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.grids import Cell, Column, Grid
from assay.web.page import Kind, Page, View
from assay.web.rendering import render

State = Literal["finished", "being asked", "waiting", "not begun"]
AGAIN_S = 2
"""Seconds between two looks while something is asked."""
STATES = {
    "finished": "written to its end",
    "being asked": "a process is asking it now",
    "waiting": "a process has taken it on, and it begins after those before it",
    "not begun": "no process is at it; the same `assay run` goes on with it",
}


@dataclass(frozen=True)
class Standing:
    """How far a planned run is."""

    planned: PlannedRun
    state: State
    trials: int | None
    """Answered so far; `None` where nobody has said."""
    failed: int | None
    tokens: int | None
    """Read and written."""
    per_s: float | None = None
    """Trials a second since the first was asked, while it is being asked."""
    slug: str = ""
    """Of its page, once it is finished."""


@dataclass(frozen=True)
class Suite:
    """What was planned for the folder of a suite."""

    name: str
    standings: tuple[Standing, ...]
    notes: tuple[str, ...]
    planned_at: float = 0.0
    """Unix time, seconds."""

    @property
    def over(self) -> bool:
        """Whether every run is finished."""
        return self.finished == len(self.standings)

    @property
    def finished(self) -> int:
        """How many runs are finished."""
        return sum(standing.state == "finished" for standing in self.standings)

    @property
    def active(self) -> bool:
        """Whether any process is at it."""
        return any(standing.state in ("being asked", "waiting") for standing in self.standings)

    @property
    def trials(self) -> int:
        """Trials that are answered or have failed."""
        return sum(standing.trials or 0 for standing in self.standings)

    @property
    def failed(self) -> int:
        """Those of them that have failed."""
        return sum(standing.failed or 0 for standing in self.standings)

    @property
    def trials_at_most(self) -> int:
        """Trials there may be."""
        return sum(_at_most(standing) or 0 for standing in self.standings)


def draw(view: View, address: Address) -> Page:
    """How far the runs are that were planned; the browser looks again while any of them is asked."""
    suites, problems = suites_of(view.catalog)
    suites.sort(key=lambda suite: (not suite.active, -suite.planned_at))
    grids = tuple(_grid(number, suite) for number, suite in enumerate(suites, 1))
    active = any(suite.active for suite in suites)
    body = render(
        "live.html",
        view,
        address,
        suites=list(zip(suites, grids, strict=True)),
        problems=problems,
        active=active,
        states=STATES,
    )
    return Page("Runs in progress", body, grids, AGAIN_S if active and view.links.live else 0)


def suites_of(catalog: Catalog) -> tuple[list[Suite], list[str]]:
    """The planned suites below the catalog's places, and what of them could not be read."""
    slugs = {entry.folder.path: entry.slug for entry in catalog.entries}
    suites, problems = [], []
    for folder in _folders(catalog):
        try:
            plan = read_plan(folder)
        except AssayError as error:
            problems.append(str(error))
            continue
        if plan is not None:
            standings = tuple(_standing(folder, planned, slugs) for planned in plan.runs)
            suites.append(Suite(folder.name, standings, (*plan.left_out, *plan.notes), (folder / PLAN).stat().st_mtime))
    return suites, problems


def _folders(catalog: Catalog) -> Iterator[Path]:
    for place in dict.fromkeys(place.resolve() for place in catalog.places):
        if place.is_dir():
            yield from (plan.parent for plan in sorted((*place.glob(PLAN), *place.glob(f"*/{PLAN}"))))


def _standing(folder: Path, planned: PlannedRun, slugs: dict[Path, str]) -> Standing:
    path = folder / Path(planned.run).name
    if RunFolder(path).complete():
        try:
            manifest = RunFolder(path).manifest()
        except AssayError:
            return Standing(planned, "finished", None, None, None)
        tokens = manifest.prompt_tokens + manifest.completion_tokens
        return Standing(planned, "finished", manifest.trials, manifest.failed, tokens, None, slugs.get(path, ""))
    if not being_written(path):
        return Standing(planned, "not begun", None, None, None)
    tally = tally_so_far(path)
    if tally is None:
        return Standing(planned, "being asked" if work_folder(path).is_dir() else "waiting", 0, 0, 0)
    tokens = tally.prompt_tokens + tally.completion_tokens
    return Standing(planned, "being asked", tally.trials, tally.failed, tokens, _per_second(tally))


def _per_second(tally: Tally) -> float | None:
    if tally.first_asked is None or tally.last_asked is None or tally.last_asked <= tally.first_asked:
        return None
    return tally.trials / (tally.last_asked - tally.first_asked)


def _at_most(standing: Standing) -> int | None:
    """How many trials it has at most; of a finished run, how many it has."""
    return standing.trials if standing.state == "finished" else standing.planned.trials_at_most or None


COLUMNS = (
    Column("scenario", number=False),
    Column("candidate", number=False),
    Column("state", number=False),
    Column("answered", note="Trials that were answered or have failed, until about a second ago."),
    Column("of at most", note="Fewer where a perturbation leaves an item as it is."),
    Column("failed", note="Trials without a response: missing data, asked again by the next same command."),
    Column("per s", note="Trials a second since the first was asked."),
    Column("left", number=False, note="Until it is finished, if it goes on so."),
    Column("tokens", note="Read and written."),
)


def _grid(number: int, suite: Suite) -> Grid:
    return Grid(f"progress-{number}", f"Runs of {suite.name}", COLUMNS, tuple(_row(standing) for standing in suite.standings))


def _row(standing: Standing) -> tuple[Cell, ...]:
    to = Address("run", standing.slug) if standing.slug else None
    counts = (standing.trials, _at_most(standing), standing.failed)
    left = seconds_left(standing)
    return (
        Cell(standing.planned.title, to=to),
        Cell(standing.planned.label),
        Cell(standing.state, note=STATES[standing.state]),
        *map(_count, counts),
        Cell(standing.per_s, "–" if standing.per_s is None else f"{standing.per_s:.3g}"),
        Cell(left, "–" if left is None else duration(left)),
        _count(standing.tokens),
    )


def _count(count: int | None) -> Cell:
    return Cell(count, "–" if count is None else f"{count:,}")


def seconds_left(standing: Standing) -> float | None:
    """How long a run takes yet, at the pace it has had; `None` where nobody can say."""
    most = _at_most(standing)
    if standing.state != "being asked" or not standing.per_s or most is None or standing.trials is None:
        return None
    return max(0, most - standing.trials) / standing.per_s


def duration(seconds: float) -> str:
    """A time to wait, as coarse as such times are: `40 s`, `12 min`, `3 h 20 min`."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def every(catalog: Catalog) -> Iterable[Address]:
    """None: a report that was written is over."""
    return ()


KIND = Kind("live", "In progress", "How far the runs are that were planned.", draw, every)
