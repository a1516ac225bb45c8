"""One model's way through the engine: its slots, its attempts and retries, its health."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from assay.engine.batching import Dispatcher
from assay.engine.cache import Claim, Entry, ResponseCache
from assay.engine.checking import checked
from assay.engine.events import Counters, Event
from assay.engine.health import Health
from assay.engine.keys import Keys, key_of
from assay.engine.pacing import Gate
from assay.engine.retry import Patience, pause_s
from assay.errors import AssayError
from assay.identity import generator
from assay.models.base import Endpoint, Local, Model, RequestError
from assay.models.wording import one_line
from assay.records import Failure, Request, Response

OVERLOAD = frozenset({"rate_limit", "server", "timeout", "connection", "truncated_body"})
"""Failures that may come of asking too much at once."""


class Keyed(NamedTuple):
    """A request with what identifies it."""

    request: Request
    key: str
    preimage: bytes


@dataclass
class Asked:
    """A request on its way."""

    request: Request
    key: str
    preimage: bytes
    number: int
    """Its place in the order of all."""
    tokens: float = 0.0
    """What it may take, about."""
    attempt: int = 1
    give_up_at: float = 0.0
    """When all attempts must be over, in seconds of `time.monotonic`; 0 before the first."""


class Lane:
    """Everything the engine keeps about one model.

    Args:
        model: is asked.
        counters: kept up to date.
        cache: where answers are kept; `None` keeps none.
        patience: how often and how long it is asked.
        told: called with each event.
    """

    def __init__(
        self,
        model: Model,
        counters: Counters,
        cache: ResponseCache | None,
        patience: Patience,
        told: Callable[[Event], None] | None,
    ) -> None:
        self._keys = Keys(model)
        self.counters = counters
        self._model = model
        self._name = model.identity.name
        self._cache = cache
        self._patience = patience
        self._told = told
        self._health = Health(self._name, patience.outage_s, bears_refusals=patience.bears_refusals)
        self._stopped = asyncio.Event()
        self._numbers = 0
        self._dispatcher = Dispatcher(model, counters) if isinstance(model, Local) else None
        self._gate = Gate(model, counters) if isinstance(model, Endpoint) else None
        if self._gate is None:
            counters.limit = model.capabilities.concurrency

    def keyed(self, request: Request) -> Keyed:
        """The request with its key.

        Raises:
            UnicodeEncodeError: its prompt is no text that could be sent.
        """
        preimage = self._keys.preimage(request)
        return Keyed(request, key_of(preimage), preimage)

    async def kept(self, keys: Sequence[str]) -> list[Response | None]:
        """The answers kept from before, `None` where there is none.

        Raises:
            AssayError: the cache cannot be read.
        """
        if self._cache is None or not keys:
            return [None] * len(keys)
        return [response and self._known(response) for response in await self._cache.get_all(keys)]

    async def answer(self, keyed: Keyed, *, looked_up: bool = False) -> Response:
        """The response: kept from before, or asked for; with a failure where all attempts failed.

        Args:
            keyed: the request.
            looked_up: nothing is kept, as was just seen.

        Raises:
            EndpointDown: the endpoint has been given up.
            AssayError: the model or the cache cannot be used at all.
        """
        self._numbers += 1
        asked = Asked(*keyed, self._numbers)
        request, key, _ = keyed
        if not looked_up and (kept := (await self.kept([key]))[0]) is not None:
            return kept
        self._health.check()
        if self._dispatcher is None:
            response = await self._persist(asked)
        else:
            response = checked(await self._dispatcher.ask(request), self._model)
            if response.failure is None:
                self._health.succeeded(time.monotonic())
                response = await self._keep(asked, response)
        return response if response.failure is None else self.given_up(key, response)

    def given_up(self, key: str, response: Response) -> Response:
        """Count a request that failed for good; the response.

        Raises:
            EndpointDown: the endpoint is given up with it, or was before.
        """
        assert response.failure is not None
        self.counters.failed += 1
        self._tell("failed", response.failure)
        if not self._health.down:
            self._health.failed(key, response.failure)
            self._stop_if_down(response.failure.kind)
        self._health.check()
        return response

    async def close(self) -> None:
        """Give threads back."""
        if self._dispatcher is not None:
            await self._dispatcher.close()

    async def _persist(self, asked: Asked) -> Response:
        """Ask until there is an answer, a failure that will not pass, or no attempt left. The time between two is no slot's."""
        gate = self._gate
        if gate is None:
            raise AssayError(f"{self._name} is neither an Endpoint nor a Local model", "derive it from one of them")
        chance: random.Random | None = None
        asked.tokens = gate.tokens_of(asked.request)
        while True:
            try:
                response = await self._in_slot(gate, asked) or await self._elsewhere(asked.key)
            except RequestError as caught:
                error = caught
            else:
                if response is None:
                    continue
                return response
            chance = chance or generator("backoff", asked.key)
            pause = pause_s(asked.attempt, error, self._health.worked, chance)
            late = pause is not None and time.monotonic() + pause > asked.give_up_at
            if pause is None or late or asked.attempt > self._patience.retries:
                return Response(attempts=asked.attempt, failure=Failure(kind=error.kind, message=error.message))
            asked.attempt += 1
            self.counters.retried[error.kind] += 1
            self._tell("retry", Failure(kind=error.kind, message=error.message), pause)
            await self._rest(pause)

    async def _in_slot(self, gate: Gate, asked: Asked) -> Response | None:
        """One attempt; `None` where another process is asking the same request right now.

        The slot is held until the answer is durable, so that a crash loses at most as many answers as there are slots, and a
        slow disk slows the asking down instead of piling answers up.

        Raises:
            RequestError: it failed.
        """
        used = None
        await gate.enter(asked.number, asked.tokens)
        try:
            self._health.check()
            async with self._claim(asked.key) as claim:
                if claim.kept is not None:
                    return self._known(claim.kept)
                if not claim.mine:
                    return None
                sent_at = time.monotonic()
                asked.give_up_at = asked.give_up_at or sent_at + self._patience.request_s
                try:
                    response = await self._attempt(asked.request, asked.give_up_at - sent_at)
                except RequestError as error:
                    self._failed(gate, asked.key, error, sent_at)
                    raise
                if asked.attempt > 1:
                    response = msgspec.structs.replace(response, attempts=asked.attempt)
                if response.failure is not None:
                    return response
                used = self._succeeded(gate, response, sent_at)
                return await self._keep(asked, response)
        finally:
            gate.leave(asked.tokens, used)

    def _claim(self, key: str) -> AbstractAsyncContextManager[Claim]:
        return nullcontext(Claim(True)) if self._cache is None else self._cache.asking(key)

    async def _elsewhere(self, key: str) -> Response | None:
        """The answer that another process gets; `None` where it gets none."""
        kept = None if self._cache is None else await self._cache.elsewhere(key)
        return None if kept is None else self._known(kept)

    def _known(self, kept: Response) -> Response:
        self._health.worked_before = True
        self.counters.cached += 1
        self._tell("cached")
        return kept

    async def _keep(self, asked: Asked, response: Response) -> Response:
        """Count an answer and make it durable; what is returned is what the cache holds from now on."""
        if response.asked_at is None:
            response = msgspec.structs.replace(response, asked_at=time.time())
        self.counters.prompt_tokens += response.usage.prompt_tokens
        self.counters.completion_tokens += response.usage.completion_tokens
        if self._cache is not None:
            response = await self._cache.put(Entry(asked.key, asked.preimage, response))
        self.counters.answered += 1
        self._tell("answered")
        return response

    async def _attempt(self, request: Request, most_s: float) -> Response:
        model = self._model
        assert isinstance(model, Endpoint)
        limit_s = most_s if self._patience.attempt_s is None else min(most_s, self._patience.attempt_s)
        self.counters.in_flight += 1
        try:
            async with asyncio.timeout(limit_s) as limit:
                return checked(await model.ask(request), model)
        except (RequestError, AssayError):
            raise
        except TimeoutError as error:
            whole = f"{self._patience.request_s:g} s, all attempts together"
            within = f"within {whole if limit_s == most_s else f'{limit_s:g} s'}" if limit.expired() else "in time"
            raise RequestError("timeout", f"{self._name} did not answer {within}", retriable=True) from error
        except Exception as error:  # a provider may fail in any way, and a failure is a datum
            raise RequestError("error", f"{type(error).__name__}: {one_line(str(error))}", retriable=False) from error
        finally:
            self.counters.in_flight -= 1

    def _succeeded(self, gate: Gate, response: Response, sent_at: float) -> float | None:
        """Take note of an answer; the tokens it took, where the provider says."""
        self._health.succeeded(time.monotonic())
        usage = response.usage
        written = usage.completion_tokens or sum(len(one.text) for one in response.completions)
        # Latencies of answers that are alike within a factor of two are compared with each other.
        size = written.bit_length() * 64 + usage.prompt_tokens.bit_length()
        if gate.answered(sent_at, size):
            self._tell_limit(gate, "answers take much longer than at first")
        return None if usage.source == "none" else float(usage.prompt_tokens + usage.completion_tokens)

    def _failed(self, gate: Gate, key: str, error: RequestError, sent_at: float) -> None:
        """Take note of an attempt that failed: fewer at once, a pause, or the end.

        Raises:
            EndpointDown: that was the last attempt this endpoint got.
        """
        now = time.monotonic()
        refused = error.kind == "rate_limit"
        self.counters.refused += refused
        if error.kind in OVERLOAD and gate.limit.failed(sent_at, now, refused):
            self._tell_limit(gate, error.message)
        pause = self._health.attempt_failed(key, error, sent_at, now, gate.limit.value)
        if pause <= 0:
            return
        self._stop_if_down(error.kind)
        self._health.check()
        if self._health.gone:
            gate.limit.collapse(now)
        why = "rate limit" if refused else "no attempt succeeds"
        gate.pause(pause, why)
        self._tell("pause", Failure(kind=error.kind, message=f"{why}: {error.message}"), pause)

    def _tell(self, what: str, failure: Failure | None = None, wait_s: float | None = None) -> None:
        if self._told is not None:
            kind, message = (failure.kind, failure.message) if failure else ("", "")
            self._told(Event(what=what, model=self._name, kind=kind, message=message, wait_s=wait_s))

    def _tell_limit(self, gate: Gate, why: str) -> None:
        self._tell("limit", Failure(kind="", message=f"at most {gate.limit.value} requests at once: {why}"))

    def _stop_if_down(self, kind: str) -> None:
        if self._health.down and not self._stopped.is_set():
            self._stopped.set()
            if self._gate is not None:
                self._gate.close(self._health.down)
            self._tell("down", Failure(kind=kind, message=self._health.down))

    async def _rest(self, seconds: float) -> None:
        """Wait, but not for an endpoint that has been given up."""
        try:
            async with asyncio.timeout(seconds):
                await self._stopped.wait()
        except TimeoutError:
            return
        self._health.check()
