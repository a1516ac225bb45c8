"""The gate before an endpoint: who may send when. The oldest request goes first, so retries go before new requests."""

from __future__ import annotations

import asyncio
import time
from heapq import heappop, heappush

from assay.engine.concurrency import AdaptiveLimit
from assay.engine.events import Counters
from assay.engine.quotas import Quotas
from assay.engine.stopping import EndpointDown
from assay.models.base import Endpoint
from assay.records import Request, Text

CHARACTERS_A_TOKEN = 4
"""Where the model has no tokenizer here."""


class Gate:
    """Slots for one endpoint: as many as it bears, none while it is paused or over a rate limit.

    Args:
        model: the endpoint; its `allowance` is read before each request.
        counters: told the limit, who waits, and pauses.
    """

    def __init__(self, model: Endpoint, counters: Counters) -> None:
        can = model.capabilities
        self.limit = AdaptiveLimit(can.concurrency)
        self._model = model
        self._counters = counters
        self._quotas = Quotas(can.requests_per_minute, can.tokens_per_minute)
        self._queue: list[tuple[int, float, asyncio.Future[None]]] = []
        self._held = 0
        self._paused_until = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._closed = ""
        counters.limit = self.limit.value

    def tokens_of(self, request: Request) -> float:
        """About how many tokens a request reads and at most writes; 0 where no limit on tokens is known."""
        allowance = self._model.allowance
        if not self._quotas.limits_tokens and (allowance is None or allowance.tokens is None):
            return 0.0
        read = self._model.count_tokens(request.prompt)
        if read is None:
            read = (_characters(request.prompt) + len(request.continuation or "")) // CHARACTERS_A_TOKEN + 1
        return float(read + request.max_tokens * request.completions)

    async def enter(self, number: int, tokens: float) -> None:
        """Wait for a slot, which `leave` gives back.

        Args:
            number: the request's place in the order of all.
            tokens: from `tokens_of`.

        Raises:
            EndpointDown: the gate is closed.
        """
        if self._closed:
            raise EndpointDown(self._closed)
        if not self._queue and self._admits(tokens):
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._queue, (number, tokens, future))
        self._counters.waiting += 1
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self.leave(tokens, None)
            raise
        finally:
            self._counters.waiting -= 1

    def leave(self, tokens: float, used: float | None) -> None:
        """Give a slot back.

        Args:
            tokens: as given to `enter`.
            used: tokens really read and written, where known.
        """
        self._held -= 1
        self._quotas.settled(tokens, used)
        self._admit()

    def answered(self, sent_at: float, size: int) -> bool:
        """Tell the limit of an answer (see `AdaptiveLimit.answered`); whether it was cut. The slot remains held."""
        # Only where the limit, and nothing else, holds somebody back does it say something that all slots are taken.
        cut = self.limit.answered(sent_at, time.monotonic(), size, bool(self._queue) and self._held >= self.limit.value)
        self._admit()
        return cut

    def pause(self, seconds: float, why: str) -> None:
        """Let nobody pass for so long; a longer pause that was begun before remains."""
        until = time.monotonic() + seconds
        if until > self._paused_until:
            self._paused_until = until
            self._show_pause(until, why)

    def close(self, why: str) -> None:
        """Let nobody pass any more: those who wait, and those who come, hear that the endpoint is down, and why."""
        self._closed = why
        if self._timer is not None:
            self._timer.cancel()
        while self._queue:
            future = heappop(self._queue)[2]
            if not future.done():
                future.set_exception(EndpointDown(why))

    def _admits(self, tokens: float) -> bool:
        """Take a slot if there is one; else see to it that somebody looks again in time."""
        if self._held >= self.limit.value:
            return False
        now = time.monotonic()
        wait = self._paused_until - now
        if wait <= 0:
            wait, why = self._quotas.wait(tokens, self._model.allowance, now)
            if wait > 0:
                self._show_pause(now + wait, why)
        if wait > 0:
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(wait, self._look_again)
            return False
        self._held += 1
        self._quotas.sent(tokens, now)
        return True

    def _look_again(self) -> None:
        self._timer = None
        self._admit()

    def _admit(self) -> None:
        self._counters.limit = self.limit.value
        while self._queue:
            _, tokens, future = self._queue[0]
            if not future.done():
                if not self._admits(tokens):
                    return
                future.set_result(None)
            heappop(self._queue)

    def _show_pause(self, until: float, why: str) -> None:
        self._counters.paused_until, self._counters.paused_why = until, why


def _characters(prompt: Text) -> int:
    return len(prompt) if isinstance(prompt, str) else sum(len(message.content) for message in prompt)
