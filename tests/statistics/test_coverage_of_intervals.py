"""Do 95 % intervals hold the truth in 95 of 100 studies? Simulated with fixed seeds."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from assay import registry
from assay.metrics import Columns
from assay.statistics.bootstrap import bootstrap_estimate
from assay.statistics.estimates import clustered_mean

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
