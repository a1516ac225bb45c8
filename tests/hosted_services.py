"""Fake services for tests: a handler a test writes, a model of a provider asked against it, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from assay.models import Endpoint, ModelConfig, RequestError, open_model
from assay.records import Request, Response
from fake_servers import Handler, own_server, run

KEY = "key-nobody-may-see"
VARIABLE = "ASSAY_TEST_KEY"


def opened(name: str, **config: Any) -> Endpoint:
    """A model of that name, with the key variable of the tests."""
    config = {"key_variable": VARIABLE, **config}
    model = open_model(name, {name: ModelConfig(name=name, **config)})
    assert isinstance(model, Endpoint)
    return model


def asked(handler: Handler, name: str, requests: Sequence[Request], **config: Any) -> list[Response | RequestError]:
    """What a model answers to requests, one after the other, against a server of its own.

    `base_url` in the configuration is what follows the server's address.
    """

    async def main() -> list[Response | RequestError]:
        async with own_server(handler) as url:
            model = opened(name, **{**config, "base_url": url.removesuffix("/v1") + config.get("base_url", "")})
            outcomes: list[Response | RequestError] = []
            try:
                for request in requests:
                    try:
                        outcomes.append(await model.ask(request))
                    except RequestError as error:
                        outcomes.append(error)
            finally:
                await model.close()
            return outcomes

    outcomes: list[Response | RequestError] = run(main())
    assert all(KEY not in repr(outcome) for outcome in outcomes)
    return outcomes


def answer(handler: Handler, name: str, request: Request, **config: Any) -> Response:
    """The response to one request."""
    [outcome] = asked(handler, name, [request], **config)
    assert isinstance(outcome, Response), outcome
    return outcome


def error(handler: Handler, name: str, request: Request, **config: Any) -> RequestError:
    """The error that one request ends in."""
    [outcome] = asked(handler, name, [request], **config)
    assert isinstance(outcome, RequestError), outcome
    return outcome


def replying(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Handler:
    """A handler that always sends this JSON."""

    async def handler(_: web.Request) -> web.Response:
        return web.json_response(body, status=status, headers=headers)

    return handler


def server_sent(*events: dict[str, Any], named: bool = True, cut: bool = False) -> Handler:
    """A handler that streams server-sent events, each named by its `type`; `cut` hangs up in the middle of the next one."""

    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events:
            name = f"event: {event['type']}\n" if named else ""
            await response.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        if cut:
            await response.write(b"data: {")
            assert request.transport is not None
            request.transport.close()
        return response

    return handler
