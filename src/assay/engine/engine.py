"""The engine: asks models on behalf of everybody else, once for each different request.

A request goes: single flight -> cache -> model (slots, retries; or a batch) -> cache, durable -> everybody who waits.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from assay.engine.batching import Dispatcher
from assay.engine.cache import Entry, ResponseCache
from assay.engine.checking import checked
from assay.engine.health import Health
from assay.engine.keys import Keys, key_of
from assay.engine.retry import pause_s
from assay.errors import AssayError
from assay.identity import generator
from assay.models.base import Endpoint, Local, Model, RequestError
from assay.models.wording import one_line
from assay.records import Failure, Record, Request, Response


@dataclass
class Counters:
    """What was asked of one model so far; tokens are those of new answers, so that what they cost was spent now."""

    asked: int = 0
    """Calls of `ask`."""
    cached: int = 0
    """Answered from the cache."""
    shared: int = 0
    """Answered by the identical request of somebody else, in flight at the time."""
    answered: int = 0
    """Newly answered by the model."""
    failed: int = 0
    """Given up."""
    retries: int = 0
    in_flight: int = 0
    """Attempts under way now."""
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Event(Record):
    """Something worth showing: `cached`, `answered`, `retry`, `failed` or `down`."""

    what: str
    model: str
    kind: str = ""
    """The failure's kind."""
    message: str = ""
    wait_s: float | None = None
    """Pause before the next attempt."""


class _Lane:
    """Everything the engine keeps about one model."""

    def __init__(self, model: Model, counters: Counters) -> None:
        self.model = model
        self.name = model.identity.name
        self.keys = Keys(model)
        self.counters = counters
        self.health = Health(self.name)
        self.slots = asyncio.Semaphore(max(1, model.capabilities.concurrency))
        self.stopped = asyncio.Event()
        self.dispatcher = Dispatcher(model) if isinstance(model, Local) else None

    async def rest(self, seconds: float) -> None:
        """Wait, but not for an endpoint that has been given up.

        Raises:
            EndpointDown: it was given up.
        """
        try:
            async with asyncio.timeout(seconds):
                await self.stopped.wait()
        except TimeoutError:
            return
        self.health.check()


class _Flight:
    """A request on its way, and how many wait for it. When the last one leaves, the request is cancelled."""

    def __init__(self, task: asyncio.Task[Response], leave: Callable[[_Flight], None]) -> None:
        self.task = task
        self._leave = leave
        self._waiting = 0
        task.add_done_callback(self._landed)

    async def join(self) -> Response:
        self._waiting += 1
        try:
            return await asyncio.shield(self.task)
        finally:
            self._waiting -= 1
            if self._waiting == 0 and not self.task.done():
                # Out of the books first: whoever asks the same now must not join a request that is being cancelled.
                self._leave(self)
                self.task.cancel()
                await asyncio.wait({self.task})

    def _landed(self, task: asyncio.Task[Response]) -> None:
        self._leave(self)
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not report it when all who waited have left


class Engine:
    """Asks models, each different request once. Belongs to one event loop at a time, from the first `ask` to `close`.

    Args:
        cache: where responses are kept; `None` keeps none.
        retries: attempts after the first, for failures that may pass.
        timeout_s: seconds one attempt may take; `None` leaves it to the model.
        on_event: called with each `Event`, in the event loop.
    """

    def __init__(
        self,
        cache: ResponseCache | None,
        *,
        retries: int = 5,
        timeout_s: float | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> None:
        self._cache = cache
        self._retries = retries
        self._timeout_s = timeout_s
        self._on_event = on_event
        self._counters: dict[Model, Counters] = {}
        self._lanes: dict[Model, _Lane] = {}
        self._flights: dict[str, _Flight] = {}

    async def ask(self, model: Model, request: Request) -> Response:
        """The model's response; with `failure` set, and never an exception, where the request failed after all attempts.

        Raises:
            EndpointDown: the model's first requests all failed, or too many in a row did.
            AssayError: the model or the cache cannot be used (no key, disk full, damaged file).
        """
        lane = self._lane(model)
        lane.counters.asked += 1
        try:
            preimage = lane.keys.preimage(request)
        except UnicodeEncodeError as error:
            failure = Failure(kind="bad_request", message=f"the prompt is no text: {error}")
            return self._given_up(lane, "", Response(failure=failure))
        key = key_of(preimage)
        flight = self._flights.get(key)
        if flight is None:
            task = asyncio.create_task(self._answer(lane, request, key, preimage))
            flight = self._flights[key] = _Flight(task, lambda left: self._forget(key, left))
        else:
            lane.counters.shared += 1
        return await flight.join()

    def counters(self, model: Model) -> Counters:
        """What was asked of a model so far, kept up to date in place, also after `close`."""
        return self._counters.setdefault(model, Counters())

    async def close(self) -> None:
        """Cancel what is under way and give threads back. Models and the cache belong to whoever opened them.

        An endpoint that was given up may be asked again afterwards.
        """
        tasks = [flight.task for flight in self._flights.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for lane in self._lanes.values():
            if lane.dispatcher is not None:
                await lane.dispatcher.close()
        self._lanes.clear()

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _lane(self, model: Model) -> _Lane:
        lane = self._lanes.get(model)
        if lane is None:
            lane = self._lanes[model] = _Lane(model, self.counters(model))
        return lane

    def _forget(self, key: str, flight: _Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]

    async def _answer(self, lane: _Lane, request: Request, key: str, preimage: bytes) -> Response:
        if self._cache is not None and (kept := await self._cache.get(key)) is not None:
            lane.counters.cached += 1
            self._tell("cached", lane)
            return kept
        lane.health.check()
        if lane.dispatcher is None:
            response = await self._persist(lane, request, key, preimage)
        else:
            response = checked(await lane.dispatcher.ask(request), lane.model)
            if response.failure is None:
                response = await self._keep(lane, key, preimage, response)
        return response if response.failure is None else self._given_up(lane, key, response)

    async def _keep(self, lane: _Lane, key: str, preimage: bytes, response: Response) -> Response:
        """Count an answer and make it durable; what is returned is what the cache holds from now on."""
        if response.asked_at is None:
            response = msgspec.structs.replace(response, asked_at=time.time())
        lane.health.succeeded()
        lane.counters.prompt_tokens += response.usage.prompt_tokens
        lane.counters.completion_tokens += response.usage.completion_tokens
        if self._cache is not None:
            response = await self._cache.put(Entry(key, preimage, response))
        lane.counters.answered += 1
        self._tell("answered", lane)
        return response

    def _given_up(self, lane: _Lane, key: str, response: Response) -> Response:
        assert response.failure is not None
        lane.counters.failed += 1
        self._tell("failed", lane, response.failure)
        if not lane.health.down:
            lane.health.failed(key, response.failure)
            if lane.health.down:
                lane.stopped.set()
                self._tell("down", lane, Failure(kind=response.failure.kind, message=lane.health.down))
        lane.health.check()
        return response

    async def _persist(self, lane: _Lane, request: Request, key: str, preimage: bytes) -> Response:
        """Ask until there is an answer, a failure that will not pass, or no attempt left.

        A slot is held until the answer is durable, so that a crash loses at most as many answers as there are slots, and a
        slow disk slows the asking down instead of piling answers up. It is free while the request waits for its next attempt.
        """
        chance: random.Random | None = None
        attempt = 1
        while True:
            async with lane.slots:
                lane.health.check()
                try:
                    response = await self._attempt(lane, request)
                except RequestError as caught:
                    error = caught
                else:
                    response = response if attempt == 1 else msgspec.structs.replace(response, attempts=attempt)
                    return response if response.failure else await self._keep(lane, key, preimage, response)
            chance = chance or generator("backoff", key)
            pause = pause_s(attempt, error, lane.health.worked, chance)
            if pause is None or attempt > self._retries:
                return Response(attempts=attempt, failure=Failure(kind=error.kind, message=error.message))
            attempt += 1
            lane.counters.retries += 1
            self._tell("retry", lane, Failure(kind=error.kind, message=error.message), pause)
            await lane.rest(pause)

    async def _attempt(self, lane: _Lane, request: Request) -> Response:
        model = lane.model
        if not isinstance(model, Endpoint):
            raise AssayError(f"{lane.name} is neither an Endpoint nor a Local model", "derive it from one of them")
        lane.counters.in_flight += 1
        try:
            async with asyncio.timeout(self._timeout_s):
                return checked(await model.ask(request), model)
        except (RequestError, AssayError):
            raise
        except TimeoutError as error:
            limit = f" within {self._timeout_s} s" if self._timeout_s is not None else " in time"
            raise RequestError("timeout", f"{lane.name} did not answer{limit}", retriable=True) from error
        except Exception as error:  # a provider may fail in any way, and a failure is a datum
            raise RequestError("error", f"{type(error).__name__}: {one_line(str(error))}", retriable=False) from error
        finally:
            lane.counters.in_flight -= 1

    def _tell(self, what: str, lane: _Lane, failure: Failure | None = None, wait_s: float | None = None) -> None:
        if self._on_event is not None:
            kind, message = (failure.kind, failure.message) if failure else ("", "")
            self._on_event(Event(what=what, model=lane.name, kind=kind, message=message, wait_s=wait_s))
