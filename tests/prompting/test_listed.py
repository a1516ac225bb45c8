"""Texts written freely where the options are a closed list: what can be read as one of them, and what cannot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import metrics_for
from assay.metrics.scoring import score_answer
from assay.prompting import Chat, Generation
from assay.prompting.listed import is_listed
from assay.records import Answer, Completion, Instance, Reference, Response

ACTIONS = ("refund", "explain", "hand_over", "not urgent", "urgent")


def listed(*options: str, right: tuple[int, ...] = (0,)) -> tuple[Reference, ...]:
    return tuple(Reference(text=option, correct=place in right) for place, option in enumerate(options))


def answer(text: str, *options: str, prompting: Generation | Chat | None = None, finish: str = "stop") -> Answer:
    instance = Instance(id="i", input="q", references=listed(*options) if options else (Reference(text="x", correct=True),))
    completion = Completion(text=text, finish_reason=finish)  # type: ignore[arg-type] # text from parametrize
    return (prompting or Generation()).read(instance, [Response(completions=(completion,))])


@pytest.mark.parametrize(
    "text",
    ["refund", " Refund.", "**refund**", "the refund", "Refund, because we owe it", "I would explain it", "hand over",
     "HAND-OVER", "handover", "not urgent", "this is not urgent"],
)  # fmt: skip
def test_an_option_in_any_dress_is_an_answer(text: str) -> None:
    found = answer(text, *ACTIONS)
    assert (found.outcome, found.prediction) == ("answered", text.strip())


@pytest.mark.parametrize("text", ["broken harbor", "yes", "refunded? unexplained", "it could be refund or explain", "over"])
def test_what_is_none_of_the_options_is_unparsed_and_stays_what_was_said(text: str) -> None:
    for prompting in (Generation(), Chat(), Generation(answer="first_line")):
        found = answer(text, *ACTIONS, prompting=prompting)
        assert (found.outcome, found.prediction, found.completions) == ("unparsed", text, (text,))


def test_without_wrong_references_any_text_is_an_answer() -> None:
    assert answer("broken harbor").outcome == "answered"


@pytest.mark.parametrize(("text", "finish", "outcome"), [
    ("", "stop", "empty"), ("broken harbor", "length", "truncated"), ("I'm sorry, but I can't help", "stop", "refused"),
])  # fmt: skip
def test_the_other_outcomes_stay(text: str, finish: str, outcome: str) -> None:
    assert answer(text, *ACTIONS, finish=finish).outcome == outcome


def test_several_may_be_named_where_several_are_right() -> None:
    both = listed(*ACTIONS, right=(0, 1))
    assert is_listed("either of refund and explain", both)
    assert not is_listed("either of refund and explain", listed(*ACTIONS))


def test_options_without_letters_of_one_letter_and_without_spaces_between_words() -> None:
    assert answer("★★", "★", "★★").outcome == "answered"
    assert answer("no stars", "★", "★★").outcome == "unparsed"
    assert answer("B) since it is right", "A", "B").outcome == "answered"
    assert answer("it is a harbor", "A", "B").outcome == "unparsed"
    assert answer("应该退款", "退款", "解释").outcome == "answered"


def test_scores_are_those_of_the_text_whatever_the_outcome() -> None:
    metrics = metrics_for(["quasi_exact_match", "f1_score", "exact_match_indicator", "choice_accuracy", "rouge_l"])
    found = answer("broken harbor", "safe harbor", "open sea")
    scores = score_answer(found, metrics)
    assert scores["f1_score"] == pytest.approx(0.5)
    assert (scores["exact_match_indicator"], scores["quasi_exact_match"], scores["choice_accuracy"]) == (1, 0, None)
    assert (scores["unparsed"], scores["answered"]) == (1, 0)


@given(st.text(max_size=30), st.lists(st.text(min_size=1, max_size=12), min_size=2, max_size=4, unique=True))
def test_no_text_that_a_metric_calls_right_is_unparsed(text: str, options: list[str]) -> None:
    metrics = metrics_for(["exact_match", "quasi_exact_match"])
    found = answer(text or options[0], *options)
    right = any(score_answer(found, metrics)[name] == 1 for name in ("exact_match", "quasi_exact_match"))
    assert not (right and found.outcome == "unparsed")
