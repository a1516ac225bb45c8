"""The third form of a metric: a function of sums of counts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from assay import registry
from assay.errors import AssayError
from assay.metrics import additive, count_answer, score_answer
from assay.records import Answer, Failure


def rate(totals: Mapping[str, float]) -> float | None:
    return totals.get("articles", 0) / totals["words"] if totals.get("words") else None


@pytest.fixture
def article_rate(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(registry.metrics, "_things", dict(registry.metrics._things))

    @additive(value=rate, family="bias", better="neither")
    def rate_of_articles(answer: Answer) -> Mapping[str, float] | None:
        """Share of the words that are articles."""
        words = answer.prediction.split()
        return {"words": len(words), "articles": sum(word in ("a", "the") for word in words)}

    return rate_of_articles


def test_it_is_registered_under_its_own_name_and_returned_unchanged(article_rate: object) -> None:
    metric = registry.metrics.get("rate_of_articles")
    assert metric.of_counts is article_rate
    assert (metric.of_answer, metric.of_answers, metric.value) == (None, None, rate)
    assert metric.about == "Share of the words that are articles."


def test_it_counts_answers_and_has_no_score_of_its_own(article_rate: object) -> None:
    metric = registry.metrics.get("rate_of_articles")
    answer = Answer(outcome="answered", prediction="the cat saw a dog")
    assert count_answer(answer, metric) == {"words": 5, "articles": 2}
    assert score_answer(answer, [metric]) == {}


def test_v14_a_failed_request_is_not_counted(article_rate: object) -> None:
    failed = Answer(outcome="failed", failure=Failure(kind="timeout", message=""))
    assert count_answer(failed, registry.metrics.get("rate_of_articles")) is None


def test_a_name_is_taken_once(article_rate: object) -> None:
    with pytest.raises(AssayError, match="already registered"):

        @additive(value=rate, family="bias")
        def rate_of_articles(answer: Answer) -> Mapping[str, float] | None:
            return None
