from __future__ import annotations

import pytest
from changed import changed, item
from hypothesis import given
from hypothesis import strategies as st

from assay.perturbations import perturb
from assay.perturbations.library.gender import gender, lexicon
from assay.perturbations.words import data


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("he", "she"),
        ("He said that he'd hurt himself", "She said that she'd hurt herself"),
        ("his", "hers"),
        ("his old book is his.", "her old book is hers."),
        ("HIS “big” dog saw him", "HER “big” dog saw her"),
        ("the, heir", "the, heir"),
        ("he\u0301 he_ he1", "he\u0301 he_ he1"),
    ],
)
def test_pronouns_change_wherever_they_stand(text: str, expected: str) -> None:
    assert changed("gender", text) == expected


def test_the_other_way_the_next_word_tells_him_from_his() -> None:
    text = "She gave her the book; it was hers. Her mother saw her and her dog with her"
    assert changed("gender", text, source="female") == (
        "He gave him the book; it was his. His mother saw him and his dog with him"
    )


def test_both_ways_at_once_nothing_is_turned_back() -> None:
    text = "He saw her and she saw him: his dog, her cat."
    both = changed("gender", text, bidirectional=True)
    assert both == "She saw him and he saw her: her dog, his cat."
    assert changed("gender", both, bidirectional=True) == text


def test_terms() -> None:
    text = "The king, Mr. Ives and his sons' uncle: FATHER"
    assert changed("gender", text, mode="terms") == "The queen, Mrs. Ives and his daughters' aunt: MOTHER"
    assert changed("gender", "a lady and a bride", mode="terms", source="female") == "a gentleman and a groom"


def test_every_pair_of_terms_is_exchanged() -> None:
    for male, female in data("gender")["terms"]:
        assert changed("gender", f"x {male}", mode="terms") == f"x {lexicon('terms', 'male', False).written[male][1][0]}"
        assert changed("gender", female, mode="terms") == female


@given(st.lists(st.sampled_from([pair[0] for pair in data("gender")["terms"]]), min_size=1), st.integers(0, 30))
def test_question_and_references_agree_at_every_rate(words: list[str], seed: int) -> None:
    copy = perturb(item(" ".join(words), *words), gender.spec(mode="terms", rate=0.5), seed)
    if copy is not None:
        assert copy.input.split(" ") == [reference.text for reference in copy.references]
