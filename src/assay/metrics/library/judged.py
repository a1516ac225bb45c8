"""What a judge model says of an answer. Without a judge there is no value: what nobody judged is neither good nor bad."""

from __future__ import annotations

from assay.metrics.base import metric
from assay.records import Answer


@metric(family="accuracy", silence=True)
def judge_score(answer: Answer) -> float | None:
    """The mark that a judge model gave, put on 0 to 1. Needs a judge model: not measured where none was asked."""
    return answer.judged
