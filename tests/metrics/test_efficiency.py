from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from assay import registry
from assay.metrics import columns_of
from assay.metrics.library import efficiency
from assay.metrics.scoring import count_answer
from assay.records import Answer, Failure, ScoredTrial


def timed(**fields: object) -> Answer:
    base: dict[str, object] = {"outcome": "answered", "completions": ("x",), "latency_s": 2.0, "completion_tokens": 11}
    return Answer(**{**base, **fields})  # type: ignore[arg-type]


def trial(answer: Answer, right: float | None) -> ScoredTrial:
    return ScoredTrial(instance_id="1", answer=answer, scores={"exact_match": right})


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"first_token_s": 1.0}, 0.1),
        ({"first_token_s": None}, None),
        ({"first_token_s": 1.0, "completion_tokens": 1}, None),
        ({"first_token_s": 1.0, "completion_tokens": None}, None),
        ({"first_token_s": 1.0, "requests": 2}, None),
        ({"first_token_s": 1.0, "completions": ("x", "y")}, None),
        ({"first_token_s": 2.5}, 0.0),
    ],
)
def test_time_per_output_token_needs_one_streamed_completion(fields: dict[str, object], expected: float | None) -> None:
    assert efficiency.time_per_output_token_s(timed(**fields)) == (None if expected is None else pytest.approx(expected))


def test_throughput_divides_the_sums() -> None:
    metric = registry.metrics.get("output_tokens_per_s")
    answers = [timed(), timed(completion_tokens=89, latency_s=8.0), timed(latency_s=None), timed(completion_tokens=None)]
    totals: Counter[str] = Counter()
    for answer in answers:
        totals.update(count_answer(answer, metric) or {})
    assert metric.value is not None
    assert metric.value(totals) == pytest.approx((11 + 89) / (2 + 8))


def test_each_run_says_who_counted_its_tokens() -> None:
    sources = [timed(usage_source=source) for source in ("provider", "tokenizer", None)]
    assert [efficiency.provider_counted(answer) for answer in sources] == [1.0, 0.0, None]


def test_cost_of_a_right_answer_spreads_the_cost_of_the_wrong_ones() -> None:
    rows = [(0.01, 1.0), (0.02, 0.0), (0.03, 0.5), (None, 1.0)]
    trials = [trial(timed(cost=cost), right) for cost, right in rows]
    columns = columns_of(trials, registry.metrics.get("exact_match"))
    known = columns.take(columns.known(("cost", "score")))
    assert efficiency.cost_per_correct(known) == pytest.approx(0.06 / 1.5)
    none_right = columns_of([trial(timed(cost=0.01), 0.0)], registry.metrics.get("exact_match"))
    assert efficiency.cost_per_correct(none_right) is None


def test_a_failed_request_has_no_latency_and_no_cost() -> None:
    failed = timed(outcome="failed", cost=0.5, failure=Failure(kind="timeout", message=""))
    columns = columns_of([trial(failed, None)], registry.metrics.get("exact_match"))
    assert np.isnan([columns.latency_s[0], columns.cost[0]]).all()


SUMMARIES = [
    "latency_p50_s",
    "latency_p95_s",
    "latency_p99_s",
    "first_token_p50_s",
    "first_token_p95_s",
    "cost_per_correct",
]


@pytest.mark.parametrize("name", SUMMARIES)
def test_resampling_equals_computing_on_each_resample(name: str) -> None:
    rng = np.random.default_rng(5)
    seconds = rng.gamma(2.0, size=40)
    rows = zip(seconds, rng.random(40), rng.integers(0, 2, 40), strict=True)
    trials = [trial(timed(latency_s=s, first_token_s=s / 3, cost=c), float(right)) for s, c, right in rows]
    columns = columns_of(trials, registry.metrics.get("exact_match"))
    metric = registry.metrics.get(name)
    assert metric.of_answers is not None
    assert metric.resampled is not None
    weights = rng.multinomial(40, np.full(40, 1 / 40), size=20)
    expected = [metric.of_answers(columns.take(np.repeat(np.arange(40), row))) for row in weights]
    assert metric.resampled(columns, weights.astype(np.float64)) == pytest.approx(expected)


def test_quantiles_are_numpys() -> None:
    trials = [trial(timed(latency_s=float(s), first_token_s=s / 2), 1.0) for s in range(1, 101)]
    columns = columns_of(trials, None)
    assert efficiency.latency_p99_s(columns) == pytest.approx(99.01)
    assert efficiency.latency_p50_s(columns) == pytest.approx(50.5)
    assert efficiency.first_token_p95_s(columns) == pytest.approx(95.05 / 2)
