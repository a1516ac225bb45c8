from __future__ import annotations

import pytest

from assay.engine import EndpointDown, FailureBudget, Stopped, TooManyFailures
from assay.errors import AssayError
from assay.identity import generator


def _stops_at(budget: FailureBudget, failures: list[bool]) -> int | None:
    """The number of the trial at which it is used up, from 1."""
    for number, failed in enumerate(failures, 1):
        try:
            budget.trial("no answer" if failed else None)
        except TooManyFailures:
            return number
    return None


def test_a_number_of_failures_is_exceeded_by_the_next() -> None:
    failures = [number % 10 == 0 for number in range(1000)]
    assert _stops_at(FailureBudget(5), failures) == 51
    assert _stops_at(FailureBudget(0), failures) == 1
    assert _stops_at(FailureBudget(100), failures) is None


def test_without_a_limit_nothing_stops() -> None:
    budget = FailureBudget()
    assert _stops_at(budget, [True] * 5000) is None
    assert (budget.done, budget.failed) == (5000, 5000)


def test_a_share_is_judged_only_once_enough_trials_are_done() -> None:
    assert _stops_at(FailureBudget(0.02, share=True), [True] * 49) is None
    assert _stops_at(FailureBudget(0.02, share=True), [True] * 60) == 50
    assert _stops_at(FailureBudget(0.02, share=True, at_least=10), [True] * 60) == 10
    assert _stops_at(FailureBudget(0, share=True), [False] * 80 + [True]) == 81
    assert _stops_at(FailureBudget(1, share=True), [True] * 1000) is None


def test_a_share_is_not_exceeded_by_chance_alone_and_soon_by_twice_as_many() -> None:
    stopped, late = 0, 0
    for seed in range(40):
        chance = generator("budget", seed)
        draws = [chance.random() for _ in range(3000)]
        stopped += _stops_at(FailureBudget(0.05, share=True), [draw < 0.04 for draw in draws]) is not None
        late += (_stops_at(FailureBudget(0.05, share=True), [draw < 0.10 for draw in draws]) or 3000) > 800
    assert stopped <= 1
    assert late <= 2


def test_the_message_says_how_many_and_why_and_how_to_go_on() -> None:
    budget = FailureBudget(1)
    budget.trial("first")
    with pytest.raises(TooManyFailures, match=r"2 of 2 trials failed, more than the 1 allowed; the last: second \(.*goes on"):
        budget.trial("second")
    budget = FailureBudget(0.1, share=True, at_least=2)
    budget.trial("first")
    with pytest.raises(TooManyFailures, match=r"more than the 10% of all allowed"):
        budget.trial("only")


def test_all_early_ends_are_one_kind_of_error() -> None:
    assert issubclass(EndpointDown, Stopped)
    assert issubclass(TooManyFailures, Stopped)
    assert issubclass(Stopped, AssayError)
