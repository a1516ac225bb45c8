"""Extractors one by one, and the misreadings of other evaluation tools, each by its mark in the list of known defects."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.library.accuracy import exact_match
from assay.prompting import Generation, MultipleChoiceJoint, MultipleChoiceJointChainOfThought
from assay.prompting.extractors import boxed, final_answer
from assay.prompting.numbers import number, plain_number
from assay.prompting.options import read_option
from assay.prompting.reasoning import spoken
from assay.prompting.samples import EXTRACTORS, read_choice, read_free
from assay.records import Completion, Instance, Reference, Response, Token

OPTIONS = ["the red letter", "the hidden engine", "the golden orchard", "a river"]
QUESTION = Instance(
    id="q", input="Which?", references=tuple(Reference(text=text, correct=i == 1) for i, text in enumerate(OPTIONS))
)


def said(text: str) -> Response:
    return Response(completions=(Completion(text=text),))


@given(st.text(max_size=300), st.sampled_from(sorted(EXTRACTORS)))
def test_any_text_gives_a_value_with_its_place_or_nothing(text: str, name: str) -> None:
    read = EXTRACTORS[name](text)
    if read.value is None:
        assert (read.reading.start, read.reading.end) == (None, None)
    else:
        assert read.value
        assert read.reading.start is not None
        assert read.reading.end is not None
        assert 0 <= read.reading.start < read.reading.end <= len(text)
    assert read.reading.version >= 1


@given(st.text(alphabet="aAbBcC:.() \n*answeris", max_size=80))
def test_the_place_of_a_letter_lies_in_the_completion(text: str) -> None:
    read = read_free(Completion(text="<think>A</think>" + text), QUESTION.references, "letter")
    if read.choice is not None:
        assert read.reading.start is not None
        assert read.reading.end is not None
        assert 16 <= read.reading.start < read.reading.end <= 16 + len(text)


@given(st.fractions(max_denominator=1000).filter(lambda f: abs(f) < 10**12))
def test_a_number_is_written_as_it_is_read(value: Fraction) -> None:
    written = plain_number(value)
    assert number(written).value == value
    assert number(f"The answer is {written}.").value == value


@given(st.integers(-(10**9), 10**9))
def test_thousands_separators_change_nothing(value: int) -> None:
    assert number(f"Answer: {value:,}").value == value
    assert number(f"so {value:,} in all").value == value


def test_boxes_may_hold_braces_and_the_last_one_wins() -> None:
    assert boxed("\\boxed{1} and \\boxed{\\frac{1}{2}}").value == "\\frac{1}{2}"
    assert boxed("\\boxed{").value is None


def test_an_announced_answer_beats_a_later_remark() -> None:
    assert number("The answer is 18. That took 3 steps.").value == 18
    assert final_answer("The answer is Paris.\nThank you for the question").value == "Paris"


@pytest.mark.parametrize(("text", "verdict"), [("Yes", "Yes"), ("yesterday", None), ("not yes: No", "No"), ("**No**.", "No")])
def test_verdicts_are_whole_words(text: str, verdict: str | None) -> None:
    assert EXTRACTORS["yes_no"](text).value == verdict


def test_the_end_of_a_reasoning_block_is_enough() -> None:
    part = spoken("It could be A.\n</think>\nB")
    assert (part.text.strip(), part.unfinished) == ("B", False)
    assert "It could be A.\n</think>\nB"[part.start :] == part.text


# The defects of other tools that touch the reading of answers, by their marks.


def test_v8_two_answers_that_cannot_be_read_do_not_count_as_equal() -> None:
    instance = Instance(id="m", input="?", references=(Reference(text="no number here", correct=True),))
    answer = Generation(answer="number").read(instance, [said("nor here")])
    assert answer.outcome == "unparsed"
    assert exact_match(answer) == 0.0
    empty = Generation(answer="boxed").read(
        Instance(id="e", input="?", references=(Reference(text="", correct=True),)), [said("")]
    )
    assert empty.outcome == "empty"
    assert not exact_match(empty)


@pytest.mark.parametrize(
    "dress", ["ANSWER: ${}$", "ANSWER: **{}**", "ANSWER: ({})", "ANSWER: \\boxed{{{}}}", "ANSWER: \\text{{{}}}"]
)
def test_v9_a_dressed_letter_is_the_letter(dress: str) -> None:
    for index, letter in enumerate("ABCD"):
        assert read_option("Some thoughts.\n\n" + dress.format(letter), OPTIONS).value == index


def test_v11_an_answer_that_cannot_be_read_is_said_to_be_so_and_has_no_confidence() -> None:
    answer = MultipleChoiceJoint().read(QUESTION, [said("perhaps")])
    assert (answer.outcome, answer.choice, answer.confidence) == ("unparsed", None, None)
    assert answer.reading is not None
    assert (answer.reading.extractor, answer.reading.start) == ("letter", None)


def test_v20_the_last_answer_wins_not_the_first() -> None:
    assert read_option("Answer: A\nWait, that is wrong.\nAnswer: C", OPTIONS).value == 2
    assert number("Answer: 5\nNo. Answer: 7").value == 7
    assert EXTRACTORS["yes_no"]("Answer: yes\nRather, answer: no").value == "No"


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("The answer is A bit unclear; the correct answer is D", 3),  # HELM takes the first match
        ("Answer: C", 2),  # HELM's second pattern escapes its own brackets
        ("The correct answer is (B).", 1),
        ("the answer is b.", 1),
        ("**The correct answer is: C**", 2),
    ],
)
def test_helms_chain_of_thought_patterns_are_not_repeated(text: str, index: int) -> None:
    assert MultipleChoiceJointChainOfThought().read(QUESTION, [said(text)]).choice == index


def test_a_truncated_thought_is_no_answer() -> None:
    cut = Completion(text="<think>The answer is A", finish_reason="length")
    assert read_choice(cut, QUESTION.references).outcome == "truncated"
    long = Completion(text="Option A speaks of a letter. " * 20, finish_reason="length")
    sample = read_choice(long, QUESTION.references)
    assert (sample.outcome, sample.choice) == ("truncated", None)


def test_probabilities_are_those_of_the_token_that_answers() -> None:
    tokens = (
        Token(text="The answer is", logprob=-0.1, top={"The answer is": -0.1, "A": -3.0}),
        Token(text=" B", logprob=-0.5, top={" B": -0.5, " A": -1.0}),
        Token(text=".", logprob=-0.1),
    )
    response = Response(completions=(Completion(text="The answer is B.", tokens=tokens),))
    answer = MultipleChoiceJoint().read(QUESTION, [response])
    assert answer.choice_probabilities is not None
    assert answer.choice_probabilities[0] / answer.choice_probabilities[1] == pytest.approx(2.718281828**-0.5)
    assert answer.confidence == answer.choice_probabilities[1]


def test_generation_reads_the_part_that_counts() -> None:
    instance = Instance(id="n", input="2+2", references=(Reference(text="4", correct=True),))
    answer = Generation(answer="number").read(instance, [said("2 + 2 = 4, so the answer is **4**. That took 2 steps.")])
    assert (answer.prediction, answer.outcome, exact_match(answer)) == ("4", "answered", 1.0)
    first = Generation(answer="first_line").read(instance, [said(" 4\nQuestion: 3+3\nAnswer: 6")])
    assert first.prediction == "4"
    letter = Generation(answer="letter").read(QUESTION, [said("I choose B.")])
    assert (letter.choice, letter.prediction, letter.choice_credit) == (1, "the hidden engine", 1.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<answer>1,250</answer> See page 7.", "1,250"),
        ("<answer>\nB\n</answer>\nThat is all.", "B"),
        ('{"answer": "1,250", "steps": 3}', "1,250"),
        ('{"answer": "Paris, France", "sure": true}', "Paris, France"),
        ('{"answer": 1250, "steps": 3}', "1250"),
        ('{"answer": "a \\"quoted\\" word"}', 'a \\"quoted\\" word'),
        ('{"answer": 7}', "7"),
    ],
)
def test_a_tag_ends_at_its_end_and_a_value_of_json_at_its(text: str, said: str) -> None:
    assert final_answer(text).value == said
