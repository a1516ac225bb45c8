from __future__ import annotations

import math
from dataclasses import fields
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import registry
from assay.metrics import Columns
from assay.metrics.library import platt, proper_scores, smooth_calibration


def data_of(pairs: list[tuple[float, float]]) -> Columns:
    confidence, score = np.array([p for p, _ in pairs], dtype=float), np.array([y for _, y in pairs], dtype=float)
    blank = {field.name: np.full(len(pairs), np.nan) for field in fields(Columns)}
    return Columns(**blank | {"confidence": confidence, "score": score})


def value(name: str, pairs: list[tuple[float, float]]) -> float | None:
    of_answers = registry.metrics.get(name).of_answers
    assert of_answers is not None
    return of_answers(data_of(pairs))


BINARY = st.lists(st.tuples(st.integers(0, 10).map(lambda n: n / 10), st.sampled_from([0.0, 1.0])), min_size=1, max_size=40)
FEW = st.lists(st.tuples(st.integers(0, 3).map(lambda n: n / 4), st.sampled_from([0.0, 1.0])), min_size=1, max_size=5)


@given(FEW)
def test_risk_coverage_is_the_mean_over_all_orders_of_tied_answers(pairs: list[tuple[float, float]]) -> None:
    areas, tops = [], []
    for order in permutations(pairs):
        if any(left[0] < right[0] for left, right in pairwise(order)):
            continue
        errors = [1 - y for _, y in order]
        areas.append(sum(sum(errors[:k]) / k for k in range(1, len(order) + 1)) / len(order))
        half = math.ceil(len(order) / 2)
        tops.append(1 - sum(errors[:half]) / half)
    assert value("aurc", pairs) == pytest.approx(sum(areas) / len(areas), abs=1e-12)
    assert value("selective_cov_acc_area", pairs) == pytest.approx(1 - sum(areas) / len(areas), abs=1e-12)
    assert value("selective_acc@50", pairs) == pytest.approx(sum(tops) / len(tops), abs=1e-12)


@given(BINARY)
def test_auroc_counts_pairs(pairs: list[tuple[float, float]]) -> None:
    right, wrong = [p for p, y in pairs if y], [p for p, y in pairs if not y]
    if not right or not wrong:
        assert value("auroc", pairs) is None
        return
    won = sum(Fraction((a > b) * 2 + (a == b), 2) for a in right for b in wrong)
    assert value("auroc", pairs) == pytest.approx(float(won / (len(right) * len(wrong))), abs=1e-12)


def test_known_selective_values() -> None:
    pairs = [(0.9, 1.0), (0.8, 1.0), (0.7, 0.0), (0.6, 1.0), (0.5, 0.0)]
    assert value("aurc", pairs) == pytest.approx((0 + 0 + 1 / 3 + 1 / 4 + 2 / 5) / 5)
    assert value("e_aurc", pairs) == pytest.approx((1 / 3 + 1 / 4 + 2 / 5 - 1 / 4 - 2 / 5) / 5)
    assert value("selective_acc@10", pairs) == 1.0
    assert value("selective_acc@80", pairs) == pytest.approx(0.75)
    assert value("coverage_at_risk@5", pairs) == pytest.approx(0.4)
    assert value("coverage_at_risk@20", pairs) == pytest.approx(0.4)
    assert value("coverage_at_risk@20", pairs[:2] + [(0.75, 1.0), (0.74, 1.0)] + pairs[2:3]) == pytest.approx(1.0)
    assert value("coverage_at_risk@5", [(0.9, 0.0), (0.1, 1.0)]) == 0.0


@given(BINARY)
def test_a_perfect_order_has_no_excess_risk(pairs: list[tuple[float, float]]) -> None:
    assert value("e_aurc", [(0.2 + 0.5 * y, y) for _, y in pairs]) == pytest.approx(0, abs=1e-12)
    excess = value("e_aurc", pairs)
    assert excess is not None
    assert excess >= 0


@given(BINARY)
def test_the_brier_score_is_the_sum_of_its_parts(pairs: list[tuple[float, float]]) -> None:
    data = data_of(pairs)
    parts = [
        f(data) for f in (proper_scores.brier_reliability, proper_scores.brier_resolution, proper_scores.brier_uncertainty)
    ]
    reliability, resolution, uncertainty = (part if part is not None else math.nan for part in parts)
    assert proper_scores.brier_score(data) == pytest.approx(reliability - resolution + uncertainty, abs=1e-12)
    assert -1e-12 <= reliability <= 1
    accuracy = sum(y for _, y in pairs) / len(pairs)
    assert uncertainty == pytest.approx(accuracy * (1 - accuracy), abs=1e-12)
    assert resolution <= uncertainty + 1e-12


def test_resolution_is_murphys_where_confidences_fall_into_the_bins() -> None:
    pairs = [(0.2, float(i < 3)) for i in range(10)] + [(0.8, float(i < 9)) for i in range(10)]
    assert value("brier_reliability", pairs) == pytest.approx(0.5 * 0.1**2 + 0.5 * 0.1**2)
    assert value("brier_resolution", pairs) == pytest.approx(0.5 * 0.3**2 + 0.5 * 0.3**2)


def test_log_loss_is_finite_for_certain_and_wrong_answers() -> None:
    assert value("nll", [(0.8, 1.0), (0.25, 0.0)]) == pytest.approx(-(math.log(0.8) + math.log(0.75)) / 2)
    assert value("nll", [(1.0, 0.0)]) == pytest.approx(-math.log(1e-6))


def smooth_error(pairs: list[tuple[float, float]], sigma: float, cells: int = 4000) -> float:
    """The integral written out: each residual spread by a Gaussian with its reflections at 0 and 1."""
    grid = (np.arange(cells) + 0.5) / cells
    density = np.zeros(cells)
    for p, y in pairs:
        for image in [2 * k + sign * p for k in range(-4, 5) for sign in (1, -1)]:
            density += (y - p) * np.exp(-0.5 * ((grid - image) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi)) / len(pairs)
    return float(np.abs(density).mean())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_smooth_calibration_error_is_its_own_width(seed: int) -> None:
    rng = np.random.default_rng(seed)
    confidence = rng.beta(4, 2, 40)
    pairs = [(float(p), float(rng.random() < p**seed)) for p in confidence]
    error = value("smece", pairs)
    assert error is not None
    assert smooth_error(pairs, error) == pytest.approx(error, abs=1e-3)


def test_smooth_calibration_error_of_one_confidence_is_its_gap() -> None:
    assert value("smece", [(0.7, 1.0)] * 5 + [(0.7, 0.0)] * 5) == pytest.approx(0.2, abs=1e-6)
    assert value("smece", [(0.7, 1.0)] * 7 + [(0.7, 0.0)] * 3) == pytest.approx(0.0, abs=1e-6)


@given(BINARY)
def test_smooth_calibration_error_lies_between_the_whole_gap_and_the_mean_gap(pairs: list[tuple[float, float]]) -> None:
    error = smooth_calibration.smece(data_of(pairs))
    assert error is not None
    gaps = [y - p for p, y in pairs]
    assert abs(sum(gaps)) / len(gaps) - 1e-6 <= error <= sum(map(abs, gaps)) / len(gaps) + 1e-6


def test_platt_scaling_repairs_a_monotone_distortion() -> None:
    rng = np.random.default_rng(3)
    odds = rng.normal(0, 1.5, 3000)
    right = rng.random(3000) < 1 / (1 + np.exp(-(0.5 * odds - 0.7)))
    pairs = list(zip((1 / (1 + np.exp(-odds))).tolist(), right.astype(float).tolist(), strict=True))
    before, after = value("ece_10_bin", pairs), value("platt_ece_10_bin", pairs)
    assert before is not None
    assert after is not None
    assert before > 0.15
    assert after < 0.05
    overall = value("platt_ece_1_bin", pairs)
    assert overall is not None
    assert overall < 0.01
    slope, level = platt.fit(odds, right.astype(float), np.ones((1, 3000)))
    assert slope[0] == pytest.approx(0.5, abs=0.08)
    assert level[0] == pytest.approx(-0.7, abs=0.1)


def test_the_fit_of_platt_scaling_is_where_the_gradient_vanishes() -> None:
    rng = np.random.default_rng(4)
    odds, score = rng.normal(0, 5, 50), rng.integers(0, 2, 50).astype(float)
    (slope,), (level,) = platt.fit(odds, score, np.ones((1, 50)))
    right = score.sum()
    target = np.where(score == 1, (right + 1) / (right + 2), 1 / (50 - right + 2))
    off = 1 / (1 + np.exp(-(slope * odds + level))) - target
    assert abs(off.sum()) < 1e-6
    assert abs((off * odds).sum()) < 1e-4


@given(BINARY)
def test_platt_scaling_is_finite_even_where_confidence_separates_right_from_wrong(pairs: list[tuple[float, float]]) -> None:
    for some in (pairs, [(0.2 + 0.6 * y, y) for _, y in pairs]):
        for name in ("platt_ece_10_bin", "platt_ece_1_bin"):
            error = value(name, some)
            assert error is not None
            assert 0 <= error <= 1


@given(BINARY, st.randoms())
def test_no_calibration_metric_depends_on_the_order_of_the_answers(pairs: list[tuple[float, float]], random: object) -> None:
    shuffled = pairs.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for name in ("aurc", "auroc", "smece", "platt_ece_10_bin", "ece_debiased", "selective_acc@10", "coverage_at_risk@10"):
        assert value(name, pairs) == value(name, shuffled)
    for name in ("helm_platt_coef", "helm_selective_cov_acc_area", "helm_selective_acc@10"):
        assert value(name, pairs) == value(name, shuffled)
