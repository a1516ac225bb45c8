from __future__ import annotations

import asyncio
import time

import pytest

from assay.engine import Counters, EndpointDown
from assay.engine.pacing import Gate
from assay.models import Capabilities
from assay.models.base import Allowance
from assay.records import Message, Request
from fake_models import FakeEndpoint
from fake_servers import run


def _gate(**can: object) -> tuple[Gate, FakeEndpoint, Counters]:
    model, counters = FakeEndpoint(), Counters()
    model.capabilities = Capabilities(**can)  # type: ignore[arg-type]
    return Gate(model, counters), model, counters


async def _queue(gate: Gate, numbers: list[int], passed: list[int]) -> list[asyncio.Task[None]]:
    async def one(number: int) -> None:
        await gate.enter(number, 0)
        passed.append(number)

    tasks = [asyncio.create_task(one(number)) for number in numbers]
    await asyncio.sleep(0)
    return tasks


def test_the_oldest_request_goes_first_so_a_retry_goes_before_new_ones() -> None:
    async def main() -> list[int]:
        gate, _, counters = _gate(concurrency=1)
        passed: list[int] = []
        await gate.enter(1, 0)
        await _queue(gate, [5, 6, 7], passed)
        await _queue(gate, [2], passed)
        assert counters.waiting == 4
        for _ in range(4):
            gate.leave(0, None)
            await asyncio.sleep(0)
        assert counters.waiting == 0
        return passed

    assert run(main()) == [2, 5, 6, 7]


def test_who_stops_waiting_takes_no_slot_even_at_the_very_moment_of_getting_one() -> None:
    async def main() -> None:
        gate, _, _ = _gate(concurrency=1)
        passed: list[int] = []
        await gate.enter(1, 0)
        waits, gets, last = await _queue(gate, [2, 3, 4], passed)
        waits.cancel()
        await asyncio.sleep(0)
        gate.leave(0, None)  # the third has the slot from here on, and does not know it yet
        gets.cancel()
        await asyncio.wait({waits, gets, last}, timeout=1)
        assert passed == [4]
        assert last.done()

    run(main())


def test_a_pause_holds_everybody_back_until_it_is_over_and_the_longest_counts() -> None:
    async def main() -> None:
        gate, _, counters = _gate(concurrency=4)
        gate.pause(0.15, "rate limit")
        gate.pause(0.01, "shorter")
        assert counters.paused_why == "rate limit"
        begun = time.monotonic()
        assert counters.paused_until > begun
        await asyncio.gather(*(gate.enter(number, 0) for number in range(3)))
        assert time.monotonic() - begun >= 0.14

    run(main())


def test_a_closed_gate_lets_nobody_pass() -> None:
    async def main() -> None:
        gate, _, _ = _gate(concurrency=1)
        await gate.enter(1, 0)
        waiting = asyncio.gather(*(gate.enter(number, 0) for number in (2, 3)), return_exceptions=True)
        await asyncio.sleep(0)
        gate.close("it is gone")
        for error in await waiting:
            assert isinstance(error, EndpointDown)
            assert str(error).startswith("it is gone (every answer so far is kept")
        with pytest.raises(EndpointDown):
            await gate.enter(4, 0)

    run(main())


def test_a_configured_rate_spaces_requests_and_says_what_holds_them_back() -> None:
    async def main() -> None:
        gate, _, counters = _gate(concurrency=8, requests_per_minute=1200)
        begun = time.monotonic()
        for number in range(6):
            await gate.enter(number, 0)
            gate.leave(0, None)
        # Two may go at once: a tenth of a second's worth. The others follow at a little less than 20 a second.
        assert time.monotonic() - begun >= 4 * 0.05
        assert counters.paused_why == "requests_per_minute"

    run(main())


def test_what_the_endpoint_says_it_still_takes_is_not_exceeded() -> None:
    async def main() -> None:
        gate, model, _ = _gate(concurrency=8)
        passed: list[int] = []
        await gate.enter(0, 0)
        model.allowance = Allowance(requests=3, requests_full_at=time.monotonic() + 3600)
        tasks = await _queue(gate, [1, 2, 3, 4], passed)
        assert passed == [1, 2]
        model.allowance.requests = 10
        gate.leave(0, None)
        await asyncio.gather(*tasks)
        assert passed == [1, 2, 3, 4]

    run(main())


def test_tokens_are_estimated_only_where_a_limit_on_them_is_known() -> None:
    request = Request(prompt="x" * 400, max_tokens=20, completions=2)
    messages = Request(prompt=(Message(role="user", content="y" * 80), Message(role="user", content="y" * 80)), max_tokens=1)
    assert _gate(concurrency=1)[0].tokens_of(request) == 0
    gate, _, _ = _gate(concurrency=1, tokens_per_minute=1000)
    assert gate.tokens_of(request) == 101 + 40
    assert gate.tokens_of(messages) == 41 + 1
    gate, model, _ = _gate(concurrency=1)
    model.allowance = Allowance(tokens=5000)
    model.count_tokens = lambda text: 7  # type: ignore[method-assign]
    assert gate.tokens_of(request) == 47
