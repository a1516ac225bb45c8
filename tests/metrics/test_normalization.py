from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.metrics.normalization import comparable, forms, words


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("The Eiffel Tower!", "eiffel  tower", True),
        ("“Paris”", "Paris", True),
        ("北京。", "北京", True),
        ("don't", "dont", True),
        ("$5", "5", True),
        ("1,000", "1000", True),
        ("in 1990.", "in 1990", True),
        ("-5", "5", False),
        ("3.14", "314", False),
        (".5", "5", False),
        ("-.5", ".5", False),
        ("well-known", "wellknown", True),
        ("हिन्दी", "हिन्दी", True),
        ("%", "!", False),
    ],
)
def test_what_counts_as_the_same_answer(left: str, right: str, same: bool) -> None:
    wanted, given_form = comparable(left, right)
    assert (wanted == given_form) is same


@pytest.mark.parametrize(
    ("left", "right"),
    [
        *[("x < 0", "x > 0"), ("sin x", "-sin x"), ("A+", "A-"), ("A-", "A"), ("C++", "C#"), ("C#", "C"), ("AA-", "AA+")],
        *[("1/2", "12"), ("50%", "50"), ("f(x)", "fx"), ("[0, 1)", "(0, 1]"), ("[1,2]", "(1,2)"), ("a|b", "ab"), ("2^3", "23")],
        *[("1,5", "15"), ("3:45", "345"), ("3-4", "34"), ("x - 1", "x 1"), ("x - 1", "x + 1"), ("5*3", "53"), ("x²", "x2")],
        *[("–5", "5"), ("Na+", "Na"), ("f′", "f"), ("10‰", "10"), ("½", "2"), ("not (a and b)", "(not a) and b")],
        *[("vitamin A", "vitamin"), ("p -> q", "q -> p"), ("a = b", "a b"), ("#1", "1"), ("1.2.3", "12.3")],
    ],
)
def test_symbols_that_carry_meaning_stay(left: str, right: str) -> None:
    for wanted, given_form in (comparable(left, right), comparable(right, left)):
        assert wanted != given_form


@pytest.mark.parametrize(
    ("left", "right"),
    [
        *[("Paris — the capital", "paris capital"), ("- Paris", "Paris"), ("**Paris**", "paris"), ("2-year", "2year")],
        *[("(B)", "B"), ("yes/", "yes"), ("50 %", "50%"), ("x<0", "x < 0"), ("#### 18", "18"), ("−5", "-5"), ("a cat", "cat")],
        *[("don’t", "don't"), ("Ｐａｒｉｓ", "paris"), ("Straße", "STRASSE"), ("soft\u00adhyphen", "softhyphen")],
    ],
)
def test_ordinary_punctuation_and_ways_of_encoding_do_not_count(left: str, right: str) -> None:
    wanted, given_form = comparable(left, right)
    assert wanted == given_form


def test_words_lose_every_mark() -> None:
    assert words("The f(x) of C++, well-known: -5.")[0].split() == ["fx", "of", "c", "wellknown", "-5"]


def test_combining_marks_are_letters_and_stay() -> None:
    assert forms("हिन्दी")[0] == "हिन्दी"


@settings(deadline=None)
@given(st.text())
@example("\u00ad")
def test_any_text_equals_itself_and_its_shouted_ascii_copy(text: str) -> None:
    assert len(set(comparable(text, text))) == 1
    if text.isascii():
        assert len(set(comparable(text, text.upper()))) == 1


@settings(deadline=None)
@given(st.text())
def test_normalised_text_is_squeezed(text: str) -> None:
    for form in forms(text):
        assert form == " ".join(form.split())
