"""Equivalent prompt formats: different to look at, the same in words, the first the scenario's own."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.prompting import METHODS, Examples, Generation, MultipleChoiceJoint, MultipleChoiceSeparateOriginal, Target
from assay.prompting.formats import LABELS, format_variants
from assay.records import Instance, Reference

INSTANCE = Instance(
    id="q", input="Which sea is salty?", references=(Reference(text="Dead", correct=True), Reference(text="Red"))
)
SHOWN = Examples(
    shown=(Instance(id="t", input="Sky?", references=(Reference(text="Blue", correct=True), Reference(text="Pink"))),)
)


def prompts(count: int, seed: int) -> list[str]:
    variants = format_variants(MultipleChoiceJoint(), count, seed)
    return [str(variant.render(INSTANCE, SHOWN, Target()).requests[0].prompt) for variant in variants]


def words(prompt: str) -> list[str]:
    return re.findall(r"\w+", prompt.lower())


@given(st.integers(1, 30), st.integers(0, 5))
def test_formats_differ_in_form_and_never_in_words(count: int, seed: int) -> None:
    shown = prompts(count, seed)
    assert len(shown) == count
    assert len(set(shown)) == count
    assert all(words(prompt) == words(shown[0]) for prompt in shown)


def test_the_first_format_is_the_scenarios_own_and_the_others_are_repeatable_and_depend_on_the_seed() -> None:
    own = MultipleChoiceJoint(input_prefix="Frage: ")
    assert format_variants(own, 5, 1)[0] == own
    assert format_variants(own, 5, 1) == format_variants(own, 5, 1)
    assert format_variants(own, 5, 1)[1:] != format_variants(own, 5, 2)[1:]


def test_what_is_empty_stays_empty() -> None:
    for variant in format_variants(MultipleChoiceSeparateOriginal(), 10, 0):
        assert (variant.input_prefix, variant.input_suffix, variant.output_prefix) == ("", "", " ")


def test_option_labels_keep_the_letter_that_the_answer_names() -> None:
    labels = {variant.reference_prefix for variant in format_variants(MultipleChoiceJoint(), 60, 0)}  # type: ignore[attr-defined]
    assert labels == set(LABELS)
    for variant in format_variants(MultipleChoiceJoint(), 20, 0):
        prompt = str(variant.render(INSTANCE, SHOWN, Target()).requests[0].prompt)
        assert re.search(r"\bA\W+Dead", prompt)
        assert re.search(r"\bB\W+Red", prompt)


@pytest.mark.parametrize("method", METHODS.values())
def test_every_method_has_formats_or_only_its_own(method: type[Generation]) -> None:
    variants = format_variants(method(), 4, 0)
    assert 1 <= len(variants) <= 4
    assert len(set(variants)) == len(variants)
