from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.distances import common_prefix, common_subsequence, edit_distance, similarity

texts = st.text("abc🙂", max_size=12)


def slow_distance(first: str, second: str) -> int:
    @cache
    def between(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        substituted = between(i - 1, j - 1) + (first[i - 1] != second[j - 1])
        return min(substituted, between(i - 1, j) + 1, between(i, j - 1) + 1)

    return between(len(first), len(second))


def slow_subsequence(first: str, second: str) -> int:
    @cache
    def between(i: int, j: int) -> int:
        if not i or not j:
            return 0
        if first[i - 1] == second[j - 1]:
            return between(i - 1, j - 1) + 1
        return max(between(i - 1, j), between(i, j - 1))

    return between(len(first), len(second))


@given(texts, texts)
def test_the_bits_give_what_the_table_gives(first: str, second: str) -> None:
    assert edit_distance(first, second) == slow_distance(first, second)
    assert common_subsequence(first, second) == slow_subsequence(first, second)


@given(st.lists(st.integers(0, 3), min_size=60, max_size=90), st.lists(st.integers(0, 3), min_size=60, max_size=90))
def test_long_sequences_keep_the_laws_of_a_distance(first: list[int], second: list[int]) -> None:
    distance = edit_distance(first, second)
    assert distance == edit_distance(second, first)
    assert abs(len(first) - len(second)) <= distance <= max(len(first), len(second))
    assert distance <= len(first) + len(second) - 2 * common_subsequence(first, second)


def test_known_distances() -> None:
    assert edit_distance("kitten", "sitting") == 3
    assert edit_distance("", "abc") == edit_distance("abc", "") == 3
    assert similarity("", "") == 0.0
    assert similarity("abcd", "abcf") == 0.75
    assert common_prefix("abcx", "abdx") == 2
    assert common_prefix("", "a") == 0
