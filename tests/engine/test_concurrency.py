"""The limit against simulated endpoints: an event queue instead of a network, so that minutes pass in milliseconds."""

from __future__ import annotations

import math
from collections.abc import Callable
from heapq import heappop, heappush

from hypothesis import given
from hypothesis import strategies as st

from assay.engine.concurrency import START, AdaptiveLimit
from assay.identity import generator

Serve = Callable[[int, int], tuple[float, str]]
"""(number of the request, requests now at the server) -> seconds until it comes back, and `ok`, `429` or `500`."""


def _simulate(limit: AdaptiveLimit, serve: Serve, requests: int, size: Callable[[int], int] = lambda _: 1) -> list[int]:
    """Ask as many as the limit allows at any time; the limit after each outcome."""
    history: list[int] = []
    under_way: list[tuple[float, int, float, str]] = []
    now, sent = 0.0, 0
    while sent < requests or under_way:
        while sent < requests and len(under_way) < limit.value:
            took, outcome = serve(sent, len(under_way) + 1)
            heappush(under_way, (now + took, sent, now, outcome))
            sent += 1
        now, number, sent_at, outcome = heappop(under_way)
        if outcome == "ok":
            limit.answered(sent_at, now, size(number), sent < requests)
        else:
            limit.failed(sent_at, now, refused=outcome == "429")
        history.append(limit.value)
    return history


def test_it_triples_with_each_round_trip_until_the_ceiling() -> None:
    history = _simulate(AdaptiveLimit(256), lambda *_: (0.1, "ok"), 3000)
    reached = [history.index(value) + 1 for value in (48, 144, 256)]
    assert reached == [16, 16 + 48, 16 + 48 + 56]
    assert max(history) == history[-1] == 256


@given(st.integers(1, 15))
def test_a_low_ceiling_is_the_limit_from_the_beginning(ceiling: int) -> None:
    limit = AdaptiveLimit(ceiling)
    assert limit.value == ceiling
    assert set(_simulate(limit, lambda *_: (0.1, "ok"), 100)) == {ceiling}


def test_a_limit_that_nobody_reaches_does_not_grow() -> None:
    limit = AdaptiveLimit(256)
    for number in range(1000):
        limit.answered(number, number + 0.1, 1, binding=False)
    assert limit.value == START


def test_independent_faults_do_not_bring_it_down() -> None:
    for seed in range(20):
        chance = generator("faults", seed)

        def serve(number: int, at_once: int, chance: object = chance) -> tuple[float, str]:
            x = chance.random()  # type: ignore[attr-defined]
            return 0.1, "429" if x < 0.05 else "500" if x < 0.13 else "ok"

        history = _simulate(AdaptiveLimit(256), serve, 10_000)
        assert min(history[5000:]) >= 200
        assert sum(history) / len(history) > 200


def test_an_honest_slow_model_with_long_tails_keeps_all_it_may_have() -> None:
    for seed, sigma in enumerate([0.3, 0.5, 0.8, 1.0] * 3):
        chance = generator("slow", seed)

        def serve(number: int, at_once: int, chance: object = chance, sigma: float = sigma) -> tuple[float, str]:
            return 8.0 * math.exp(sigma * chance.gauss(0, 1)), "ok"  # type: ignore[attr-defined]

        history = _simulate(AdaptiveLimit(64), serve, 5000)
        assert min(history[1000:]) >= (64 if sigma <= 0.5 else 30)
        assert sum(history[1000:]) / 4000 > 50


def test_longer_answers_are_no_overload() -> None:
    def serve(number: int, at_once: int) -> tuple[float, str]:
        return (0.2 if number < 2000 else 20.0), "ok"

    history = _simulate(AdaptiveLimit(64), serve, 4000, size=lambda number: 3 if number < 2000 else 9)
    assert min(history[500:]) == 64


def test_it_stays_near_what_an_endpoint_with_a_hard_limit_takes() -> None:
    refused = 0

    def serve(number: int, at_once: int) -> tuple[float, str]:
        nonlocal refused
        if at_once > 40:
            refused += 1
            return 0.02, "429"
        return 0.5, "ok"

    history = _simulate(AdaptiveLimit(256), serve, 20_000)
    later = history[2000:]
    assert min(later) >= 25
    assert max(later) <= 60
    assert sum(later) / len(later) > 30
    assert refused < 0.25 * 20_000


def test_a_queue_at_the_endpoint_is_not_filled_without_end() -> None:
    # 20 at a time, the others wait: latency rises with what is sent, and nothing is gained by it.
    def serve(number: int, at_once: int) -> tuple[float, str]:
        return max(1.0, at_once / 20), "ok"

    history = _simulate(AdaptiveLimit(1000), serve, 20_000)
    assert max(history[3000:]) < 200
    assert min(history[3000:]) >= 20


def test_failures_in_numbers_cut_once_for_all_that_were_under_way_together() -> None:
    limit = AdaptiveLimit(100)
    for number in range(400):
        limit.answered(0.0, 0.1 + number / 1000, 1, binding=True)
    assert limit.value == 100
    cuts = [limit.failed(1.0, 2.0 + number / 1000, refused=False) for number in range(100)]
    assert cuts.count(True) == 1
    assert limit.value == 70


def test_after_a_collapse_one_is_tried_and_success_brings_the_old_limit_back_soon() -> None:
    limit = AdaptiveLimit(64)
    _simulate(limit, lambda *_: (0.1, "ok"), 500)
    limit.collapse(1000.0)
    assert limit.value == 1
    for number in range(20):
        limit.failed(1001.0 + number, 1001.5 + number, refused=False)
    assert limit.value == 1
    now = 2000.0
    for _ in range(8):
        under_way = limit.value
        for _ in range(under_way):
            limit.answered(now, now + 0.1, 1, binding=True)
        now += 0.2
    assert limit.value > 40


@given(st.integers(1, 300), st.lists(st.sampled_from(["ok", "slow", "429", "500", "gone"]), max_size=600))
def test_it_never_leaves_its_range(ceiling: int, outcomes: list[str]) -> None:
    limit = AdaptiveLimit(ceiling)
    for now, outcome in enumerate(outcomes):
        if outcome == "gone":
            limit.collapse(now)
        elif outcome in ("ok", "slow"):
            limit.answered(now - (0.1 if outcome == "ok" else 900.0), now, 1, binding=True)
        else:
            limit.failed(now - 0.1, now, refused=outcome == "429")
        assert 1 <= limit.value <= ceiling
