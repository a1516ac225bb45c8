"""The word lists, and how words are found and exchanged."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.identity import generator
from assay.perturbations.chance import struck
from assay.perturbations.library import misspellings, synonym
from assay.perturbations.words import Lexicon, data, split, written

LISTS = {"misspellings": 800, "synonyms": 500, "contractions": 75}


@pytest.mark.parametrize("name", sorted(LISTS))
def test_a_list_is_large_enough_and_never_names_a_word_for_itself(name: str) -> None:
    entries = data(name)
    assert len(entries) >= LISTS[name]
    for word, others in entries.items():
        assert others
        assert word not in others
        assert isinstance(others, str) or len(set(others)) == len(others)


def test_no_misspelling_is_a_listed_word() -> None:
    words = misspellings.words()
    assert not {other for others in words.values() for other in others} & set(words)


def test_every_entry_of_the_word_lists_is_one_word() -> None:
    for entries in (misspellings.words(), synonym.words()):
        for word, others in entries.items():
            assert all(re.fullmatch(r"[A-Za-z-]+", other) for other in (word, *others))
        assert list(entries) == sorted(entries, key=lambda word: (word.lower(), word))


@pytest.mark.parametrize("name", ["confusables", "ocr"])
def test_digits_never_become_other_digits_and_characters_never_themselves(name: str) -> None:
    for before, others in data(name).items():
        assert before not in others
        assert not (before.isdigit() and any(other.isdigit() for other in others))


def test_confusables_are_letters_of_other_scripts() -> None:
    for before, others in data("confusables").items():
        assert len(before) == 1
        assert before.isascii()
        assert all(len(other) == 1 and not other.isascii() and other.isalpha() for other in others)


@given(st.text())
def test_a_split_text_is_the_text(text: str) -> None:
    parts = split(text)
    assert "".join(parts) == text
    assert parts[1::2] == re.findall(r"\w+(?:['’]\w+)*", text)


def test_a_word_is_known_in_every_way_it_may_be_written() -> None:
    assert written("don't") == ("don't", "Don't", "DON'T", "don’t", "Don’t", "DON’T")
    known = Lexicon.of({"don't": ["do n't"], "English": ["Enlgish"]})
    assert known.written["DON’T"] == (0, ("DO N’T",))
    assert {form: others for form, (_, others) in known.written.items() if form.lower() == "english"} == {
        "English": ("Enlgish",),
        "ENGLISH": ("ENLGISH",),
    }


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.7, 1.0])
def test_the_share_of_characters_struck_is_the_rate(rate: float) -> None:
    size = 200_000
    places = list(struck(size, generator(0, "test"), rate))
    assert places == sorted(set(places))
    assert all(0 <= place < size for place in places[:1] + places[-1:])
    assert len(places) / size == pytest.approx(rate, abs=0.005)
    assert rate == 0 or (places[0] < 100 and places[-1] > size - 100)
