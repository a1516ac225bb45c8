"""Requests that nobody waits for any more are not sent."""

from __future__ import annotations

import asyncio

import pytest

from assay.engine import Engine, in_order
from assay.errors import AssayError
from assay.records import Request, Response
from fake_models import FakeEndpoint, answer
from fake_servers import run

CONCURRENCY = 4


async def _sent_after(end: str) -> tuple[int, int]:
    """How many requests had been sent when everything was stopped, and how many were sent later."""
    reached = asyncio.Event()

    def reply(request: Request, _: int) -> Response:
        if len(model.asked) >= 20:
            reached.set()
            if end == "broken":
                raise AssayError("the disk is full")
        return answer("B")

    model = FakeEndpoint(reply, concurrency=CONCURRENCY, latency_s=0.01)
    engine = Engine(None)

    async def chunk(number: int) -> list[Response]:
        return await engine.ask_all(model, [Request(prompt=f"{number} {place}") for place in range(16)])

    async def everything() -> None:
        async for _ in in_order(range(40), chunk, 30):
            pass

    task = asyncio.create_task(everything())
    await reached.wait()
    before = len(model.asked)
    if end == "cancelled":
        task.cancel()
    with pytest.raises((asyncio.CancelledError, AssayError)):
        await task
    await engine.close()
    await asyncio.sleep(0.05)
    return before, len(model.asked) - before


def test_slots_that_cancelled_requests_give_back_let_no_others_in() -> None:
    """Those that are through in the very moment of the end may each have let one more in, and that is all."""
    before, after = run(_sent_after("cancelled"))
    assert before >= 20
    assert after <= CONCURRENCY


def test_hardly_anything_is_sent_after_the_first_error_that_ends_a_run() -> None:
    _, after = run(_sent_after("broken"))
    assert after <= 2 * CONCURRENCY
