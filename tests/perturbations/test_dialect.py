from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.identity import generator
from assay.perturbations import perturb
from assay.perturbations.library.dialect import dialect, words
from assay.records import Instance, Reference


def said(text: str, rate: float = 1.0, seed: int = 0) -> str:
    return str(dialect.change(text, generator(seed, "test"), rate=rate))


def test_the_list_holds_single_lower_case_words_with_other_spellings() -> None:
    assert len(words()) >= 60
    for word, spellings in words().items():
        assert word == word.lower().strip()
        assert " " not in word
        assert spellings
        assert word not in spellings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("this", "dis"),
        ("This is about", "Dis is bout"),
        ("THIS!", "DIS!"),
        ("(this)", "(dis)"),
        ("I said this", "I said dis"),
        ("isn't it", "ain't it"),
        ("Isn’t it", "Ain’t it"),
        ("that-this", "dat-dis"),
        ("thistle, this_one, this1, this's", "thistle, this_one, this1, this's"),
        ("this\u0301 and é\u0301this", "this\u0301 an é\u0301this"),
        ("tHiS", "tHiS"),
    ],
)
def test_whole_words_change_wherever_they_stand_and_keep_their_case(text: str, expected: str) -> None:
    assert said(text) == expected


@pytest.mark.parametrize("word", sorted(words()))
def test_every_listed_word_becomes_one_of_its_spellings(word: str) -> None:
    assert said(word) in words()[word]


@settings(deadline=None)
@given(st.lists(st.sampled_from(sorted(words())), min_size=1), st.integers(0, 50), st.sampled_from([0.3, 1.0]))
def test_a_word_is_the_same_throughout_an_instance(text: list[str], seed: int, rate: float) -> None:
    copy = perturb(
        Instance(id="q", input=" ".join(text), references=tuple(Reference(text=word, correct=True) for word in text)),
        dialect.spec(rate=rate),
        seed,
    )
    if copy is not None:
        spelled = copy.input.split(" ")
        assert [reference.text for reference in copy.references] == spelled
        assert len(set(zip(text, spelled, strict=True))) == len(set(text))


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_the_share_of_changed_words_is_the_rate(rate: float) -> None:
    listed = sorted(words())
    changed = sum(
        before != after
        for seed in range(40)
        for before, after in zip(listed, said(" ".join(listed), rate, seed).split(" "), strict=True)
    )
    assert changed / (40 * len(listed)) == pytest.approx(rate, abs=0.04)
