"""From answers to scores: every metric of one answer, and the columns that summaries read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

from assay import registry
from assay.metrics.base import Metric
from assay.metrics.checks import LARGEST, called, counted, number, within
from assay.metrics.columns import Columns
from assay.records import Answer, ScoredTrial

UNANSWERED = frozenset({"refused", "empty", "unparsed"})
"""Outcomes that give no prediction to judge: wrong as an answer, though a response came."""

ROUNDING = 1e-4
"""How far above 0 rounding may put the log-probability of a certain text."""


def metrics_for(names: Iterable[str]) -> tuple[Metric, ...]:
    """The named metrics in order, then those that every run has, each once. `exact_match@5` and the like are made on demand.

    Raises:
        AssayError: no metric has that name; the message suggests the nearest.
    """
    from assay.metrics.derived import find

    chosen = dict.fromkeys(names)
    chosen.update(dict.fromkeys(name for name in registry.metrics.names() if registry.metrics.get(name).everywhere))
    return tuple(find(name) for name in chosen)


def score_answer(answer: Answer, metrics: Sequence[Metric]) -> dict[str, float | None]:
    """The value of each metric that exists for one answer; summaries and sums are left out.

    A failed request is a missing datum: its metrics are `None`, except those of family `outcomes`. A response that was
    refused, empty or could not be read is an answer that is wrong: metrics of family `accuracy` give it their worst value.
    An answer cut at the token limit is judged by what it says.

    Raises:
        AssayError: a metric failed, or gave a value outside the range that it declares.
    """
    return {metric.name: _value(answer, metric) for metric in metrics if metric.of_answer is not None}


def count_answer(answer: Answer, metric: Metric) -> Mapping[str, float] | None:
    """The counts of one answer for an additive metric; `None` where it does not apply or the request failed.

    Raises:
        AssayError: the metric failed, or gave a count that is not finite.
    """
    if metric.of_counts is None or _is_missing(answer, metric):
        return None
    function = metric.of_counts
    return counted(metric, called(metric, function, answer, over="an answer"), function)


def _is_missing(answer: Answer, metric: Metric) -> bool:
    return (answer.outcome == "failed" or answer.failure is not None) and metric.family != "outcomes"


def _value(answer: Answer, metric: Metric) -> float | None:
    if metric.of_answer is None or _is_missing(answer, metric):
        return None
    function = metric.of_answer
    value = number(metric, called(metric, function, answer, over="an answer"), function)
    if value is None or not math.isfinite(value):
        return None
    if metric.family == "accuracy" and answer.outcome in UNANSWERED and not metric.sampled:
        low, high = metric.range
        worst = high if metric.better == "lower" else low
        value = value if worst is None else float(worst)
    return within(metric, value, function)


def columns_of(trials: Sequence[ScoredTrial], main_metric: Metric | None) -> Columns:
    """The trials as columns, in their order.

    `main_metric` says how right an answer is; it is used where it is an accuracy between 0 and 1.
    """
    import numpy as np

    judged = main_metric is not None and tuple(main_metric.range) == (0, 1) and main_metric.better == "higher"

    def column(name: str) -> list[float | None]:
        if name == "logprob":
            return [None if t.answer.failure is not None else _possible(t.answer.logprob) for t in trials]
        if name != "score":
            return [None if t.answer.failure is not None else getattr(t.answer, name) for t in trials]
        return [t.scores.get(main_metric.name) if judged and main_metric is not None else None for t in trials]

    return Columns(**{field.name: np.array(column(field.name), dtype=np.float64) for field in fields(Columns)})


def _possible(logprob: float | None) -> float | None:
    """A log-probability, missing where it says that a text is more than certain; rounding may put a certain one above 0."""
    if logprob is None or not -LARGEST <= logprob <= ROUNDING:
        return None
    return min(logprob, 0.0)
