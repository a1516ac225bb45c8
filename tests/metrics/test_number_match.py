"""Numbers and dates compared by value."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.metrics import metrics_for, score_answer
from assay.metrics.derived import find
from assay.metrics.library.numbers import date_match, number_match
from assay.prompting import Generation
from assay.prompting.numbers import plain_number
from assay.records import Answer, Completion, Instance, Reading, Reference, Response


def answer(prediction: str, *gold: str, **more: object) -> Answer:
    references = tuple(Reference(text=text, correct=True) for text in gold)
    return Answer(outcome="answered", prediction=prediction, references=references, **more)  # type: ignore[arg-type]


def score(name: str, given: Answer) -> float | None:
    return score_answer(given, metrics_for([name])[:1])[name]


@pytest.mark.parametrize(
    ("prediction", "gold", "value"),
    [
        ("5 10", "10", 1.0),
        ("5 10", "5", 0.0),
        ("so it costs $1,234.50.", "1234.5", 1.0),
        ("-5", "5", 0.0),
        ("minus: −5", "-5", 1.0),
        ("It takes 18 hours", "#### 18", 1.0),
        ("18.0", "18", 1.0),
        ("7 of 12", "7", 0.0),
        ("I do not know", "18", 0.0),
        ("1.234,50 €", "1234.50", 1.0),
        ("1.234", "1234", 1.0),
        ("1.234", "2.5", 0.0),
        ("1,234", "1,5", 0.0),
        ("The answer is 7. Ask me about chapter 3!", "7", 1.0),
        ("twenty-three", "23", 1.0),
        ("45 %", "0.45", 1.0),
        ("45 %", "45", 1.0),
        ("45", "45 %", 1.0),
        ("0.45", "45 %", 1.0),
        ("4.5 %", "45 %", 0.0),
        ("45 %", "9/20", 1.0),
        ("8 or 9", "8", 0.0),
        ("not 12", "12", 0.0),
    ],
)
def test_numbers_are_compared_by_value(prediction: str, gold: str, value: float) -> None:
    assert number_match(answer(prediction, gold)) == value


def test_v8_two_failed_extractions_are_not_a_match() -> None:
    assert number_match(answer("none", "nil")) is None
    assert number_match(answer("none", "nil", "3")) == 0.0
    assert number_match(answer("It is 3", "nil", "3")) == 1.0


def test_a_number_that_the_prompting_has_read_is_taken_as_it_is() -> None:
    references = (Reference(text="1.234,5", correct=True),)
    instance = Instance(id="a", input="?", references=references)
    read = Generation(answer="number").read(instance, [Response(completions=(Completion(text="Es sind 1.234,5 km."),))])
    assert (read.prediction, number_match(read)) == ("1234.5", 1.0)
    plain = Reading(extractor="number", version=1)
    assert number_match(answer("1.234", "1234", reading=plain)) == 0.0
    assert number_match(answer("1/3", "1/3", reading=plain)) == 1.0
    assert number_match(answer("no number", "3", reading=plain)) == 0.0


@given(st.fractions(min_value=-1000, max_value=1000, max_denominator=1000), st.fractions(max_denominator=50))
def test_every_number_matches_itself_and_no_other(value: Fraction, other: Fraction) -> None:
    assert number_match(answer(plain_number(value), plain_number(value))) == 1.0
    reading = Reading(extractor="number")
    assert number_match(answer(plain_number(other), plain_number(value), reading=reading)) == float(value == other)


@pytest.mark.parametrize(
    ("name", "prediction", "gold", "value"),
    [
        ("number_match~0.01", "3.14", "3.15", 1.0),
        ("number_match~0.01", "3.13", "3.15", 0.0),
        ("number_match~1%", "1005", "1000", 1.0),
        ("number_match~1%", "1011", "1000", 0.0),
        ("number_match~1%", "-1005", "-1000", 1.0),
        ("number_match~5", "12", "8", 1.0),
        ("number_match~0.5%", "0", "0", 1.0),
    ],
)
def test_a_tolerance_is_part_of_the_name(name: str, prediction: str, gold: str, value: float) -> None:
    assert score(name, answer(prediction, gold)) == value


def test_at_stands_for_the_best_of_several_and_the_tilde_for_a_tolerance() -> None:
    several = answer("10", "7", completions=("10", "7.05", "3"))
    assert score("number_match@3", several) == 0.0
    assert score("number_match~1%@3", several) == 1.0
    assert score("number_match~1%@1", several) == pytest.approx(1 / 3)
    assert find("number_match~1%").better == "higher"
    for name in ("number_match~", "number_match~x", "number_match~-1", "number_match~1%%", "number_match~%"):
        with pytest.raises(AssayError, match="number_match"):
            find(name)


@pytest.mark.parametrize(
    ("prediction", "gold", "value"),
    [
        ("It was on March 5th, 2024.", "2024-03-05", 1.0),
        ("05.03.2024", "5 March 2024", 1.0),
        ("5/3/2024", "2024-03-05", 0.0),
        ("5/3/2024", "25/12/2023", 0.0),
        ("5/3/2024", "05/03/2024", 1.0),
        ("March 5, 2024", "05/03/2024", 1.0),
        ("5 March 1960", "1960", 1.0),
        ("1960", "5 March 1960", 0.0),
        ("2024年3月5日", "2024-03-05", 1.0),
        ("never", "2024-03-05", 0.0),
    ],
)
def test_dates_are_compared_by_day(prediction: str, gold: str, value: float) -> None:
    assert date_match(answer(prediction, gold)) == value


def test_without_a_date_in_any_reference_nothing_is_compared() -> None:
    assert date_match(answer("5 March 2024", "spring")) is None
    assert date_match(answer("2024-03-05", "5 March 2024", reading=Reading(extractor="date"))) == 1.0
