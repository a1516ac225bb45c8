from __future__ import annotations

import pytest

from assay import registry
from assay.metrics import count_answer
from assay.metrics.library.edit_distance import error_rate, levenshtein_similarity, word_edit_similarity
from assay.records import Answer, Outcome, Reference


def answer(prediction: str, *gold: str, outcome: Outcome = "answered") -> Answer:
    references = tuple(Reference(text=text, correct=True) for text in gold)
    return Answer(outcome=outcome, prediction=prediction, references=references)


def rate(name: str, *answers: Answer) -> float | None:
    counts = [count_answer(one, registry.metrics.get(name)) or {} for one in answers]
    return error_rate({key: sum(one.get(key, 0.0) for one in counts) for key in ("errors", "wanted")})


def test_similarities_are_one_minus_edits_by_the_longer_text() -> None:
    assert levenshtein_similarity(answer("sitting", "kitten")) == pytest.approx(1 - 3 / 7)
    assert word_edit_similarity(answer("The cat sat.", "the dog sat")) == pytest.approx(2 / 3)
    assert levenshtein_similarity(answer("", "kitten")) == 0.0


def test_bug_an_empty_prediction_is_no_perfect_transcript() -> None:
    assert rate("wer", answer("", "the cat sat")) == 1.0
    assert rate("cer", answer("  ", "the cat")) == 1.0
    assert rate("wer", answer("the cat sat", "the cat sat", outcome="refused")) == 1.0


def test_errors_are_summed_before_they_are_divided() -> None:
    one, other = answer("a x", "a b"), answer("a b c d e f g x", "a b c d e f g h")
    assert rate("wer", one, other) == pytest.approx(2 / 10)


def test_additions_push_the_rate_above_one() -> None:
    assert rate("wer", answer("a b c d", "x")) == 4.0


def test_the_nearest_reference_counts() -> None:
    assert rate("wer", answer("a b", "c d e f", "a c")) == pytest.approx(1 / 2)
    assert rate("wer", answer("anything")) is None
