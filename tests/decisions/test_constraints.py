"""Verdicts on constraints: right in 95 of 100 where the truth is just at the limit, and enough instances settle them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
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
        drawn = values[rng.integers(n, size=(100, n))].mean(axis=1) if bounds != (0, 1) else NONE
        reach = reach_of(estimate, bounds, drawn, 0.95)
        if reach is not None:
            above += reach(1, 1) < truth
            below += reach(-1, 1) > truth
    # The chance of the simulation itself adds about 0.006 either way.
    assert above / trials <= MOST_WRONG + 0.012
    assert below / trials <= MOST_WRONG + 0.012


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
