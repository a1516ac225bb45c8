"""What became of each trial, as rates over all trials, failed ones included. They add up to 1."""

from __future__ import annotations

from assay.metrics.base import metric
from assay.records import Answer


@metric(family="outcomes", everywhere=True)
def answered(answer: Answer) -> float:
    """Share of trials with an answer that could be read."""
    return float(answer.outcome == "answered")


@metric(family="outcomes", better="lower", everywhere=True)
def refused(answer: Answer) -> float:
    """Share of trials in which the model declined to answer."""
    return float(answer.outcome == "refused")


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
    """Share of trials with a response in which no answer could be found."""
    return float(answer.outcome == "unparsed")


@metric(family="outcomes", better="lower", everywhere=True)
def failed(answer: Answer) -> float:
    """Share of trials whose request got no response: missing from every other metric."""
    return float(answer.outcome == "failed")
