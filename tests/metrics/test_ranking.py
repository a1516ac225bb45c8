from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.library.ranking import reciprocal_rank
from assay.records import Answer, Reference


def ranked(scores: list[float], relevant: list[bool]) -> Answer:
    references = tuple(Reference(text=str(place), correct=right) for place, right in enumerate(relevant))
    return Answer(outcome="answered", relevance=tuple(scores), references=references)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=5))
def test_the_value_is_the_mean_over_all_orders_of_tied_references(items: list[tuple[int, bool]]) -> None:
    ranks = []
    for order in permutations(items):
        if all(first[0] >= second[0] for first, second in pairwise(order)):
            ranks.append(next((1 / rank for rank, (_, right) in enumerate(order, 1) if right), 0.0))
    value = reciprocal_rank(ranked([float(score) for score, _ in items], [right for _, right in items]))
    assert value == pytest.approx(sum(ranks) / len(ranks))


def test_a_tie_never_gets_a_full_point() -> None:
    assert reciprocal_rank(ranked([1.0, 1.0], [True, False])) == pytest.approx((1 + 1 / 2) / 2)


def test_an_answer_without_relevance_has_no_rank() -> None:
    assert reciprocal_rank(Answer(outcome="answered", prediction="x")) is None
