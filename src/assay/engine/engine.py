"""The engine: asks models on behalf of everybody else, once for each different request.

A request goes: single flight -> cache -> model (slots, retries; or a batch) -> cache, durable -> everybody who waits. All but
the first is a lane's, which knows one model.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from assay.engine.cache import ResponseCache
from assay.engine.events import Counters, Event
from assay.engine.flights import Flight, landed
from assay.engine.lane import Keyed, Lane
from assay.engine.retry import MOST, OUTAGE_S, Patience
from assay.engine.stopping import FailureBudget
from assay.models.base import Model
from assay.records import Failure, Request, Response


class Engine:
    """Asks models, each different request once. Belongs to one event loop at a time, from the first `ask` to `close`.

    Args:
        cache: where responses are kept; `None` keeps none.
        retries: attempts after the first, for failures that may pass.
        timeout_s: seconds one attempt may take, and a tenth of what all attempts at a request may take together; `None` leaves
            the former to the model, and bounds the latter at half an hour.
        outage_s: seconds for which an endpoint may be gone, asked ever more seldom, before it is given up.
        budget: failed trials allowed, for those who count trials. The engine carries it; where it is limited, it alone decides
            about an endpoint that refuses every request.
        on_event: called with each `Event`, in the event loop.
    """

    def __init__(
        self,
        cache: ResponseCache | None,
        *,
        retries: int = MOST,
        timeout_s: float | None = None,
        outage_s: float = OUTAGE_S,
        budget: FailureBudget | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> None:
        self.budget = budget or FailureBudget()
        self._cache = cache
        self._patience = Patience(retries, timeout_s, outage_s)
        self._on_event = on_event
        self._counters: dict[Model, Counters] = {}
        self._lanes: dict[Model, Lane] = {}
        self._answered_before: set[Model] = set()
        self._flights: dict[str, Flight] = {}

    async def ask(self, model: Model, request: Request) -> Response:
        """The model's response; with `failure` set, and never an exception, where the request failed after all attempts.

        Raises:
            EndpointDown: the model's first requests all failed, too many in a row did so that it seems to be gone, or nothing
                was answered for long.
            AssayError: the model or the cache cannot be used (no key, disk full, damaged file).
        """
        (response,) = await self.ask_all(model, (request,))
        return response

    async def ask_all(self, model: Model, requests: Sequence[Request]) -> list[Response]:
        """The responses to some requests, in their order, as `ask` gives them; what is kept is looked up in one go.

        Raises:
            EndpointDown: as `ask`.
            AssayError: as `ask`.
        """
        lane = self._lane(model)
        lane.counters.asked += len(requests)
        flights, own = self._board(lane, requests)
        try:
            kept = await lane.kept([keyed.key for _, keyed in own])
        except BaseException:
            for flight, keyed in own:
                if flight.waiting:  # others have joined it
                    flight.start(lane.answer(keyed))
                else:
                    self._forget(keyed.key, flight)
                    await flight.cancel()
            raise
        for (flight, keyed), response in zip(own, kept, strict=True):
            if response is None:
                flight.start(lane.answer(keyed, looked_up=True))
            else:
                flight.land(response)
        return await landed(flights)

    def _board(self, lane: Lane, requests: Sequence[Request]) -> tuple[list[Flight], list[tuple[Flight, Keyed]]]:
        """A flight for each request, and those of them that nobody was on before."""
        flights, own = [], []
        for request in requests:
            try:
                keyed = lane.keyed(request)
            except UnicodeEncodeError as error:
                failure = Failure(kind="bad_request", message=f"the prompt is no text: {error}")
                flight = Flight(lambda _: None)
                flight.land(lane.given_up("", Response(failure=failure)))
            else:
                key = keyed.key
                known = self._flights.get(key)
                flight = known or Flight(functools.partial(self._forget, key))
                if known is None:
                    self._flights[key] = flight
                    own.append((flight, keyed))
                else:
                    lane.counters.shared += 1
            flights.append(flight)
        return flights, own

    def answered_before(self, models: Iterable[Model]) -> None:
        """These answered something at another time, so that one of them that refuses what is left to ask is still there."""
        self._answered_before.update(models)

    def counters(self, model: Model) -> Counters:
        """What was asked of a model so far, kept up to date in place, also after `close`."""
        return self._counters.setdefault(model, Counters())

    async def close(self) -> None:
        """Cancel what is under way and give threads back. Models and the cache belong to whoever opened them.

        An endpoint that was given up may be asked again afterwards.
        """
        await asyncio.gather(*(flight.cancel() for flight in tuple(self._flights.values())))
        for lane in self._lanes.values():
            await lane.close()
        self._lanes.clear()

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _lane(self, model: Model) -> Lane:
        lane = self._lanes.get(model)
        if lane is None:
            patience = replace(self._patience, bears_refusals=self.budget.limited or model in self._answered_before)
            lane = self._lanes[model] = Lane(model, self.counters(model), self._cache, patience, self._on_event)
        return lane

    def _forget(self, key: str, flight: Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
