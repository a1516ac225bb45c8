"""Texts that are nearly the same, against comparing every pair."""

from __future__ import annotations

import hashlib
import random
from itertools import combinations

from assay.checking.near import LIKENESS, Sample, likeness, near_pairs, shingles

WORDS = ("the", "bill", "of", "last", "month", "was", "paid", "twice", "by", "card", "and", "nobody", "told", "me", "why")


def texts(count: int) -> list[str]:
    rng = random.Random(5)
    found = [" ".join(rng.choices(WORDS, k=12)) for _ in range(count)]
    return found + [f"{text} now" for text in found[: count // 3]]


def test_every_pair_is_found_that_comparing_all_finds() -> None:
    some = texts(60)
    alike = {
        (one, other)
        for one, other in combinations(range(len(some)), 2)
        if likeness(shingles(some[one]), shingles(some[other])) >= LIKENESS
    }
    found = near_pairs(some)
    assert len(alike) >= 20
    assert {(one, other) for one, other, _ in found} <= alike
    assert {other for _, other, _ in found} == {other for _, other in alike}


def test_likeness_is_the_share_of_common_runs_of_five_characters() -> None:
    one, other = shingles("abcdefgh"), shingles("abcdefgx")
    assert likeness(one, other) == 3 / 5
    assert likeness(shingles("Ab  C."), shingles("ab c")) == 1
    assert likeness(shingles(""), shingles("")) == 1


def test_a_thousand_times_the_same_text_is_compared_with_the_first_only() -> None:
    assert near_pairs(["the very same text"] * 1000) == [(0, position, 1.0) for position in range(1, 1000)]


def test_a_sample_is_a_bounded_number_of_different_cases_whatever_their_order() -> None:
    keys = [hashlib.blake2b(bytes([number]), digest_size=16).digest() for number in range(60)]
    chosen = set(sorted(keys)[:10])
    for order in (range(60), range(59, -1, -1)):
        sample = Sample(most=10)
        for place in [*order, *order]:
            sample.add(keys[place], place, f"text {place}")
        assert sample.cases() == [(place, f"text {place}") for place, key in enumerate(keys) if key in chosen]
        assert not sample.complete
    everything = Sample(most=60)
    for place, key in enumerate(keys):
        everything.add(key, place, "x")
    assert len(everything) == 60
    assert everything.complete


def test_a_sample_holds_no_more_characters_than_it_may() -> None:
    sample = Sample(characters=100)
    for number in range(50):
        sample.add(hashlib.blake2b(bytes([number]), digest_size=16).digest(), number, "x" * 30)
    assert len(sample) == 3
