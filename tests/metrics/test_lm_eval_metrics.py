"""The harness's metrics, on answers whose values are worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from assay import registry
from assay.metrics.library import lm_eval
from assay.metrics.scoring import count_answer, score_answer
from assay.records import Answer, Reference


def chosen(logprobs: tuple[float, ...], right: int | tuple[int, ...], texts: tuple[str, ...] = ("a", "b", "c")) -> Answer:
    rights = (right,) if isinstance(right, int) else right
    references = tuple(Reference(text=text, correct=place in rights) for place, text in enumerate(texts[: len(logprobs)]))
    return Answer(outcome="answered", relevance=logprobs, references=references)


def value(name: str, answer: Answer) -> float | None:
    return score_answer(answer, [registry.metrics.get(name)])[name]


def total(name: str, answers: list[Answer]) -> float | None:
    metric = registry.metrics.get(name)
    sums: dict[str, float] = {}
    for answer in answers:
        for key, count in (count_answer(answer, metric) or {}).items():
            sums[key] = sums.get(key, 0.0) + count
    assert metric.value is not None
    return metric.value(sums)


def test_likelihoods_are_compared_whole_by_character_and_by_byte() -> None:
    # -4 over 2 characters and 4 bytes, -5 over 5 characters and 5 bytes, -1.5 over 1 character and 1 byte
    logprobs, texts = (-4.0, -5.0, -1.5), ("жж", "abcde", "a")
    by = {
        name: [value(f"lm_eval_{name}", chosen(logprobs, right, texts)) for right in range(3)] for name in ("acc", "acc_norm")
    }
    assert by == {"acc": [0.0, 0.0, 1.0], "acc_norm": [0.0, 1.0, 0.0]}
    assert [value("lm_eval_acc_bytes", chosen((-4.0, -5.5, -1.5), right, texts)) for right in range(3)] == [1.0, 0.0, 0.0]


def test_of_options_that_tie_the_first_counts() -> None:
    assert [value("lm_eval_acc", chosen((-1.0, -1.0), right)) for right in (0, 1)] == [1.0, 0.0]


def test_any_of_several_right_options_counts_and_none_is_never_right() -> None:
    assert value("lm_eval_acc", chosen((-2.0, -1.0, -3.0), (1, 2))) == 1.0
    assert value("lm_eval_acc", chosen((-2.0, -1.0, -3.0), ())) == 0.0


def test_an_empty_option_is_never_the_likeliest_for_its_length() -> None:
    assert value("lm_eval_acc_norm", chosen((-0.1, -9.0), 1, ("", "b"))) == 1.0


def test_one_scored_text_is_right_where_its_reading_says_so() -> None:
    alone = {"outcome": "answered", "relevance": (-1.0,), "references": (Reference(text="x", correct=True),)}
    assert [value("lm_eval_acc", Answer(**alone, choice_credit=credit)) for credit in (1.0, 0.0, None)] == [1.0, 0.0, None]


def test_exact_match_minds_white_space() -> None:
    def match(prediction: str, *gold: str) -> float | None:
        references = tuple(Reference(text=text, correct=True) for text in gold)
        return value("lm_eval_exact_match", Answer(outcome="answered", prediction=prediction, references=references))

    assert [match("x", "x"), match("x ", "x"), match("y", "x", "y"), match("y")] == [1.0, 0.0, 1.0, None]


def answers(confusion: dict[tuple[int, int], int]) -> list[Answer]:
    """Answers by (right place, chosen place) and how often."""
    return [
        chosen(tuple(-1.0 if place == given else -2.0 for place in range(3)), right)
        for (right, given), count in confusion.items()
        for _ in range(count)
    ]


def test_f1_is_that_of_the_second_option() -> None:
    assert total("lm_eval_f1", answers({(1, 1): 3, (1, 0): 1, (0, 1): 2, (0, 0): 5})) == pytest.approx(2 * 3 / (4 + 5))
    assert total("lm_eval_f1", answers({(0, 0): 2})) == 0.0
    assert total("lm_eval_f1", []) is None


def test_matthews_correlation_of_two_and_of_three_options() -> None:
    two = answers({(1, 1): 6, (1, 0): 2, (0, 1): 1, (0, 0): 3})
    assert total("lm_eval_mcc", two) == pytest.approx((6 * 3 - 1 * 2) / math.sqrt(7 * 8 * 4 * 5))
    # by hand: s = 10, c = 6, sum of products = 35, and of squares 34 and 38
    three = answers({(0, 0): 2, (0, 1): 1, (1, 1): 1, (1, 2): 1, (1, 0): 1, (2, 2): 3, (2, 0): 1})
    assert total("lm_eval_mcc", three) == pytest.approx((6 * 10 - (3 * 4 + 3 * 2 + 4 * 4)) / math.sqrt((100 - 34) * (100 - 36)))
    assert total("lm_eval_mcc", answers({(0, 0): 3})) == 0.0


def test_perplexities_divide_by_texts_words_and_bytes() -> None:
    def text(words: str, logprob: float) -> Answer:
        return Answer(outcome="answered", logprob=logprob, input=words, scored_bytes=len(words.encode()))

    both = [text("one two", -3.0), text("drei é  ", -5.0)]  # 2 and 3 words: what follows the last space is an empty one
    assert total("lm_eval_perplexity", both) == pytest.approx(math.exp(4))
    assert total("lm_eval_word_perplexity", both) == pytest.approx(math.exp(8 / 5))
    assert total("lm_eval_byte_perplexity", both) == pytest.approx(math.exp(8 / 16))


@pytest.mark.parametrize("name", ["lm_eval_acc", "lm_eval_acc_norm", "lm_eval_acc_bytes"])
def test_an_answer_without_likelihoods_has_no_accuracy(name: str) -> None:
    assert value(name, Answer(outcome="answered", prediction="x", references=(Reference(text="x", correct=True),))) is None


def test_an_impossible_text_has_no_perplexity() -> None:
    counts: dict[str, Any] = {"logprob": -1e9, "parts": 1.0}
    assert lm_eval._perplexity(counts) is None
