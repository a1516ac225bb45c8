"""A request as the JSON body of an OpenAI-compatible endpoint.

Fields at the protocol's default are left out, since many servers know only the common ones. Two things differ from what
one might write by hand:

- A sampled request (temperature above 0) carries a `seed` derived from the request, repeat included. The same evaluation
  asked again then draws as nearly the same samples as the server can, while two items or two repeats never share random
  numbers; one seed for all would make their errors correlated.
- No `user` is sent: nothing about who evaluates belongs in a request.

`body` of the model's configuration is merged last: it adds fields, replaces them, and takes out those set to null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.identity import seed_for
from assay.models.base import RequestError
from assay.records import Message, Request

CHAT_TOP_LOGPROBS = 20
"""Most alternatives a position that the chat protocol allows."""
COMPLETIONS_TOP_LOGPROBS = 5
"""Most alternatives a position that the completions protocol allows."""


def chat_body(model: str, request: Request, extra: Mapping[str, Any], *, length_field: str = "max_tokens") -> dict[str, Any]:
    """The body for `/chat/completions`. Plain text becomes one user message.

    Args:
        model: the model's name at the endpoint.
        request: a generation request.
        extra: the configuration's `body`.
        length_field: the field for the length limit; newer models of OpenAI want `max_completion_tokens`.

    Raises:
        RequestError: the request scores a continuation, which a chat endpoint cannot do.
    """
    if request.continuation is not None:
        raise RequestError(
            "bad_request", "a chat endpoint cannot score a given continuation: set endpoint: completions", retriable=False
        )
    messages = (Message(role="user", content=request.prompt),) if isinstance(request.prompt, str) else request.prompt
    body: dict[str, Any] = {"model": model, "messages": [{"role": m.role, "content": m.content} for m in messages]}
    body[length_field] = request.max_tokens
    body.update(_decoding(request))
    if request.top_logprobs > 0:
        body["logprobs"] = True
        body["top_logprobs"] = min(request.top_logprobs, CHAT_TOP_LOGPROBS)
    return merged(body, extra)


def completions_body(model: str, request: Request, extra: Mapping[str, Any]) -> dict[str, Any]:
    """The body for `/completions`.

    Raises:
        RequestError: the request is a conversation.
    """
    body: dict[str, Any] = {"model": model, "prompt": plain(request), "max_tokens": request.max_tokens}
    body.update(_decoding(request))
    if request.top_logprobs > 0:
        body["logprobs"] = min(request.top_logprobs, COMPLETIONS_TOP_LOGPROBS)
    return merged(body, extra)


def scoring_body(model: str, request: Request, extra: Mapping[str, Any], *, generated: int) -> dict[str, Any]:
    """The body for `/completions` that has the log-probabilities of prompt and continuation sent back.

    Args:
        model: the model's name at the endpoint.
        request: a scoring request.
        extra: the configuration's `body`.
        generated: tokens to generate after the text: 0, or 1 for servers that refuse 0.

    Raises:
        RequestError: the request is a conversation.
    """
    body = {
        "model": model,
        "prompt": plain(request) + (request.continuation or ""),
        "max_tokens": generated,
        "temperature": 0.0,
        "echo": True,
        "logprobs": min(max(1, request.top_logprobs), COMPLETIONS_TOP_LOGPROBS),
    }
    return merged(body, extra)


def streaming(body: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """The same body with the reply streamed, its usage at the end; `stream_options: null` in `extra` takes that out."""
    return merged({**body, "stream": True, "stream_options": {"include_usage": True}}, extra)


def plain(request: Request) -> str:
    """The prompt of a request to a completions endpoint.

    Raises:
        RequestError: it is a conversation.
    """
    if not isinstance(request.prompt, str):
        raise RequestError(
            "bad_request", "a completions endpoint takes plain text, not messages: set endpoint: chat", retriable=False
        )
    return request.prompt


def sampling_seed(request: Request) -> int:
    """The seed of a sampled request: a 31-bit number, a function of the request alone."""
    settled = msgspec.structs.replace(request, options=())
    return seed_for("sampling", msgspec.json.encode(settled, order="deterministic").decode()) % 2**31


def merged(body: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """A body with the configuration's fields laid over it; a field set to null is taken out."""
    return {name: value for name, value in {**body, **extra}.items() if name not in extra or value is not None}


def _decoding(request: Request) -> dict[str, Any]:
    fields: dict[str, Any] = {"temperature": request.temperature}
    if request.top_p != 1.0:
        fields["top_p"] = request.top_p
    if request.stop:
        fields["stop"] = list(request.stop)
    if request.completions != 1:
        fields["n"] = request.completions
    if request.temperature > 0:
        fields["seed"] = sampling_seed(request)
    return fields
