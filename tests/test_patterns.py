"""Regular expressions over texts of others find what Python's own matcher finds, and end in time."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import patterns

HOSTILE = "(a+)+$"


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(patterns, "LONGEST", 0.3)
    monkeypatch.setattr(patterns, "SHORTEST", 0.1)
    patterns._matcher.cache_clear()
    yield
    patterns._matcher.cache_clear()


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([r"(\d+)*x", r"(a|b)+", r"(-?[$0-9.,]{2,})|(-?[0-9]+)", r"\s*(\w+)\s*", "x?", r"(?i)(ANSWER: )+(\S)", ""]),
    st.text(alphabet="ab12x$. ,\nAnswer:\ud800é", max_size=40),
)
def test_what_is_found_elsewhere_is_what_is_found_here(pattern: str, text: str) -> None:
    assert list(patterns._remembered(pattern, text)) == re.findall(pattern, text)
    assert list(patterns.found(pattern, text)) == re.findall(pattern, text)
    assert patterns.replaced(pattern, r"<\g<0>>", text) == re.sub(pattern, r"<\g<0>>", text)


def test_a_pattern_that_would_take_years_is_given_up_and_the_next_text_is_matched(hurried: None) -> None:
    for number in range(2):
        with pytest.raises(patterns.TooSlow, match=rf"takes more than 0.3 s on a text of 4{number + 1} characters"):
            patterns.found(HOSTILE, "a" * (40 + number) + "b")
        assert patterns.found(HOSTILE, "caa") == ("aa",)
    with pytest.raises(patterns.TooSlow):
        patterns.replaced(r"(.*a){20}$", "", "a" * 60 + "b")


def test_a_text_that_was_given_up_is_not_tried_again(hurried: None) -> None:
    text = "a" * 40 + "b"
    for _ in range(1000):
        with pytest.raises(patterns.TooSlow):
            patterns.found(HOSTILE, text)
    assert patterns.found(HOSTILE, text[:40]) == (text[:40],)


def test_a_pattern_without_repeated_groups_is_slow_on_long_texts_only(hurried: None) -> None:
    pattern = r"\s*\s*\s*\s*x"
    assert patterns.most_steps(pattern, 10) < patterns.QUICK < patterns.most_steps(pattern, 1000)
    with pytest.raises(patterns.TooSlow):
        patterns.found(pattern, " " * 3000)


def test_one_that_is_slow_again_and_again_is_given_less_time(hurried: None) -> None:
    waits = []
    for number in range(patterns.PATIENCE + 1):
        with pytest.raises(patterns.TooSlow) as raised:
            patterns.found(HOSTILE, "a" * (40 + number) + "b")
        waits.append(raised.value.message.partition(" s on ")[0].rpartition(" ")[2])
    assert waits == ["0.3"] * patterns.PATIENCE + ["0.1"]


@pytest.mark.parametrize(
    "pattern",
    [
        "a?" * 30 + "a" * 30,
        "(a|a)" * 30,
        r"(a)\1+b",
        "(?:a*)*b",
        "(a*){5}",
        "a*a*a*a*a*b",
        "(?x)(a+) +$",
        "(?x)(a+)#c\n+$",
        "(?ix: (a+)  * )",
        r"(b)(a*)\2*",
    ],
)
def test_what_can_take_long_is_not_matched_here(pattern: str) -> None:
    assert patterns.most_steps(pattern, 60) > patterns.QUICK


def test_usual_patterns_on_usual_answers_are_matched_here() -> None:
    assert patterns.most_steps(r"#### (\-?[0-9\.\,]+)", 600) <= patterns.QUICK


def test_a_wrong_replacement_is_an_error_of_values() -> None:
    for pattern in ("(a+)+", "a"):
        with pytest.raises(ValueError, match="invalid group reference"):
            patterns.replaced(pattern, r"\7", "aaa")
