"""Confidence that a model states, and confidence as agreement among its samples."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.prompting import Chat, Examples, Generation, MultipleChoiceJoint, MultipleChoiceJointChainOfThought, Target
from assay.prompting.confidence import ASIDE, ROOM, agreement, plurality, stated_confidence
from assay.records import Completion, Instance, Message, Reference, Response, Token

QUESTION = Instance(
    id="q", input="Which?", references=tuple(Reference(text=text, correct=text == "no") for text in ("yes", "no", "both"))
)
CAPITAL = Instance(id="c", input="Capital of France?", references=(Reference(text="Paris", correct=True),))


def said(*texts: str, logprob: float | None = None) -> Response:
    tokens = (Token(text="x", logprob=logprob),) if logprob is not None else ()
    return Response(completions=tuple(Completion(text=text, tokens=tokens) for text in texts))


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("B\nConfidence: 80%", 0.8),
        ("B\nConfidence: 80", 0.8),
        ("Confidence: 0.8", 0.8),
        ("confidence: 80 percent", 0.8),
        ("Confidence: 4/5", 0.8),
        ("Confidence: 8 out of 10", 0.8),
        ("Confidence: 8/10", 0.8),
        ("**Confidence:** 80%", 0.8),
        ("**Confidence**: **80%**", 0.8),
        ("Confidence level: 80 %", 0.8),
        ("Confidence: ~80%", 0.8),
        ("Confidence: $80\\%$", 0.8),
        ("(Confidence: 80%)", 0.8),
        ("I am 80% confident in this.", 0.8),
        ("I'm about 80% sure.", 0.8),
        ("My confidence is 80%.", 0.8),
        ("Confidence: 50%. On reflection, confidence: 80%", 0.8),
        ("Confidence: 100%", 1.0),
        ("Confidence: 0%", 0.0),
        ("Confidence: 1.0", 1.0),
        ("Confidence: .8", 0.8),
        ("Confidence: 97.5%", 0.975),
        ("Confidence: high", None),
        ("Confidence: 120%", None),
        ("Confidence: -5%", None),
        ("Confidence: 7/0", None),
        ("Confidence:", None),
        ("80% of people say B", None),
        ("B", None),
        ("", None),
    ],
)
def test_a_stated_confidence_is_read_in_any_usual_form(text: str, confidence: float | None) -> None:
    assert stated_confidence(text).value == (None if confidence is None else pytest.approx(confidence))


@given(st.text(max_size=200))
def test_any_text_states_a_probability_or_nothing(text: str) -> None:
    for some in (text, "Confidence: " + text):
        value = stated_confidence(some).value
        assert value is None or 0 <= value <= 1


@given(st.integers(0, 100))
def test_every_percentage_is_read(percent: int) -> None:
    assert stated_confidence(f"Paris\nConfidence: {percent}%").value == pytest.approx(percent / 100)


def test_nothing_is_asked_for_by_default() -> None:
    for method in (Generation(), MultipleChoiceJoint(), MultipleChoiceJointChainOfThought(), Chat()):
        target = Target(takes_messages=True)
        (plain,) = method.render(QUESTION, Examples(), target).requests
        assert "onfidence" not in str(plain.prompt)
        assert (plain.max_tokens, plain.stop) == (method.max_tokens, method.stop)


def test_a_stated_confidence_is_asked_for_after_the_question_with_room_to_answer() -> None:
    (request,) = MultipleChoiceJoint(confidence="stated").render(QUESTION, Examples(), Target()).requests
    assert str(request.prompt) == f"Question: Which?\nA. yes\nB. no\nC. both\n{ASIDE}Answer:"
    assert (request.max_tokens, request.stop) == (5 + ROOM, ())
    (request,) = Generation(confidence="stated", stop=("\n", "###")).render(QUESTION, Examples(), Target()).requests
    assert str(request.prompt) == f"Input: Which?\n{ASIDE}Output:"
    assert request.stop == ("###",)
    (request,) = Chat(confidence="stated").render(QUESTION, Examples(), Target(takes_messages=True)).requests
    assert request.prompt == (Message(role="user", content="Which?\n\n" + ASIDE.rstrip()),)


def test_the_request_for_confidence_counts_when_a_long_prompt_is_fitted() -> None:
    def words(text: object) -> int:
        return len(str(text).split())

    shown = Examples(shown=tuple(QUESTION for _ in range(3)))
    for window in range(60, 120):
        method = Generation(confidence="stated", max_tokens=5)
        (request,) = method.render(QUESTION, shown, Target(window=window, tokens=words)).requests
        assert words(request.prompt) + request.max_tokens <= window


def test_the_answer_is_read_without_the_statement() -> None:
    answer = MultipleChoiceJoint(confidence="stated").read(QUESTION, [said("B\nConfidence: 70%", logprob=-0.1)])
    assert (answer.choice, answer.choice_credit) == (1, 1.0)
    assert (answer.confidence, answer.confidence_source) == (pytest.approx(0.7), "stated")
    answer = Generation(confidence="stated").read(CAPITAL, [said("Paris\nConfidence: 0.9")])
    assert (answer.prediction, answer.confidence, answer.confidence_source) == ("Paris", 0.9, "stated")
    answer = Generation(confidence="stated", answer="number").read(CAPITAL, [said("It is 12.\nConfidence: 85%")])
    assert (answer.prediction, answer.confidence) == ("12", 0.85)
    answer = Chat(confidence="stated").read(CAPITAL, [said("Confidence: 60%\nParis")])
    assert (answer.prediction, answer.confidence) == ("Paris", 0.6)


def test_a_confidence_that_was_not_stated_is_not_made_up_from_another_source() -> None:
    answer = Generation(confidence="stated").read(CAPITAL, [said("Paris\nConfidence: high", logprob=-0.1)])
    assert (answer.confidence, answer.confidence_source) == (None, None)
    unread = MultipleChoiceJoint(confidence="stated").read(QUESTION, [said("Hard to say.\nConfidence: 90%")])
    assert (unread.outcome, unread.confidence) == ("unparsed", None)


def test_the_plurality_of_the_samples_is_the_prediction_and_its_share_the_confidence() -> None:
    method = MultipleChoiceJoint(confidence="agreement", completions=5, temperature=1.0)
    answer = method.read(QUESTION, [said("A", "**B**", "The answer is B.", "hard to say", "(B)", logprob=-0.1)])
    assert (answer.choice, answer.prediction, answer.choice_credit) == (1, "no", 1.0)
    assert (answer.confidence, answer.confidence_source) == (0.6, "agreement")
    assert answer.completions == ("no", "yes", "no", "", "no")
    free = Generation(confidence="agreement").read(CAPITAL, [said("Rome", "Paris", " paris.", "Berlin")])
    assert (free.prediction, free.confidence) == ("Paris", 0.5)


def test_the_first_sample_stays_the_prediction_unless_agreement_is_asked_for() -> None:
    method = Generation(completions=4, temperature=1.0)
    answer = method.read(CAPITAL, [said("Rome", "Paris", "Paris", "Paris")])
    assert (answer.prediction, answer.confidence, answer.confidence_source) == ("Rome", 0.25, "agreement")
    with_logprobs = method.read(CAPITAL, [said("Rome", "Paris", logprob=math.log(0.3))])
    assert (with_logprobs.confidence, with_logprobs.confidence_source) == (pytest.approx(0.3), "sequence_logprob")
    greedy = Generation(completions=2).read(CAPITAL, [said("Rome", "Rome")])
    assert greedy.confidence is None


KEYS = st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=1, max_size=12)


@given(KEYS)
def test_plurality_and_agreement_follow_from_the_counts(keys: list[int | None]) -> None:
    position = plurality(keys)
    known = [key for key in keys if key is not None]
    if not known:
        assert position == 0
        assert agreement(keys) is None
        return
    winner = keys[position]
    assert winner is not None
    assert keys.index(winner) == position
    assert known.count(winner) == max(known.count(key) for key in known)
    share = agreement([winner, *keys[:position], *keys[position + 1 :]])
    assert share == pytest.approx(known.count(winner) / len(keys))
