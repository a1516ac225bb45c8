"""Verdicts on constraints: right in 95 of 100 where the truth is just at the limit, and enough instances settle them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom

from assay.decisions.constraints import held, reach_of, skewness
from assay.decisions.profile import Constraint
from assay.decisions.results import Held
from assay.metrics.derived import find
from assay.records import Estimate
from assay.statistics.estimates import clustered_mean, weighted_mean

NONE = np.array([])
MOST_WRONG = 0.05


def verdict(
    values: Any,
    confidence: float = 0.95,
    metric: str = "exact_match",
    clusters: Any = None,
    replicates: Any = NONE,
    **limit: float,
) -> Held:
    held_values = np.asarray(values, dtype=float)
    units = np.arange(len(held_values)) if clusters is None else np.asarray(clusters)
    estimate = clustered_mean(held_values, units, find(metric).range)
    return held(Constraint(name="limit", metric=metric, **limit), find(metric), estimate, replicates, confidence)


def share(right: int, of: int, **more: Any) -> Held:
    return verdict([1.0] * right + [0.0] * (of - right), **more)


def test_no_failure_among_n_is_kept_below_about_three_in_n() -> None:
    """The rule of three: 1 - 0.05^(1/n), which is 3 / n."""
    found = share(0, 300, at_most=0.01)
    assert found.verdict == "met"
    assert found.bound == pytest.approx(1 - 0.05 ** (1 / 300))
    assert found.bound == pytest.approx(3 / 300, rel=0.01)
    assert share(0, 298, at_most=0.01).verdict == "undetermined"
    assert share(298, 298, at_least=0.99).verdict == "undetermined"
    assert share(299, 299, at_least=0.99).verdict == "met"


@pytest.mark.parametrize("truth", [0.005, 0.02, 0.1, 0.5, 0.9, 0.98, 0.995])
@pytest.mark.parametrize("n", [5, 12, 60, 400])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_a_verdict_on_a_share_is_wrong_as_seldom_as_it_says(truth: float, n: int, confidence: float) -> None:
    """Exact: every count that can occur, with its chance, where the truth is at the limit, so that either verdict is wrong."""
    chances = binom.pmf(np.arange(n + 1), n, truth)
    for side in ("at_most", "at_least"):
        beyond = np.nextafter(truth, 0 if side == "at_most" else 1)
        found = [share(right, n, confidence=confidence, **{side: truth}).verdict for right in range(n + 1)]
        assert sum(chance for chance, said in zip(chances, found, strict=True) if said == "violated") <= 1 - confidence + 1e-9
        found = [share(right, n, confidence=confidence, **{side: beyond}).verdict for right in range(n + 1)]
        assert sum(chance for chance, said in zip(chances, found, strict=True) if said == "met") <= 1 - confidence + 1e-9


KINDS: dict[str, tuple[Any, float, tuple[float | None, float | None]]] = {
    "mostly 1": (lambda rng, n: rng.choice([0, 0.5, 1], p=[0.02, 0.03, 0.95], size=n), 0.965, (0, 1)),
    "mostly low": (lambda rng, n: rng.beta(0.3, 2, n), 0.3 / 2.3, (0, 1)),
    "mostly high": (lambda rng, n: rng.beta(5, 0.5, n), 5 / 5.5, (0, 1)),
    "nothing, a little or all": (lambda rng, n: rng.choice([0, 0.02, 1], n, p=[0.9, 0.09, 0.01]), 0.0118, (0, 1)),
    "toxicity": (lambda rng, n: rng.choice([0, 0.05, 0.2, 1], n, p=[0.7, 0.24, 0.051, 0.009]), 0.0312, (0, 1)),
    "half and rarely all": (lambda rng, n: rng.choice([0.5, 1], n, p=[0.98, 0.02]), 0.51, (0, 1)),
    "mostly nothing": (lambda rng, n: rng.beta(0.02, 1, n), 0.02 / 1.02, (0, 1)),
    "normal": (lambda rng, n: rng.normal(1, 1, n), 1, (None, None)),
    "seconds": (lambda rng, n: rng.lognormal(0, 0.5, n), float(np.exp(0.125)), (0, None)),
    "exponential": (lambda rng, n: rng.exponential(1, n), 1, (0, None)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [25, 100])
def test_bounds_of_means_are_on_the_wrong_side_in_at_most_5_of_100(kind: str, n: int) -> None:
    draw, truth, bounds = KINDS[kind]
    rng, trials, above, below = np.random.default_rng(11), 1500, 0, 0
    for _ in range(trials):
        values = draw(rng, n)
        estimate = clustered_mean(values, np.arange(n), bounds)
        assert estimate is not None
        drawn = values[rng.integers(n, size=(100, n))].mean(axis=1)
        reach = reach_of(estimate, bounds, drawn, 0.95)
        if reach is not None:
            above += reach(1, 1) < truth
            below += reach(-1, 1) > truth
    # The chance of the simulation itself adds about 0.006 either way.
    assert above / trials <= MOST_WRONG + 0.012
    assert below / trials <= MOST_WRONG + 0.012


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 300])
def test_no_mixture_of_three_values_passes_a_limit_below_its_mean_in_more_than_5_of_100(n: int) -> None:
    """Values b, a, and with a chance of so many in n 1: what hides a rare high value best."""
    rng, trials, wrong = np.random.default_rng(n), 400, []
    for base, other, often, expected in product((0, 0.3, 0.6), (0.02, 0.3, 0.8), (0.03, 0.3, 0.9), (0, 0.5, 1, 3, 5)):
        chances = np.array([1 - often - expected / n, often, expected / n])
        if chances[0] < 0:
            continue
        values = np.array([base, max(base, other), 1.0])
        truth, above, below = float(values @ chances), 0, 0
        for counts in rng.multinomial(n, chances, trials):
            estimate = clustered_mean(np.repeat(values, counts), np.arange(n), (0, 1))
            assert estimate is not None
            reach = reach_of(estimate, (0, 1), rng.multinomial(n, counts / n, 100) @ values / n, 0.95)
            assert reach is not None
            above += reach(1, 1) < truth - 1e-9
            below += reach(-1, 1) > truth + 1e-9
        wrong.append(max(above, below) / trials)
    assert max(wrong) <= MOST_WRONG + 3.5 * (0.05 * 0.95 / trials) ** 0.5  # the largest of two hundred


def test_a_value_a_little_above_nought_does_not_make_a_bound_stricter() -> None:
    noughts = verdict([0.0] * 40, at_most=0.5).bound
    little = verdict([0.0] * 39 + [0.02], at_most=0.5).bound
    assert noughts == pytest.approx(1 - 0.05 ** (1 / 40))
    assert little is not None
    assert noughts is not None
    assert noughts < little < noughts + 0.01


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=40), st.sampled_from([0.8, 0.95, 0.99]))
def test_no_values_have_a_bound_below_that_of_noughts_or_above_that_of_ones(values: list[float], confidence: float) -> None:
    n = len(values)
    ends = []
    for some in (values, [0.0] * n, [1.0] * n):
        estimate = clustered_mean(np.array(some), np.arange(n), (0, 1))
        assert estimate is not None
        reach = reach_of(estimate, (0, 1), NONE, confidence)
        assert reach is not None
        ends.append((reach(1, 1), reach(-1, 1)))
    assert ends[0][0] >= ends[1][0] - 1e-9
    assert ends[0][1] <= ends[2][1] + 1e-9


@pytest.mark.parametrize("kind", ["mostly 1", "mostly low", "mostly high", "toxicity", "mostly nothing"])
def test_the_bound_of_graded_values_is_about_the_quantile_of_means_with_weights_that_sum_to_1(kind: str) -> None:
    """One more value at the bound, and weights of all drawn evenly (Learned-Miller and Thomas 2019): by drawing them."""
    rng, n = np.random.default_rng(2), 60
    values = np.asarray(KINDS[kind][0](rng, n), dtype=float)
    estimate = clustered_mean(values, np.arange(n), (0, 1))
    assert estimate is not None
    reach = reach_of(estimate, (0, 1), NONE, 0.95)
    assert reach is not None
    weights = rng.dirichlet(np.ones(n + 1), 20_000)
    above, below = weights @ np.append(values, 1.0), weights @ np.append(values, 0.0)
    assert reach(1, 1) - estimate.value == pytest.approx(float(np.quantile(above, 0.95)) - estimate.value, rel=0.12)
    assert estimate.value - reach(-1, 1) == pytest.approx(estimate.value - float(np.quantile(below, 0.05)), rel=0.12)


def test_the_bound_is_the_one_that_decides() -> None:
    """Clopper and Pearson on either side."""
    met, violated = share(20, 200, at_most=0.2), share(60, 200, at_most=0.2)
    assert (met.verdict, met.bound) == ("met", pytest.approx(beta.ppf(0.95, 21, 180)))
    assert (violated.verdict, violated.bound) == ("violated", pytest.approx(beta.ppf(0.05, 60, 141)))
    assert violated.threshold == 0.2
    open_ = share(45, 200, at_most=0.2)
    assert (open_.verdict, open_.bound) == ("undetermined", pytest.approx(beta.ppf(0.95, 46, 155)))


def test_clusters_count_and_not_answers() -> None:
    """Twenty documents of ten questions each, all right or all wrong, are twenty observations."""
    rng, wrong, trials = np.random.default_rng(3), 0, 1500
    for _ in range(trials):
        values = np.repeat((rng.random(20) < 0.8).astype(float), 10)
        wrong += verdict(values, clusters=np.repeat(np.arange(20), 10), at_most=0.79999).verdict == "violated"
        wrong += verdict(values, clusters=np.repeat(np.arange(20), 10), at_least=0.80001).verdict == "met"
    assert wrong / trials <= MOST_WRONG + 0.012


@pytest.mark.parametrize("truth", [0.01, 0.05, 0.4])
def test_means_over_scenarios_are_on_the_wrong_side_in_at_most_5_of_100(truth: float) -> None:
    rng, trials, above, below = np.random.default_rng(8), 1500, 0, 0
    for _ in range(trials):
        parts = [clustered_mean((rng.random(n) < truth).astype(float), np.arange(n), (0, 1)) for n in (40, 80, 120)]
        estimate = weighted_mean([part for part in parts if part is not None])
        assert estimate is not None
        reach = reach_of(estimate, (0, 1), NONE, 0.95)
        assert reach is not None
        above += reach(1, 1) < truth
        below += reach(-1, 1) > truth
    assert above / trials <= MOST_WRONG + 0.012
    assert below / trials <= MOST_WRONG + 0.012


def test_a_tail_latency_is_kept_below_its_limit_wrongly_in_at_most_5_of_100() -> None:
    """The 95th percentile of log-normal seconds, by the bootstrap's quantiles."""
    rng, n, trials, above, below = np.random.default_rng(4), 300, 400, 0, 0
    truth = float(np.exp(0.5 * 1.6448536))
    for _ in range(trials):
        values = rng.lognormal(0, 0.5, n)
        drawn = np.quantile(values[rng.integers(n, size=(200, n))], 0.95, axis=1)
        value = float(np.quantile(values, 0.95))
        low, high = (float(end) for end in np.quantile(drawn, [0.025, 0.975]))
        ends = {"low": min(low, value), "high": max(high, value)}
        estimate = Estimate(value=value, **ends, n=n, clusters=n, method="bootstrap, 200 replicates")
        reach = reach_of(estimate, (0, None), drawn, 0.95)
        assert reach is not None
        above += reach(1, 1) < truth
        below += reach(-1, 1) > truth
    assert above / trials <= MOST_WRONG + 0.025
    assert below / trials <= MOST_WRONG + 0.025


@given(st.integers(0, 80), st.integers(81, 200), st.floats(0.02, 0.98), st.sampled_from(["at_most", "at_least"]))
def test_as_many_more_instances_as_it_says_settle_it(right: int, of: int, limit: float, side: str) -> None:
    found = share(right, of, **{side: limit})
    if found.verdict != "undetermined" or found.more is None:
        return
    estimate = clustered_mean(np.array([1.0] * right + [0.0] * (of - right)), np.arange(of), (0, 1))
    assert estimate is not None
    reach = reach_of(estimate, (0, 1), NONE, 0.95)
    assert reach is not None

    def settled(more: int) -> bool:
        return not reach(-1, 1 + more / of) <= limit <= reach(1, 1 + more / of)

    assert settled(found.more + 1)
    assert not settled(found.more - 2)


def test_at_the_very_limit_no_number_of_instances_settles_it() -> None:
    found = share(50, 100, at_most=0.5)
    assert (found.verdict, found.more) == ("undetermined", None)
    assert share(0, 100, at_most=0.0).verdict == "undetermined"


def test_what_cannot_be_known_is_undetermined_and_not_met() -> None:
    alike = verdict([0.5] * 20, metric="latency_s", at_most=2.0)
    assert (alike.verdict, alike.value, alike.bound) == ("undetermined", 0.5, None)
    constraint = Constraint(name="limit", metric="latency_s", at_most=2.0)
    nothing = held(constraint, find("latency_s"), None, NONE, 0.95)
    assert (nothing.verdict, nothing.value, nothing.limit) == ("undetermined", None, "at most 2 s")


def test_a_constraints_own_confidence_comes_first() -> None:
    found = share(280, 300, at_least=0.9)
    assert (found.verdict, found.confidence) == ("met", 0.95)
    strict = held(
        Constraint(name="limit", metric="exact_match", at_least=0.9, confidence=0.999),
        find("exact_match"),
        clustered_mean(np.array([1.0] * 280 + [0.0] * 20), np.arange(300), (0, 1)),
        NONE,
        0.95,
    )
    assert (strict.verdict, strict.confidence) == ("undetermined", 0.999)


def test_a_change_may_lie_below_nought() -> None:
    values = np.array([-1.0] * 10 + [0.0] * 90)
    estimate = clustered_mean(values, np.arange(100), (-1, 1))
    constraint = Constraint(name="steady", metric="exact_match", on="change", at_least=-0.25)
    found = held(constraint, find("exact_match"), estimate, NONE, 0.95)
    assert found.verdict == "met"
    assert found.bound is not None
    assert -0.25 < found.bound < -0.1


def test_skewness_is_the_third_moment_of_what_is_there() -> None:
    assert skewness(np.array([0.0, 0.0, 0.0, 1.0, np.nan])) == pytest.approx(2 / np.sqrt(3))
    assert skewness(np.array([2.0, 2.0])) == 0
    assert skewness(NONE) == 0
