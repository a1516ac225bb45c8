"""From answers to scores: every metric of one answer, and the columns that summaries read."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from assay import registry
from assay.judging import METRIC
from assay.metrics.base import AnswerFunction, Metric
from assay.metrics.checks import LARGEST, broken, counted, number, within
from assay.metrics.columns import Columns
from assay.records import Answer, ScoredTrial

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

UNANSWERED = frozenset({"refused", "empty", "unparsed"})
"""Outcomes that give no prediction to judge: wrong as an answer, though a response came; see `is_unanswered`."""

OF_TEXT = "confidence_from_sequence_logprob"
"""The metric that is 1 where the confidence is the probability of the whole completion."""
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
    An answer cut at the token limit is judged by what it says. HELM's metrics judge what was said, whatever was read in it.

    Raises:
        AssayError: a metric failed, or gave a value outside the range that it declares.
    """
    missing, unanswered = _is_missing(answer), is_unanswered(answer)
    scores: dict[str, float | None] = {}
    for metric, function, low, high, judged in _judges(tuple(metrics)):
        if missing and metric.family != "outcomes":
            scores[metric.name] = None
            continue
        try:
            given = function(answer)
        except (Exception, SystemExit) as error:
            raise broken(metric, function, error, "an answer") from error
        if given is None or (type(given) is float and low <= given <= high and not (unanswered and judged)):
            scores[metric.name] = given  # by far the commonest, in the innermost loop of a run
        else:
            worst = unanswered and judged and not (answer.text and metric.name.startswith("helm_"))
            scores[metric.name] = _checked(metric, function, given, worst=worst)
    return scores


class _Judge(NamedTuple):
    metric: Metric
    function: AnswerFunction
    low: float
    high: float
    judged: bool
    """An answer that is none gets the worst value."""


@functools.lru_cache(maxsize=64)
def _judges(metrics: tuple[Metric, ...]) -> tuple[_Judge, ...]:
    return tuple(
        _Judge(
            metric,
            metric.of_answer,
            -LARGEST if metric.range[0] is None else metric.range[0],
            LARGEST if metric.range[1] is None else metric.range[1],
            metric.family == "accuracy" and not metric.sampled and not metric.silence,
        )
        for metric in metrics
        if metric.of_answer is not None
    )


def _checked(metric: Metric, function: AnswerFunction, given: object, *, worst: bool) -> float | None:
    """What a metric gave as a value within its range, or the worst of that range."""
    value = number(metric, given, function)
    if value is None or not math.isfinite(value):
        return None
    low, high = metric.range
    bound = high if metric.better == "lower" else low
    return within(metric, float(bound) if worst and bound is not None else value, function)


def count_answer(answer: Answer, metric: Metric) -> Mapping[str, float] | None:
    """The counts of one answer for an additive metric; `None` where it does not apply or the request failed.

    Raises:
        AssayError: the metric failed, or gave a count that is not finite.
    """
    function = metric.of_counts
    if function is None or (_is_missing(answer) and metric.family != "outcomes"):
        return None
    try:
        counts = function(answer)
    except (Exception, SystemExit) as error:
        raise broken(metric, function, error, "an answer") from error
    return counted(metric, counts, function)


def is_unanswered(answer: Answer) -> bool:
    """Whether an answer gives no prediction to judge."""
    return answer.outcome in UNANSWERED


def _is_missing(answer: Answer) -> bool:
    return answer.failure is not None or answer.outcome == "failed"


def columns_of(trials: Sequence[ScoredTrial], main_metric: Metric | None) -> Columns:
    """The trials as columns, in their order; see `made_columns`."""
    import numpy as np

    table = np.array([readings(trial.answer) for trial in trials], dtype=np.float64).reshape(-1, len(READ))
    main = "" if main_metric is None else main_metric.name
    scores = {name: np.array([trial.scores.get(name) for trial in trials], dtype=np.float64) for name in (main, OF_TEXT)}
    return made_columns(list(table.T), scores, main_metric)


READ = tuple(field.name for field in fields(Columns) if field.name != "score")
"""The columns that are read from answers, in order."""
_read = attrgetter(*READ)
_LOGPROB = READ.index("logprob")


def readings(answer: Answer) -> list[float]:
    """What an answer has for each column of `READ`, NaN where it has nothing."""
    if answer.failure is not None:
        return [math.nan] * len(READ)
    found = [math.nan if value is None else value for value in _read(answer)]
    found[_LOGPROB] = _possible(found[_LOGPROB])
    return found


def made_columns(read: Sequence[Floats], scores: Mapping[str, Floats], main_metric: Metric | None) -> Columns:
    """Columns of readings, and of how right each answer is.

    Args:
        read: the columns of `READ`.
        scores: by metric.
        main_metric: says how right an answer is, where it is an accuracy between 0 and 1. A judge's mark says nothing of a
            confidence that is the probability of having written that very text: a good letter has many wordings.
    """
    import numpy as np

    judged = main_metric is not None and tuple(main_metric.range) == (0, 1) and main_metric.better == "higher"
    right = scores.get(main_metric.name) if judged and main_metric is not None else None
    if right is None:
        right = np.full(len(read[0]), np.nan)
    elif main_metric is not None and main_metric.name == METRIC and OF_TEXT in scores:
        right = np.where(scores[OF_TEXT] == 1, np.nan, right)
    return Columns(score=right, **dict(zip(READ, read, strict=True)))


def _possible(logprob: float) -> float:
    """A log-probability, NaN where it says that a text is more than certain; rounding may put a certain one above 0."""
    return min(logprob, 0.0) if -LARGEST <= logprob <= ROUNDING else math.nan
