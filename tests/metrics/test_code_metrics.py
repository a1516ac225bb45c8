"""Programs are judged by what a sandbox found; what nobody ran has no value."""

from __future__ import annotations

import msgspec
import pytest

from assay.metrics.scoring import metrics_for, score_answer
from assay.records import Answer

METRICS = metrics_for(["all_tests_passed", "share_of_tests_passed"])
ANSWER = Answer(outcome="answered", prediction="return a + b")


@pytest.mark.parametrize(
    ("passed", "everything", "share"),
    [((1.0,), 1.0, 1.0), ((0.75, 1.0), 0.0, 0.75), ((0.0,), 0.0, 0.0), ((None,), None, None), (None, None, None)],
)
def test_the_first_program_counts(
    passed: tuple[float | None, ...] | None, everything: float | None, share: float | None
) -> None:
    scores = score_answer(msgspec.structs.replace(ANSWER, passed=passed), METRICS)
    assert (scores["all_tests_passed"], scores["share_of_tests_passed"]) == (everything, share)
