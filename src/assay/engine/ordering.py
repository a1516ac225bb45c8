"""Concurrent work whose results come in the order of the items, within a bounded window."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

BREATH = 16
"""Items pulled before work already begun gets its turn: making an item (a prompt) may take a while."""


async def in_order(items: Iterable[T], work: Callable[[T], Awaitable[R]], window: int) -> AsyncGenerator[R, None]:
    """Do the work for all items, up to `window` at once, and give the results in the order of the items.

    Items are pulled only as the window has room, so a million of them may be a generator. One slow item holds back the
    results after it, not the work: choose a window of a few times the concurrency below. Where the first failure ends the
    iteration early, and where the consumer stops early, work still running is cancelled and awaited; a consumer that may
    stop early closes the iterator (`contextlib.aclosing`).

    Args:
        items: what to work on.
        work: a coroutine function.
        window: most items begun and not yet given out, at least 1.

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

    def finished(task: asyncio.Task[R]) -> None:
        if not task.cancelled() and task.exception() is not None:
            failed.append(task)
        changed.set()

    exhausted = False
    try:
        while True:
            while not exhausted and not failed and len(begun) < window:
                try:
                    item = next(source)
                except StopIteration:
                    exhausted = True
                    break
                task = asyncio.ensure_future(_run(work, item))
                task.add_done_callback(finished)
                begun.append(task)
                if len(begun) % BREATH == 0:
                    await asyncio.sleep(0)
            if not begun:
                return
            while not failed and not begun[0].done():
                changed.clear()
                await changed.wait()
            yield (failed[0] if failed else begun.popleft()).result()
    finally:
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)


async def _run(work: Callable[[T], Awaitable[R]], item: T) -> R:
    return await work(item)
