"""How much more a run that grows is asked, and how sure it is of what it knows."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assay.adaptive.rounds import Growing
from assay.adaptive.targets import Target
from assay.adaptive.until import EARLIEST, FIRST, Settling
from assay.metrics import metrics_for

EXACT = metrics_for(("exact_match",))[0]


def settling(values: list[float] | np.ndarray, within: float, most: int, population: int) -> Settling:
    names = [str(number) for number in range(most)]
    run: Any = SimpleNamespace()
    growing = Growing(run, list(range(most)), names, {EXACT.name: np.array(values, dtype=float)})
    return Settling(growing, ((Target("accuracy", within), EXACT),), population)


def test_a_round_asks_about_as_many_as_it_takes() -> None:
    """About 2 log(40) variance / width^2, by the last round but one never more than twice as many as before."""
    generator = np.random.default_rng(1)
    truth = (generator.random(5000) < 0.8).astype(float)
    one, rounds = settling([], 0.05, 5000, 5000), []
    assert one.more() == FIRST
    while count := one.more():
        rounds.append(count)
        one = settling(truth[: one.growing.asked + count], 0.05, 5000, 5000)
    asked = one.growing.asked
    assert asked == sum(rounds)
    assert rounds[0] == rounds[1] == FIRST
    assert 0.6 < asked / (2 * math.log(40) * 0.16 / 0.05**2) < 1.2
    (reached,) = one.reached()
    assert reached.settled
    assert reached.low <= truth.mean() <= reached.high


@pytest.mark.parametrize(
    ("within", "population", "first"), [(0.2, 54, 13), (0.2, 5000, 23), (0.4, 54, EARLIEST), (0.02, 5000, FIRST)]
)
def test_a_wide_interval_is_looked_at_early(within: float, population: int, first: int) -> None:
    """Half of n / (1 + n / N), n = 2 log(40) / 4 / width^2, which settles it whatever the answers are."""
    assert settling([], within, population, population).more() == first


def test_looking_early_asks_no_more_than_looking_late() -> None:
    truth = (np.random.default_rng(2).random(54) < 0.9).astype(float)
    one = settling([], 0.2, 54, 54)
    while count := one.more():
        one = settling(truth[: one.growing.asked + count], 0.2, 54, 54)
    assert one.growing.asked < 30
    assert one.reached()[0].settled


def test_it_never_asks_more_than_it_may() -> None:
    one = settling([0.0, 1.0] * 40, 0.01, 100, 5000)
    assert one.more() == 20
    assert settling([0.0, 1.0] * 50, 0.01, 100, 5000).more() == 0


@pytest.mark.parametrize("lost", [1, 5])
def test_an_answer_that_failed_may_have_been_right_or_wrong(lost: int) -> None:
    values = np.array([1.0] * 40 + [0.0] * 10)
    whole = settling(values, 0.01, 50, 50).reached()[0]
    assert whole.low == pytest.approx(0.8, abs=1e-5)
    assert whole.high == pytest.approx(0.8, abs=1e-5)
    values[:lost] = math.nan
    (open_,) = settling(values, 0.01, 50, 50).reached()
    assert open_.low == pytest.approx(0.8 - lost / 50, abs=1e-5)
    assert open_.high == pytest.approx(0.8, abs=1e-5)
