"""`assay decide --adaptive`: the models are asked first, and only as much as it takes to find the best."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from assay.adaptive.contest import Contest, run_contest
from assay.cli.carrying_out import Allowed, Telling, asked, write_down
from assay.cli.options import make_planner
from assay.decisions.deciding import decide
from assay.decisions.measured import Measured
from assay.decisions.measuring import measure
from assay.decisions.pointing import PointedError
from assay.decisions.profile import Profile
from assay.errors import AssayError
from assay.settings import runs_folder
from assay.store.folders import SPEC
from assay.store.planned import PLAN, read_plan
from assay.suites import Suite, read_suite
from assay.tables import write_summary

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.planning import Planner, Run
    from assay.runs import Progress
    from assay.store import RunFolder


def race_and_measure(profile: Profile, home: Path, suite: str | None, models_file: Path | None) -> Measured:
    """Ask the candidates of a profile until it shows who is best; what was measured of those that were left at the end.
    The runs go where the profile's are.

    Ends the program where asking was stopped, with the exit code of that.

    Args:
        profile: what matters, and between whom.
        home: the folder of its file.
        suite: a suite's file or name; `None`: the one that the profile's runs were made by.
        models_file: details of the models; `None`: ./models.yaml where there is one.

    Raises:
        AssayError: no suite, what it asks does not fit the profile, or the profile's runs lie in several folders.
    """
    made = read_suite([suite]) if suite is not None else _made_by(profile, home)
    racing = _Racing(profile, home, _place(profile, home, made))
    folders = asked(make_planner(models_file, None), made, Allowed(), Telling(), racing.work)
    if isinstance(folders, int):
        sys.exit(folders)
    write_summary(folders)
    assert racing.measured is not None
    return dataclasses.replace(racing.measured, notes=(*racing.measured.notes, *racing.notes))


@dataclass
class _Racing:
    """Races until those in front keep the constraints that no race can follow, too."""

    profile: Profile
    home: Path
    place: Path
    """The folder that its runs go into."""
    written: dict[tuple[str, str], tuple[Run, RunFolder]] = field(default_factory=dict)
    """By candidate and scenario, what was asked last."""
    notes: list[str] = field(default_factory=list)
    measured: Measured | None = None

    def work(self, planner: Planner, suite: Suite, engine: Engine, progress: Progress) -> list[RunFolder]:
        """Race, measure, and where somebody who came through breaks such a constraint, race again without them: others may
        have been dropped for being worth less than they. What the others were asked is kept."""
        runs = [dataclasses.replace(run, folder=self.place / run.name) for run in planner.plan(suite)]
        contest = Contest.of(self.profile, runs)
        write_down(suite, runs, planner.left_out)
        while True:
            raced = run_contest(contest, engine, progress)
            self.written |= {(one.label, one.title): (one, made) for one, made in zip(raced.runs, raced.folders, strict=True)}
            self.notes += raced.notes
            self._measure(raced.finalists)
            breaking = self._breaking(contest.unfollowed)
            left = [one for one in contest.candidates if one not in breaking]
            if not breaking or not left:
                break
            self.notes.append(
                f"{', '.join(breaking)} broke a constraint that a race cannot follow, and the others raced again."
            )
            if len(left) == 1:
                self._measure(left)
                break
            contest = Contest.of(msgspec.structs.replace(self.profile, candidates=tuple(left)), runs)
        kept = list(self.written.values())
        write_down(suite, [run for run, _ in kept], planner.left_out, self.notes)
        return [folder for _, folder in kept]

    def _measure(self, candidates: Sequence[str]) -> None:
        folders = [str(made.path.resolve()) for (label, _), (_, made) in self.written.items() if label in candidates]
        between = msgspec.structs.replace(self.profile, runs=tuple(folders), candidates=tuple(candidates))
        self.measured = measure(between, self.home)

    def _breaking(self, unfollowed: Sequence[str]) -> list[str]:
        """Who of those that came through is shown to break a constraint that the race did not follow."""
        assert self.measured is not None
        if not any(constraint.name in unfollowed for constraint in self.profile.constraints):
            return []
        return [
            standing.candidate
            for standing in decide(self.profile, self.measured).standings
            if any(held.verdict == "violated" and held.constraint in unfollowed for held in standing.constraints)
        ]


def _made_by(profile: Profile, home: Path) -> Suite:
    """The suite that made the first of the profile's runs."""
    for folder in profile.runs:
        for place in (home / folder, (home / folder).parent):
            plan = read_plan(place)
            if plan is not None and plan.suite:
                return msgspec.convert(plan.suite, Suite)
    raise AssayError("it is not known which suite to ask", "name it: --suite SUITE.yaml")


def _place(profile: Profile, home: Path, suite: Suite) -> Path:
    """The one folder that the profile's runs lie in, or are to lie in: what is asked goes there, to be decided by again.

    Raises:
        PointedError: there are several, or a folder of suites is named.
    """
    if not profile.runs:
        return runs_folder() / suite.folder
    folders = dict.fromkeys(_suite_folder(home / folder, suite) for folder in profile.runs)
    if len(folders) > 1:
        problem = f"--adaptive puts its runs into one folder, and runs names {len(folders)}"
        raise PointedError(AssayError(problem, "name one, such as runs: [runs/race]"), ("runs",))
    return next(iter(folders))


def _suite_folder(named: Path, suite: Suite) -> Path:
    """The folder of the suite that a profile means: what it names, or the one around a run or in a folder of suites."""
    if (named / SPEC).is_file():
        return named.resolve().parent
    holds = named.is_dir() and read_plan(named) is None
    inner = [path for path in named.iterdir() if (path / PLAN).is_file()] if holds else []
    return named.resolve() / suite.folder if inner else named.resolve()
