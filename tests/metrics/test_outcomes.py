from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import registry
from assay.metrics import Columns, columns_of, score_answer
from assay.metrics.library import outcomes
from assay.records import Answer, Failure, Outcome, ScoredTrial

ALL: tuple[Outcome, ...] = ("answered", "refused", "empty", "truncated", "unparsed", "failed")


def columns(scores: list[float | None]) -> Columns:
    failed = Answer(outcome="failed", failure=Failure(kind="timeout", message=""))
    trials = [
        ScoredTrial(
            instance_id=str(index),
            answer=failed if score is None else Answer(outcome="answered"),
            scores={"exact_match": score},
        )
        for index, score in enumerate(scores)
    ]
    return columns_of(trials, registry.metrics.get("exact_match"))


@pytest.mark.parametrize("outcome", ALL)
def test_each_trial_has_one_outcome(outcome: Outcome) -> None:
    metrics = [registry.metrics.get(name) for name in ALL]
    assert score_answer(Answer(outcome=outcome), metrics) == {name: float(name == outcome) for name in ALL}


def test_v14_failed_trials_bound_the_main_metric_and_do_not_vanish() -> None:
    # promptfoo's pass rate leaves errors out of both sides: 2 of 2 here, though only 2 of 5 are known to be right.
    run = columns([1.0, 1.0, None, None, None])
    assert outcomes.main_if_missing_wrong(run) == pytest.approx(2 / 5)
    assert outcomes.main_if_missing_right(run) == pytest.approx(1.0)


def test_without_missing_trials_there_is_nothing_to_bound() -> None:
    assert outcomes.main_if_missing_wrong(columns([1.0, 0.0])) is None
    assert outcomes.main_if_missing_right(columns([1.0, 0.0])) is None


def test_a_main_metric_that_is_no_accuracy_has_no_bounds() -> None:
    assert outcomes.main_if_missing_wrong(columns([None, None])) is None


@given(st.lists(st.none() | st.floats(0, 1), min_size=2), st.floats(0, 1))
def test_whatever_the_missing_are_the_truth_lies_between_the_bounds(scores: list[float | None], truth: float) -> None:
    run = columns(scores)
    low, high = outcomes.main_if_missing_wrong(run), outcomes.main_if_missing_right(run)
    if low is None or high is None:
        assert None not in scores or all(score is None for score in scores)
        return
    complete = np.mean([truth if score is None else score for score in scores])
    assert low - 1e-12 <= complete <= high + 1e-12


@pytest.mark.parametrize("name", ["main_if_missing_wrong", "main_if_missing_right"])
def test_a_resample_equals_the_bound_of_its_trials(name: str) -> None:
    run = columns([1.0, None, 0.0, 0.5, None, 1.0])
    metric = registry.metrics.get(name)
    assert metric.resampled is not None
    weights = np.array([[1.0, 1, 1, 1, 1, 1], [3, 0, 0, 0, 3, 0], [0, 6, 0, 0, 0, 0]])
    missing = 0.0 if name.endswith("wrong") else 1.0
    assert metric.resampled(run, weights) == pytest.approx([(2.5 + 2 * missing) / 6, (3 + 3 * missing) / 6, missing])
