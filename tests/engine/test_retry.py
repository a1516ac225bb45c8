from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.engine.retry import CAP_S, LONGEST_RETRY_AFTER_S, MOST, Patience, pause_s
from assay.identity import generator
from assay.models import RequestError


def _error(kind: str = "server", *, retriable: bool = True, after: float | None = None) -> RequestError:
    return RequestError(kind, "", retriable=retriable, retry_after_s=after)


@given(st.integers(1, 20), st.floats(0, LONGEST_RETRY_AFTER_S), st.booleans(), st.integers())
def test_the_pause_is_never_shorter_than_the_server_asks_nor_much_longer(
    attempt: int, after: float, worked: bool, seed: int
) -> None:
    pause = pause_s(attempt, _error("rate_limit", after=after), worked, generator("t", seed))
    assert pause is not None
    assert after <= pause <= 1.1 * after + 0.1 + 1e-9


@given(st.integers(1, 20), st.sampled_from(["server", "connection", "rate_limit"]), st.booleans())
def test_without_a_wish_of_the_server_the_pause_is_bounded(attempt: int, kind: str, worked: bool) -> None:
    pause = pause_s(attempt, _error(kind), worked, generator("t", attempt))
    assert pause is not None
    assert 0 <= pause <= CAP_S


def test_the_bound_grows_and_the_jitter_fills_it() -> None:
    def spread(attempt: int) -> tuple[float, float]:
        pauses = [pause_s(attempt, _error(), True, generator("t", seed)) or 0.0 for seed in range(400)]
        return min(pauses), max(pauses)

    for attempt, bound in [(1, 0.2), (2, 0.4), (3, 0.8), (8, 25.6)]:
        low, high = spread(attempt)
        assert low < 0.05 * bound
        assert 0.95 * bound < high <= bound


def test_a_server_that_refuses_connections_from_the_start_is_given_up_within_seconds() -> None:
    for seed in range(50):
        pauses = [pause_s(attempt, _error("connection"), False, generator("t", seed)) or 0.0 for attempt in range(1, MOST + 1)]
        assert 0 < sum(pauses) < 4


def test_all_attempts_at_a_request_have_half_an_hour_or_ten_times_what_one_may_take() -> None:
    assert Patience().request_s == 1800
    assert Patience(attempt_s=7.0).request_s == 70


def test_no_pause_helps_where_the_failure_stays_or_the_server_wants_to_be_left_alone_for_long() -> None:
    assert pause_s(1, _error(retriable=False), True, generator("t")) is None
    assert pause_s(1, _error("rate_limit", after=LONGEST_RETRY_AFTER_S + 1), True, generator("t")) is None
