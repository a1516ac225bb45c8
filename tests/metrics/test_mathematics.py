from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.expressions import value_of
from assay.metrics.library.math import absolute_value_difference, math_equiv, math_equiv_chain_of_thought
from assay.metrics.mathematics import equivalent, last_box
from assay.records import Answer, Reference


def answer(prediction: str, *gold: str) -> Answer:
    references = tuple(Reference(text=text, correct=True) for text in gold)
    return Answer(outcome="answered", prediction=prediction, references=references)


SAME = [
    (r"\frac{1}{2}", "0.5"),
    (r"\frac12", r"\dfrac{1}{2}"),
    (r"\frac{1}{2}", "2/4"),
    (r"\frac1{72}", "1/72"),
    (r"3\frac{1}{2}", r"\frac{7}{2}"),
    (r"-\frac{2}{3}", r"\frac{-2}{3}"),
    ("1,000", "1000"),
    (r"10{,}000", "10000"),
    (r"\$18", "18"),
    (r"90^\circ", "90"),
    (r"90^{\circ}", "90°"),
    (r"50\%", "50"),
    (r"5\text{ cm}^2", "5"),
    ("5 square feet", "5"),
    ("12 inches", "12.0"),
    (r"\text{Evelyn}", "Evelyn"),
    (r"\text{(A)}", "A"),
    (r"\sqrt3", r"\sqrt{3}"),
    (r"3\sqrt{4}", "6"),
    (r"\sqrt[3]{27}", "3"),
    (r"2\sqrt{2}", r"\sqrt{8}"),
    (r"\left(1, 2\right)", "(1,2)"),
    (r"(0.5, 2)", r"\left(\frac{1}{2},2\right)"),
    (r"\{1, 2\}", r"\{2,1\}"),
    ("2, 3", "3,2"),
    ("x = 5", "5"),
    (r"x \in [0,1)", "[0, 1)"),
    ("$7$", r"\(7\)"),
    ("2^{10}", "1024"),
    ("2 1/2", "2.5"),
    (r"10\,000", "10000"),
    ("5 m", "5"),
    ("-2 1/2", "-2.5"),
    (r"2 \times 3", "6"),
    (r"\frac{\pi}{2}", r"\frac12\pi"),
    ("x^2+1", "x^{2} + 1".replace("{2}", "2")),
    (".5", "0.5."),
    (r"-3\frac{1}{2}", "-3.5"),
    (r"2\frac{\pi}{2}", r"\pi"),
    (r"2^3\frac{1}{2}", "4"),
]
DIFFERENT = [
    ("", ""),
    ("5", "-5"),
    ("(1,2)", "(2,1)"),
    ("(1,2)", "[1,2]"),
    ("1,2", "1,2,2"),
    (r"\frac{1}{3}", "0.333"),
    ("x+1", "x+2"),
    (r"\{1,1,2\}", r"\{1,2,2\}"),
    (r"\text{ cm}", "5"),
    ("1/0", "2/0"),
    ("5m", "5"),
    ("1 2", "12"),
    ("2 1/2", "21/2"),
    ("10^{99999}", "10^{99998}"),
    (r"\text{yes}", r"\text{no}"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_dress_and_notation_do_not_matter(first: str, second: str) -> None:
    assert equivalent(first, second)
    assert equivalent(second, first)


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_other_answers_are_not_equal(first: str, second: str) -> None:
    assert not equivalent(first, second)
    assert not equivalent(second, first)


@pytest.mark.parametrize(
    ("text", "box"),
    [
        (r"so \boxed{5}", "5"),
        (r"\boxed{1} then \boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{\{1,\{2\}\}}", r"\{1,\{2\}\}"),
        (r"\fbox{7}", "7"),
        (r"\boxed 5$", "5"),
        (r"\boxed{3} and then \boxed{\frac{1", "3"),
        ("no box", None),
        (r"\boxed{never closed", None),
    ],
)
def test_the_last_complete_box_wins(text: str, box: str | None) -> None:
    assert last_box(text) == box


def test_v8_two_failed_extractions_are_never_equal() -> None:
    assert math_equiv_chain_of_thought(answer("I give up", "no box either")) == 0.0
    assert math_equiv_chain_of_thought(answer("7", "7")) == 0.0
    assert math_equiv_chain_of_thought(answer(r"\boxed{}", r"\boxed{}")) == 0.0
    assert math_equiv_chain_of_thought(answer("", "")) is None


def test_chains_of_thought_are_judged_by_their_box() -> None:
    gold = r"Adding, we get $\boxed{\frac{1}{2}}$."
    assert math_equiv_chain_of_thought(answer(r"Perhaps \boxed{3}. No: \boxed{0.5}", gold)) == 1.0
    assert math_equiv_chain_of_thought(answer(r"Perhaps \boxed{0.5}. No: \boxed{3}", gold)) == 0.0
    assert math_equiv(answer("0.5", gold)) == 1.0
    assert math_equiv(answer("", gold)) == 0.0


@given(st.fractions(max_denominator=1000), st.integers(1, 9))
def test_a_fraction_has_its_value_however_it_is_written(number: Fraction, factor: int) -> None:
    top, bottom = number.numerator * factor, number.denominator * factor
    assert value_of(f"{top}/{bottom}") == number
    assert value_of(rf"\frac{{{top}}}{{{bottom}}}") == number


@given(st.text(alphabet="0123456789.,+-*/^(){}[]\\ frac sqrt boxed text$%x=", max_size=60))
def test_hostile_text_is_compared_without_an_error(text: str) -> None:
    value_of(text)
    assert equivalent(text, text) in (True, False)
    assert equivalent(text, "not that") is False


def test_deep_nesting_and_towers_of_powers_are_refused_at_once() -> None:
    assert value_of("(" * 500 + "1" + ")" * 500) is None
    assert value_of("9^9^9^9") is None
    assert value_of("9" * 200) is None


def test_differences_are_between_last_numbers() -> None:
    assert absolute_value_difference(answer("about 12 of 15", "12", "20")) == 3.0
    assert absolute_value_difference(answer("no idea", "12")) is None


def test_a_box_that_is_never_closed_gives_way_to_the_last_one_that_is() -> None:
    text = r"\boxed{1} \boxed{2\{} then " + r"\boxed{" * 2_000
    assert last_box(text) == r"2\{"
    assert last_box(r"\boxed{" * 2_000) is None
    assert last_box(r"\boxed{a \boxed{b}") == "b"
