"""Races over made-up values whose truth is known: the best is found with a part of the requests, and hardly ever lost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import norm

from assay.decisions.racing import Ask, Goal, Limit, Race, run_race

RIGHT = ((0.0, 0.0), (1.0, 1.0))
WRONG = ((0.0, 1.0), (1.0, 0.0))
Values = list[np.ndarray]
"""Of each scenario, shape (candidates, instances, measures)."""


@dataclass(frozen=True)
class Problem:
    """Candidates of known quality; the first is the best."""

    chances: tuple[tuple[float, ...], ...]
    """[measure][candidate]: of a 1."""
    sizes: tuple[int, ...]
    alike: float
    """Correlation of the candidates' latent values at an instance: how much the instances decide."""
    shares: tuple[float, ...] = (1.0,)
    spread: float = 0.1
    """Between the easiest and the hardest scenario."""
    lower: tuple[int, ...] = ()
    """Measures that are the better the lower they are."""

    def race(self, seed: int = 0) -> Race:
        everywhere = tuple(range(len(self.sizes)))
        curves = [WRONG if place in self.lower else RIGHT for place in range(len(self.shares))]
        goals = tuple(Goal(share, curve, (0, 1), everywhere) for share, curve in zip(self.shares, curves, strict=True))
        return Race(len(self.chances[0]), self.sizes, goals, seed=seed)

    def values(self, generator: np.random.Generator) -> Values:
        made = []
        for size, harder in zip(self.sizes, np.linspace(-1, 1, len(self.sizes)) * self.spread / 2, strict=True):
            columns = []
            for chances in self.chances:
                shape = len(chances), size
                latent = math.sqrt(self.alike) * generator.standard_normal(size)
                latent = latent + math.sqrt(1 - self.alike) * generator.standard_normal(shape)
                columns.append(latent < norm.ppf(np.clip(np.array(chances) + harder, 0.01, 0.99))[:, None])
            made.append(np.stack(columns, axis=-1).astype(float))
        return made

    def full(self, values: Values) -> int:
        means = np.mean([one.mean(axis=1) for one in values], axis=0)
        signs = np.array([-1 if place in self.lower else 1 for place in range(len(self.shares))])
        return int((means * signs * self.shares).sum(axis=1).argmax())


def answers(values: Values) -> Ask:
    def ask(candidates: Sequence[int], starts: Sequence[int], stops: Sequence[int]) -> list[np.ndarray]:
        return [one[candidates, start:stop] for one, start, stop in zip(values, starts, stops, strict=True)]

    return ask


PROBLEMS = {
    "two, a clear gap": Problem(((0.80, 0.70),), (300, 300), 0.3),
    "two, a narrow gap on alike answers": Problem(((0.80, 0.78),), (1000, 1000, 1000), 0.7),
    "three, one scenario": Problem(((0.90, 0.86, 0.80),), (1000,), 0.5),
    "four, evenly apart": Problem(((0.80, 0.75, 0.70, 0.65),), (250,) * 4, 0.4),
    "four, many short scenarios": Problem(((0.95, 0.90, 0.85, 0.80),), (100,) * 8, 0.3, spread=0.05),
    "five, scenarios of different size": Problem(((0.60, 0.56, 0.54, 0.50, 0.45),), (400, 100, 800), 0.6, spread=0.3),
    "six, two criteria against each other": Problem(
        ((0.75, 0.80, 0.70, 0.65, 0.75, 0.60), (0.70, 0.50, 0.65, 0.60, 0.55, 0.50)), (300,) * 4, 0.4, (0.5, 0.5)
    ),
    "three, three criteria, one of them a vice": Problem(
        ((0.80, 0.75, 0.82), (0.60, 0.60, 0.50), (0.05, 0.10, 0.15)), (400, 400, 200), 0.3, (0.5, 0.3, 0.2), lower=(2,)
    ),
    "eight, neighbours close": Problem(((0.70, 0.66, 0.60, 0.55, 0.50, 0.45, 0.40, 0.30),), (200,) * 5, 0.3),
    "ten, most of them far behind": Problem(((0.85, 0.80, 0.80, 0.75, 0.70, 0.60, 0.60, 0.50, 0.50, 0.40),), (150,) * 6, 0.4),
}


def test_racing_finds_the_best_as_often_as_asking_everything_with_two_fifths_of_the_requests() -> None:
    times, spent, right, right_of_full = 8, [], 0, 0
    for number, problem in enumerate(PROBLEMS.values()):
        for repeat in range(times):
            values = problem.values(np.random.default_rng([1, number, repeat]))
            race = problem.race(seed=repeat)
            outcome = run_race(race, answers(values))
            spent.append(outcome.spent(race))
            right += outcome.leader == 0
            right_of_full += problem.full(values) == 0
    assert np.mean(spent) <= 0.40
    assert right >= right_of_full - 0.02 * len(spent)
    assert right_of_full >= 0.95 * len(spent)


def test_the_best_is_lost_in_5_of_100_at_most_where_nothing_separates_the_candidates() -> None:
    """Three candidates of exactly the same mean over all instances: whoever is dropped is lost wrongly."""
    generator, times = np.random.default_rng(2), 120
    lost = np.zeros(3)
    for repeat in range(times):
        values = []
        for size in (90, 60):
            ones = np.arange(size) < 0.6 * size
            values.append(np.stack([generator.permutation(ones) for _ in range(3)]).astype(float)[:, :, None])
        for dropped in run_race(Race(3, (90, 60), (Goal(1, RIGHT, (0, 1), (0, 1)),), seed=repeat), answers(values)).dropped:
            lost[dropped.candidate] += 1
    assert lost.max() / times <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / times)


def test_a_race_that_cannot_be_settled_asks_everything_and_names_who_is_ahead() -> None:
    values = [np.array([[0.0, 1] * 30, [1.0, 0] * 29 + [1, 1]])[:, :, None]]
    outcome = run_race(Race(2, (60,), (Goal(1, RIGHT, (0, 1), (0,)),)), answers(values))
    assert outcome.leader == 1
    assert not outcome.dropped
    assert outcome.asked == ((60,), (60,))


def test_worth_is_a_curve_more_than_satisfying_is_worth_nothing_more() -> None:
    """Both are satisfying in the first criterion, where the second candidate is far better; so the second criterion decides."""
    generator = np.random.default_rng(3)
    chances = np.array([[0.80, 0.30], [0.98, 0.10]])
    values = [(generator.random((2, 1500, 2)) < chances[:, None]).astype(float)]
    goals = (Goal(0.8, ((0.3, 0.0), (0.7, 1.0)), (0, 1), (0,)), Goal(0.2, RIGHT, (0, 1), (0,)))
    outcome = run_race(Race(2, (1500,), goals), answers(values))
    assert outcome.leader == 0
    assert [one.candidate for one in outcome.dropped] == [1]
    assert outcome.spent(Race(2, (1500,), goals)) < 0.8
    straight = tuple(replace(goal, curve=RIGHT) for goal in goals)
    assert run_race(Race(2, (1500,), straight), answers(values)).leader == 1


def limited(**limit: float) -> Limit:
    return Limit("not rude", (0, 1), (0,), 0.95, **limit)


def test_who_breaks_a_constraint_is_out_however_good_and_beats_nobody() -> None:
    generator = np.random.default_rng(4)
    chances = np.array([[0.9, 0.3], [0.7, 0.01], [0.5, 0.01]])
    values = [(generator.random((3, 1200, 2)) < chances[:, None]).astype(float)]
    race = Race(3, (1200,), (Goal(1, RIGHT, (0, 1), (0,)),), (limited(at_most=0.1),))
    outcome = run_race(race, answers(values))
    assert outcome.leader == 1
    assert [(one.candidate, one.breaks, one.rival) for one in outcome.dropped] == [(0, "not rude", None), (2, "", 1)]
    assert outcome.dropped[0].asked < outcome.dropped[1].asked < 1200
    kept = run_race(replace(race, limits=(limited(at_least=0.0),)), answers(values))
    assert kept.leader == 0


def test_nobody_is_beaten_by_a_candidate_that_is_not_known_to_keep_the_constraints() -> None:
    generator = np.random.default_rng(5)
    chances = np.array([[0.9, 0.1], [0.3, 0.1]])
    values = [(generator.random((2, 300, 2)) < chances[:, None]).astype(float)]
    race = Race(2, (300,), (Goal(1, RIGHT, (0, 1), (0,)),), (limited(at_most=0.1),))
    assert not run_race(race, answers(values)).dropped


def test_all_may_break_a_constraint() -> None:
    values = [np.ones((2, 200, 2))]
    race = Race(2, (200,), (Goal(1, RIGHT, (0, 1), (0,)),), (limited(at_most=0.1),))
    outcome = run_race(race, answers(values))
    assert outcome.leader is None
    assert len(outcome.dropped) == 2
    assert outcome.spent(race) < 1


def test_a_criterion_without_bounds_counts_by_its_asymptotic_interval_and_an_unknown_one_as_anything() -> None:
    generator = np.random.default_rng(6)
    seconds = generator.lognormal(np.array([0.0, 1.2])[:, None], 0.3, size=(2, 800))
    values = [np.stack([(generator.random((2, 800)) < 0.7).astype(float), seconds], axis=-1)]
    fast = Goal(0.5, ((0.5, 1.0), (5.0, 0.0)), (0, None), (0,))
    goals = (Goal(0.5, RIGHT, (0, 1), (0,)), fast)
    outcome = run_race(Race(2, (800,), goals), answers(values))
    assert outcome.leader == 0
    assert outcome.spent(Race(2, (800,), goals)) < 0.7
    assert not run_race(Race(2, (800,), (goals[0], replace(fast, scenarios=()))), answers(values)).dropped


@pytest.mark.parametrize("lost", [0.0, 0.2])
def test_missing_values_say_nothing(lost: float) -> None:
    generator = np.random.default_rng(7)
    values = [(generator.random((2, 400, 1)) < np.array([0.9, 0.6])[:, None, None]).astype(float)]
    values[0][generator.random((2, 400, 1)) < lost] = np.nan
    race = Race(2, (400,), (Goal(1, RIGHT, (0, 1), (0,)),))
    outcome = run_race(race, answers(values))
    assert outcome.leader == 0
    assert [one.candidate for one in outcome.dropped] == [1]


def test_the_same_race_runs_the_same_way_and_one_candidate_asks_nothing() -> None:
    problem = PROBLEMS["four, evenly apart"]
    values = problem.values(np.random.default_rng(8))
    assert run_race(problem.race(3), answers(values)) == run_race(problem.race(3), answers(values))
    alone = run_race(Race(1, (10,), (Goal(1, RIGHT, (0, 1), (0,)),)), answers([np.ones((1, 10, 1))]))
    assert alone.leader == 0
    assert alone.asked == ((0,),)
