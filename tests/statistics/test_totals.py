from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy import stats

from assay import registry
from assay.errors import AssayError
from assay.metrics import Columns, Metric, count_answer
from assay.metrics.library.classification import f1_of_class
from assay.records import Answer, Estimate, Failure
from assay.statistics.bootstrap import bootstrap_estimate
from assay.statistics.estimates import clustered_mean
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
    metric = replace(registry.metrics.get("mean_confidence"), each=None, range=(None, None))
    by_answers = bootstrap_estimate(metric, columns, np.arange(50), 0, "cell")
    rows = Counts(rows_of(confidence, np.ones(50)))
    by_sums = totals_estimate(replace(RATIO, range=(None, None)), rows, np.arange(50), np.arange(50), (0, "cell"))
    assert by_answers is not None
    assert by_sums is not None
    assert by_sums.low == pytest.approx(by_answers.low)
    assert by_sums.high == pytest.approx(by_answers.high)


def test_a_share_has_the_interval_of_a_mean() -> None:
    parts = (np.random.default_rng(4).random(400) < 0.3).astype(float)
    found, mean = estimate(rows_of(parts, np.ones(400))), clustered_mean(parts, np.arange(400), (0, 1))
    assert found is not None
    assert mean is not None
    assert (found.low, found.high) == pytest.approx((mean.low, mean.high), abs=0.004)


def test_the_f1_of_a_class_has_wilsons_interval_as_a_share_of_hits() -> None:
    """8 of 10 answers that are of the class or were given as it are hits: Wilson says 0.490 to 0.943, and F1 = 2s / (1 + s)."""
    metric = f1_of_class("yes")
    rows = [{"right yes": 1, "given yes": 1, "hits yes": 1}] * 8 + [{"right yes": 1}, {"given yes": 1}] + [{}] * 30
    found = totals_estimate(metric, Counts(rows), np.arange(40), np.arange(40), (0, "cell"))
    assert found is not None
    low, high = stats.binomtest(8, 10).proportion_ci(0.95, method="wilson")
    assert found.value == pytest.approx(16 / 18)
    assert (found.low, found.high) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))


def test_a_mean_over_classes_rests_on_the_few_answers_of_the_rare_one() -> None:
    common = [{"right a": 1.0, "given a": 1.0, "hits a": 1.0}]
    rare = [{"right b": 1.0, "given b": 1.0, "hits b": 1.0}]
    macro = registry.metrics.get("classification_macro_f1")
    found = [
        totals_estimate(macro, Counts(common * many + rare * 4), np.arange(many + 4), np.arange(many + 4), (0, "cell"))
        for many in (46, 996)
    ]
    assert [estimate.value for estimate in found] == [1.0, 1.0]
    assert found[0].low < 0.82
    assert found[1].low < 0.82


def test_a_count_of_zero_that_an_answer_mentions_is_among_the_sums() -> None:
    """A class that was offered and given but never right counts in the mean over classes: 1 and 0 here."""
    offered = {"right a": 1.0, "right b": 0.0, "offered a": 1.0, "offered b": 1.0}
    rows = [offered | {"given a": 1.0, "hits a": 1.0}] * 5 + [offered | {"given b": 1.0}] * 5
    macro = registry.metrics.get("classification_macro_f1")
    found = totals_estimate(macro, Counts(rows), np.arange(10), np.arange(10), (0, "cell"))
    assert found is not None
    assert found.value == pytest.approx((2 * 5 / (10 + 5) + 0) / 2)


def test_sums_by_cluster_are_those_of_a_plain_table() -> None:
    generator = np.random.default_rng(5)
    names = ["c", "a", "b"]
    table = generator.integers(0, 4, (60, 3)) * (generator.random((60, 3)) < 0.6)
    rows = [{name: float(value) for name, value in zip(names, row, strict=True) if value} for row in table.tolist()]
    chosen, codes = generator.permutation(60)[:40], generator.permutation(np.arange(40) % 7)
    counts = Counts(rows)
    counts.sort(np.arange(60)[::-1])
    found = counts.by_cluster(59 - chosen, codes)
    dense = np.zeros((7, 3))
    dense[found.members, np.repeat(np.arange(3), np.diff(found.starts, append=len(found.values)))] = found.values
    expected = np.zeros((7, 3))
    np.add.at(expected, codes, table[chosen][:, [1, 2, 0]])
    assert (found.names, found.clusters) == (["a", "b", "c"], 7)
    assert (dense == expected).all()


def test_unbounded_sums_that_never_vary_have_no_interval() -> None:
    rows = Counts(rows_of(np.full(20, 3.0), np.ones(20)))
    found = totals_estimate(replace(RATIO, range=(0, None)), rows, np.arange(20), np.arange(20), (0, "cell"))
    assert found is not None
    assert (found.value, found.low, found.high, found.method) == (3.0, None, None, "no variation seen: no interval")


def test_failed_requests_are_not_counted_and_bad_counts_name_the_metric() -> None:
    metric = Metric("words", "bias", (0, None), "neither", "", of_counts=lambda answer: {"words": float("inf")}, value=ratio)
    failed = Answer(outcome="failed", failure=Failure(kind="timeout", message=""))
    assert count_answer(failed, metric) is None
    with pytest.raises(AssayError, match="words"):
        count_answer(Answer(outcome="answered"), metric)
