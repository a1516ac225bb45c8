"""A model behind a hosted service that has a wire format of its own: what is the same for all of them."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing

import msgspec

from assay.errors import AssayError, Impossible
from assay.models.base import Capabilities, Endpoint, ModelConfig, RequestError
from assay.models.thinking import thinking_room
from assay.models.wire.auth import key_auth
from assay.models.wire.dialect import Dialect
from assay.models.wire.replies import Reply, cut_at_stops, decoded, together
from assay.models.wire.streams import END
from assay.models.wire.transport import Transport, checked_url, is_loopback
from assay.records import ModelIdentity, Request, Response
from assay.settings import secret

TIMEOUT_S = 300.0
"""Seconds one attempt may take, unless the configuration says otherwise."""
WIRE_VERSION = 1
"""Raised when requests are built differently; part of the model's identity, since it can change answers."""

_SAMPLING = re.compile(r"temperature|top.?p\b", re.I)
_ONE_CANDIDATE = re.compile(r"candidate", re.I)


class Hosted(Endpoint):
    """A chat model that generates. Several completions are several calls where one call cannot give them all."""

    def __init__(self, dialect: Dialect, config: ModelConfig, transport: Transport) -> None:
        self._dialect = dialect
        self._transport = transport
        self._stream = config.stream
        self._most = 1 if config.stream else dialect.most_completions
        self._unfinished: dict[Request, list[Response]] = {}
        self.allowance = transport.allowance
        self.identity = ModelIdentity(
            name=config.name,
            revision=config.revision,
            endpoint=type(dialect).__name__.lower(),
            options={"model": dialect.model, "base_url": transport.base_url, "body": config.body, "wire": WIRE_VERSION},
        )
        self.capabilities = Capabilities(
            chat=True,
            text=False,
            top_logprobs=dialect.logprobs(),
            context_window=config.context_window,
            thinking=thinking_room(dialect.model, config.body),
            concurrency=config.concurrency or Capabilities.concurrency,
        )

    async def ask(self, request: Request) -> Response:
        """One attempt. Completions of an attempt that failed later on are kept for the next, which asks for the others.

        Raises:
            RequestError: the attempt failed; the kinds are those of `assay.models.wire.failures`, and malformed.
        """
        if request.continuation is not None:
            message = "this endpoint cannot score a given continuation (use a prompting that generates)"
            raise RequestError("bad_request", message, retriable=False)
        if request.completions == 1:
            return together([await self._call(request)], 1)
        came = self._unfinished.setdefault(request, [])
        while (missing := request.completions - sum(len(response.completions) for response in came)) > 0:
            # The number still missing also makes the seed of each call another one.
            came.append(await self._call(msgspec.structs.replace(request, completions=missing)))
        self._unfinished.pop(request, None)
        return together(came, request.completions)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def _call(self, request: Request) -> Response:
        many = min(request.completions, self._most)
        try:
            return await self._exchange(request, many)
        except RequestError as error:
            if error.kind == "bad_request" and many > 1 and _ONE_CANDIDATE.search(error.message):
                self._most = 1
                return await self._call(request)
            raise self._explained(error) from None

    async def _exchange(self, request: Request, many: int) -> Response:
        path = self._dialect.path(self._stream)
        body = self._dialect.body(request, many, self._stream)
        first_token_s = None
        if self._stream:
            reply, first_token_s, latency_s = await self._gathered(path, body)
        else:
            data, latency_s = await self._transport.post(path, body)
            reply = decoded(data, self._transport.secrets.clean)
        if error := self._dialect.error(reply):
            raise self._transport.error_in_body(error, path)
        response = self._transport.secrets.cleaned(self._dialect.response(reply))
        return msgspec.structs.replace(
            response,
            completions=tuple(cut_at_stops(completion, request.stop) for completion in response.completions),
            latency_s=latency_s,
            first_token_s=first_token_s,
        )

    async def _gathered(self, path: str, body: Reply) -> tuple[Reply, float | None, float]:
        """The streamed reply, and the seconds from sending to its first text and to its end."""
        gathering = self._dialect.gathering()
        first_token_s, latency_s = None, 0.0
        async with aclosing(self._events(path, body)) as events:
            async for event, latency_s in events:
                if gathering.add(event) and first_token_s is None:
                    first_token_s = latency_s
        if not gathering.finished:
            message = f"{self._transport.base_url}{path} ended its stream before the answer was complete"
            raise RequestError("truncated_body", message, retriable=True)
        return gathering.reply(), first_token_s, latency_s

    async def _events(self, path: str, body: Reply) -> AsyncGenerator[tuple[Reply, float], None]:
        """The events of a stream as JSON objects, each with the seconds from sending to its arrival."""
        async with aclosing(self._transport.stream(path, body)) as events:
            async for event in events:
                if event.data.strip() not in (b"", END):
                    yield decoded(event.data, self._transport.secrets.clean), event.at_s

    def _explained(self, error: RequestError) -> RequestError:
        """The error with what is likely to help."""
        if error.kind == "not_found":
            hint = f"is {self._dialect.model!r} the model's name there?"
        elif error.kind == "bad_request" and _SAMPLING.search(error.message):
            hint = f"`body: {self._dialect.no_temperature}` leaves the temperature to the model's makers"
        else:
            return error
        return RequestError(error.kind, f"{error.message} ({hint})", retriable=error.retriable)


def transport_to(
    base_url: str,
    config: ModelConfig,
    variables: Sequence[str],
    *,
    header: str = "Authorization",
    scheme: str = "Bearer",
    headers: Mapping[str, str] | None = None,
) -> Transport:
    """Connections to a service that wants a key, but for servers on this machine.

    Args:
        base_url: its address.
        config: the user's; its `key_variable`, `key_header` and `headers` come first.
        variables: environment variables that may hold the key; the first is named to a user who has set none.
        header: the header that carries the key.
        scheme: what stands before the key there.
        headers: further headers.

    Raises:
        Impossible: there is no key.
        AssayError: the address or a header cannot be used.
    """
    base_url = checked_url(base_url)
    variables = (config.key_variable,) if config.key_variable else variables
    key = next((value for variable in variables if (value := secret(variable))), None)
    if key is None and not is_loopback(base_url):
        message = f"{config.name} needs an API key for {base_url}, and {variables[0]} is not set"
        raise Impossible(message, f"export {variables[0]}=…")
    auth = key_auth(key, config, header=header, scheme=scheme)
    hint = f"set {variables[0]} to a key that is valid there"
    return Transport(base_url, auth, {**(headers or {}), **config.headers}, config.timeout_s or TIMEOUT_S, hint)


def only_chat(config: ModelConfig) -> None:
    """Refuse an `endpoint` in the configuration of a model that has one alone.

    Raises:
        AssayError: it names another.
    """
    if config.endpoint not in ("", "chat"):
        raise AssayError(f"{config.name}: its provider has no endpoint {config.endpoint!r}", "leave endpoint out")
