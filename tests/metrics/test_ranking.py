from __future__ import annotations

import math
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import registry
from assay.metrics.library.ranking import ndcg_at, recall_at, reciprocal_rank, reciprocal_rank_at, success_at
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


def value_of_order(name: str, order: list[bool], cutoff: int) -> float:
    shown = order[:cutoff]
    if name == "reciprocal_rank":
        return next((1 / rank for rank, right in enumerate(shown, 1) if right), 0.0)
    if name == "success":
        return float(any(shown))
    if name == "recall":
        return sum(shown) / sum(order)
    ideal = sorted(order, reverse=True)[:cutoff]
    gains = [sum(right / math.log2(rank + 1) for rank, right in enumerate(one, 1)) for one in (shown, ideal)]
    return gains[0] / gains[1]


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=5), st.integers(1, 6))
def test_every_cutoff_is_the_mean_over_all_orders_of_ties(items: list[tuple[int, bool]], cutoff: int) -> None:
    answer = ranked([float(score) for score, _ in items], [right for _, right in items])
    orders = [
        [right for _, right in order]
        for order in permutations(items)
        if all(first[0] >= second[0] for first, second in pairwise(order))
    ]
    functions = {"reciprocal_rank": reciprocal_rank_at, "success": success_at, "recall": recall_at, "ndcg": ndcg_at}
    for name, function in functions.items():
        value = function(answer, cutoff)
        if value is None:
            assert name in ("recall", "ndcg")
            assert not any(right for _, right in items)
        elif any(right for _, right in items):
            expected = sum(value_of_order(name, order, cutoff) for order in orders) / len(orders)
            assert value == pytest.approx(expected), name
        else:
            assert value == 0.0


def test_the_usual_cutoffs_are_registered_with_their_number() -> None:
    answer = ranked([float(-place) for place in range(12)], [place == 7 for place in range(12)])
    values = {k: registry.metrics.get(f"success@{k}").of_answer(answer) for k in (5, 10, 20)}  # type: ignore[misc]
    assert values == {5: 0.0, 10: 1.0, 20: 1.0}
    assert "first 10" in registry.metrics.get("ndcg@10").about
