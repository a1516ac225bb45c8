"""Marks of a judge model: there are none where nobody judged."""

from __future__ import annotations

import msgspec

from assay.metrics.scoring import metrics_for, score_answer
from assay.records import Answer


def test_what_nobody_judged_is_not_measured_and_what_was_judged_is() -> None:
    answer = Answer(outcome="answered", prediction="It depends.")
    metrics = metrics_for(["judge_score"])
    assert score_answer(answer, metrics)["judge_score"] is None
    assert score_answer(msgspec.structs.replace(answer, judged=0.75), metrics)["judge_score"] == 0.75
    assert score_answer(msgspec.structs.replace(answer, outcome="refused"), metrics)["judge_score"] is None
