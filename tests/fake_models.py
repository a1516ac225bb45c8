"""Models for tests of the engine: they answer from a function the test gives, and count."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from assay.models import Capabilities, Endpoint, Local
from assay.records import Completion, ModelIdentity, Request, Response, Usage


def answer(text: str, *, prompt_tokens: int = 3, completion_tokens: int = 1) -> Response:
    usage = Usage(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, source="provider")
    return Response(completions=(Completion(text=text),), usage=usage)


class FakeEndpoint(Endpoint):
    """Answers with what `reply(request, number of the attempt at this prompt)` gives or raises."""

    def __init__(
        self,
        reply: Callable[[Request, int], Response] = lambda request, _: answer(f"to {request.prompt}"),
        *,
        name: str = "fake/endpoint",
        concurrency: int = 8,
        latency_s: float = 0.0,
        reads_options: bool = False,
    ) -> None:
        self.identity = ModelIdentity(name=name)
        self.capabilities = Capabilities(concurrency=concurrency, reads_options=reads_options)
        self.asked: list[Request] = []
        self.cancelled = 0
        self.in_flight = self.most_in_flight = 0
        self._reply = reply
        self._latency_s = latency_s

    async def ask(self, request: Request) -> Response:
        self.asked.append(request)
        attempt = sum(one.prompt == request.prompt for one in self.asked)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self._latency_s)
            return self._reply(request, attempt)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.in_flight -= 1


class FakeLocal(Local):
    """Answers batches with `reply(requests)` and remembers them."""

    def __init__(
        self,
        reply: Callable[[Sequence[Request]], list[Response]] = lambda requests: [answer(str(one.prompt)) for one in requests],
        *,
        size: int = 4,
    ) -> None:
        self.identity = ModelIdentity(name="fake/local")
        self.capabilities = Capabilities(concurrency=size)
        self.batches: list[list[str]] = []
        self._reply = reply

    def ask_batch(self, requests: Sequence[Request]) -> list[Response]:
        self.batches.append([str(request.prompt) for request in requests])
        return self._reply(requests)
