from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.identity import generator
from assay.perturbations.library.typos import NEIGHBOURS, typos


def typed(text: str, rate: float, seed: int = 0) -> str:
    return str(typos.change(text, generator(seed, "test"), rate=rate))


def test_neighbours_are_those_on_the_keyboard() -> None:
    assert set(NEIGHBOURS["g"]) == set("tyfhvb")
    assert set(NEIGHBOURS["q"]) == set("wa")
    assert set(NEIGHBOURS["M"]) == set("NJK")
    assert set(NEIGHBOURS) == set(string.ascii_letters)
    assert all(letter in NEIGHBOURS[other] for letter, near in NEIGHBOURS.items() for other in near)


@settings(deadline=None)
@given(st.text(), st.sampled_from([0.0, 0.1, 1.0]), st.integers(0, 9))
def test_only_letters_change_and_only_to_neighbours_of_the_same_case(text: str, rate: float, seed: int) -> None:
    changed = typed(text, rate, seed)
    assert len(changed) == len(text)
    for before, after in zip(text, changed, strict=True):
        assert before == after or after in NEIGHBOURS[before]


@pytest.mark.parametrize("rate", [0.0, 0.05, 0.1, 0.5, 1.0])
def test_the_share_of_changed_letters_is_the_rate(rate: float) -> None:
    text = "abcdefghij" * 5000
    changed = typed(text, rate)
    share = sum(before != after for before, after in zip(text, changed, strict=True)) / len(text)
    assert share == pytest.approx(rate, abs=0.01)
