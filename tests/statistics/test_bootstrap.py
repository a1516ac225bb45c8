from __future__ import annotations

import random
from dataclasses import fields, replace

import numpy as np
import pytest

from assay import registry
from assay.metrics import Columns
from assay.records import Estimate
from assay.statistics.bootstrap import bootstrap_estimate
from assay.statistics.resampling import draws, replicates_for


def columns(**known: object) -> Columns:
    size = len(next(iter(known.values())))
    values = {field.name: np.full(size, np.nan) for field in fields(Columns)}
    return Columns(**values | {name: np.asarray(column, dtype=np.float64) for name, column in known.items()})


def estimate(name: str, data: Columns, clusters: object = None, seed: int = 0, cell: str = "cell") -> Estimate | None:
    numbers = np.arange(len(data)) if clusters is None else np.asarray(clusters)
    return bootstrap_estimate(registry.metrics.get(name), data, numbers, seed, cell)


def test_v1_the_error_is_the_spread_of_the_replicates_not_that_of_their_mean() -> None:
    confidence = np.random.default_rng(0).random(400)
    metric = replace(registry.metrics.get("mean_confidence"), each=None)
    found = bootstrap_estimate(metric, columns(confidence=confidence), np.arange(400), 0, "cell")
    assert found is not None
    assert found.stderr == pytest.approx(confidence.std(ddof=1) / 20, rel=0.1)
    assert found.high - found.low == pytest.approx(2 * 1.96 * found.stderr, rel=0.1)


def test_clusters_are_drawn_whole() -> None:
    per_document = np.random.default_rng(1).random(50)
    repeated = np.repeat(per_document, 8)
    found = estimate("mean_confidence", columns(confidence=repeated), np.repeat(np.arange(50), 8))
    assert found is not None
    assert (found.n, found.clusters) == (400, 50)
    assert found.stderr == pytest.approx(per_document.std(ddof=1) / 50**0.5, rel=0.15)
    weights = next(draws(np.array([0, 0, 1, 2, 2, 2]), 20, np.random.default_rng(0)))
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 3] == weights[:, 5]).all()
    assert (weights[:, [0, 2, 3]].sum(axis=1) == 3).all()


def test_v11_draws_depend_on_seed_and_cell_alone_and_leave_global_generators_untouched() -> None:
    data = columns(latency_s=np.linspace(0, 1, 60))
    random.seed(3)
    np.random.seed(3)
    before = (random.getstate(), np.random.get_state()[1].tolist())
    first = estimate("latency_p50_s", data)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
    assert estimate("latency_p50_s", data) == first
    assert estimate("latency_p50_s", data, seed=1) != first
    assert estimate("latency_p50_s", data, cell="other") != first


def test_v11_fewer_than_two_clusters_have_no_interval_and_no_answers_no_estimate() -> None:
    one = estimate("mean_confidence", columns(confidence=[0.4, 0.6]), [7, 7])
    assert one is not None
    assert (one.value, one.low, one.high, one.clusters) == (0.5, None, None, 1)
    assert estimate("mean_confidence", columns(confidence=[np.nan, np.nan])) is None
    assert estimate("ece_10_bin", columns(confidence=[0.4, 0.6])) is None


def test_answers_without_the_needed_columns_are_not_counted() -> None:
    found = estimate("brier_score", columns(confidence=[0.5, np.nan, 1.0, 0.9], score=[1, 1, 1, np.nan]))
    assert found is not None
    assert (found.n, found.clusters, found.value) == (2, 2, 0.125)


def test_a_summary_without_a_fast_path_gets_the_same_interval() -> None:
    data = columns(latency_s=np.random.default_rng(2).random(30))
    metric = registry.metrics.get("latency_p50_s")
    fast = bootstrap_estimate(metric, data, np.arange(30), 0, "cell")
    slow = bootstrap_estimate(replace(metric, resampled=None), data, np.arange(30), 0, "cell")
    assert fast == slow


def test_a_summary_without_value_in_most_replicates_has_no_interval() -> None:
    def whole_only(data: Columns) -> float | None:
        return 1.0 if len(set(data.confidence.tolist())) == len(data) else None

    metric = replace(registry.metrics.get("mean_confidence"), of_answers=whole_only, resampled=None, each=None)
    found = bootstrap_estimate(metric, columns(confidence=np.linspace(0, 1, 12)), np.arange(12), 0, "cell")
    assert found is not None
    assert (found.value, found.low, found.n) == (1.0, None, 12)


def test_a_calibrated_model_may_have_no_calibration_error_at_all() -> None:
    generator = np.random.default_rng(4)
    confidence = generator.random(500)
    found = estimate("ece_10_bin", columns(confidence=confidence, score=generator.random(500) < confidence))
    assert found is not None
    assert found.low == 0.0
    assert found.value > 0
    overconfident = estimate("ece_10_bin", columns(confidence=confidence, score=generator.random(500) < confidence / 2))
    assert overconfident is not None
    assert overconfident.low is not None
    assert overconfident.low > 0.15


def test_huge_cells_get_fewer_replicates() -> None:
    assert [replicates_for(answers) for answers in (100, 5_000, 20_000, 25_000, 10**7)] == [1000, 1000, 250, 200, 200]
