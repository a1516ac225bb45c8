"""Concurrent work whose results come in the order of the items, within a bounded window."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

BREATH = 4
"""Items pulled before work already begun gets its turn: making an item (a prompt) may take a while."""


async def in_order(
    items: Iterable[T], work: Callable[[T], Awaitable[R]], window: int, behind: int = 0
) -> AsyncGenerator[R, None]:
    """Do the work for all items, up to `window` at once, and give the results in the order of the items.

    Items are pulled only as the window has room, so a million of them may be a generator. One slow item holds back the
    results after it, and the work once as many items are done behind it as may be: choose a window of a few times the
    concurrency below, and as much behind it as memory allows. Where the first failure ends the iteration early, and where
    the consumer stops early, work still running is cancelled and awaited; a consumer that may stop early closes the iterator
    (`contextlib.aclosing`).

    Args:
        items: what to work on.
        work: a coroutine function.
        window: most items under way at once, at least 1.
        behind: most items that may be done and wait for a slow one before them, beyond those that the window has room for.

    Raises:
        ValueError: the window is below 1.
        Exception: the first exception that any work, or the pulling of an item, raised.
    """
    if window < 1:
        raise ValueError("the window must be at least 1")
    source = iter(items)
    begun: deque[asyncio.Task[R]] = deque()
    failed: list[asyncio.Task[R]] = []
    changed = asyncio.Event()
    under_way = 0

    async def run(item: T) -> R:
        nonlocal under_way
        try:
            return await work(item)
        finally:
            # Here and not in a callback, which runs later than the task counts as done.
            under_way -= 1

    def finished(task: asyncio.Task[R]) -> None:
        if not task.cancelled() and task.exception() is not None:
            failed.append(task)
        changed.set()

    exhausted, pulled = False, 0
    try:
        while True:
            while not exhausted and not failed and under_way < window and len(begun) < window + behind:
                try:
                    item = next(source)
                except StopIteration:
                    exhausted = True
                    break
                task = asyncio.create_task(run(item))
                task.add_done_callback(finished)
                begun.append(task)
                under_way += 1
                pulled += 1
                if pulled % BREATH == 0:
                    await asyncio.sleep(0)
            if not begun:
                return
            if failed or begun[0].done():
                yield (failed[0] if failed else begun.popleft()).result()
            else:
                changed.clear()
                await changed.wait()
    finally:
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
