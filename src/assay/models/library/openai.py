"""OpenAI and every server that speaks its protocol (vLLM, llama.cpp, TGI, Ollama, gateways): `openai/<model>`.

- name: openai/gpt-x                      # OPENAI_API_KEY, https://api.openai.com/v1
- name: openai/my-model                   # a server of your own, on this machine without a key
  base_url: http://127.0.0.1:8000/v1
  endpoint: completions                   # plain text, and log-probabilities of given texts
  stream: true                            # time to the first token
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import Impossible
from assay.models.base import Capabilities, Endpoint, ModelConfig, RequestError, provider
from assay.models.library.responses import responses_model
from assay.models.thinking import thinking_room
from assay.models.wire import bodies, parsing, scoring
from assay.models.wire.auth import key_auth
from assay.models.wire.streams import Gathering
from assay.models.wire.transport import Transport, checked_url, is_loopback
from assay.records import ModelIdentity, Request, Response
from assay.settings import secret, setting

if TYPE_CHECKING:
    from assay.models.probing import Ask, Finding

BASE_URL = "https://api.openai.com/v1"
TIMEOUT_S = 300.0
"""Seconds one attempt may take, unless the configuration says otherwise."""
WIRE_VERSION = 1
"""Raised when requests are built differently; part of the model's identity, since it can change answers."""
LISTED = 8
"""Names of models shown in a message."""

_WANTS_A_TOKEN = re.compile(r"max_\w*tokens|at least 1|greater than 0")


class OpenAICompatible(Endpoint):
    """A model behind an OpenAI-compatible endpoint.

    Log-probabilities are asked for only by requests that want alternatives (`top_logprobs` above 0), because many models
    refuse such requests. Scoring needs the completions endpoint with echo; whether the server really does it is seen from
    each response (see `assay.models.wire.scoring`).
    """

    def __init__(self, model: str, config: ModelConfig, transport: Transport) -> None:
        self._model = model
        self._config = config
        self._extra = config.body
        self._transport = transport
        self._chat = config.endpoint != "completions"
        self._streams = config.stream
        self.allowance = transport.allowance
        self._path = "/chat/completions" if self._chat else "/completions"
        self._official = transport.base_url == BASE_URL
        self._generated_when_scoring = 0
        self._served: list[str] | None = None
        self.identity = ModelIdentity(
            name=config.name,
            revision=config.revision,
            endpoint="chat" if self._chat else "completions",
            options={"model": model, "base_url": transport.base_url, "body": config.body, "wire": WIRE_VERSION},
        )
        self.capabilities = Capabilities(
            chat=self._chat,
            text=not self._chat,
            scores=not self._chat,
            top_logprobs=bodies.CHAT_TOP_LOGPROBS if self._chat else bodies.COMPLETIONS_TOP_LOGPROBS,
            context_window=config.context_window,
            thinking=thinking_room(model, config.body) if self._chat else 0,
            concurrency=config.concurrency or Capabilities.concurrency,
        )

    async def ask(self, request: Request) -> Response:
        """One attempt. `latency_s` runs from sending to the last byte, `first_token_s` to the first text of a stream.

        Raises:
            RequestError: the attempt failed; kinds: connection, timeout, rate_limit, server, authentication, not_found,
                bad_request, context_length, content_filter, truncated_body, no_echo, malformed.
        """
        try:
            if request.continuation is not None and not self._chat:
                return await self._score(request, request.continuation)
            if self._streams:
                return await self._streamed(self._body(request))
            reply, latency_s = await self._exchange(self._body(request))
            return self._received(parsing.response_of(reply), latency_s)
        except RequestError as error:
            if error.kind == "not_found":
                raise await self._with_names(error) from None
            raise

    def findings(self, ask: Ask) -> AsyncIterator[Finding]:
        """What the endpoint can do: chat and text completions, whichever is configured."""
        from assay.models.openai_probing import findings

        def variant(**changes: Any) -> OpenAICompatible:
            return OpenAICompatible(self._model, msgspec.structs.replace(self._config, **changes), self._transport)

        return findings(self._model, self._config, variant, self._transport.windows, ask)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def _body(self, request: Request) -> dict[str, object]:
        if self._chat:
            length_field = "max_completion_tokens" if self._official else "max_tokens"
            return bodies.chat_body(self._model, request, self._extra, length_field=length_field)
        return bodies.completions_body(self._model, request, self._extra)

    async def _score(self, request: Request, continuation: str) -> Response:
        prompt = bodies.plain(request)
        generated = self._generated_when_scoring
        try:
            reply, latency_s = await self._exchange(bodies.scoring_body(self._model, request, self._extra, generated=generated))
        except RequestError as error:
            # Some servers want to generate at least one token; it is asked for from now on, and dropped in reading.
            if generated or error.kind != "bad_request" or not _WANTS_A_TOKEN.search(error.message):
                raise
            self._generated_when_scoring = 1
            return await self._score(request, continuation)
        return self._received(scoring.scored_response(reply, prompt, continuation, self._transport.secrets.clean), latency_s)

    async def _streamed(self, body: dict[str, object]) -> Response:
        gathering, latency_s = Gathering(), 0.0
        async with aclosing(self._transport.stream(self._path, bodies.streaming(body, self._extra))) as events:
            async for event in events:
                gathering.add(event.data, event.at_s)
                latency_s = event.at_s
        if not gathering.complete:
            message = f"{self._transport.base_url}{self._path} ended its stream before the answer was complete"
            raise RequestError("truncated_body", message, retriable=True)
        response = parsing.response_of(self._reply(gathering.body()))
        return self._received(response, latency_s, gathering.first_token_s)

    def _received(self, response: Response, latency_s: float, first_token_s: float | None = None) -> Response:
        cleaned = self._transport.secrets.cleaned(response)
        return msgspec.structs.replace(cleaned, latency_s=latency_s, first_token_s=first_token_s)

    async def _exchange(self, body: dict[str, object]) -> tuple[parsing.Reply, float]:
        data, latency_s = await self._transport.post(self._path, body)
        return self._reply(data), latency_s

    def _reply(self, data: bytes) -> parsing.Reply:
        reply = parsing.decode(data, self._transport.secrets.clean)
        if reply.error and not reply.choices:
            raise self._transport.error_in_body(reply.error, self._path)
        return reply

    async def _with_names(self, error: RequestError) -> RequestError:
        if self._served is None:
            self._served = await self._transport.model_names()
        if not self._served:
            hint = f"is {self._model!r} the model's name, and base_url the address that ends before {self._path}?"
        elif self._model in self._served:
            hint = f"the server has {self._model!r}, but maybe no {self._path}: see endpoint in models.yaml"
        else:
            listed = ", ".join(self._served[:LISTED]) + (", …" if len(self._served) > LISTED else "")
            hint = f"no model {self._model!r} there; the server has {listed}"
        return RequestError(error.kind, f"{error.message} ({hint})", retriable=False)


@provider("openai", examples=("openai/<model>",))
def openai(name: str, config: ModelConfig) -> Endpoint:
    """OpenAI, and servers that speak its protocol (vLLM, llama.cpp, TGI, Ollama, gateways)."""
    base_url = checked_url(config.base_url or setting("OPENAI_BASE_URL") or BASE_URL)
    if config.endpoint == "responses":
        return responses_model(name, config, base_url)
    variable = config.key_variable or "OPENAI_API_KEY"
    key = secret(variable)
    if key is None and not is_loopback(base_url):
        raise Impossible(f"{config.name} needs an API key for {base_url}, and {variable} is not set", f"export {variable}=…")
    timeout_s = config.timeout_s or TIMEOUT_S
    hint = f"set {variable} to a key that is valid there"
    transport = Transport(base_url, key_auth(key, config), config.headers, timeout_s, hint)
    return OpenAICompatible(config.model or name, config, transport)
