"""What became of each trial, and what the missing ones could change.

The rates are over all trials, failed ones included; those of the outcomes add up to 1. The bounds say what the main metric
would be if every missing trial had been wrong, or right: whatever the missing answers are, the truth lies between (Manski
2003, "Partial Identification of Probability Distributions", chapter 1). Where none is missing the bounds are the main metric
itself and left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.base import metric, summary
from assay.metrics.columns import Columns
from assay.metrics.weighted import mean
from assay.records import Answer

if TYPE_CHECKING:
    from assay.metrics.columns import Floats


@metric(family="outcomes", everywhere=True)
def answered(answer: Answer) -> float:
    """Share of trials with an answer that could be read."""
    return float(answer.outcome == "answered")


@metric(family="outcomes", better="lower", everywhere=True)
def refused(answer: Answer) -> float:
    """Share of trials in which the model declined to answer."""
    return float(answer.outcome == "refused")


@metric(family="outcomes", better="lower", everywhere=True)
def partially_refused(answer: Answer) -> float:
    """Share of trials with an answer in free text that declines a part of what was asked; they are `answered`, too."""
    return float(answer.partly_refused)


@metric(family="outcomes", better="lower", everywhere=True)
def empty(answer: Answer) -> float:
    """Share of trials with a response that says nothing."""
    return float(answer.outcome == "empty")


@metric(family="outcomes", better="lower", everywhere=True)
def truncated(answer: Answer) -> float:
    """Share of trials in which the response was cut at the token limit."""
    return float(answer.outcome == "truncated")


@metric(family="outcomes", better="lower", everywhere=True)
def unparsed(answer: Answer) -> float:
    """Share of trials with a response in which no answer could be found, or none of the options where they are listed."""
    return float(answer.outcome == "unparsed")


@metric(family="outcomes", better="lower", everywhere=True)
def failed(answer: Answer) -> float:
    """Share of trials whose request got no response: missing from every other metric."""
    return float(answer.outcome == "failed")


def _filled(columns: Columns, missing: float) -> Floats:
    import numpy as np

    return np.where(np.isnan(columns.score), missing, columns.score)


def _bound(columns: Columns, missing: float) -> float | None:
    """The mean of the main metric with this value where it is missing; `None` where nothing or everything is missing."""
    import numpy as np

    gaps = np.isnan(columns.score)
    return float(_filled(columns, missing).mean()) if gaps.any() and not gaps.all() else None


def _all_wrong(columns: Columns, weights: Floats) -> Floats:
    return mean(_filled(columns, 0.0), weights)


def _all_right(columns: Columns, weights: Floats) -> Floats:
    return mean(_filled(columns, 1.0), weights)


@summary(family="outcomes", needs=(), everywhere=True, resampled=_all_wrong, each=lambda c: _filled(c, 0.0))
def main_if_missing_wrong(columns: Columns) -> float | None:
    """The main metric, were every trial without a score wrong. For main metrics that are an accuracy, 0 to 1."""
    return _bound(columns, 0.0)


@summary(family="outcomes", needs=(), everywhere=True, resampled=_all_right, each=lambda c: _filled(c, 1.0))
def main_if_missing_right(columns: Columns) -> float | None:
    """The main metric, were every trial without a score right. For main metrics that are an accuracy, 0 to 1."""
    return _bound(columns, 1.0)
