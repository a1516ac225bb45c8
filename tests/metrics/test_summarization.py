from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.library.summarization import fragments, summary_compression, summary_coverage, summary_density
from assay.records import Answer


def slow_fragments(article: list[str], summary: list[str]) -> list[int]:
    lengths, start = [], 0
    while start < len(summary):
        best = 0
        for length in range(1, len(summary) - start + 1):
            piece = summary[start : start + length]
            if any(article[place : place + length] == piece for place in range(len(article))):
                best = length
        lengths += [best] if best else []
        start += best or 1
    return lengths


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=10))
def test_fragments_are_the_longest_copied_pieces(article: list[str], summary: list[str]) -> None:
    assert fragments(article, summary) == slow_fragments(article, summary)


def test_a_summary_is_measured_against_what_was_asked() -> None:
    answer = Answer(
        outcome="answered", prediction="the old man saw a boat", input="The old man went to sea and saw the big boat"
    )
    assert summary_coverage(answer) == pytest.approx(5 / 6)
    assert summary_density(answer) == pytest.approx((9 + 1 + 1) / 6)
    assert summary_compression(answer) == pytest.approx(11 / 6)


@pytest.mark.parametrize("metric", [summary_coverage, summary_density, summary_compression])
def test_nothing_is_no_summary(metric: object) -> None:
    assert callable(metric)
    assert metric(Answer(outcome="answered", prediction=" ", input="an article")) is None
    assert metric(Answer(outcome="answered", prediction="words")) is None
