"""Reading letters, refusals and reasoning out of completions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.prompting.options import read_option
from assay.prompting.reasoning import without_reasoning
from assay.prompting.samples import AnswerSetting, read_free
from assay.records import Completion, Reference


def read_letter(text: str, options: list[str]) -> int | None:
    return read_option(text, options).value


OPTIONS = ["the red letter", "the hidden engine", "the golden orchard", "a river"]


@pytest.mark.parametrize(
    ("completion", "index"),
    [
        ("B", 1),
        (" B", 1),
        ("b", 1),
        ("(B)", 1),
        ("**B**", 1),
        ("$B$", 1),
        ("B.", 1),
        ("[B]", 1),
        ("\\boxed{B}", 1),
        ("\\boxed{\\text{B}}", 1),
        ("B. the hidden engine", 1),
        ("B) because it fits best", 1),
        ("B, as the text says", 1),
        ("B\nQuestion: what next?", 1),
        ("**B.** the hidden engine", 1),
        ("The answer is B.", 1),
        ("The answer is (B)", 1),
        ("the answer is: **B**", 1),
        ("Answer: B", 1),
        ("ANSWER: $B$", 1),
        ("answer: B because of A", 1),
        ("The correct choice is C", 2),
        ("Option D", 3),
        ("The answer is A bit unclear; the correct answer is D", 3),
        ("First I thought the answer is A. No: the answer is C.", 2),
        ("<think>The answer is A</think>\nB", 1),
        ("The hidden engine", 1),
        ("the hidden engine.", 1),
        ("It must be the golden orchard, I think", 2),
        ("A river", 3),
        ("C - the golden orchard", 2),
        ("I would choose D", 3),
    ],
)
def test_letters_are_read_in_any_dress(completion: str, index: int) -> None:
    assert read_letter(completion, OPTIONS) == index


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "   ",
        "I do not know",
        "E",
        "Z",
        "either A or C",
        "<think>B",
        "A man walks in",
        "the red letter or the hidden engine",
    ],
)
def test_no_letter_is_read_where_none_was_given(completion: str) -> None:
    assert read_letter(completion, OPTIONS) is None


@given(st.text(max_size=300), st.lists(st.text(max_size=20), max_size=6))
def test_any_text_is_read_as_an_option_or_none(text: str, options: list[str]) -> None:
    read = read_letter(text, options)
    assert read is None or 0 <= read < len(options)


@given(
    st.sampled_from("ABCD"), st.sampled_from(["{}", "({})", "**{}**", "Answer: {}", "{}.", "\\boxed{{{}}}", "The answer is {}"])
)
def test_every_letter_is_read_in_every_dress(letter: str, dress: str) -> None:
    assert read_letter(dress.format(letter), OPTIONS) == "ABCD".index(letter)


def test_a_very_long_completion_is_read_from_its_end() -> None:
    assert read_letter("The answer is A. " + "word " * 200_000 + "The answer is B.", OPTIONS) == 1


def test_reasoning_is_kept_apart_and_an_unfinished_thought_is_noticed() -> None:
    assert without_reasoning("<think>hm</think> yes") == (" yes", False)
    assert without_reasoning("no <thinking>hm") == ("no ", True)


@pytest.mark.parametrize(
    ("how", "text", "answer"),
    [
        ("number", '{"answer": "\\u20ac33.50"}', "33.5"),
        ("option", '{"city": "M\\u00fcnchen"}', "München"),
        ("letter", '{"answer": "\\u300cB\\u300d"}', "Köln"),
        ("short", "Answer: M\\u00fcnchen \\ud83d\\ude00", "München 😀"),
        ("text", "M\\u00fcnchen", "M\\u00fcnchen"),
        ("option", "K\\u00f6ln \\ud83d", "Köln"),
    ],
)
def test_characters_that_json_escapes_are_read_as_they_are(how: AnswerSetting, text: str, answer: str) -> None:
    references = (Reference(text="München", correct=True), Reference(text="Köln"))
    sample = read_free(Completion(text=text), () if how == "short" else references, how)
    assert (sample.outcome, sample.prediction) == ("answered", answer)
    if how != "text":
        assert (sample.reading.start, sample.reading.end) == (0, len(text))
