from __future__ import annotations

import math
from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import registry
from assay.metrics import Columns, score_answer
from assay.metrics.library import calibration, efficiency, language_modeling, proper_scores
from assay.records import Answer
from assay.statistics.bootstrap import one_by_one
from assay.statistics.resampling import draws


def columns(**known: object) -> Columns:
    size = len(next(iter(known.values())))
    values = {field.name: np.full(size, np.nan) for field in fields(Columns)}
    return Columns(**values | {name: np.asarray(column, dtype=np.float64) for name, column in known.items()})


def plain_error(confidence: list[float], score: list[float], bins: int) -> float:
    """The definition, written out: lists, midpoints, and each answer into the first bin whose edge it does not exceed."""
    ordered = sorted(confidence)
    bins = min(bins, len(ordered))
    each, over = divmod(len(ordered), bins)
    parts, start = [], 0
    for number in range(bins):
        stop = start + each + (number < over)
        parts.append(ordered[start:stop])
        start = stop
    edges = sorted({(left[-1] + right[0]) / 2 for left, right in pairwise(parts)} | {math.inf})
    total = 0.0
    held: dict[float, list[tuple[float, float]]] = {edge: [] for edge in edges}
    for p, y in zip(confidence, score, strict=True):
        held[next(edge for edge in edges if p <= edge)].append((p, y))
    for pairs in held.values():
        if pairs:
            total += abs(sum(p for p, _ in pairs) - sum(y for _, y in pairs))
    return total / len(confidence)


PAIRS = st.lists(st.tuples(st.integers(0, 20).map(lambda n: n / 20), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=60)


@settings(deadline=None)
@given(PAIRS, st.sampled_from([1, 2, 10]))
def test_the_error_is_that_of_the_written_out_definition(pairs: list[tuple[float, float]], bins: int) -> None:
    confidence, score = [p for p, _ in pairs], [y for _, y in pairs]
    value = calibration.calibration_error(columns(confidence=confidence, score=score), bins)
    assert value == pytest.approx(plain_error(confidence, score, bins), abs=1e-12)


@settings(deadline=None)
@given(PAIRS, st.randoms())
def test_the_order_of_the_answers_does_not_matter_to_the_last_bit(pairs: list[tuple[float, float]], random: object) -> None:
    shuffled = pairs.copy()
    random.shuffle(shuffled)
    first, second = (columns(confidence=[p for p, _ in some], score=[y for _, y in some]) for some in (pairs, shuffled))
    assert calibration.ece_10_bin(first) == calibration.ece_10_bin(second)


def test_known_values() -> None:
    data = columns(confidence=[0.9, 0.8, 0.6, 0.5], score=[1, 1, 0, 0])
    assert calibration.ece_1_bin(data) == pytest.approx(0.2)
    assert calibration.ece_10_bin(data) == pytest.approx((0.1 + 0.2 + 0.6 + 0.5) / 4)
    assert proper_scores.brier_score(data) == pytest.approx((0.01 + 0.04 + 0.36 + 0.25) / 4)
    assert calibration.mean_confidence(data) == pytest.approx(0.7)


def test_an_answer_drawn_from_tied_ones_costs_what_is_to_be_expected_of_the_draw() -> None:
    tied = columns(confidence=[0.2] * 10, score=[0.2] * 10)
    drawn = columns(confidence=[0.2] * 10, score=[1, 1] + [0] * 8)
    for score in (proper_scores.brier_score, proper_scores.nll, proper_scores.brier_uncertainty):
        assert score(tied) == pytest.approx(score(drawn))
    assert proper_scores.brier_score(tied) == pytest.approx(0.2 * 0.8**2 + 0.8 * 0.2**2)


def test_equal_confidences_share_a_bin() -> None:
    data = columns(confidence=[0.7] * 10, score=[1] * 7 + [0] * 3)
    assert calibration.ece_10_bin(data) == pytest.approx(0.0, abs=1e-12)


def test_language_modelling_divides_sums() -> None:
    data = columns(logprob=[-8 * math.log(2), -2 * math.log(2)], scored_bytes=[4, 1], scored_tokens=[3, 2])
    assert language_modeling.bits_per_byte(data) == pytest.approx(2.0)
    assert language_modeling.perplexity(data) == pytest.approx(2**2)


def test_latency_quantiles_are_numpys() -> None:
    data = columns(latency_s=[1.0, 2.0, 4.0])
    assert efficiency.latency_p50_s(data) == 2.0
    assert efficiency.latency_p95_s(data) == pytest.approx(3.8)


FAMILIES = ("calibration", "efficiency", "accuracy")
SUMMARIES = [
    name
    for name in registry.metrics.names()
    if (m := registry.metrics.get(name)).of_answers and m.family in FAMILIES and not name.startswith("helm_")
]
"""Those with a fast way to resample; HELM's own are computed for each resample alone."""


@pytest.mark.parametrize("name", SUMMARIES)
@settings(max_examples=20, deadline=None)
@given(PAIRS, st.integers(0, 2**32), st.integers(1, 3))
def test_many_resamples_at_once_give_what_each_gives_alone(
    name: str, pairs: list[tuple[float, float]], seed: int, size: int
) -> None:
    confidence, score = np.array([p for p, _ in pairs]), np.array([y for _, y in pairs])
    data = columns(
        confidence=confidence,
        score=score,
        latency_s=confidence * 7,
        logprob=-confidence,
        scored_bytes=score + 3,
        scored_tokens=score + 1,
    )
    clusters = np.arange(len(pairs)) // size
    metric = registry.metrics.get(name)
    assert metric.resampled is not None
    for weights in draws(clusters, 8, np.random.default_rng(seed)):
        np.testing.assert_allclose(metric.resampled(data, weights), one_by_one(metric, data, weights), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("name", "bins"), [("ece_10_bin", 10), ("ece_1_bin", 1)])
@settings(deadline=None)
@given(pairs=PAIRS)
def test_the_sizes_of_the_gaps_add_up_to_the_error(name: str, bins: int, pairs: list[tuple[float, float]]) -> None:
    data = columns(confidence=[p for p, _ in pairs], score=[y for _, y in pairs])
    metric = registry.metrics.get(name)
    assert metric.gaps is not None
    gaps, parts = metric.gaps(data)
    error = np.abs(np.bincount(parts, weights=gaps)).sum() / len(data)
    assert error == pytest.approx(calibration.calibration_error(data, bins), abs=1e-12)
    assert sorted(set(parts.tolist())) == list(range(int(parts.max()) + 1))


@settings(deadline=None)
@given(PAIRS)
def test_the_debiased_error_never_exceeds_the_plain_one(pairs: list[tuple[float, float]]) -> None:
    data = columns(confidence=[p for p, _ in pairs], score=[y for _, y in pairs])
    debiased, plain = calibration.ece_debiased(data), calibration.ece_10_bin(data)
    assert debiased is not None
    assert plain is not None
    assert 0 <= debiased <= plain + 1e-12


def test_the_debiased_error_is_near_zero_where_the_plain_one_is_not() -> None:
    rng = np.random.default_rng(5)
    plain, debiased = [], []
    for _ in range(60):
        confidence = rng.uniform(0.3, 0.95, 200)
        data = columns(confidence=confidence, score=(rng.random(200) < confidence).astype(float))
        plain.append(calibration.ece_10_bin(data))
        debiased.append(calibration.ece_debiased(data))
    assert np.mean(plain) > 0.06
    assert np.mean(debiased) < 0.6 * np.mean(plain)


def test_the_debiased_error_keeps_a_real_gap() -> None:
    rng = np.random.default_rng(6)
    confidence = rng.uniform(0.8, 0.95, 4000)
    data = columns(confidence=confidence, score=(rng.random(4000) < confidence - 0.3).astype(float))
    assert calibration.ece_debiased(data) == pytest.approx(0.3, abs=0.02)


def test_every_confidence_names_its_source_once() -> None:
    sources = ("choice_probability", "sequence_logprob", "stated", "agreement")
    named = [name for name in registry.metrics.names() if name.startswith("confidence_from_")]
    for source in sources:
        answer = Answer(outcome="answered", confidence=0.5, confidence_source=source)  # type: ignore[arg-type]
        values = score_answer(answer, [registry.metrics.get(name) for name in [*named, "confidence_known"]])
        assert sorted(values.values(), key=str) == [1.0, 1.0, None, None, None]
        assert values["confidence_known"] == 1.0
    without = score_answer(Answer(outcome="answered"), [registry.metrics.get(name) for name in [*named, "confidence_known"]])
    assert without == {**dict.fromkeys(named), "confidence_known": 0.0}
