"""Do 95 % intervals hold the truth in 95 of 100 studies? Simulated with fixed seeds."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from assay import registry
from assay.metrics import Columns, Metric
from assay.statistics.bootstrap import bootstrap_estimate
from assay.statistics.estimates import clustered_mean
from assay.statistics.groups import Group, compare_groups
from assay.statistics.totals import Counts, totals_estimate
from assay.statistics.variants import spread_between
from assay.statistics.worst import worst_cases

STUDIES = 1500


def coverage(studies: list[tuple[np.ndarray, np.ndarray]], truth: float, bounds: tuple[float | None, float | None]) -> float:
    held = 0
    for values, clusters in studies:
        estimate = clustered_mean(values, clusters, bounds)
        assert estimate is not None
        assert estimate.low is not None
        assert estimate.high is not None
        held += estimate.low <= truth <= estimate.high
    return held / len(studies)


@pytest.mark.parametrize("n", [50, 200, 1000])
def test_accuracy_of_any_height(n: int) -> None:
    generator = np.random.default_rng(n)
    heights = generator.uniform(0.5, 0.98, STUDIES)  # a single height would show the lumpiness of counts
    held = [coverage([((generator.random(n) < p).astype(float), np.arange(n))], p, (0, 1)) for p in heights]
    assert 0.93 <= np.mean(held) <= 0.97


@pytest.mark.parametrize(("clusters", "high"), [(12, 0.99), (50, 0.97), (250, 0.97)])
def test_accuracy_in_documents_of_four_questions(clusters: int, high: float) -> None:
    generator = np.random.default_rng(clusters)
    codes = np.repeat(np.arange(clusters), 4)
    studies = []
    for _ in range(STUDIES):
        ability = generator.beta(1.4, 0.6, clusters)
        studies.append(((generator.random((clusters, 4)) < ability[:, None]).astype(float).ravel(), codes))
    assert 0.93 <= coverage(studies, 0.7, (0, 1)) <= high
    as_if_independent = [(values, np.arange(len(values))) for values, _ in studies]
    assert coverage(as_if_independent, 0.7, (0, 1)) < 0.85


@pytest.mark.parametrize("n", [50, 200, 1000])
def test_shares_between_zero_and_one_and_unbounded_values(n: int) -> None:
    generator = np.random.default_rng(n)
    shares = [(generator.beta(4, 2, n), np.arange(n)) for _ in range(STUDIES)]
    assert 0.93 <= coverage(shares, 4 / 6, (0, 1)) <= 0.975
    waits = [(generator.gamma(2, 1, n), np.arange(n)) for _ in range(STUDIES)]
    assert 0.925 <= coverage(waits, 2.0, (0, None)) <= 0.97


def summary_coverage(name: str, studies: list[Columns], truth: float) -> float:
    held = 0
    for number, columns in enumerate(studies):
        estimate = bootstrap_estimate(registry.metrics.get(name), columns, np.arange(len(columns)), number, name)
        assert estimate is not None
        assert estimate.low is not None
        assert estimate.high is not None
        held += estimate.low <= truth <= estimate.high
    return held / len(studies)


def columns(**known: np.ndarray) -> Columns:
    size = len(next(iter(known.values())))
    return Columns(**{field.name: np.full(size, np.nan) for field in fields(Columns)} | known)


@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("overconfidence", [0.0, 0.1])
def test_calibration_error(n: int, overconfidence: float) -> None:
    generator = np.random.default_rng(n)
    studies = []
    for _ in range(60):
        confidence = 0.2 + 0.8 * generator.beta(3, 2, n)
        right = generator.random(n) < confidence - overconfidence
        studies.append(columns(confidence=confidence, score=right.astype(float)))
    assert summary_coverage("ece_10_bin", studies, overconfidence) >= 0.9
    assert summary_coverage("ece_1_bin", studies, overconfidence) >= 0.88


def test_median_latency() -> None:
    generator = np.random.default_rng(9)
    studies = [columns(latency_s=generator.exponential(1, 200)) for _ in range(100)]
    assert 0.88 <= summary_coverage("latency_p50_s", studies, float(np.log(2))) <= 1.0


@pytest.mark.parametrize("n", [50, 200, 1000])
def test_worst_of_an_item_and_two_copies(n: int) -> None:
    generator = np.random.default_rng(n)
    families = [[3 * item, 3 * item + 1, 3 * item + 2] for item in range(n)]
    studies = []
    for _ in range(STUDIES):
        ease = generator.beta(2, 1, n)
        values = (generator.random((n, 3)) < ease[:, None]).astype(float).ravel()
        studies.append((worst_cases(values, families, "higher")[0], np.arange(n)))
    assert 0.93 <= coverage(studies, 2 * 3 * 4 / (3 * 4 * 5), (0, 1)) <= 0.97  # the third moment of that beta


@pytest.mark.parametrize("n", [50, 200, 1000])
@pytest.mark.parametrize(("lost", "won"), [(0.07, 0.03), (0.2, 0.05)])
def test_paired_change(n: int, lost: float, won: float) -> None:
    generator = np.random.default_rng(n)
    studies = []
    for _ in range(STUDIES):
        drawn = generator.random(n)
        studies.append((np.where(drawn < lost, -1.0, np.where(drawn < lost + won, 1.0, 0.0)), np.arange(n)))
    assert 0.93 <= coverage(studies, won - lost, (-1, 1)) <= 0.97


def test_paired_change_where_almost_nothing_changes_is_conservative() -> None:
    generator = np.random.default_rng(5)
    studies = [(np.where(generator.random(50) < 0.01, -1.0, 0.0), np.arange(50)) for _ in range(STUDIES)]
    assert coverage(studies, -0.01, (-1, 1)) >= 0.97


F1 = Metric(
    "f1", "accuracy", (0, 1), "higher", "",
    of_counts=lambda answer: {},
    value=lambda totals: 2 * totals["hits"] / whole if (whole := totals["right"] + totals["given"]) else None,
)  # fmt: skip


@pytest.mark.parametrize(("n", "studies"), [(50, 400), (200, 300), (1000, 120)])
def test_f1_of_a_class(n: int, studies: int) -> None:
    generator = np.random.default_rng(n)
    held = 0
    for number in range(studies):
        right = generator.random(n) < 0.4
        given = np.where(generator.random(n) < 0.8, right, ~right)
        table = np.stack((right & given, right, given), axis=1).astype(float).tolist()
        counts = Counts([dict(zip(("hits", "right", "given"), row, strict=True)) for row in table])
        estimate = totals_estimate(F1, counts, np.arange(n), np.arange(n), (number, "f1"))
        assert estimate is not None
        assert estimate.low is not None
        assert estimate.high is not None
        held += estimate.low <= 2 * 0.32 / (0.4 + 0.44) <= estimate.high
    margin = 2 * (0.05 * 0.95 / studies) ** 0.5
    assert 0.93 - margin <= held / studies <= 0.97 + margin


def gap_coverage(shares: tuple[float, ...], n: int, studies: int) -> dict[str, float]:
    generator = np.random.default_rng(n)
    size = n // len(shares)
    truth = {"gap": max(shares) - min(shares), "worst_group": min(shares), "ratio": min(shares) / max(shares)}
    held = dict.fromkeys(truth, 0)
    for number in range(studies):
        groups = [
            Group((generator.random(size) < share).astype(float), np.arange(size) + place * size, size)
            for place, share in enumerate(shares)
        ]
        found = compare_groups(groups, (0, 1), "higher", number, "gap")
        for on, true in truth.items():
            held[on] += found[on].low <= true <= found[on].high
    return {on: times / studies for on, times in held.items()}


@pytest.mark.parametrize(("n", "studies"), [(50, 300), (200, 300), (1000, 100)])
def test_gap_of_two_groups(n: int, studies: int) -> None:
    held = gap_coverage((0.8, 0.6), n, studies)
    assert 0.93 <= held["gap"] <= 0.99
    assert held["worst_group"] >= 0.93
    assert held["ratio"] >= 0.93


@pytest.mark.parametrize("shares", [(0.7, 0.7, 0.7, 0.7), (0.8, 0.78, 0.75, 0.6)])
def test_gap_of_four_groups_is_conservative_where_some_are_alike(shares: tuple[float, ...]) -> None:
    held = gap_coverage(shares, 200, 200)
    assert min(held.values()) >= 0.93


@pytest.mark.parametrize(("draws", "spread"), [(3, 0.0), (3, 0.1), (5, 0.05)])
def test_spread_between_few_shot_draws(draws: int, spread: float) -> None:
    generator = np.random.default_rng(draws)
    held = 0
    for _ in range(400):
        ease = np.clip(generator.normal(0.5, spread, draws)[:, None] + (generator.random(200) * 0.4 - 0.2), 0, 1)
        estimate = spread_between((generator.random((draws, 200)) < ease).astype(float), np.arange(200), (0, 1))
        assert estimate is not None
        assert estimate.low is not None
        assert estimate.high is not None
        held += estimate.low <= spread <= estimate.high
    assert 0.93 <= held / 400 <= 0.995
