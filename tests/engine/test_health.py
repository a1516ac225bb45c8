from __future__ import annotations

from assay.engine.health import ATTEMPTS, LONGEST_PAUSE_S, REFUSALS, Health
from assay.engine.retry import LONGEST_RETRY_AFTER_S, OUTAGE_S
from assay.models import RequestError


def _error(kind: str = "connection", *, retriable: bool = True, after: float | None = None) -> RequestError:
    return RequestError(kind, f"a {kind} failure", retriable=retriable, retry_after_s=after)


def _worked() -> Health:
    health = Health("m")
    health.succeeded(0.0)
    return health


def _outage(health: Health, error: RequestError, most_s: float = 1e6, begin: float = 0.0) -> tuple[list[float], float]:
    """Fail until it is given up, one try after each pause: the pauses, and how long it took."""
    now, pauses, number = begin, [], 0
    while not health.down and now < begin + most_s:
        number += 1
        pause = health.attempt_failed(f"key {number}", error, now, now, 8)
        now += max(pause, 0.001)
        if pause:
            pauses.append(pause)
    return pauses, now - begin


def test_a_few_failures_pause_nobody_and_an_answer_begins_the_count_anew() -> None:
    health = _worked()
    for now in range(100):
        pauses = [health.attempt_failed(f"{now} {n}", _error("server"), now, now, 8) for n in range(ATTEMPTS - 1)]
        assert not any(pauses)
        health.succeeded(now)
    assert not health.gone


def test_one_request_that_always_fails_is_no_outage() -> None:
    health = _worked()
    assert not any(health.attempt_failed("the same", _error("server"), now, now, 8) for now in range(50))


def test_where_nothing_succeeds_the_pauses_double_and_the_end_comes_after_a_minute() -> None:
    pauses, took = _outage(_worked(), _error())
    assert pauses[:5] == [0.25, 0.5, 1.0, 2.0, 4.0]
    assert max(pauses) <= LONGEST_PAUSE_S
    assert OUTAGE_S <= took <= 2.5 * OUTAGE_S


def test_the_message_says_how_long_and_why() -> None:
    health = _worked()
    _outage(health, _error())
    assert health.down.startswith("m stopped answering: every attempt of the last 6")
    assert health.down.endswith("the last: a connection failure")


def test_a_server_that_never_answered_and_refuses_connections_is_given_up_within_seconds() -> None:
    health = Health("m")
    _, took = _outage(health, _error())
    assert took < 10
    assert "cannot be asked" in health.down


def test_a_server_that_is_still_starting_up_is_waited_for() -> None:
    health = Health("m")
    _, took = _outage(health, _error("server"))
    assert took >= OUTAGE_S


def test_an_answer_ends_the_outage_and_the_next_one_begins_with_a_short_pause() -> None:
    health = _worked()
    _outage(health, _error(), most_s=20)
    assert health.gone
    health.succeeded(100.0)
    assert not health.gone
    pauses, _ = _outage(health, _error(), most_s=1, begin=1000.0)
    assert pauses[0] == 0.25


def test_requests_that_were_under_way_together_are_one_piece_of_evidence() -> None:
    health = _worked()
    pauses = [health.attempt_failed(str(n), _error(), 10.0, 10.5 + n / 1000, 256) for n in range(256)]
    assert sum(pause > 0 for pause in pauses) == 1
    assert not health.down


def test_failures_that_arrive_in_a_bunch_with_answers_are_no_row() -> None:
    health = _worked()
    health.succeeded(10.1)
    assert not any(health.attempt_failed(str(n), _error("server"), 10.0, 10.1, 256) for n in range(100))
    assert not any(health.attempt_failed(str(n), _error("rate_limit", after=9.0), 10.0, 10.1, 256) for n in range(100))


def test_an_endpoint_that_says_no_is_there() -> None:
    health = _worked()
    for number in range(200):
        assert not health.attempt_failed(str(number), _error("server"), number, number, 8)
        assert not health.attempt_failed(str(number), _error("bad_request", retriable=False), number, number, 8)


def test_single_refusals_are_one_requests_affair_and_a_row_of_them_everybodys() -> None:
    health = _worked()
    error = _error("rate_limit", after=20.0)
    pauses = [health.attempt_failed(str(n), error, n, n + 0.5, 64) for n in range(REFUSALS)]
    assert pauses == [0.0] * (REFUSALS - 1) + [20.0]
    # Those that were sent before the pause add nothing.
    assert health.attempt_failed("late", error, REFUSALS - 1, REFUSALS, 64) == 0


def test_with_one_request_at_a_time_the_first_refusal_is_everybodys() -> None:
    assert _worked().attempt_failed("a", _error("rate_limit", after=7.0), 0.0, 0.1, 1) == 7.0


def test_a_pause_the_endpoint_asks_for_is_never_cut_short() -> None:
    pauses, took = _outage(_worked(), _error("rate_limit", after=25.0))
    assert min(pauses) == 25.0
    assert took > OUTAGE_S


def test_an_endpoint_that_wants_to_be_left_alone_for_hours_is_given_up_instead() -> None:
    pauses, took = _outage(_worked(), _error("rate_limit", after=LONGEST_RETRY_AFTER_S + 1))
    assert max(pauses) <= LONGEST_PAUSE_S
    assert took < 3 * OUTAGE_S
