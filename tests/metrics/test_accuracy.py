from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.library import accuracy
from assay.metrics.library.math import math_equiv
from assay.metrics.library.numbers import number_match
from assay.metrics.library.short_answers import answer_match
from assay.records import Answer, Reference

TextMetric = Callable[[Answer], float | None]
TEXTS = [
    accuracy.exact_match,
    accuracy.quasi_exact_match,
    accuracy.prefix_exact_match,
    accuracy.quasi_prefix_exact_match,
    accuracy.first_word_match,
    accuracy.f1_score,
    accuracy.exact_match_indicator,
]


def answer(prediction: str, *gold: str, wrong: tuple[str, ...] = ()) -> Answer:
    references = tuple(Reference(text=text, correct=True) for text in gold) + tuple(Reference(text=text) for text in wrong)
    return Answer(outcome="answered", prediction=prediction, references=references)


@pytest.mark.parametrize(
    ("prediction", "gold", "exact", "quasi", "prefix", "quasi_prefix"),
    [
        (" Paris\n", "Paris", 1, 1, 1, 1),
        ("paris.", "Paris", 0, 1, 0, 1),
        ("The Paris", "Paris", 0, 1, 0, 1),
        ("Paris is the capital", "Paris", 0, 0, 1, 1),
        ("paris, of course", "Paris", 0, 0, 0, 1),
        ("London", "Paris", 0, 0, 0, 0),
        ("Pari", "Paris", 0, 0, 0, 0),
    ],
)
def test_matches_differ_in_what_they_forgive(
    prediction: str, gold: str, exact: int, quasi: int, prefix: int, quasi_prefix: int
) -> None:
    given_answer = answer(prediction, gold)
    values = [
        accuracy.exact_match(given_answer),
        accuracy.quasi_exact_match(given_answer),
        accuracy.prefix_exact_match(given_answer),
        accuracy.quasi_prefix_exact_match(given_answer),
    ]
    assert values == [exact, quasi, prefix, quasi_prefix]


@pytest.mark.parametrize(
    ("prediction", "gold", "value"),
    [
        ("signs, and went on", "signs", 1),
        ("“signs”", "signs", 1),
        ("signposts", "signs", 0),
        ("sign", "signs", 0),
        ("Signs", "signs", 0),
        ("of signs", "signs", 0),
        ("don't", "don't", 1),
        ("...", "!", 0),
    ],
)
def test_only_the_first_word_of_a_continuation_counts(prediction: str, gold: str, value: int) -> None:
    assert accuracy.first_word_match(answer(prediction, gold)) == value


@pytest.mark.parametrize("metric", TEXTS)
def test_the_best_correct_reference_counts_and_wrong_ones_do_not(metric: TextMetric) -> None:
    assert metric(answer("lion", "tiger", "lion")) == 1.0
    assert metric(answer("lion", "tiger", wrong=("lion",))) == 0.0


@pytest.mark.parametrize("metric", TEXTS)
@pytest.mark.parametrize("prediction", ["", "  \n\t"])
@pytest.mark.parametrize("gold", [("a",), ("the",), ("!",), ("", "yes")])
def test_an_empty_prediction_never_scores(metric: TextMetric, prediction: str, gold: tuple[str, ...]) -> None:
    assert metric(answer(prediction, *gold)) == 0.0


@pytest.mark.parametrize("metric", TEXTS)
def test_without_a_correct_reference_a_metric_does_not_apply(metric: TextMetric) -> None:
    assert metric(answer("anything")) is None
    assert metric(answer("anything", "")) is None


def test_an_empty_reference_is_matched_by_nothing() -> None:
    assert accuracy.prefix_exact_match(answer("anything", "", "else")) == 0.0


def test_option_a_is_not_lost_as_an_article() -> None:
    assert accuracy.quasi_exact_match(answer("A", "A")) == 1.0
    assert accuracy.quasi_exact_match(answer("a.", "A")) == 1.0
    assert accuracy.quasi_exact_match(answer("the", "A")) == 0.0
    assert accuracy.quasi_exact_match(answer("An", "A")) == 0.0
    assert accuracy.quasi_prefix_exact_match(answer("A. London", "A")) == 1.0
    assert accuracy.quasi_prefix_exact_match(answer("London", "A")) == 0.0


@pytest.mark.parametrize(
    ("prediction", "gold", "value"),
    [
        ("the cat sat", "cat sat", 1.0),
        ("cat cat cat", "cat dog", 2 * 1 / (3 + 2)),
        ("red red blue", "red red green", 2 * 2 / (3 + 3)),
        ("nothing alike", "something else", 0.0),
    ],
)
def test_f1_counts_words_as_often_as_they_occur(prediction: str, gold: str, value: float) -> None:
    assert accuracy.f1_score(answer(prediction, gold)) == pytest.approx(value)


@settings(deadline=None)
@given(st.lists(st.sampled_from("xyz"), min_size=1), st.lists(st.sampled_from("xyz"), min_size=1))
def test_f1_is_the_harmonic_mean_of_precision_and_recall(prediction: list[str], gold: list[str]) -> None:
    common = sum(min(count, Counter(gold)[word]) for word, count in Counter(prediction).items())
    precision, recall = common / len(prediction), common / len(gold)
    expected = 2 * precision * recall / (precision + recall) if common else 0.0
    assert accuracy.word_f1(" ".join(gold), " ".join(prediction)) == pytest.approx(expected)


def test_the_indicator_is_what_stands_after_the_last_space() -> None:
    assert accuracy.exact_match_indicator(answer("I would say 7", "The answer is 7")) == 1.0
    assert accuracy.exact_match_indicator(answer("7 or 8", "7")) == 0.0


BY_PLACE = [
    *[accuracy.exact_match, accuracy.quasi_exact_match, accuracy.prefix_exact_match, accuracy.quasi_prefix_exact_match],
    *[accuracy.first_word_match, accuracy.exact_match_indicator, number_match, math_equiv, answer_match],
]


@pytest.mark.parametrize("metric", BY_PLACE)
@pytest.mark.parametrize(
    ("right", "wrong"), [("x < 0", "x > 0"), ("A+", "A-"), ("12", "1 2"), ("The cat", "the cat."), ("\u00e9", "e\u0301")]
)
def test_what_was_chosen_by_its_place_is_judged_by_it(metric: TextMetric, right: str, wrong: str) -> None:
    references = (Reference(text=right, correct=True), Reference(text=wrong))
    for place, text in enumerate((right, wrong)):
        chosen = Answer(outcome="answered", prediction=text, references=references, choice=place)
        assert metric(chosen) == 1 - place


def test_the_copy_of_a_right_option_is_right_and_no_right_option_is_nothing_to_compare_with() -> None:
    twice = (Reference(text="x", correct=True), Reference(text="x"), Reference(text="X"))
    chosen = [accuracy.exact_match(Answer(outcome="answered", references=twice, choice=place)) for place in range(3)]
    assert chosen == [1, 1, 0]
    assert accuracy.exact_match(Answer(outcome="answered", references=(Reference(text="x"),), choice=0)) is None


def test_overlap_of_a_chosen_option_is_that_of_its_text() -> None:
    references = (Reference(text="the red cat", correct=True), Reference(text="the red dog"))
    assert accuracy.f1_score(Answer(outcome="answered", prediction="the red dog", references=references, choice=1)) == 0.5


def choice(**fields: object) -> Answer:
    references = (Reference(text="x", correct=True), Reference(text="y"))
    return Answer(**({"outcome": "answered", "references": references} | fields))


def test_choice_accuracy_is_the_credit_of_the_choice() -> None:
    assert accuracy.choice_accuracy(choice(choice_credit=0.5, choice=0)) == 0.5
    assert accuracy.choice_accuracy(choice(choice=0)) == 1.0
    assert accuracy.choice_accuracy(choice(choice=1)) == 0.0
    assert accuracy.choice_accuracy(choice(outcome="unparsed")) == 0.0
    assert accuracy.choice_accuracy(answer("free text", "gold")) is None
