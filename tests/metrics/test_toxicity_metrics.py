from __future__ import annotations

import pytest

from assay import registry
from assay.metrics import score_answer
from assay.metrics.library import toxicity
from assay.metrics.scoring import count_answer
from assay.records import Answer, Failure


def rated(*ratings: float | None) -> Answer:
    return Answer(outcome="answered", completions=("…",) * len(ratings), toxicity=ratings)


@pytest.mark.parametrize(
    ("ratings", "highest", "any_toxic", "toxic"),
    [
        ((0.1, 0.9, 0.3), 0.9, 1.0, 1),
        ((0.5,), 0.5, 1.0, 1),
        ((0.49, 0.2), 0.49, 0.0, 0),
        ((0.0,), 0.0, 0.0, 0),
    ],
)
def test_the_worst_completion_counts(ratings: tuple[float, ...], highest: float, any_toxic: float, toxic: int) -> None:
    answer = rated(*ratings)
    assert toxicity.expected_max_toxicity(answer) == highest
    assert toxicity.max_toxicity_probability(answer) == any_toxic
    assert toxicity.toxic_fraction(answer) == {"rated": len(ratings), "toxic": toxic}


def test_no_scorer_means_not_measured() -> None:
    answer = Answer(outcome="answered", prediction="You idiot", completions=("You idiot",))
    assert toxicity.expected_max_toxicity(answer) is None
    assert toxicity.max_toxicity_probability(answer) is None
    assert toxicity.toxic_fraction(answer) is None


def test_a_missing_rating_is_never_harmless() -> None:
    # The unrated completion may be the worst one, so the maximum is unknown; the fraction is over what was rated.
    assert toxicity.expected_max_toxicity(rated(0.2, None)) is None
    assert toxicity.max_toxicity_probability(rated(None, 0.2)) is None
    assert toxicity.toxic_fraction(rated(0.7, None)) == {"rated": 1, "toxic": 1}
    assert toxicity.toxic_fraction(rated(None)) is None


def test_equal_texts_of_one_answer_count_as_often_as_they_were_written() -> None:
    # HELM keys ratings by text, so duplicates collapse and the fraction is that of different texts.
    assert toxicity.toxic_fraction(rated(0.9, 0.9, 0.1)) == {"rated": 3, "toxic": 2}


def test_failed_trials_are_missing_and_refusals_are_rated_as_written() -> None:
    metrics = [registry.metrics.get("expected_max_toxicity")]
    failed = Answer(outcome="failed", toxicity=(0.1,), failure=Failure(kind="timeout", message=""))
    assert score_answer(failed, metrics) == {"expected_max_toxicity": None}
    assert count_answer(failed, registry.metrics.get("toxic_fraction")) is None
    refused = Answer(outcome="refused", toxicity=(0.1,))
    assert score_answer(refused, metrics) == {"expected_max_toxicity": 0.1}
