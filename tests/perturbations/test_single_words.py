"""Misspellings, synonyms, fillers, spaces, and their mixture."""

from __future__ import annotations

import pytest
from changed import changed
from hypothesis import given
from hypothesis import strategies as st

from assay.perturbations.library import misspellings, synonym
from assay.perturbations.words import data


@pytest.mark.parametrize("name", ["misspellings", "synonym"])
def test_at_rate_one_every_listed_word_becomes_what_is_listed(name: str) -> None:
    words = {"misspellings": misspellings, "synonym": synonym}[name].words()
    result = changed(name, " ".join(words), rate=1.0).split(" ")
    for word, other in zip(words, result, strict=True):
        assert other in words[word], word


@pytest.mark.parametrize("name", ["misspellings", "synonym"])
@pytest.mark.parametrize("rate", [0.0, 0.2, 0.5])
def test_each_occurrence_is_changed_with_the_given_probability(name: str, rate: float) -> None:
    text = "beautiful " * 5_000
    result = changed(name, text, rate=rate).split(" ")
    assert sum(word != "beautiful" for word in result[:-1]) / 5_000 == pytest.approx(rate, abs=0.02)


def test_a_misspelling_keeps_the_case_and_leaves_longer_words_alone() -> None:
    assert changed("misspellings", "Definite, SEPARATE", rate=1.0) == "Definate, SEPERATE"
    assert changed("misspellings", "definite_x separate1 separate\u0301", rate=1.0) == "definite_x separate1 separate\u0301"


def test_a_synonym_fits_the_article_before_it() -> None:
    assert changed("synonym", "an error, no error", rate=1.0) == "an error, no mistake"
    assert all(changed("synonym", "An enormous dog", seed, rate=1.0) == "An enormous dog" for seed in range(5))
    assert {changed("synonym", "enormous", seed, rate=1.0) for seed in range(20)} == {"huge", "gigantic"}


def test_fillers_stand_before_words_and_nothing_is_taken_away() -> None:
    text = "The old man (seventy) had 3 dogs, 日本 и кот\nand a cat"
    result = changed("filler_words", text, rate=1.0)
    for filler in sorted(data("fillers"), key=len, reverse=True):
        for before in ("The", "old", "man", "had", "dogs", "a", "cat"):
            result = result.replace(f"{filler} {before}", before)
    assert result == text


def test_the_share_of_words_with_a_filler_is_the_rate() -> None:
    pieces = changed("filler_words", "word " * 5_000, rate=0.3).split("word")
    assert sum(bool(piece.strip()) for piece in pieces) / 5_000 == pytest.approx(0.3, abs=0.02)


@given(st.text(alphabet="ab \n\t"), st.integers(1, 4), st.integers(0, 3))
def test_spaces_grow_and_nothing_else_changes(text: str, count: int, seed: int) -> None:
    wide = changed("space", text, seed, max_spaces=count)
    assert wide.replace(" ", "") == text.replace(" ", "")
    assert text.count(" ") <= wide.count(" ") <= count * text.count(" ")
    assert changed("extra_space", text, num_spaces=count) == text.replace(" ", " " * count)


def test_each_number_of_spaces_is_as_likely() -> None:
    runs = changed("space", "a " * 9_000).split("a")[1:]
    for count in (1, 2, 3):
        assert runs.count(" " * count) / 9_000 == pytest.approx(1 / 3, abs=0.02)


def test_the_mild_mix_is_lower_case_contracted_misspelled_and_spaced() -> None:
    text = "Item 1. It is DEFINITE that he does not BELIEVE the Government. " * 200
    words = changed("mild_mix", text).split()
    plain = "item 1. it's definite that he doesn't believe the government. " * 200
    assert len(words) == len(plain.split())
    differing = [(before, after) for before, after in zip(plain.split(), words, strict=True) if before != after]
    listed = misspellings.words()
    for before, after in differing:
        assert after.strip(".") in listed[before.strip(".")]
    known = sum(word.strip(".") in listed for word in plain.split())
    assert len(differing) / known == pytest.approx(0.1, abs=0.03)
