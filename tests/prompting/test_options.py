"""Answers to closed questions: which option a text gives, and that no two options are ever taken for each other."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics import metrics_for
from assay.metrics.scoring import score_answer
from assay.prompting import Chat, Generation
from assay.prompting.options import named_options, read_option
from assay.records import Answer, Completion, Instance, Reference, Response, Token

ACTIONS = ("refund", "explain", "hand_over", "not urgent", "urgent")


def listed(*options: str, right: tuple[int, ...] = (0,)) -> tuple[Reference, ...]:
    return tuple(Reference(text=option, correct=place in right) for place, option in enumerate(options))


def answer(
    text: str, *options: str, prompting: Generation | Chat | None = None, finish: str = "stop", right: tuple[int, ...] = (0,)
) -> Answer:
    instance = Instance(
        id="i", input="q", references=listed(*options, right=right) if options else (Reference(text="x", correct=True),)
    )
    completion = Completion(text=text, finish_reason=finish)  # type: ignore[arg-type] # text from parametrize
    return (prompting or Generation()).read(instance, [Response(completions=(completion,))])


@pytest.mark.parametrize(("text", "option"), [
    ("refund", 0), (" Refund.", 0), ("**refund**", 0), ("the refund", 0), ("Refund, because we owe it", 0),
    ("I would explain it", 1),
    ("hand over", 2), ("HAND-OVER", 2), ("handover", 2), ("not urgent", 3), ("this is not urgent", 3), 
    ("It isn't urgent.", 3),
])  # fmt: skip
def test_an_option_in_any_dress_is_the_prediction(text: str, option: int) -> None:
    found = answer(text, *ACTIONS)
    assert (found.outcome, found.prediction, found.choice, found.text) == ("answered", ACTIONS[option], option, text.strip())
    assert found.choice_credit == float(option == 0)


@pytest.mark.parametrize("text", ["broken harbor", "yes", "refunded? unexplained", "it could be refund or explain", "over"])
def test_what_is_none_of_the_options_is_unparsed_and_stays_what_was_said(text: str) -> None:
    for prompting in (Generation(), Chat(), Generation(answer="first_line")):
        found = answer(text, *ACTIONS, prompting=prompting)
        assert (found.outcome, found.prediction, found.choice) == ("unparsed", text, None)


def test_without_wrong_references_any_text_is_an_answer() -> None:
    assert answer("broken harbor").outcome == "answered"
    assert answer("broken harbor", prompting=Generation(answer="option")).outcome == "unparsed"


def test_the_raw_text_is_the_answer_where_that_is_asked_for() -> None:
    found = answer("The answer is refund.", *ACTIONS, prompting=Generation(answer="text"))
    assert (found.outcome, found.prediction, found.text, found.choice) == ("answered", "The answer is refund.", "", None)


@pytest.mark.parametrize(("text", "finish", "outcome"), [
    ("", "stop", "empty"), ("broken harbor", "length", "truncated"), ("I'm sorry, but I can't help", "stop", "refused"),
    ("<think>refund", "stop", "truncated"), ("refund", "length", "answered"), ("refund", "content_filter", "refused"),
])  # fmt: skip
def test_the_other_outcomes_stay(text: str, finish: str, outcome: str) -> None:
    assert answer(text, *ACTIONS, finish=finish).outcome == outcome


def test_several_may_be_named_where_several_are_right() -> None:
    both = answer("either of refund and explain", *ACTIONS, right=(0, 1))
    assert (both.outcome, both.choice, both.prediction) == ("answered", None, "either of refund and explain")
    assert answer("either of refund and explain", *ACTIONS).outcome == "unparsed"
    assert answer("I'd explain.", *ACTIONS, right=(0, 1)).choice == 1
    assert named_options("refund, not explain", ACTIONS) == {0}


def test_options_of_stars_of_one_letter_and_without_spaces_between_words() -> None:
    assert answer("★★", "★", "★★").choice == 1
    assert answer("no stars", "★", "★★").outcome == "unparsed"
    assert answer("B) since it is right", "A", "B").choice == 1
    assert answer("it is a harbor", "A", "B").outcome == "unparsed"
    assert answer("应该退款", "退款", "解释").choice == 0


def test_an_answer_that_names_no_option_is_wrong_but_helm_judges_what_was_said() -> None:
    metrics = metrics_for(
        ["quasi_exact_match", "f1_score", "helm_f1_score", "choice_accuracy", "helm_quasi_prefix_exact_match"]
    )
    scores = score_answer(answer("broken harbor", "safe harbor", "open sea"), metrics)
    assert (scores["f1_score"], scores["quasi_exact_match"], scores["choice_accuracy"]) == (0, 0, 0)
    assert scores["helm_f1_score"] == pytest.approx(0.5)
    assert (scores["unparsed"], scores["answered"]) == (1, 0)
    scores = score_answer(answer("The answer is safe harbor.", "safe harbor", "open sea"), metrics)
    assert (scores["quasi_exact_match"], scores["choice_accuracy"], scores["helm_quasi_prefix_exact_match"]) == (1, 1, 0)
    scores = score_answer(answer("safe harbor, surely", "safe harbor", "open sea"), metrics)
    assert scores["helm_quasi_prefix_exact_match"] == 1


def test_the_confidence_is_that_of_the_words_which_name_the_option() -> None:
    pieces = [("The", -1.0), (" answer", -1.0), (" is", -1.0), (" re", -0.1), ("fund", -0.2), (".", -1.0)]
    completion = Completion(text="The answer is refund.", tokens=tuple(Token(text=text, logprob=one) for text, one in pieces))
    found = Generation().read(Instance(id="i", input="q", references=listed(*ACTIONS)), [Response(completions=(completion,))])
    assert found.confidence == pytest.approx(2.718281828**-0.3)
    assert found.confidence_source == "choice_probability"


TEMPLATES = (
    "{}", "The answer is {}.", "**{}**", "Answer: {}", "<answer>{}</answer>", "`{}`", "\n{}\n", "My answer: **{}**",
    "I choose {}.", "The answer is {}, because that is what the text says.",
)  # fmt: skip
SETS = (
    ("x < 0", "x > 0", "x = 0", "x <= 0"), ("sin x", "-sin x", "cos x", "-cos x"), ("A+", "A", "A-", "B"), ("C", "C++", "C#"),
    ("1/2", "12", "1", "2", "-1", "-1/2", "1.2"), ("not toxic", "toxic"), ("同意", "不同意"), ("US", "us"), ("f(x)", "f'(x)"),
    ("5%", "5"), ("Yes", "No"), ("True", "False", "Unknown"), ("York", "New York"), ("hand_over", "hand over to legal"),
    ("$5", "$50"), ("O(n)", "O(n^2)", "O(log n)", "O(n log n)"), ("a|b", "a^b", "ab"), ("2", "3", "4.5"), ("→", "←"),
    ("😀", "😡"),
    ("entailment", "not_entailment"), ("relevant", "irrelevant"), ("1 star", "2 stars", "3 stars"), ("да", "нет"),
    ("the cat", "The cat sat"), ("p < 0.05", "p < 0.5"), ("up", "up!"), ("10:30", "10:45"), ("3-4", "3-5"),
)  # fmt: skip


@pytest.mark.parametrize("options", SETS, ids=str)
def test_options_are_told_apart_in_every_dress(options: tuple[str, ...]) -> None:
    for index, option in enumerate(options):
        for template in TEMPLATES:
            assert read_option(template.format(option), options, lettered=False).value == index, template.format(option)
        for key in ("answer", "label"):
            given = json.dumps({key: option, "reason": "It fits."}, ensure_ascii=False)
            assert read_option(given, options, lettered=False).value == index, given


WORDS = st.text(alphabet=string.ascii_letters + "äéжя不同", min_size=2, max_size=9)
OPTION = st.one_of(
    st.lists(WORDS, min_size=1, max_size=4).map(" ".join), st.lists(WORDS, min_size=2, max_size=3).map("_".join),
    st.integers(-999, 9999).map(str), st.sampled_from(["x", "y", "-x", "2x", "x^2", "x/2", "x + 1", "x - 1", "50%", "C++"]),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(OPTION, min_size=2, max_size=5, unique_by=lambda text: " ".join(text.lower().replace("_", " ").split())))
def test_any_options_that_differ_are_told_apart(options: list[str]) -> None:
    for template in TEMPLATES[:5]:
        found = [read_option(template.format(option), options, lettered=False).value for option in options]
        known = [index for index in found if index is not None]
        assert len(known) == len(set(known)), (template, found)
        assert all(index in (None, place) for place, index in enumerate(found)), (template, found)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=12), min_size=1, max_size=5))
def test_any_text_and_any_options_are_read_without_an_error(text: str, options: list[str]) -> None:
    for lettered in (True, False):
        found = read_option(text, options, lettered=lettered)
        if found.value is not None:
            assert 0 <= found.value < len(options)
            assert found.reading.start is not None
            assert found.reading.end is not None
            assert 0 <= found.reading.start <= found.reading.end <= len(text)


@given(st.text(max_size=30), st.lists(st.text(min_size=1, max_size=12), min_size=2, max_size=4, unique=True))
def test_an_answer_that_is_an_option_is_read(text: str, options: list[str]) -> None:
    distinct = {option.strip() for option in options}
    for index, option in enumerate(options):
        if option.strip() and len(distinct) == len(options):
            assert answer(option, *options).choice == index
