"""A race between real candidates: a profile's criteria and constraints as goals and limits, and planned runs that answer it.

A criterion is followed answer by answer where its metric judges single answers and it is taken of everybody's original answers.
So is a constraint; and one on a quantile of the latency is one on the share of answers that take longer. What cannot be
followed is said: a criterion may then be worth anything, so candidates drop out only where it cannot save them, and a
constraint is left to the decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.adaptive.rounds import Growing, Rounds, narrowed
from assay.adaptive.until import check_suitable
from assay.decisions.profile import Constraint, Measure, Profile
from assay.decisions.racing import Goal, Limit, Outcome, Race, run_race
from assay.decisions.selecting import matching
from assay.decisions.weights import Weights
from assay.decisions.worth import curve
from assay.engine import Engine
from assay.errors import AssayError, unknown
from assay.metrics import Metric
from assay.metrics.derived import find
from assay.planning import Run
from assay.runs import Progress
from assay.store import RunFolder
from assay.text import one_line

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

Grid = Mapping[str, Mapping[str, Run]]
"""Planned runs by scenario and candidate."""

QUANTILES = {
    "latency_p50_s": ("latency_s", 0.5),
    "latency_p95_s": ("latency_s", 0.95),
    "latency_p99_s": ("latency_s", 0.99),
    "first_token_p50_s": ("first_token_s", 0.5),
    "first_token_p95_s": ("first_token_s", 0.95),
}
"""Metrics that are a quantile: of which one, and which."""


@dataclass(frozen=True)
class _Column:
    """Where the values of a measure come from."""

    metric: Metric
    beyond: float | None = None
    """1 where the value is above this, else 0; `None`: the value itself."""

    def of(self, values: Floats) -> Floats:
        import numpy as np

        return values if self.beyond is None else np.where(np.isnan(values), np.nan, values > self.beyond)


@dataclass(frozen=True)
class Contest:
    """A race and how it is answered."""

    race: Race
    candidates: tuple[str, ...]
    scenarios: tuple[str, ...]
    columns: tuple[_Column, ...]
    grid: Grid
    unfollowed: tuple[str, ...]
    """Names of the criteria and constraints that the race does not follow."""

    @classmethod
    def of(cls, profile: Profile, planned: Sequence[Run]) -> Contest:
        """A profile's race over planned runs.

        Raises:
            AssayError: fewer than two candidates, one that is in no run or lacks a scenario, a measure that no scenario has, or
                no criterion that can be followed.
        """
        grid, candidates = _grid(profile, planned)
        measures = (*profile.criteria, *profile.constraints)
        taken = {measure.name: _scenarios(measure, grid, candidates) for measure in measures}
        scenarios = tuple(title for title in grid if any(title in titles for titles in taken.values()))
        places = {name: tuple(scenarios.index(title) for title in titles) for name, titles in taken.items()}
        shares = Weights.of(profile.criteria).centre().tolist()
        columns, unfollowed = [], []
        goals, limits = [], []
        for criterion, share in zip(profile.criteria, shares, strict=True):
            metric = find(criterion.metric)
            followed = _followed(criterion, metric)
            unfollowed += [] if followed else [criterion.name]
            corners = tuple(sorted(curve(criterion, metric)))
            bounds, where = (metric.range, places[criterion.name]) if followed else ((None, None), ())
            goals.append(Goal(share, corners, bounds, where))
            columns.append(_Column(metric))
        for constraint in profile.constraints:
            found = _limit(constraint, places[constraint.name], profile.confidence)
            if found is None:
                unfollowed.append(constraint.name)
                continue
            limits.append(found[0])
            columns.append(found[1])
        if not any(goal.scenarios for goal in goals):
            problem = "no criterion of the profile can be followed answer by answer, so there is nothing to race for"
            raise AssayError(problem, "leave out --adaptive, and run the suite")
        sizes = tuple(len(next(iter(grid[title].values())).selection.asked) for title in scenarios)
        race = Race(len(candidates), sizes, tuple(goals), tuple(limits), profile.confidence, profile.seed)
        return cls(race, candidates, scenarios, tuple(columns), grid, tuple(unfollowed))


@dataclass(frozen=True)
class Raced:
    """What came of a contest."""

    outcome: Outcome
    runs: tuple[Run, ...]
    """Everything that was asked, as runs."""
    folders: tuple[RunFolder, ...]
    finalists: tuple[str, ...]
    """Who was asked as much as the leader, in the order of the candidates: the decision is one between them."""
    notes: tuple[str, ...]
    """What was asked and saved, and who dropped out when and why; a line each."""


def run_contest(contest: Contest, engine: Engine, progress: Progress) -> Raced:
    """Race, and put in place what was asked.

    Raises:
        AssayError: as `carry_out`.
    """
    metrics = [column.metric for column in contest.columns if column.metric.of_answer is not None]
    planned = [[contest.grid[title][candidate] for title in contest.scenarios] for candidate in contest.candidates]
    growing = [[Growing.begin(run, metrics) for run in runs] for runs in planned]
    for runs in growing[1:]:
        for one, other in zip(growing[0], runs, strict=True):
            if one.names != other.names:
                raise AssayError(f"{one.run.title}: the candidates are not asked the same instances", "give them one suite")
    rounds = Rounds([run for runs in planned for run in runs], engine, progress)
    outcome = run_race(contest.race, _asker(contest, growing, rounds))
    asked = [one for row in growing for one in row if one.asked]
    written = [one.run if one.asked == len(one.order) else narrowed(one.run, one.asked) for one in asked]
    folders = rounds.write(written, [one.run for one in asked])
    most = max(outcome.asked, key=sum) if outcome.leader is None else outcome.asked[outcome.leader]
    finalists = tuple(one for one, row in zip(contest.candidates, outcome.asked, strict=True) if row == most)
    return Raced(outcome, tuple(written), tuple(folders), finalists, tuple(_told(contest, outcome, folders)))


def _asker(
    contest: Contest, growing: Sequence[Sequence[Growing]], rounds: Rounds
) -> Callable[[Sequence[int], Sequence[int], Sequence[int]], list[Floats]]:
    """What answers a race: the runs that are asked more and more of."""
    import numpy as np

    def ask(candidates: Sequence[int], starts: Sequence[int], stops: Sequence[int]) -> list[Floats]:
        counts = [stop - start for start, stop in zip(starts, stops, strict=True)]
        rounds.ask([(one, count) for candidate in candidates for one, count in zip(growing[candidate], counts, strict=True)])
        found = []
        for scenario, (start, stop) in enumerate(zip(starts, stops, strict=True)):
            values = np.full((len(candidates), stop - start, len(contest.columns)), np.nan)
            for place, candidate in enumerate(candidates):
                for number, column in enumerate(contest.columns):
                    own = growing[candidate][scenario].values.get(column.metric.name)
                    if own is not None:
                        values[place, :, number] = column.of(own[start:stop])
            found.append(values)
        return found

    return ask


def _grid(profile: Profile, planned: Sequence[Run]) -> tuple[Grid, tuple[str, ...]]:
    grid: dict[str, dict[str, Run]] = {}
    for run in planned:
        check_suitable(run)
        if grid.setdefault(run.title, {}).setdefault(run.label, run) is not run:
            raise AssayError(f"the suite asks {run.label} {run.title} in two ways", "give the candidates labels")
    known = sorted({run.label for run in planned})
    for candidate in profile.candidates:
        if candidate not in known:
            raise unknown("candidate", candidate, known)
    candidates = tuple(dict.fromkeys(profile.candidates)) or tuple(known)
    if len(candidates) < 2:
        raise AssayError("--adaptive races candidates, and there is only one", "leave it out, or name another candidate")
    return grid, candidates


def _scenarios(measure: Measure, grid: Grid, candidates: Sequence[str]) -> tuple[str, ...]:
    """The scenarios of a measure: all candidates are asked them and measured by its metric."""
    found = []
    for title in matching(measure.scenarios, grid):
        runs = grid[title]
        if any(measure.metric in {metric.name for metric in run.metrics} for run in runs.values()):
            lacking = [candidate for candidate in candidates if candidate not in runs]
            if lacking:
                raise AssayError(f"{lacking[0]} is not asked {title}, as other candidates are", "ask all of them alike")
            found.append(title)
    if not found:
        problem = f"{one_line(measure.name, 80)!r}: no scenario of the suite measures {measure.metric}"
        raise AssayError(problem, f"add metrics: [{measure.metric}] to a scenario")
    return tuple(found)


def _followed(measure: Measure, metric: Metric) -> bool:
    return measure.on == "original" and not measure.subgroup and metric.of_answer is not None


def _limit(constraint: Constraint, places: tuple[int, ...], confidence: float) -> tuple[Limit, _Column] | None:
    """A constraint as a limit on the mean of some column; `None` where it is none."""
    metric = find(constraint.metric)
    sure = constraint.confidence if constraint.confidence is not None else confidence
    if _followed(constraint, metric):
        limit = Limit(constraint.name, metric.range, places, sure, constraint.at_most, constraint.at_least)
        return limit, _Column(metric)
    of, share = QUANTILES.get(metric.name, ("", 0.0))
    if not of or constraint.on != "original" or constraint.subgroup or len(places) != 1 or constraint.at_most is None:
        return None
    column = _Column(find(of), beyond=constraint.at_most)
    return Limit(constraint.name, (0.0, 1.0), places, sure, at_most=1 - share), column


def _told(contest: Contest, outcome: Outcome, folders: Sequence[RunFolder]) -> list[str]:
    """What was asked, in words."""
    race, spent = contest.race, outcome.spent(contest.race)
    requests = sum(folder.manifest().requests for folder in folders)
    saved = f"{requests:,} requests instead of about {requests / spent:,.0f}"
    sure = (
        f"with {100 * race.confidence:.3g} % confidence, the candidate that asking everything would put first was not dropped"
    )
    lines = [f"Adaptive: {100 * spent:.0f} % of all instances were asked, {saved}; {sure}."]
    for one in outcome.dropped:
        why = f"it breaks {one.breaks}" if one.breaks else f"it is worth less than {contest.candidates[one.rival or 0]}"
        after = f"after {one.asked:,} of {sum(race.sizes):,} instances"
        lines.append(f"{contest.candidates[one.candidate]} dropped out {after}: {why}.")
    if contest.unfollowed:
        lines.append(f"The race did not follow {', '.join(contest.unfollowed)}; the decision does.")
    return [one_line(line) for line in lines]
