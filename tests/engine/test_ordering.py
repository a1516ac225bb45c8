from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine import in_order


async def _collect(delays: list[int], window: int, behind: int = 0) -> tuple[list[int], int, int]:
    """Results, most at work at once, and most pulled beyond what was given out."""
    working = most = pulled = given_out = ahead = 0

    def items() -> Iterator[int]:
        nonlocal pulled, ahead
        for number in range(len(delays)):
            pulled += 1
            ahead = max(ahead, pulled - given_out)
            yield number

    async def work(number: int) -> int:
        nonlocal working, most
        working += 1
        most = max(most, working)
        for _ in range(delays[number]):
            await asyncio.sleep(0)
        working -= 1
        return number * 10

    results = []
    async for result in in_order(items(), work, window, behind):
        results.append(result)
        given_out += 1
    return results, most, ahead


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 12), max_size=40), st.integers(1, 9), st.integers(0, 9))
def test_results_keep_the_order_of_the_items_and_the_window_is_never_exceeded(
    delays: list[int], window: int, behind: int
) -> None:
    results, most, ahead = asyncio.run(_collect(delays, window, behind))
    assert results == [10 * number for number in range(len(delays))]
    assert most <= window
    assert ahead <= window + behind


def test_a_slow_item_holds_back_only_as_many_as_may_be_done_behind_it() -> None:
    async def main() -> tuple[int, list[int]]:
        done, slow = 0, asyncio.Event()

        async def work(number: int) -> int:
            nonlocal done
            if number == 0:
                await slow.wait()
            else:
                await asyncio.sleep(0)
            done += 1
            return number

        async def consume() -> list[int]:
            return [result async for result in in_order(range(100), work, 4, behind=20)]

        consumer = asyncio.create_task(consume())
        for _ in range(500):
            await asyncio.sleep(0)
        before = done
        slow.set()
        return before, await consumer

    # The slow one, and all others that may have been begun: the window and those behind it.
    assert asyncio.run(asyncio.wait_for(main(), 10)) == (4 + 20 - 1, list(range(100)))


def test_work_really_overlaps() -> None:
    _, most, _ = asyncio.run(_collect([5] * 20, 7))
    assert most == 7


def test_an_exception_cancels_the_rest_at_once_and_reaches_the_consumer() -> None:
    cancelled = []

    async def work(number: int) -> int:
        if number == 3:
            raise ValueError("number three")
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.append(number)
            raise
        return number

    async def main() -> int:
        with pytest.raises(ValueError, match="number three"):
            async for _ in in_order(range(100), work, 8):
                pass
        return len(asyncio.all_tasks())

    assert asyncio.run(asyncio.wait_for(main(), 10)) <= 2
    assert sorted(cancelled) == [0, 1, 2, 4, 5, 6, 7]


def test_an_item_that_cannot_be_made_cancels_the_rest() -> None:
    def items() -> Iterator[int]:
        yield 0
        raise KeyError("row 2")

    async def work(number: int) -> None:
        await asyncio.sleep(3600)

    async def main() -> None:
        with pytest.raises(KeyError):
            async for _ in in_order(items(), work, 4):
                pass

    asyncio.run(asyncio.wait_for(main(), 10))


def test_a_consumer_that_stops_early_leaves_no_task_behind() -> None:
    async def work(number: int) -> int:
        await asyncio.sleep(0 if number < 3 else 3600)
        return number

    async def main() -> tuple[list[int], int]:
        seen = []
        async with aclosing(in_order(range(10**9), work, 16)) as results:
            async for result in results:
                seen.append(result)
                if result == 2:
                    break
        return seen, len(asyncio.all_tasks())

    assert asyncio.run(asyncio.wait_for(main(), 10)) == ([0, 1, 2], 2)


def test_a_cancelled_consumer_cancels_the_work() -> None:
    ended = []

    async def work(number: int) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append(number)

    async def consume() -> None:
        async for _ in in_order(range(5), work, 5):
            pass

    async def main() -> None:
        task = asyncio.create_task(consume())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert sorted(ended) == [0, 1, 2, 3, 4]


def test_a_window_below_one_is_refused() -> None:
    async def main() -> None:
        async for _ in in_order([1], asyncio.sleep, 0):
            pass

    with pytest.raises(ValueError, match="window"):
        asyncio.run(main())


def test_work_that_is_done_at_once_loses_no_item() -> None:
    """An item whose work ends before the loop gets its turn counts as done in every respect."""

    async def main(count: int) -> list[int]:
        async def work(number: int) -> int:
            return number

        return [number async for number in in_order(range(count), work, 1)]

    assert [len(asyncio.run(main(count))) for count in range(70)] == list(range(70))
