from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.normalization import comparable, forms


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


def test_combining_marks_are_letters_and_stay() -> None:
    assert forms("हिन्दी")[0] == "हिन्दी"


@settings(deadline=None)
@given(st.text())
def test_any_text_equals_itself_and_its_shouted_ascii_copy(text: str) -> None:
    assert len(set(comparable(text, text))) == 1
    if text.isascii():
        assert len(set(comparable(text, text.upper()))) == 1


@settings(deadline=None)
@given(st.text())
def test_normalised_text_is_squeezed(text: str) -> None:
    for form in forms(text):
        assert form == " ".join(form.split())
