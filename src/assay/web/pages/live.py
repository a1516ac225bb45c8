"""Runs in progress: what the last `assay run` of each suite planned, and how far it is."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from assay.errors import AssayError
from assay.plain_files import is_folder, settled
from assay.store import RunFolder
from assay.store.folders import being_written, work_folder
from assay.store.planned import PLAN, PlannedRun, read_plan
from assay.store.writer import TALLY, Tally, tally_so_far
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.grids import Cell, Column, Grid
from assay.web.page import Kind, Page, View
from assay.web.rendering import render

State = Literal["finished", "being asked", "waiting", "not begun"]
AGAIN_S = 2
"""Seconds between two looks while something is asked."""
STILL_S = 5.0
"""From when on a count that stands still says since when."""
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
    still_s: float | None = None
    """For how many seconds its count has stood still, where that is long."""


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
    shown = [suite for place, suite in enumerate(suites) if place == 0 or not suite.over]
    over = [suite for suite in suites if suite not in shown]
    grids = tuple(_grid(number, suite) for number, suite in enumerate(shown, 1))
    earlier = _earlier(over) if over else None
    active = any(suite.active for suite in suites)
    body = render(
        "live.html",
        view,
        address,
        suites=list(zip(shown, grids, strict=True)),
        earlier=earlier,
        earlier_notes=[(suite.name, note) for suite in over for note in suite.notes],
        duration=duration,
        problems=[view.catalog.told(problem) for problem in problems],
        active=active,
        states=STATES,
    )
    tables = grids if earlier is None else (*grids, earlier)
    return Page("Runs in progress", body, tables, AGAIN_S if active and view.links.live else 0)


def suites_of(catalog: Catalog) -> tuple[list[Suite], list[str]]:
    """The planned suites below the catalog's places, and what of them could not be read."""
    slugs = {entry.folder.path: entry.slug for entry in catalog.entries}
    suites, problems = [], []
    for folder in _folders(catalog):
        try:
            plan, written = read_plan(folder), (folder / PLAN).stat().st_mtime
        except AssayError as error:
            problems.append(str(error))
            continue
        except OSError:  # just taken away
            continue
        if plan is not None:
            standings = tuple(_standing(folder, planned, slugs) for planned in plan.runs)
            suites.append(Suite(folder.name, standings, (*plan.left_out, *plan.notes), written))
    return suites, problems


def _folders(catalog: Catalog) -> Iterator[Path]:
    for place in dict.fromkeys(map(settled, catalog.places)):
        if is_folder(place):
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
        return Standing(planned, "being asked" if is_folder(work_folder(path)) else "waiting", 0, 0, 0)
    tokens = tally.prompt_tokens + tally.completion_tokens
    still = _still(path)
    return Standing(planned, "being asked", tally.trials, tally.failed, tokens, _per_second(tally), still_s=still)


def _still(path: Path) -> float | None:
    """For how many seconds nobody has counted on, where that is long."""
    try:
        still = time.time() - (work_folder(path) / TALLY).stat().st_mtime
    except OSError:
        return None
    return still if still >= STILL_S else None


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
    Column("done", note="Trials that were answered or have failed."),
    Column("of at most", note="Fewer where a perturbation leaves an item as it is."),
    Column("failed", "of them failed", note="Trials without a response: missing data, asked again by the next same command."),
    Column("per s", note="Trials a second since the first was asked."),
    Column("left", number=False, note="Until it is finished, if it goes on so."),
    Column("tokens", note="Read and written."),
)


def _grid(number: int, suite: Suite) -> Grid:
    return Grid(f"progress-{number}", f"Runs of {suite.name}", COLUMNS, tuple(_row(standing) for standing in suite.standings))


def _earlier(suites: Sequence[Suite]) -> Grid:
    """Suites that are finished, a row each."""
    columns = (
        Column("suite", number=False),
        Column("planned", number=False, note="When it was last begun or gone on with, in universal time."),
        Column("runs"),
        Column("done", note="Trials that were answered or have failed."),
        Column(
            "failed", "of them failed", note="Trials without a response: missing data, asked again by the next same command."
        ),
        Column("tokens", note="Read and written."),
    )
    rows = tuple(
        (
            Cell(suite.name, to=Address("overview").but(suite=suite.name)),
            Cell(_day(suite.planned_at)),
            *map(_count, (len(suite.standings), suite.trials, suite.failed, sum(one.tokens or 0 for one in suite.standings))),
        )
        for suite in suites
    )
    return Grid("finished", "Suites that are finished", columns, rows)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


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
