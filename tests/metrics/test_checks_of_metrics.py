"""Metrics of a user's own that are wrong are named, with the file they stand in, and never end a run with a traceback."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from assay import registry
from assay.errors import AssayError
from assay.metrics import Columns, Metric, additive, columns_of, count_answer, metric, score_answer, summary
from assay.records import Answer, ScoredTrial
from assay.statistics.bootstrap import bootstrap_estimate
from assay.statistics.totals import Counts, totals_estimate

ANSWER = Answer(outcome="answered")
HERE = r"test_checks_of_metrics\.py, line \d+"


def of_answer(function: Callable[[Answer], Any], bounds: tuple[float | None, float | None] = (0, 1)) -> Metric:
    return Metric("mine", "accuracy", bounds, "higher", "", of_answer=function)


def leaves(_: object) -> float:
    raise SystemExit(0)


def recurses(answer: Answer) -> float:
    return recurses(answer)


@pytest.mark.parametrize("value", ["1", [1], (), 1j, Decimal("0.5"), np.ones(2), np.ones(1), object(), {}])
def test_a_value_that_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(AssayError, match=rf"metric mine \({HERE}\) gave a value of type \w+, which is no number"):
        score_answer(ANSWER, [of_answer(lambda answer: value)])


@pytest.mark.parametrize("value", [10**400, 10**300, 1e308, -1e308])
def test_a_number_that_cannot_be_averaged_is_refused(value: float) -> None:
    with pytest.raises(AssayError, match=r"mine .*too large to average"):
        score_answer(ANSWER, [of_answer(lambda answer: value, (None, None))])


@pytest.mark.parametrize("value", [True, 1, 1.0, np.float32(1), np.int64(1), np.bool_(True)])
def test_every_kind_of_number_is_taken(value: float) -> None:
    assert score_answer(ANSWER, [of_answer(lambda answer: value)]) == {"mine": 1.0}


@pytest.mark.parametrize("function", [leaves, recurses])
def test_a_metric_that_leaves_the_program_or_never_ends_is_named(function: Callable[[Answer], Any]) -> None:
    with pytest.raises(AssayError, match=rf"metric mine \({HERE}\) failed"):
        score_answer(ANSWER, [of_answer(function)])


@pytest.mark.parametrize("bounds", [None, (1, 1), (1, 0), (0,), "01", (0, float("nan")), (0, "1"), 5])
def test_a_range_that_is_none_is_refused_when_the_metric_is_declared(bounds: Any) -> None:
    with pytest.raises(AssayError, match=rf"metric <lambda> \({HERE}\) declares the range"):
        metric(family="accuracy", range=bounds)(lambda answer: 1.0)
    with pytest.raises(AssayError, match="declares the range"):
        additive(value=lambda totals: 1.0, family="accuracy", range=bounds)(lambda answer: {})


def test_unknown_words_and_columns_are_refused_when_the_metric_is_declared() -> None:
    with pytest.raises(AssayError, match=r"declares the family 'nope' .*accuracy"):
        metric(family="nope")(lambda answer: 1.0)  # type: ignore[arg-type]
    with pytest.raises(AssayError, match="declares the better 'more'"):
        metric(family="accuracy", better="more")(lambda answer: 1.0)  # type: ignore[arg-type]
    with pytest.raises(AssayError, match=r"needs 'nope' .*confidence"):
        summary(family="accuracy", needs=("nope",))(lambda columns: 1.0)
    with pytest.raises(AssayError, match="needs 'score'"):
        summary(family="accuracy", needs="score")(lambda columns: 1.0)  # type: ignore[arg-type]


def of_columns(function: Callable[[Columns], Any], **more: Any) -> object:
    made = Metric("mine", "accuracy", (0, 1), "higher", "", of_answers=function, needs=("score",), **more)
    data = Columns(**{field.name: np.linspace(0, 1, 5) for field in fields(Columns)})
    return bootstrap_estimate(made, data, np.arange(5), 0, "cell")


@pytest.mark.parametrize(
    ("function", "part"),
    [
        (lambda data: 7.0, "gave 7.0, outside its range 0 to 1"),
        (lambda data: float("inf"), "gave inf"),
        (lambda data: float("nan"), "gave nan"),
        (lambda data: "x", "no number"),
        (lambda data: data.score, "no number"),
        (lambda data: 1 / 0, "ZeroDivisionError"),
        (lambda data: 1.0 if len(set(data.score.tolist())) == 5 else 1 / 0, "ZeroDivisionError"),
        (leaves, "SystemExit"),
    ],
)
def test_a_summary_that_is_wrong_is_named(function: Callable[[Columns], Any], part: str) -> None:
    with pytest.raises(AssayError, match=rf"metric mine \({HERE}\)") as caught:
        of_columns(function)
    assert part in str(caught.value)


def test_a_summary_whose_resamples_fail_is_named() -> None:
    def resampled(columns: Columns, weights: object) -> Any:
        raise RuntimeError("no")

    with pytest.raises(AssayError, match=r"metric mine .*failed on a resample: RuntimeError"):
        of_columns(lambda data: 0.5, resampled=resampled)


@pytest.mark.parametrize("value", [lambda totals: 1 / 0, lambda totals: "x", lambda totals: float("inf"), lambda totals: 1j])
def test_a_function_of_sums_that_is_wrong_is_named(value: Callable[[Mapping[str, float]], Any]) -> None:
    made = Metric("mine", "accuracy", (0, 1), "higher", "", of_counts=lambda answer: {}, value=value)
    with pytest.raises(AssayError, match=rf"metric mine \({HERE}\)"):
        totals_estimate(made, Counts([{"a": 1.0}, {"a": 2.0}]), np.arange(2), np.arange(2), (0, "cell"))


@pytest.mark.parametrize("counts", ["x", [1], {"a": "1"}, {1: 1}, {"a": None}, {"a": float("nan")}, {"a": 10**400}])
def test_counts_that_are_none_are_refused(counts: Any) -> None:
    made = Metric("mine", "bias", (0, 1), "neither", "", of_counts=lambda answer: counts, value=lambda totals: None)
    with pytest.raises(AssayError, match="metric mine"):
        count_answer(ANSWER, made)


def language_model(*logprobs: float) -> Columns:
    answers = [Answer(outcome="answered", logprob=logprob, scored_tokens=1, scored_bytes=4) for logprob in logprobs]
    return columns_of([ScoredTrial(instance_id=str(n), answer=answer, scores={}) for n, answer in enumerate(answers)], None)


def value_of(name: str, data: Columns) -> float | None:
    made = registry.metrics.get(name)
    found = bootstrap_estimate(made, data, np.arange(len(data)), 0, "cell")
    return None if found is None else found.value


def test_a_text_more_likely_than_certain_is_missing() -> None:
    data = language_model(-1.0, 3.0, 1e308, float("nan"))
    assert np.isnan(data.logprob).tolist() == [False, True, True, True]
    assert value_of("perplexity", data) == pytest.approx(np.e)
    assert value_of("perplexity", language_model(3.0)) is None
    assert language_model(1e-7).logprob.tolist() == [0.0]


@pytest.mark.parametrize("logprob", [-750.0, -1e6, -1e308])
def test_perplexity_does_not_overflow(logprob: float) -> None:
    assert value_of("perplexity", language_model(logprob, logprob)) is None
    bits = value_of("bits_per_byte", language_model(logprob, logprob))
    assert bits is None or np.isfinite(bits)
