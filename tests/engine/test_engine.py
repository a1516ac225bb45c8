from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from assay.engine import EndpointDown, Engine, Event, FailureBudget, ResponseCache
from assay.engine.health import FIRST, ROW
from assay.errors import AssayError
from assay.models import RequestError
from assay.records import Request, Response
from fake_models import FakeEndpoint, answer
from fake_servers import run


def _fail(kind: str = "server", *, retriable: bool = False, after: float | None = None) -> RequestError:
    return RequestError(kind, f"a {kind} failure", retriable=retriable, retry_after_s=after)


def _raising(error: Exception) -> FakeEndpoint:
    def reply(request: Request, attempt: int) -> Response:
        raise error

    return FakeEndpoint(reply)


def test_identical_requests_in_flight_are_asked_once() -> None:
    async def main() -> None:
        model = FakeEndpoint(latency_s=0.01)
        async with Engine(None) as engine:
            responses = await asyncio.gather(*(engine.ask(model, Request(prompt=str(n % 5))) for n in range(50)))
            assert [one.completions[0].text for one in responses] == [f"to {n % 5}" for n in range(50)]
            assert len(model.asked) == 5
            counters = engine.counters(model)
            assert (counters.asked, counters.answered, counters.shared) == (50, 5, 45)
            assert (counters.prompt_tokens, counters.completion_tokens, counters.in_flight) == (15, 5, 0)

    run(main())


def test_repeats_are_asked_separately_only_when_the_model_samples() -> None:
    async def main() -> int:
        model = FakeEndpoint()
        async with Engine(None) as engine:
            await asyncio.gather(*(engine.ask(model, Request(prompt="x", repeat=n)) for n in range(3)))
            assert len(model.asked) == 1
            await asyncio.gather(*(engine.ask(model, Request(prompt="x", repeat=n, temperature=1.0)) for n in range(3)))
        return len(model.asked)

    assert run(main()) == 4


def test_no_more_requests_are_in_flight_than_the_model_takes() -> None:
    async def main() -> int:
        model = FakeEndpoint(concurrency=3, latency_s=0.002)
        async with Engine(None) as engine:
            await asyncio.gather(*(engine.ask(model, Request(prompt=str(n))) for n in range(20)))
        return model.most_in_flight

    assert run(main()) == 3


def test_a_failure_that_may_pass_is_tried_again_and_the_attempts_are_counted() -> None:
    def reply(request: Request, attempt: int) -> Response:
        if attempt < 3:
            raise _fail("connection", retriable=True)
        return answer("at last")

    async def main() -> list[Event]:
        events: list[Event] = []
        async with Engine(None, on_event=events.append) as engine:
            model = FakeEndpoint(reply)
            response = await engine.ask(model, Request(prompt="x"))
            assert (response.completions[0].text, response.attempts) == ("at last", 3)
            assert response.asked_at is not None
            assert engine.counters(model).retries == 2
        return events

    events = run(main())
    assert [(one.what, one.kind) for one in events] == [("retry", "connection"), ("retry", "connection"), ("answered", "")]


@pytest.mark.parametrize(("retriable", "attempts"), [(False, 1), (True, 3)])
def test_a_request_that_fails_is_a_response_with_a_failure(retriable: bool, attempts: int) -> None:
    async def main() -> Response:
        async with Engine(None, retries=2) as engine:
            response: Response = await engine.ask(_raising(_fail("bad_request", retriable=retriable)), Request(prompt="x"))
            return response

    response = run(main())
    assert response.failure is not None
    assert (response.failure.kind, response.failure.message) == ("bad_request", "a bad_request failure")
    assert (response.attempts, response.completions) == (attempts, ())


def test_an_unexpected_exception_of_a_model_is_a_failure_and_not_the_end() -> None:
    async def main() -> Response:
        async with Engine(None) as engine:
            response: Response = await engine.ask(_raising(ZeroDivisionError("oh")), Request(prompt="x"))
            return response

    failure = run(main()).failure
    assert failure is not None
    assert (failure.kind, failure.message) == ("error", "ZeroDivisionError: oh")


def test_an_attempt_that_takes_too_long_is_a_timeout() -> None:
    async def main() -> Response:
        async with Engine(None, retries=1, timeout_s=0.02) as engine:
            model = FakeEndpoint(latency_s=3600)
            response: Response = await engine.ask(model, Request(prompt="x"))
            assert model.cancelled == 2
            return response

    response = run(main())
    assert response.failure is not None
    assert (response.failure.kind, response.attempts) == ("timeout", 2)


def test_a_prompt_no_encoding_can_carry_is_a_failure() -> None:
    async def main() -> Response:
        async with Engine(None) as engine:
            response: Response = await engine.ask(FakeEndpoint(), Request(prompt="\ud800"))
            return response

    failure = run(main()).failure
    assert failure is not None
    assert failure.kind == "bad_request"


def test_what_was_answered_once_is_never_asked_again_and_failures_are(tmp_path: Path) -> None:
    def reply(request: Request, attempt: int) -> Response:
        if request.prompt == "bad":
            raise _fail("bad_request")
        return answer("good")

    async def main() -> None:
        for round_ in range(2):
            model = FakeEndpoint(reply)
            with ResponseCache(tmp_path / "r.sqlite") as cache:
                async with Engine(cache) as engine:
                    good, bad = await asyncio.gather(*(engine.ask(model, Request(prompt=p)) for p in ("good", "bad")))
                    assert good.completions == answer("good").completions
                    assert bad.failure is not None
                    assert [one.prompt for one in model.asked] == (["good", "bad"] if round_ == 0 else ["bad"])
                    assert engine.counters(model).cached == round_

    run(main())


def test_two_models_never_share_answers(tmp_path: Path) -> None:
    async def main() -> None:
        with ResponseCache(tmp_path / "r.sqlite") as cache:
            async with Engine(cache) as engine:
                one = FakeEndpoint(lambda *_: answer("one"), name="fake/one")
                other = FakeEndpoint(lambda *_: answer("other"), name="fake/other")
                responses = await asyncio.gather(*(engine.ask(model, Request(prompt="x")) for model in (one, other)))
                assert [response.completions[0].text for response in responses] == ["one", "other"]

    run(main())


def test_the_last_one_to_leave_cancels_the_request_and_the_one_who_stays_gets_the_answer() -> None:
    async def main() -> None:
        model = FakeEndpoint(latency_s=0.05)
        async with Engine(None) as engine:
            stays, leaves = (asyncio.create_task(engine.ask(model, Request(prompt="x"))) for _ in range(2))
            alone = asyncio.create_task(engine.ask(model, Request(prompt="y")))
            await asyncio.sleep(0.01)
            leaves.cancel()
            alone.cancel()
            for task in (leaves, alone):
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert model.cancelled == 1
            assert model.in_flight == 1
            # Asked again at once, it is a new request and not the one that was cancelled.
            assert (await engine.ask(model, Request(prompt="y"))).completions[0].text == "to y"
            assert (await stays).completions[0].text == "to x"
        assert len(asyncio.all_tasks()) <= 2

    run(main())


def test_a_request_cancelled_while_it_waits_for_its_next_attempt_is_not_tried_again() -> None:
    async def main() -> int:
        model = _raising(_fail("rate_limit", retriable=True, after=30.0))
        async with Engine(None) as engine:
            task = asyncio.create_task(engine.ask(model, Request(prompt="x")))
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        return len(model.asked)

    assert run(main()) == 1


@pytest.mark.parametrize("kind", ["connection", "authentication", "not_found", "no_echo"])
def test_an_endpoint_whose_first_requests_all_fail_is_given_up_with_one_clear_error(kind: str) -> None:
    async def main() -> int:
        model = _raising(_fail(kind))
        async with Engine(None) as engine:
            for number in range(FIRST - 1):
                assert (await engine.ask(model, Request(prompt=str(number)))).failure is not None
                # The same request again is no further evidence.
                assert (await engine.ask(model, Request(prompt=str(number)))).failure is not None
            with pytest.raises(EndpointDown, match=f"fake/endpoint cannot be asked: its first 3 .*a {kind} failure") as raised:
                await engine.ask(model, Request(prompt="third"))
            assert isinstance(raised.value, AssayError)
            asked = len(model.asked)
            for number in range(100):
                with pytest.raises(EndpointDown):
                    await engine.ask(model, Request(prompt=f"more {number}"))
            assert len(model.asked) == asked
        return asked

    assert run(main()) == 2 * FIRST - 1


def test_those_who_wait_for_another_attempt_hear_at_once_that_the_endpoint_is_down() -> None:
    def reply(request: Request, attempt: int) -> Response:
        raise _fail("rate_limit", retriable=True, after=60.0) if request.prompt == "patient" else _fail("authentication")

    async def main() -> None:
        model = FakeEndpoint(reply)
        async with Engine(None) as engine:
            patient = asyncio.create_task(engine.ask(model, Request(prompt="patient")))
            await asyncio.sleep(0.01)
            await asyncio.gather(*(engine.ask(model, Request(prompt=str(n))) for n in range(3)), return_exceptions=True)
            with pytest.raises(EndpointDown):
                async with asyncio.timeout(5):
                    await patient

    run(main())


def test_prompts_that_are_too_long_say_nothing_about_the_endpoint() -> None:
    async def main() -> None:
        model = _raising(_fail("context_length"))
        async with Engine(None) as engine:
            for number in range(2 * ROW):
                assert (await engine.ask(model, Request(prompt=str(number)))).failure is not None

    run(main())


def test_an_endpoint_that_stops_answering_is_given_up_after_a_row_of_failures() -> None:
    def reply(request: Request, attempt: int) -> Response:
        if str(request.prompt).startswith("good"):
            return answer("good")
        raise _fail("server")

    async def main() -> None:
        async with Engine(None) as engine:
            model = FakeEndpoint(reply)
            await engine.ask(model, Request(prompt="good"))
            for number in range(ROW - 1):
                await engine.ask(model, Request(prompt=f"bad {number}"))
            await engine.ask(model, Request(prompt="good again"))
            for number in range(ROW - 1):
                await engine.ask(model, Request(prompt=f"worse {number}"))
            with pytest.raises(EndpointDown, match=f"{ROW} requests in a row failed, the last: a server failure"):
                await engine.ask(model, Request(prompt="worst"))

    run(main())


@pytest.mark.parametrize("kind", ["bad_request", "malformed", "error"])
def test_refusals_are_no_outage_where_anything_was_answered_now_or_before(kind: str, tmp_path: Path) -> None:
    def reply(request: Request, attempt: int) -> Response:
        if str(request.prompt).startswith("good"):
            return answer("good")
        raise _fail(kind)

    async def main() -> None:
        with ResponseCache(tmp_path / "r.sqlite") as cache:
            for _ in range(2):  # the second time the good one comes from the cache
                model = FakeEndpoint(reply)
                async with Engine(cache) as engine:
                    await engine.ask(model, Request(prompt="good"))
                    for number in range(2 * ROW):
                        assert (await engine.ask(model, Request(prompt=f"bad {number}"))).failure is not None
                assert len(model.asked) >= 2 * ROW

    run(main())


def test_one_that_refuses_all_it_is_asked_is_given_up_unless_a_budget_decides_or_it_answered_elsewhere() -> None:
    async def main() -> None:
        async with Engine(None) as engine:
            model = _raising(_fail("bad_request"))
            for number in range(ROW - 1):
                await engine.ask(model, Request(prompt=str(number)))
            with pytest.raises(EndpointDown, match=f"refuses what it is asked: its first {ROW} .*a bad_request failure"):
                await engine.ask(model, Request(prompt="last"))
        for engine in (Engine(None, budget=FailureBudget(1e6)), Engine(None)):
            async with engine:
                if not engine.budget.limited:
                    engine.answered_before([model])
                for number in range(2 * ROW):
                    assert (await engine.ask(model, Request(prompt=str(number)))).failure is not None

    run(main())


@pytest.mark.parametrize("kind", ["authentication", "not_found"])
def test_refusals_in_between_do_not_hide_that_an_endpoint_is_gone(kind: str) -> None:
    def reply(request: Request, attempt: int) -> Response:
        if request.prompt == "good":
            return answer("good")
        raise _fail("bad_request" if str(request.prompt).startswith("refused") else kind)

    async def main() -> None:
        model = FakeEndpoint(reply)
        async with Engine(None) as engine:
            await engine.ask(model, Request(prompt="good"))
            for number in range(ROW - 1):
                await engine.ask(model, Request(prompt=f"refused {number}"))
                await engine.ask(model, Request(prompt=f"gone {number}"))
            with pytest.raises(EndpointDown, match=f"stopped answering: {ROW} requests in a row failed"):
                await engine.ask(model, Request(prompt="the last straw"))

    run(main())


def test_what_is_cached_is_still_served_when_the_endpoint_is_down(tmp_path: Path) -> None:
    async def main() -> None:
        with ResponseCache(tmp_path / "r.sqlite") as cache:
            async with Engine(cache) as engine:
                await engine.ask(FakeEndpoint(), Request(prompt="known"))
                broken = _raising(_fail("connection"))
                await asyncio.gather(*(engine.ask(broken, Request(prompt=str(n))) for n in range(5)), return_exceptions=True)
                assert (await engine.ask(broken, Request(prompt="known"))).completions[0].text == "to known"

    run(main())


def test_an_endpoint_that_is_gone_is_asked_a_few_times_only_and_nobody_is_left_waiting() -> None:
    def reply(request: Request, attempt: int) -> Response:
        if not gone:
            return answer("good")
        raise _fail("connection", retriable=True)

    gone = False
    events: list[Event] = []

    async def main() -> int:
        nonlocal gone
        async with Engine(None, outage_s=0.5, on_event=events.append) as engine:
            model = FakeEndpoint(reply, concurrency=64)
            await asyncio.gather(*(engine.ask(model, Request(prompt=f"good {n}")) for n in range(100)))
            gone, before = True, len(model.asked)
            asked = (engine.ask(model, Request(prompt=f"bad {n}")) for n in range(2000))
            outcomes = await asyncio.gather(*asked, return_exceptions=True)
            assert sum(isinstance(one, EndpointDown) for one in outcomes) == 2000
            assert engine.counters(model).paused_why == "no attempt succeeds"
            assert engine.counters(model).limit == 1
            return len(model.asked) - before

    assert run(main()) <= 2 * 64 + 2 * 8
    pauses = [event.wait_s for event in events if event.what == "pause"]
    assert pauses[:3] == [0.25, 0.5, 1.0]
    assert [event.what for event in events].count("down") == 1


def test_an_endpoint_that_comes_back_in_time_loses_no_request() -> None:
    def reply(request: Request, attempt: int) -> Response:
        nonlocal attempts
        attempts += 1
        if 100 < attempts <= 130:
            raise _fail("connection", retriable=True)
        return answer("good")

    attempts = 0

    async def main() -> None:
        async with Engine(None) as engine:
            model = FakeEndpoint(reply, concurrency=32, latency_s=0.001)
            responses = await asyncio.gather(*(engine.ask(model, Request(prompt=str(n))) for n in range(600)))
            assert all(response.failure is None for response in responses)
            assert len(model.asked) == 630

    run(main())


def test_a_row_of_refusals_holds_everybody_back_as_long_as_the_endpoint_asks() -> None:
    loop_time: list[float] = []

    def reply(request: Request, attempt: int) -> Response:
        loop_time.append(asyncio.get_running_loop().time())
        if len(loop_time) <= 4:
            raise _fail("rate_limit", retriable=True, after=0.3)
        return answer("good")

    async def main() -> None:
        events: list[Event] = []
        async with Engine(None, on_event=events.append) as engine:
            model = FakeEndpoint(reply, concurrency=4)
            await asyncio.gather(*(engine.ask(model, Request(prompt=str(n))) for n in range(40)))
            assert engine.counters(model).refused == 4
        assert [(event.what, event.wait_s) for event in events if event.what == "pause"] == [("pause", 0.3)]

    run(main())
    # Three were sent in the places of the first three refused, before the fourth refusal made it a row.
    assert min(loop_time[7:]) - max(loop_time[:7]) >= 0.29
    assert len(loop_time) == 44


def test_a_configured_rate_of_tokens_is_put_right_by_what_answers_really_take() -> None:
    async def main() -> list[float]:
        model = FakeEndpoint(lambda *_: answer("ok", prompt_tokens=1, completion_tokens=1), concurrency=8)
        model.capabilities = replace(model.capabilities, tokens_per_minute=60_000)
        started: list[float] = []
        async with Engine(None) as engine:
            for number in range(8):
                # Estimated at 200 tokens each, more than the 100 that may go at once; they take two.
                await engine.ask(model, Request(prompt=str(number), max_tokens=199))
                started.append(asyncio.get_running_loop().time())
        return started

    started = run(main())
    # Eight times 200 tokens, as estimated, would take 1.5 s at a thousand a second; the corrected ones nearly nothing.
    assert started[-1] - started[0] < 1.0


def test_all_attempts_at_a_request_together_are_bounded() -> None:
    async def main() -> Response:
        async with Engine(None, timeout_s=0.05, retries=1000) as engine:
            response: Response = await engine.ask(FakeEndpoint(latency_s=3600), Request(prompt="x"))
            return response

    response = run(main())
    assert response.failure is not None
    assert response.failure.kind == "timeout"
    assert 1 < response.attempts <= 10


def test_the_counters_tell_the_limit_and_who_waits() -> None:
    async def main() -> None:
        model = FakeEndpoint(concurrency=100, latency_s=0.02)
        async with Engine(None) as engine:
            tasks = [asyncio.create_task(engine.ask(model, Request(prompt=str(n)))) for n in range(200)]
            await asyncio.sleep(0.01)
            counters = engine.counters(model)
            assert (counters.limit, counters.in_flight, counters.waiting) == (16, 16, 184)
            await asyncio.gather(*tasks)
            assert (counters.in_flight, counters.waiting) == (0, 0)
            assert 16 < counters.limit <= 100

    run(main())


def test_the_counters_outlive_the_event_loop_and_the_engine_works_in_the_next_one() -> None:
    engine, model = Engine(None), FakeEndpoint(concurrency=1)

    async def main(round_: int) -> None:
        await asyncio.gather(*(engine.ask(model, Request(prompt=f"{round_} {number}")) for number in range(3)))
        await engine.close()

    for round_ in range(2):
        run(main(round_))
    assert (engine.counters(model).asked, engine.counters(model).answered) == (6, 6)


def test_closing_cancels_what_is_under_way() -> None:
    async def main() -> None:
        engine, model = Engine(None), FakeEndpoint(latency_s=3600)
        task = asyncio.create_task(engine.ask(model, Request(prompt="x")))
        await asyncio.sleep(0.01)
        await engine.close()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (model.cancelled, model.in_flight) == (1, 0)

    run(main())
