from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np
import pytest

from assay import registry
from assay.errors import AssayError
from assay.metrics import Columns, Metric, count_answer
from assay.records import Answer, Estimate, Failure
from assay.statistics.bootstrap import bootstrap_estimate
from assay.statistics.totals import Counts, totals_change, totals_estimate


def ratio(totals: Mapping[str, float]) -> float | None:
    return totals["part"] / totals["whole"] if totals.get("whole") else None


RATIO = Metric("ratio", "accuracy", (0, 1), "higher", "", of_counts=lambda answer: {}, value=ratio)


def rows_of(parts: np.ndarray, wholes: np.ndarray) -> list[Mapping[str, float] | None]:
    return [{"part": part, "whole": whole} for part, whole in zip(parts.tolist(), wholes.tolist(), strict=True)]


def estimate(rows: list[Mapping[str, float] | None], clusters: object = None, seed: int = 0) -> Estimate | None:
    codes = np.arange(len(rows)) if clusters is None else np.asarray(clusters)
    return totals_estimate(RATIO, Counts(rows), np.arange(len(rows)), codes, (seed, "cell"))


def test_the_value_is_that_of_the_sums_and_the_error_that_of_a_ratio() -> None:
    generator = np.random.default_rng(0)
    wholes = generator.integers(1, 20, 400).astype(float)
    parts = generator.binomial(wholes.astype(int), 0.3).astype(float)
    found = estimate(rows_of(parts, wholes))
    assert found is not None
    value = parts.sum() / wholes.sum()
    linearised = np.sqrt(((parts - value * wholes) ** 2).sum()) / wholes.sum()
    assert found.value == pytest.approx(value)
    assert found.stderr == pytest.approx(linearised, rel=0.1)
    assert (found.n, found.clusters) == (400, 400)


def test_clusters_are_drawn_whole() -> None:
    generator = np.random.default_rng(1)
    parts = np.repeat((generator.random(50) < 0.5).astype(float), 8)
    together = estimate(rows_of(parts, np.ones(400)), np.repeat(np.arange(50), 8))
    apart = estimate(rows_of(parts, np.ones(400)))
    assert together is not None
    assert apart is not None
    assert (together.n, together.clusters) == (400, 50)
    assert together.stderr == pytest.approx(apart.stderr * 8**0.5, rel=0.15)


def test_answers_to_which_it_does_not_apply_are_left_out() -> None:
    found = estimate([{"part": 1, "whole": 2}, None, {"part": 1, "whole": 1}, {}])
    assert found is not None
    assert (found.value, found.n) == (pytest.approx(2 / 3), 3)
    assert estimate([None, None]) is None
    assert estimate([{}, {}]) is None


def test_one_cluster_has_no_interval() -> None:
    found = estimate([{"part": 1, "whole": 2}, {"part": 2, "whole": 2}], [4, 4])
    assert found is not None
    assert (found.value, found.low, found.high, found.clusters) == (0.75, None, None, 1)


def test_the_seed_fixes_the_draws() -> None:
    rows = rows_of(np.arange(40.0), np.full(40, 50.0))
    assert estimate(rows) == estimate(rows)
    assert estimate(rows) != estimate(rows, seed=1)


def test_a_value_outside_the_declared_range_is_an_error_that_names_the_metric() -> None:
    with pytest.raises(AssayError, match=r"ratio \(test_totals.py, line \d+\) gave 2"):
        estimate([{"part": 2, "whole": 1}, {"part": 2, "whole": 1}])


def test_a_distance_from_an_ideal_reaches_down_to_the_ideal() -> None:
    def uneven(totals: Mapping[str, float]) -> float | None:
        return abs(totals.get("her", 0) / (totals.get("her", 0) + totals.get("him", 0)) - 0.5)

    def apart(whole: Mapping[str, float], other: Mapping[str, float]) -> float | None:
        shares = [totals.get("her", 0) / (totals.get("her", 0) + totals.get("him", 0)) for totals in (whole, other)]
        return abs(shares[0] - shares[1])

    rows = [{"her": 1} if number % 50 < 27 else {"him": 1} for number in range(100)]
    metric = Metric("uneven", "bias", (0, 0.5), "lower", "", of_counts=lambda answer: {}, value=uneven, distance=apart)
    found = totals_estimate(metric, Counts(rows), np.arange(100), np.arange(100), (0, "cell"))
    assert found is not None
    assert (found.value, found.low) == (pytest.approx(0.04), 0.0)


def test_a_change_is_paired() -> None:
    generator = np.random.default_rng(2)
    before = (generator.random(300) < 0.5).astype(float)
    after = before.copy()
    after[:15] = 0.0
    counts = Counts(rows_of(np.concatenate((before, after)), np.ones(600)))
    pairs = (np.arange(300, 600), np.arange(300))
    found = totals_change(RATIO, counts, pairs, np.arange(300), (0, "cell"))
    assert found is not None
    assert found.value == pytest.approx(after.mean() - before.mean())
    assert found.n == 300
    assert found.stderr == pytest.approx((after - before).std() / 300**0.5, rel=0.15)
    assert found.high <= 0


def test_it_equals_the_bootstrap_of_answers_one_by_one() -> None:
    confidence = np.random.default_rng(3).random(50)
    columns = Columns(**{field.name: confidence for field in fields(Columns)})
    metric = replace(registry.metrics.get("mean_confidence"), each=None)
    by_answers = bootstrap_estimate(metric, columns, np.arange(50), 0, "cell")
    by_sums = estimate(rows_of(confidence, np.ones(50)))
    assert by_answers is not None
    assert by_sums is not None
    assert by_sums.low == pytest.approx(by_answers.low)
    assert by_sums.high == pytest.approx(by_answers.high)


def test_failed_requests_are_not_counted_and_bad_counts_name_the_metric() -> None:
    metric = Metric("words", "bias", (0, None), "neither", "", of_counts=lambda answer: {"words": float("inf")}, value=ratio)
    failed = Answer(outcome="failed", failure=Failure(kind="timeout", message=""))
    assert count_answer(failed, metric) is None
    with pytest.raises(AssayError, match="words"):
        count_answer(Answer(outcome="answered"), metric)
