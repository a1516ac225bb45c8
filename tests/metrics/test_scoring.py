from __future__ import annotations

import numpy as np
import pytest

from assay import registry
from assay.errors import AssayError
from assay.metrics import columns_of, metrics_for, score_answer
from assay.metrics.base import Metric
from assay.records import Answer, Failure, Outcome, Reference, ScoredTrial

REFERENCES = (Reference(text="yes", correct=True), Reference(text="no"))
QUALITY = ["exact_match", "quasi_exact_match", "prefix_exact_match", "f1_score"]


def scores(outcome: Outcome, prediction: str = "", **fields: object) -> dict[str, float | None]:
    answer = Answer(outcome=outcome, prediction=prediction, references=REFERENCES, **fields)
    return score_answer(answer, metrics_for(QUALITY))


def test_a_failed_request_is_missing_and_not_wrong() -> None:
    found = scores("failed", failure=Failure(kind="timeout", message="after 5 attempts"))
    assert all(found[name] is None for name in QUALITY)
    assert found["failed"] == 1.0
    assert found["answered"] == 0.0
    assert found["latency_s"] is None


@pytest.mark.parametrize("outcome", ["refused", "empty", "unparsed"])
def test_a_response_without_an_answer_is_wrong_whatever_it_says(outcome: Outcome) -> None:
    found = scores(outcome, "yes")
    assert all(found[name] == 0.0 for name in QUALITY)
    assert found[outcome] == 1.0


def test_a_truncated_answer_is_judged_by_what_it_says() -> None:
    assert scores("truncated", "yes")["exact_match"] == 1.0
    assert scores("truncated", "")["exact_match"] == 0.0


def test_a_refusal_of_a_question_without_references_stays_unjudged() -> None:
    assert score_answer(Answer(outcome="refused"), metrics_for(["exact_match"]))["exact_match"] is None


@pytest.mark.parametrize("outcome", ["answered", "refused", "empty", "truncated", "unparsed", "failed"])
def test_the_outcome_rates_of_a_trial_add_up_to_one(outcome: Outcome) -> None:
    outcomes = [metric for metric in metrics_for([]) if metric.family == "outcomes"]
    assert sum(value or 0.0 for value in score_answer(Answer(outcome=outcome), outcomes).values()) == 1.0


def test_summaries_are_no_scores_of_an_answer() -> None:
    assert "ece_10_bin" not in scores("answered", "yes")


def test_every_run_has_outcomes_efficiency_and_calibration_after_its_own_metrics() -> None:
    names = [metric.name for metric in metrics_for(["f1_score", "failed", "f1_score"])]
    assert names[:2] == ["f1_score", "failed"]
    assert len(names) == len(set(names))
    assert {"answered", "latency_p95_s", "prompt_tokens", "ece_10_bin", "brier_score"} <= set(names)
    assert "exact_match" not in names


def test_an_unknown_metric_is_answered_with_the_nearest() -> None:
    with pytest.raises(AssayError, match="exact_match"):
        metrics_for(["exact_mach"])


def make(function: object, **fields: object) -> Metric:
    settings = {"name": "mine", "family": "accuracy", "range": (0, 1), "better": "higher", "about": ""} | fields
    return Metric(of_answer=function, **settings)


def test_a_metric_that_fails_is_named() -> None:
    def broken(answer: Answer) -> float:
        raise KeyError("label")

    with pytest.raises(AssayError, match=r"metric mine \(test_scoring.py, line 75\) failed .*KeyError.*label"):
        score_answer(Answer(outcome="answered"), [make(broken)])


def test_a_value_outside_the_declared_range_is_an_error() -> None:
    with pytest.raises(AssayError, match="outside its range"):
        score_answer(Answer(outcome="answered"), [make(lambda answer: 1.5)])


def test_not_a_number_is_missing() -> None:
    assert score_answer(Answer(outcome="answered"), [make(lambda answer: float("nan"))]) == {"mine": None}


def test_an_error_rate_of_an_empty_answer_is_its_worst_and_not_perfect() -> None:
    rate = make(lambda answer: 0.0, better="lower")
    assert score_answer(Answer(outcome="empty"), [rate]) == {"mine": 1.0}


def trial(score: float | None, **fields: object) -> ScoredTrial:
    answer = Answer(**({"outcome": "answered"} | fields))
    return ScoredTrial(instance_id="x", answer=answer, scores={"exact_match": score})


def test_columns_hold_the_main_metric_and_nan_where_nothing_is_known() -> None:
    trials = [
        trial(1.0, confidence=0.9, latency_s=2.0),
        trial(None, failure=Failure(kind="timeout", message=""), confidence=0.3),
    ]
    columns = columns_of(trials, registry.metrics.get("exact_match"))
    np.testing.assert_array_equal(columns.score, [1.0, np.nan])
    np.testing.assert_array_equal(columns.confidence, [0.9, np.nan])
    np.testing.assert_array_equal(columns.latency_s, [2.0, np.nan])
    assert columns.known(["score", "confidence"]).tolist() == [True, False]
    assert len(columns.take(np.array([0, 0, 0]))) == 3


def test_a_main_metric_that_is_no_share_gives_no_correctness() -> None:
    columns = columns_of([trial(1.0)], registry.metrics.get("latency_s"))
    assert np.isnan(columns.score).all()
