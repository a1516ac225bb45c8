"""Asking a model in this process: waiting requests become batches that share work, asked in one worker thread."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from assay.engine.events import Counters
from assay.errors import AssayError
from assay.models.base import Local
from assay.models.wording import one_line
from assay.records import Failure, Request, Response

GATHER_S = 0.002
"""Wait for company before a batch that is not full."""


@dataclass(eq=False)
class _Waiting:
    number: int
    order: tuple[Any, ...]
    request: Request
    future: asyncio.Future[Response]
    deserted: bool = False
    """Whoever asked waits no more, but for what its batch has for it already."""


class Dispatcher:
    """Collects the requests to one local model and asks them in batches of at most `capabilities.concurrency`.

    A batch is a run of neighbours in the order of `batch_key` that holds the request waiting longest, so that neighbours
    share work and nobody waits forever. While a batch is computed, the next one gathers.

    Args:
        model: is asked.
        counters: says how many requests are being computed.
    """

    def __init__(self, model: Local, counters: Counters) -> None:
        self._model = model
        self._counters = counters
        self._size = max(1, model.capabilities.concurrency)
        self._waiting: list[_Waiting] = []
        self._computing: list[_Waiting] = []
        self._count = 0
        self._unordered = False
        self._pump: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="assay-model")

    async def ask(self, request: Request) -> Response:
        """The response, which may hold a failure.

        Cancelled while its batch is computed, a request still gets its answer if the batch has one, so that work done is
        kept; a batch that nobody waits for is told to end early. Cancelled once more, the answer is lost.

        Raises:
            AssayError: the model cannot be used at all.
        """
        loop = asyncio.get_running_loop()
        self._count += 1
        one = _Waiting(self._count, self._order(request), request, loop.create_future())
        self._waiting.append(one)
        if self._pump is None:
            self._pump = asyncio.create_task(self._run())
        try:
            return await one.future
        except asyncio.CancelledError:
            if not one.future.cancelled():  # it came at the same moment
                return one.future.result()
            if one not in self._computing:
                raise
        one.deserted, one.future = True, loop.create_future()
        if all(other.deserted for other in self._computing):
            self._model.interrupt()
        response = await one.future
        if response.failure is not None:
            raise asyncio.CancelledError
        return response

    async def close(self) -> None:
        """Let the batch that is being computed finish and give the thread back."""
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.gather(self._pump, return_exceptions=True)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.shutdown)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        batch: list[_Waiting] = []
        try:
            while self._waiting:
                if len(self._waiting) < self._size:
                    await asyncio.sleep(GATHER_S)
                batch = self._take()
                if not batch:
                    continue
                self._compute(batch)
                responses = await loop.run_in_executor(self._thread, self._answer, [one.request for one in batch])
                for one, response in zip(batch, responses, strict=True):
                    if not one.future.done():
                        one.future.set_result(response)
                self._compute([])
        except asyncio.CancelledError:
            for one in batch + self._waiting:
                one.future.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - those who wait must hear of it, or they wait forever
            for one in batch + self._waiting:
                if not one.future.done():
                    one.future.set_exception(error)
            self._waiting = []
        finally:
            self._compute([])
            self._pump = None

    def _compute(self, batch: list[_Waiting]) -> None:
        self._computing = batch
        self._counters.in_flight = len(batch)

    def _take(self) -> list[_Waiting]:
        waiting = [one for one in self._waiting if not one.future.done()]
        if not waiting:
            self._waiting = []
            return []
        oldest = min(waiting, key=lambda one: one.number)
        waiting.sort(key=lambda one: (one.order, one.number))
        # Cut at multiples of the size, so that taking one batch does not tear the neighbours of the next apart.
        aligned = waiting.index(oldest) // self._size * self._size
        start = max(0, min(aligned, len(waiting) - self._size))
        self._waiting = waiting[:start] + waiting[start + self._size :]
        return waiting[start : start + self._size]

    def _answer(self, requests: list[Request]) -> list[Response]:
        """Ask a batch; where it fails as a whole, ask each request alone, so that one bad one fails alone."""
        try:
            responses: object = self._model.ask_batch(requests)
        except AssayError:
            raise
        except Exception as error:  # noqa: BLE001 - a model may fail in any way, and a failure is a datum
            if len(requests) > 1:
                return [self._answer([request])[0] for request in requests]
            return [Response(failure=Failure(kind="error", message=f"{type(error).__name__}: {one_line(str(error))}"))]
        name = self._model.identity.name
        if not isinstance(responses, list | tuple):
            raise AssayError(f"{name} gave no list of responses, but {type(responses).__name__}", "repair that model")
        if len(responses) != len(requests):
            raise AssayError(f"{name} gave {len(responses)} responses to {len(requests)} requests", "repair that model")
        return list(responses)

    def _order(self, request: Request) -> tuple[Any, ...]:
        """The request's place in the order of batches; all alike where the model's key is none, or not comparable."""
        try:
            key = self._model.batch_key(request)
            _ = key < self._waiting[0].order if self._waiting else key < key
        except Exception:  # noqa: BLE001 - the order only saves work
            self._unordered = True
        if self._unordered:
            for one in self._waiting:
                one.order = ()
            return ()
        return key
