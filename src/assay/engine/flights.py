"""Single flight: a request on its way, shared by all who ask the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from assay.records import Response


class Flight:
    """A request on its way, and how many wait for it. When the last one leaves, the request is cancelled.

    Args:
        left: takes this flight out of the books; called when it has landed, and when nobody waits any more.
    """

    def __init__(self, left: Callable[[Flight], None]) -> None:
        self.landing: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self.waiting = 0
        """How many wait for it."""
        self._left = left
        self._task: asyncio.Task[Response] | None = None

    def start(self, work: Coroutine[Any, Any, Response]) -> None:
        """Have the response fetched by `work`."""
        self._task = asyncio.create_task(work)
        self._task.add_done_callback(self._done)

    def land(self, response: Response) -> None:
        """The response is there, and no work is needed."""
        self._left(self)
        if not self.landing.done():
            self.landing.set_result(response)

    @property
    def started(self) -> bool:
        """It was begun, or has landed."""
        return self._task is not None or self.landing.done()

    def leave(self) -> bool:
        """One who waits does so no more; whether the flight is to be cancelled, because nobody does."""
        self.waiting -= 1
        if self.waiting or self.landing.done():
            return False
        # Out of the books first: whoever asks the same now must not join a request that is being cancelled.
        self._left(self)
        return True

    def stop(self) -> None:
        """Stop the work, without waiting until it has stopped."""
        if self._task is None:
            self.landing.cancel()
        else:
            self._task.cancel()

    async def cancel(self) -> None:
        """Stop the work and wait until it has stopped."""
        self.stop()
        if self._task is not None:
            await asyncio.wait({self._task})

    def _done(self, task: asyncio.Task[Response]) -> None:
        self._left(self)
        error = None if task.cancelled() else task.exception()
        if self.landing.done():
            return
        if task.cancelled():
            self.landing.cancel()
        elif error is not None:
            self.landing.set_exception(error)
            self.landing.exception()  # looked at, so that asyncio does not report it when all who waited have left
        else:
            self.landing.set_result(task.result())


async def landed(flights: Sequence[Flight]) -> list[Response]:
    """The responses of some flights, in their order, once all are there.

    Raises:
        Exception: what one of them raised, as soon as it did.
    """
    for flight in flights:
        flight.waiting += 1
    try:
        pending = {flight.landing for flight in flights if not flight.landing.done()}
        if pending:
            # Unlike gather, this makes no tasks and cancels nothing that others wait for.
            done, _ = await asyncio.wait(pending, return_when=asyncio.FIRST_EXCEPTION)
            for landing in done:
                landing.result()
        return [flight.landing.result() for flight in flights]
    finally:
        # All before any is waited for: a slot that one of them gives back must not let another one of them in, and a model in
        # this process ends its batch when nobody waits for any of it.
        deserted = [flight for flight in flights if flight.leave()]
        for flight in deserted:
            flight.stop()
        for flight in deserted:
            await flight.cancel()
