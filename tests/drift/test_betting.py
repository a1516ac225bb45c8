from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.drift.betting import CASH, POWERS, above_mean, capital, never_given, p_values, tails

ENOUGH = 20
"""Evidence that is an alarm at a level of 0.05."""


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), max_size=7), st.floats(0, 1))
def test_tails_are_those_of_all_outcomes_counted_one_by_one(coins: list[tuple[bool, float]], toss: float) -> None:
    marks = np.array([mark for mark, _ in coins], dtype=bool)
    chances = np.array([chance for _, chance in coins])
    held = [place for place, chance in enumerate(chances) if 0 < chance < 1]
    seen = sum(bool(marks[place]) for place in held)
    fewer = same = 0.0
    for outcome in itertools.product((0, 1), repeat=len(held)):
        sides = (chances[place] if on else 1 - chances[place] for on, place in zip(outcome, held, strict=True))
        odds = float(np.prod([1.0, *sides]))
        fewer += odds * (sum(outcome) < seen)
        same += odds * (sum(outcome) == seen)
    low, high = tails(marks, chances, toss)
    assert low == pytest.approx(fewer + toss * same, abs=1e-12)
    assert low + high == pytest.approx(1)


@given(arrays(np.float64, st.tuples(st.integers(2, 5), st.integers(1, 4)), elements=st.sampled_from([0.0, 1.0, 2.0, np.nan])))
def test_an_answer_is_new_where_no_other_evaluation_gave_it(codes: Any) -> None:
    marks, shares = never_given(codes)
    for place, column in enumerate(codes.T.tolist()):
        there = [code for code in column if code == code]
        single = [code for code in there if there.count(code) == 1]
        assert bool(marks[place]) == (column[-1] in single)
        assert shares[place] == pytest.approx(len(single) / max(1, len(there)))


def test_values_are_marked_above_the_mean_of_all_that_are_there() -> None:
    marks, shares = above_mean(np.array([[0.0, 1, 3, np.nan], [1.0, 1, 9, 5], [1.0, 1, 4, 7]]))
    assert marks.tolist() == [True, False, False, True]
    assert shares.tolist() == pytest.approx([2 / 3, 0, 1 / 3, 1 / 2])


def _distribution(p: Callable[[float], float], at: float) -> float:
    """P(p <= at) where p grows evenly with an even toss."""
    low, high = p(0.0), p(1.0)
    return min(1.0, max(0.0, (at - low) / (high - low))) if high > low else float(low <= at)


@pytest.mark.parametrize("marks", [above_mean, never_given])
@pytest.mark.parametrize("at", [(0.1, 0.3), (0.25, 0.5), (0.7, 0.2), (0.9, 0.9)])
def test_p_values_are_even_and_independent_whatever_the_order_of_the_answers(marks: Any, at: tuple[float, float]) -> None:
    """All orders of what two instances answered three times, each as likely, and all tosses: exactly, not by simulation."""
    answers = ((0.0, 0.0, 1.0), (0.0, 1.0, 1.0))
    orders = list(itertools.product(*(itertools.permutations(answer) for answer in answers)))
    both = []
    for order in orders:
        table = np.array(order).T
        first, second = (
            (lambda toss, day=day, table=table: float(p_values(table, marks, lambda _: toss)[day, 0])) for day in (0, 1)
        )
        both.append((_distribution(first, at[0]), _distribution(second, at[1])))
    assert np.mean([one for one, _ in both]) == pytest.approx(at[0])
    assert np.mean([other for _, other in both]) == pytest.approx(at[1])
    assert np.mean([one * other for one, other in both]) == pytest.approx(at[0] * at[1])


def test_no_bet_gains_on_average_while_nothing_changes() -> None:
    # The bets are the same at p and 1 - p. With p = u^20 / 2 the density 10 u^19 evens out what is unbounded at 0.
    u = (np.arange(4000) + 0.5) / 4000
    grown = np.array([capital(np.array([[value, 1 - value]]))[0] for value in u**20 / 2])
    assert 2 * np.mean(grown * 10 * u**19) == pytest.approx(1, abs=1e-4)
    worked = CASH + sum((1 - CASH) / 4 * k * (0.01 ** (k - 1) + 0.99 ** (k - 1)) for k in POWERS)
    assert capital(np.array([[0.01, 0.99]]))[0] == pytest.approx(worked)


@given(arrays(np.float64, st.tuples(st.integers(1, 30), st.just(2)), elements=st.floats(0, 1)))
@settings(max_examples=30)
def test_evidence_is_a_number_however_extreme_the_p_values(p: Any) -> None:
    found = capital(p)
    assert np.isfinite(found).all()
    assert (found > 0).all()


def _days(rng: np.random.Generator, chances: Any, later: Any, change: int, days: int) -> Any:
    """Right and wrong of the same instances on so many days, the chances being others from one day on."""
    return np.array([rng.random(len(chances)) < (later if day >= change else chances) for day in range(days)], dtype=float)


def _alarms(series: list[Any], rng: np.random.Generator) -> list[int | None]:
    found = [np.flatnonzero(capital(p_values(days, above_mean, lambda _: rng.random())) >= ENOUGH) for days in series]
    return [int(alarm[0]) + 1 if len(alarm) else None for alarm in found]


def test_two_hundred_checks_of_a_model_that_does_not_change_cry_wolf_in_one_of_twenty_series_at_most() -> None:
    """Also where a model is right by chance, so that one baseline is lucky or not."""
    rng = np.random.default_rng(5)
    series = []
    for _ in range(120):
        chances = np.where(rng.random(40) < 0.5, rng.random(40), rng.random(40) < 0.7)
        series.append(_days(rng, chances, chances, 201, 201))
    assert sum(alarm is not None for alarm in _alarms(series, rng)) <= 6


@pytest.mark.parametrize(("change", "within"), [(1, 4), (20, 2)])
def test_a_drop_of_a_tenth_is_found_within_a_few_checks(change: int, within: int) -> None:
    """Of 300 items a fifth of which are unsteady; sooner where more days went before."""
    rng = np.random.default_rng(6)
    series = []
    for _ in range(40):
        chances = np.where(rng.random(300) < 0.2, rng.random(300), rng.random(300) < 0.75)
        later = np.where(rng.random(300) < 0.1 / chances.mean(), 0.0, chances)
        series.append(_days(rng, chances, later, change, change + within))
    found = _alarms(series, rng)
    assert sum(alarm is not None and alarm >= change for alarm in found) >= 34


def test_one_baseline_for_every_day_would_find_a_model_guilty_that_never_changed() -> None:
    """Why the answers so far count as a set: signs against the baseline, multiplied day by day, break their promise."""
    rng = np.random.default_rng(7)
    wrongly = 0
    for _ in range(40):
        chances = rng.random(40)
        days = _days(rng, chances, chances, 201, 201)
        worse, better = ((days[1:] - days[0]) * sign > 0 for sign in (-1, 1))
        down, up = (np.cumsum(some.sum(axis=1)) for some in (worse, better))
        bets = [(share, ups, downs) for share in (0.55, 0.6) for ups, downs in ((up, down), (down, up))]
        grown = np.mean([(2 * share) ** ups * (2 * (1 - share)) ** downs for share, ups, downs in bets], axis=0)
        wrongly += bool((grown >= ENOUGH).any())
    assert wrongly > 20
