"""Pipelines of filters: each filter's meaning, and that no completion can break one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.prompting.filters import Function, Step, apply
from assay.records import Reference

FIRST = Step(function="take_first")
OPTIONS = tuple(Reference(text=text, role="choice") for text in ("Guilty", "Guilty of Romance", "Not (guilty)"))


def filtered(text: str, *steps: Step, references: tuple[Reference, ...] = ()) -> str:
    return apply((*steps, FIRST), [text], references)[0]


@pytest.mark.parametrize(
    ("settings", "text", "found"),
    [
        ({"regex_pattern": r"(-?\d+)"}, "1, then -2, then 30", "1"),
        ({"regex_pattern": r"(-?\d+)", "group_select": -1}, "1, then -2, then 30", "30"),
        ({"regex_pattern": r"(-?\d+)", "group_select": 1}, "1, then -2, then 30", "-2"),
        ({"regex_pattern": r"(-?\d+)", "group_select": 3}, "1, then -2, then 30", "[invalid]"),
        ({"regex_pattern": r"(x+)|(y+)"}, "a yy", "yy"),
        ({"regex_pattern": r"(x*)|(y*)"}, "", "[invalid]"),
        ({"regex_pattern": r"is (.*)"}, "it is  so ", "so"),
        ({"regex_pattern": r"is (.*)", "fallback": ""}, "no", ""),
        ({}, "so\n#### 1,234.5 or #### 6", "1,234.5"),
    ],
)
def test_a_pattern_gives_the_first_group_of_the_chosen_match(settings: dict[str, Any], text: str, found: str) -> None:
    assert filtered(text, Step(function="regex", **settings)) == found


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("the answer: (B)", "(B)"),  # the pattern
        ("it was guilty of romance, surely", "(B)"),  # the longest option that is named
        ("not guilty!", "(C)"),
        ("my pick:  C", "(C)"),  # a letter after a colon
        ("who knows", "[invalid]"),
    ],
)
def test_an_option_is_found_by_pattern_then_text_then_letter(text: str, letter: str) -> None:
    step = Step(function="multi_choice_regex", regex_pattern=r"(\([A-C]\))", ignore_case=True, ignore_punctuation=True)
    assert filtered(text, step, references=OPTIONS) == letter


def test_simple_filters_change_every_completion() -> None:
    steps = (Step(function="remove_whitespace"), Step(function="lowercase"), Step(function="majority_vote"), FIRST)
    assert apply(steps, [" A ", "b", "a"], ())[0] == "a"
    assert filtered("aß", Step(function="uppercase")) == "ASS"
    mapped = Step(function="map", mapping=(("yes", "1"), ("no", "0")), default_value="?")
    assert [filtered(text, mapped) for text in ("yes", "no", "maybe")] == ["1", "0", "?"]


def test_the_first_k_completions_vote_and_a_tie_goes_to_the_earlier() -> None:
    steps = (Step(function="take_first_k", k=3), Step(function="majority_vote"), FIRST)
    assert apply(steps, ["b", "a", "c", "c"], ())[0] == "b"


def test_what_follows_take_first_sees_characters() -> None:
    assert apply((FIRST, Step(function="uppercase")), ["xyz"], ())[0] == "X"


def test_a_pipeline_says_whether_its_pattern_found_something() -> None:
    step = Step(function="regex", regex_pattern="a+", fallback="none")
    assert apply((step, FIRST), ["baa"], ()) == ("aa", True)
    assert apply((step, FIRST), ["b"], ()) == ("none", False)
    assert apply((), ["b"], ()) == ("b", True)


FUNCTIONS: tuple[Function, ...] = (
    "regex", "multi_choice_regex", "remove_whitespace", "lowercase", "uppercase", "map", "take_first", "take_first_k",
    "majority_vote",
)  # fmt: skip


@given(st.lists(st.sampled_from(FUNCTIONS), max_size=5), st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_any_pipeline_reads_any_completions(functions: list[Function], texts: list[str]) -> None:
    found, _ = apply([Step(function=function) for function in functions], texts, OPTIONS)
    assert isinstance(found, str)
