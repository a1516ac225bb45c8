from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine.quotas import LONGEST_WAIT_S, Bucket, Quotas
from assay.models.base import Allowance


def _taken(bucket: Bucket, amounts: list[float], start: float = 0.0) -> list[tuple[float, float]]:
    """When each amount is taken if everybody takes as soon as they may."""
    now, moments = start, []
    for amount in amounts:
        for _ in range(100):
            wait = bucket.wait_s(amount, now)
            if wait == 0:
                break
            now += wait
        else:
            raise AssertionError("waits for ever")
        bucket.take(amount)
        moments.append((now, amount))
    return moments


@settings(max_examples=50, deadline=None)
@given(st.floats(0.5, 6000), st.integers(2, 400))
def test_no_minute_sees_more_requests_than_the_rate_and_none_is_wasted(per_minute: float, count: int) -> None:
    moments = [now for now, _ in _taken(Bucket(per_minute), [1.0] * count)]
    for first in range(0, count, 7):
        within = sum(1 for now in moments[first:] if now < moments[first] + 60 - 1e-6)
        assert within <= per_minute + 1 + 1e-6
    assert moments[-1] <= 1.02 * 60 * count / per_minute


@settings(max_examples=50, deadline=None)
@given(st.floats(100, 1e6), st.lists(st.floats(1, 5000), min_size=2, max_size=200))
def test_no_minute_sees_more_tokens_than_the_rate_and_the_last_request(per_minute: float, amounts: list[float]) -> None:
    moments = _taken(Bucket(per_minute), amounts)
    for first in range(0, len(moments), 7):
        within = [amount for now, amount in moments[first:] if now < moments[first][0] + 60 - 1e-6]
        assert sum(within) <= 1.002 * per_minute + 2 * max(amounts)


@pytest.mark.parametrize("per_minute", [1e-6, 1e-17, 1e-300])
def test_a_rate_that_is_next_to_nothing_lets_one_request_through_and_then_waits_as_long_as_it_says(per_minute: float) -> None:
    quotas = Quotas(per_minute, per_minute)
    assert quotas.wait(1, None, 0.0)[0] == 0
    quotas.sent(1, 0.0)
    assert quotas.wait(1, None, 0.0)[0] == pytest.approx(60 / per_minute)


def test_a_pause_saves_nothing_up() -> None:
    bucket = Bucket(60)
    _taken(bucket, [1.0] * 3)
    assert [round(now, 3) for now, _ in _taken(bucket, [1.0] * 3, start=1000.0)] == [1000.0, 1001.0, 1002.0]


def test_what_was_estimated_is_put_right_by_what_was_used() -> None:
    quotas = Quotas(None, 6000)
    quotas.wait(1000, None, 0.0)
    quotas.sent(1000, 0.0)
    assert quotas.wait(10, None, 0.0)[0] > 9
    quotas.settled(1000, 50)
    assert quotas.wait(10, None, 0.0)[0] < 0.6
    quotas.sent(10, 1.0)
    quotas.settled(10, 2000)
    assert quotas.wait(10, None, 1.0)[0] > 19


def test_the_slower_of_two_limits_counts_and_is_named() -> None:
    quotas = Quotas(60, 600)
    quotas.wait(100, None, 0.0)
    quotas.sent(100, 0.0)
    wait, why = quotas.wait(1, None, 0.0)
    assert (round(wait), why) == (10, "tokens_per_minute")
    quotas.settled(100, 0)
    wait, why = quotas.wait(1, None, 0.0)
    assert (round(wait, 2), why) == (1.0, "requests_per_minute")


def test_what_the_endpoint_still_takes_is_kept_to_with_those_under_way_taken_off() -> None:
    quotas = Quotas(None, None)
    told = Allowance(requests=2, requests_full_at=30.0)
    for _ in range(2):
        assert quotas.wait(0, told, 10.0) == (0.0, "")
        quotas.sent(0, 10.0)
    assert quotas.wait(0, told, 10.0) == (20.0, "the endpoint's rate limit")
    quotas.settled(0, None)
    assert quotas.wait(0, told, 10.0)[0] == 0
    quotas.sent(0, 10.0)
    assert quotas.wait(0, told, 30.0)[0] == 0


def test_tokens_the_endpoint_still_takes_are_kept_to() -> None:
    quotas = Quotas(None, None)
    told = Allowance(tokens=100, tokens_full_at=30.0)
    assert quotas.wait(80, told, 10.0)[0] == 0
    quotas.sent(80, 10.0)
    assert quotas.wait(30, told, 10.0)[0] == 20
    assert quotas.wait(20, told, 10.0)[0] == 0


def test_an_endpoint_that_says_it_takes_nothing_is_tried_now_and_then_all_the_same() -> None:
    quotas = Quotas(None, None)
    told = Allowance(requests=0, requests_full_at=86_400.0)
    assert quotas.wait(0, told, 0.0)[0] == 0
    quotas.sent(0, 0.0)
    assert quotas.wait(0, told, LONGEST_WAIT_S + 1)[0] > 3600
    quotas.settled(0, None)
    assert quotas.wait(0, told, 1.0)[0] == LONGEST_WAIT_S - 1
    assert quotas.wait(0, told, LONGEST_WAIT_S)[0] == 0
