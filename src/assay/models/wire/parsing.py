"""What an OpenAI-compatible endpoint sent back, read strictly: records, or a `RequestError`, whatever the bytes.

Text is data and stays as it is, but for lone surrogates, which no encoding could carry on: they become U+FFFD. A number that
cannot be what it is said to be counts as not given: a log-probability that is none (`NaN`, or above 0), a count of tokens that
is negative or astronomical. Negative infinity becomes -9999, the protocol's own stand-in for it. A completion is never lost
for what stands beside it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import msgspec

from assay.models.base import RequestError
from assay.models.limits import IMPOSSIBLE, log_probability
from assay.models.wire.repair import repaired, token_count
from assay.records import Completion, FinishReason, Response, Token, Usage

__all__ = ["IMPOSSIBLE", "Logprobs", "Reply", "decode", "response_of", "tokens_of", "usage_of", "version_of"]

_FINISH: dict[str, FinishReason] = {
    "stop": "stop", "eos": "stop", "eos_token": "stop", "end_turn": "stop", "stop_sequence": "stop",
    "length": "length", "max_tokens": "length", "content_filter": "content_filter",
}  # fmt: skip


class _TopLogprob(msgspec.Struct):
    token: str
    logprob: float | None = None


class _TokenLogprob(msgspec.Struct):
    token: str
    logprob: float | None = None
    top_logprobs: list[_TopLogprob] | None = None


class Logprobs(msgspec.Struct):
    """Both shapes: `content` of the chat protocol, the parallel lists of the completions protocol."""

    content: list[_TokenLogprob] | None = None
    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None
    top_logprobs: list[dict[str, float | None] | None] | None = None
    text_offset: list[int] | None = None


class _Part(msgspec.Struct):
    text: str | None = None


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class Choice(msgspec.Struct):
    """One completion, of either protocol."""

    index: int = 0
    text: str | None = None
    message: _Message | None = None
    logprobs: Logprobs | None = None
    finish_reason: str | None = None


class _UsageDetails(msgspec.Struct):
    reasoning_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    completion_tokens_details: _UsageDetails | None = None


class Reply(msgspec.Struct):
    """The body of a successful response."""

    choices: list[Choice] | None = None
    usage: _Usage | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    error: Any = None


_decoder = msgspec.json.Decoder(Reply)


def decode(data: bytes, clean: Callable[[str], str] = str) -> Reply:
    """The reply in a body. What stands there besides the completions may have any form: it is left out where it is odd.

    Args:
        data: the body.
        clean: takes the secrets out of what the server said, for a message.

    Raises:
        RequestError: the bytes are no JSON (`malformed`, worth another try: a gateway's page or a cut transfer), or JSON of
            another shape (`malformed`, not worth one).
    """
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return _lenient(data, clean)


def response_of(reply: Reply) -> Response:
    """The completions, usage and version in a reply, in the order of the choices' indices.

    A message that is nothing but a refusal gives its text with the finish reason `content_filter`.

    Raises:
        RequestError: there is no choice (`malformed`).
    """
    if not reply.choices:
        raise RequestError("malformed", "the response holds no completion", retriable=False)
    choices = sorted(reply.choices, key=lambda choice: choice.index)
    return Response(
        completions=tuple(_completion(choice) for choice in choices),
        usage=usage_of(reply),
        model_version=version_of(reply),
    )


def usage_of(reply: Reply) -> Usage:
    """The tokens as the provider counted them."""
    counted = reply.usage
    if counted is None:
        return Usage()
    details = counted.completion_tokens_details
    read, written = token_count(counted.prompt_tokens), token_count(counted.completion_tokens)
    if read is None and written is None:
        return Usage()
    reasoned = token_count(details.reasoning_tokens) if details else None
    return Usage(prompt_tokens=read or 0, completion_tokens=written or 0, reasoning_tokens=reasoned or 0, source="provider")


def version_of(reply: Reply) -> str:
    """`model@fingerprint`, or what of it was reported."""
    return "@".join(part for part in (reply.model, reply.system_fingerprint) if part)


def tokens_of(logprobs: Logprobs | None) -> tuple[Token, ...]:
    """The tokens of either shape; none where there are no log-probabilities, or lists that do not belong together."""
    if logprobs is None:
        return ()
    if logprobs.content is not None:
        return tuple(
            Token(
                text=one.token,
                logprob=log_probability(one.logprob),
                top=_top((alternative.token, alternative.logprob) for alternative in one.top_logprobs or ()),
            )
            for one in logprobs.content
        )
    if not logprobs.tokens or logprobs.token_logprobs is None:
        return ()
    tops = logprobs.top_logprobs or [None] * len(logprobs.tokens)
    if not len(logprobs.tokens) == len(logprobs.token_logprobs) == len(tops):
        return ()
    return tuple(
        Token(text=text, logprob=log_probability(logprob), top=_top((top or {}).items()))
        for text, logprob, top in zip(logprobs.tokens, logprobs.token_logprobs, tops, strict=True)
    )


def _completion(choice: Choice) -> Completion:
    finish: FinishReason = _FINISH.get(choice.finish_reason or "", "unknown")
    text, reasoning = choice.text or "", ""
    if choice.message is not None:
        message = choice.message
        content = message.content
        text = "".join(part.text or "" for part in content) if isinstance(content, list) else content or ""
        reasoning = message.reasoning_content or message.reasoning or ""
        if message.refusal and not text:
            text, finish = message.refusal, "content_filter"
    return Completion(text=text, tokens=tokens_of(choice.logprobs), finish_reason=finish, reasoning=reasoning)


def _top(pairs: Any) -> dict[str, float]:
    """Alternatives by text; of two tokens with the same text (parts of a character) the likelier one stays."""
    top: dict[str, float] = {}
    for text, logprob in pairs:
        value = log_probability(logprob)
        if value is not None and value > top.get(text, -math.inf):
            top[text] = value
    return top


def _lenient(data: bytes, clean: Callable[[str], str]) -> Reply:
    """Read JSON as Python's own decoder does: it also knows NaN, infinities and lone surrogates; and repair what is odd."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise RequestError("malformed", "the response is not UTF-8 text", retriable=True) from None
    try:
        plain = repaired(json.loads(text, parse_int=_whole), Logprobs)
    except (ValueError, RecursionError) as error:
        start = " ".join(clean(text)[:80].split())
        raise RequestError("malformed", f"the response is not JSON ({error}): {start!r}", retriable=True) from None
    try:
        return msgspec.convert(plain, Reply)
    except msgspec.ValidationError as error:
        raise RequestError("malformed", f"the response has an unexpected shape: {error}", retriable=False) from None


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 19 else float(digits)
