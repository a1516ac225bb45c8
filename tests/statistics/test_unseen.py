"""Few answers that agree do not make a number certain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np
import pytest

from assay import registry
from assay.metrics import Columns, Metric
from assay.records import Estimate
from assay.statistics.bootstrap import bootstrap_estimate
from assay.statistics.totals import Counts, totals_estimate
from assay.statistics.unseen import unseen

STUDIES = 120


def columns(confidence: object, score: object) -> Columns:
    size = len(np.asarray(score))
    values = {field.name: np.full(size, np.nan) for field in fields(Columns)}
    known = {"confidence": np.broadcast_to(np.asarray(confidence, float), size), "score": np.asarray(score, float)}
    return Columns(**values | known)


def estimate(name: str, data: Columns, seed: int = 0) -> Estimate:
    found = bootstrap_estimate(registry.metrics.get(name), data, np.arange(len(data)), seed, "cell")
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
    return found


@pytest.mark.parametrize(("n", "accuracy"), [(10, 0.95), (20, 0.95), (60, 0.98)])
def test_nearly_perfect_models_are_covered_by_the_intervals_of_their_calibration(n: int, accuracy: float) -> None:
    generator = np.random.default_rng(n)
    truth = {
        "ece_1_bin": accuracy - 0.8,
        "ece_10_bin": accuracy - 0.8,
        "brier_score": accuracy * 0.2**2 + (1 - accuracy) * 0.8**2,
    }
    held = dict.fromkeys(truth, 0)
    for seed in range(STUDIES):
        data = columns(0.8, generator.random(n) < accuracy)
        for name, true in truth.items():
            found = estimate(name, data, seed)
            held[name] += found.low - 1e-9 <= true <= found.high + 1e-9
    assert min(held.values()) >= 0.9 * STUDIES, held


def test_varied_confidences_are_covered_too() -> None:
    generator = np.random.default_rng(7)
    grid = np.linspace(0.5, 1, 20001)
    truth = {
        "ece_10_bin": float(np.abs(grid - 0.95).mean()),
        "brier_score": float((0.95 * (1 - grid) ** 2 + 0.05 * grid**2).mean()),
    }
    held = dict.fromkeys(truth, 0)
    for seed in range(STUDIES):
        data = columns(generator.uniform(0.5, 1, 20), generator.random(20) < 0.95)
        for name, true in truth.items():
            found = estimate(name, data, seed)
            held[name] += found.low <= true <= found.high
    assert min(held.values()) >= 0.9 * STUDIES, held


@pytest.mark.parametrize("name", ["ece_1_bin", "ece_10_bin", "brier_score", "ece_debiased", "smece", "nll"])
def test_twenty_right_answers_given_for_certain_are_not_certainty(name: str) -> None:
    found = estimate(name, columns(1.0, np.ones(20)))
    assert found.value == pytest.approx(0, abs=1e-5)
    assert found.high > 0.1


def test_an_auroc_of_one_rests_on_the_few_wrong_answers() -> None:
    score = np.ones(20)
    score[0] = 0
    found = estimate("auroc", columns(np.where(score > 0, 0.9, 0.1), score))
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low < 0.75


def test_a_mean_of_few_confidences_has_the_interval_of_a_mean() -> None:
    generator = np.random.default_rng(3)
    held = 0
    for seed in range(400):
        found = estimate("mean_confidence", columns(generator.random(5), np.ones(5)), seed)
        held += found.low <= 0.5 <= found.high
        assert found.method == "wilson, effective size"
    assert held >= 0.92 * 400


def test_what_was_not_seen_matters_little_among_many_answers() -> None:
    generator = np.random.default_rng(5)
    score = generator.random(2000) < 0.7
    metric = registry.metrics.get("ece_1_bin")
    away = unseen(metric, columns(0.9, score), 2000)
    assert away is not None
    assert max(map(abs, away)) < 0.0025
    wide = estimate("ece_1_bin", columns(0.9, score))
    assert wide.high - wide.low < 0.045
    assert unseen(registry.metrics.get("latency_p50_s"), columns(0.9, score), 2000) is None
    assert unseen(replace(metric, resampled=None), columns(0.9, score), 2000) is None


def rate(totals: Mapping[str, float]) -> float | None:
    return totals.get("toxic", 0.0) / totals["rated"] if totals.get("rated") else None


RATE = Metric("rate", "toxicity", (0, 1), "lower", "", of_counts=lambda answer: {}, value=rate)


def sums(rows: list[Mapping[str, float] | None]) -> Estimate:
    found = totals_estimate(RATE, Counts(rows), np.arange(len(rows)), np.arange(len(rows)), (0, "cell"))
    assert found is not None
    return found


def test_no_toxic_answer_among_forty_is_no_proof_of_none() -> None:
    found = sums([{"rated": 1, "toxic": 0}] * 40)
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high is not None
    assert 0.085 < found.high < 0.1


def test_answers_that_add_to_no_count_do_not_narrow_an_interval() -> None:
    few = [{"rated": 1.0, "toxic": 1.0}] * 4
    alone, among_many = sums([*few]), sums([*few, *[{"rated": 0.0}] * 96])
    assert alone.low is not None
    assert among_many.low == alone.low < 0.5
    only_one = sums([few[0], *[{"rated": 0.0}] * 9])
    assert (only_one.value, only_one.low, only_one.high) == (1.0, None, None)
