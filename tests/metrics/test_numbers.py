from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.numbers import last_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", "5"),
        ("5.", "5"),
        ("5 10", "10"),
        ("1,234,567.89 dollars", "1234567.89"),
        ("1,2", "2"),
        ("1,2345", "2345"),
        ("-$1,000", "-1000"),
        ("$-1,000", "-1000"),
        ("+7", "7"),
        ("3-5", "5"),
        ("- 5 apples", "5"),
        ("x = −2.50", "-2.50"),
        ("50%", "50"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("1.5e3", "1500"),
        ("5e", "5"),
        ("12kg", "12"),
        ("version 1.2.3", "3"),
        ("٣", "3"),
        ("**18**", "18"),
        ("\\boxed{42}", "42"),
    ],
)
def test_the_last_number_in_running_text(text: str, number: str) -> None:
    assert last_number(text) == Decimal(number)


@pytest.mark.parametrize("text", ["", "none", ",", "-", ".", "$"])
def test_text_without_a_number_has_none(text: str) -> None:
    assert last_number(text) is None


@settings(deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9), st.booleans())
def test_a_written_number_is_read_back(number: Decimal, separated: bool) -> None:
    written = f"{number:,f}" if separated else f"{number:f}"
    assert last_number(f"there are 12, so the answer is {written}.") == number


@settings(deadline=None)
@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    number = last_number(text)
    assert number is None or number.is_finite()


def test_a_hostile_text_is_read_in_linear_time() -> None:
    assert last_number("1," * 50_000 + "7") == 7
    assert last_number("9" * 100_000) is not None
