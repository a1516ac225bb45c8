"""Completions written to freeze or break a reader: any is read in time that grows with its length, and to finite numbers."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.prompting import (
    Generation,
    LanguageModeling,
    MultipleChoiceJoint,
    MultipleChoiceSeparateCalibrated,
    MultipleChoiceSeparateOriginal,
    Prompting,
)
from assay.prompting.extractors import boxed
from assay.prompting.multiple_choice import softmax
from assay.prompting.reasoning import LONGEST_READ, spoken
from assay.prompting.samples import EXTRACTORS, read_free
from assay.records import Answer, Completion, Instance, Reference, Response, Token, Usage

REFERENCES = tuple(Reference(text=text, correct=text == "alpha beta") for text in ("alpha beta", "a", "gamma"))
QUESTION = Instance(id="q", input="Which?", references=REFERENCES)
TEXTS = {
    "answer and blanks": "answer" + " " * 99_000 + "?",
    "a box of blanks": "boxed{" + " " * 99_000 + "?",
    "blanks around": " " * 50_000 + "answer is" + " " * 49_000 + "_" * 900 + "?",
    "opened thoughts": "<think>" * 14_000 + "x",
    "thoughts of all kinds": "<thinking><think><reasoning>" * 3500,
    "opened boxes": "\\boxed{" * 14_000,
    "ends of turns": "</s>" * 25_000,
    "option and blanks": "alpha" + " " * 99_000 + "bet",
    "marks": "*" * 99_000 + "A?",
    "lines": "\nA" * 50_000,
    "groups of digits": "1" + ",111" * 25_000 + "1",
    "verdicts": "yes" * 33_000 + "!" * 1000,
}


def _seconds(text: str) -> float:
    started = time.process_time()
    for how in (*EXTRACTORS, "letter"):
        read_free(Completion(text=text), REFERENCES, how, stated=True)  # type: ignore[arg-type]
    return time.process_time() - started


@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_completion_is_read_in_moments(name: str) -> None:
    assert _seconds(TEXTS[name]) < 4  # seven readers; a quadratic one would take minutes


PIECES = st.sampled_from(
    ["answer", "the ", "is ", "not ", " ", "\n", "\t", "*", "_", "(", "[", "{", "}", "\\", "\\boxed{", "\\text{", "<think>",
     "</think>",
     "<answer>", "####", "1", ",", ".", "-", "/", "$", "A", "a", "B.", "alpha", "confidence", "90%",
     "yes", "no", "</s>", "x", ":", "“"]
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.lists(PIECES, min_size=1, max_size=3), st.integers(1, 3000)), min_size=1, max_size=3))
def test_no_repetition_of_anything_freezes_a_reader(parts: list[tuple[list[str], int]]) -> None:
    text = "".join("".join(pieces) * times for pieces, times in parts)[:20_000] + "?"
    assert _seconds(text) < 4


def test_boxes_end_where_their_braces_close_or_their_line_ends() -> None:
    assert boxed("\\boxed{a{b}c} }").value == "a{b}c"
    assert boxed("} { \\boxed{x} { \\boxed{y").value == "y"
    assert boxed("\\boxed{a \\boxed{b} c}").value == "b"
    assert boxed("\\boxed{" + "x" * 1500 + "}\nmore").value == "x" * 1500 + "}"


def test_marks_that_end_a_turn_are_left_out() -> None:
    text = "<think>x</think>B </s> <|im_end|>\n"
    assert spoken(text).text == "B"
    assert spoken("<think>x</think> B \n").text == " B \n"
    assert spoken("x" * LONGEST_READ + "</s>" * 9).text.endswith("x")


NUMBERS = [0.0, -1.0, 1000.0, 1e308, -1e308, -9999.0, math.inf, -math.inf, math.nan]
METHODS = [
    Generation(), MultipleChoiceJoint(), LanguageModeling(), MultipleChoiceSeparateOriginal(),
    MultipleChoiceSeparateCalibrated(),
]  # fmt: skip


@pytest.mark.parametrize("prompting", METHODS, ids=lambda prompting: prompting.method)
@given(st.lists(st.sampled_from(NUMBERS), min_size=6, max_size=6))
def test_whatever_log_probabilities_were_stored_the_answer_has_finite_numbers(
    prompting: Prompting, numbers: list[float]
) -> None:
    responses = [
        Response(completions=(Completion(text="A", tokens=(Token(text="A", logprob=one, top={"B": one, "C": -1.0}),) * 3),))
        for one in numbers
    ]
    answer: Answer = prompting.read(QUESTION, responses)
    found = [answer.logprob, answer.confidence, *(answer.choice_probabilities or ())]
    assert all(math.isfinite(value) for value in found if value is not None)
    assert answer.confidence is None or 0 <= answer.confidence <= 1


def test_equally_impossible_options_are_equally_likely() -> None:
    assert softmax([-math.inf, -math.inf]) == (0.5, 0.5)
    assert softmax([math.nan, 0.0]) == (0.0, 1.0)


def test_stored_counts_and_times_that_cannot_be_are_not_counted() -> None:
    for count in (2**63, -1):
        usage = Usage(prompt_tokens=count, completion_tokens=1, source="provider")
        odd = Response(completions=(Completion(text="x"),), usage=usage, latency_s=math.inf, first_token_s=math.nan)
        answer = Generation().read(QUESTION, [odd])
        assert (answer.prompt_tokens, answer.latency_s, answer.first_token_s) == (None, None, None)
