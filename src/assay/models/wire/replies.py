"""What replies of every wire format have in common: JSON that may hold anything, stop sequences, several calls, tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from assay.models.base import RequestError
from assay.models.wire.parsing import Logprobs, tokens_of
from assay.models.wire.repair import token_count, whole_characters
from assay.records import Completion, Response, Token, Usage

Reply = dict[str, Any]
"""A reply as JSON gives it: nothing in it is certain."""


def decoded(data: bytes, clean: Callable[[str], str]) -> Reply:
    """A reply's or event's JSON object; lone surrogates become U+FFFD.

    Args:
        data: the bytes.
        clean: takes the secrets out of what the server said, for a message.

    Raises:
        RequestError: it is no JSON (`malformed`, worth another try: a gateway's page or a cut transfer) or no object (not
            worth one).
    """
    try:
        plain = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        try:
            plain = whole_characters(json.loads(data.decode("utf-8"), parse_int=_whole))
        except (ValueError, RecursionError) as error:
            start = " ".join(clean(data[:400].decode("utf-8", "replace"))[:80].split())
            raise RequestError("malformed", f"the response is not JSON ({error}): {start!r}", retriable=True) from None
    if not isinstance(plain, dict):
        raise RequestError("malformed", "the response is JSON, but no object", retriable=False)
    return plain


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 19 else float(digits)


def nothing(what: str) -> RequestError:
    """The error for a reply that has no completion in it."""
    return RequestError("malformed", f"the response holds no completion: {what}", retriable=False)


def cut_at_stops(completion: Completion, stops: Sequence[str]) -> Completion:
    """A completion up to the first stop sequence in its text; for endpoints that do not take the sequences, or not all."""
    places = [place for stop in stops if stop and (place := completion.text.find(stop)) >= 0]
    if not places:
        return completion
    end = min(places)
    kept: list[Token] = []
    length = 0
    for token in completion.tokens:
        if length + len(token.text) > end:
            break
        kept.append(token)
        length += len(token.text)
    return msgspec.structs.replace(completion, text=completion.text[:end], tokens=tuple(kept), finish_reason="stop")


def together(responses: Sequence[Response], many: int) -> Response:
    """One response of several calls that were made one after the other: completions in order, tokens and seconds summed.

    Args:
        responses: at least one.
        many: completions that were wanted; what is more is dropped.
    """
    first = responses[0]
    if len(responses) == 1 and len(first.completions) <= many:
        return first
    completions = tuple(completion for response in responses for completion in response.completions)[:many]
    counted = all(response.usage.source == "provider" for response in responses)
    usage = Usage(
        prompt_tokens=sum(response.usage.prompt_tokens for response in responses),
        completion_tokens=sum(response.usage.completion_tokens for response in responses),
        reasoning_tokens=sum(response.usage.reasoning_tokens for response in responses),
        source="provider",
    )
    return msgspec.structs.replace(
        first,
        completions=completions,
        usage=usage if counted else Usage(),
        latency_s=sum(response.latency_s or 0.0 for response in responses),
    )


def usage_of(read: Iterable[Any], written: Iterable[Any], reasoned: Any) -> Usage:
    """Usage as sums of counts; counts that are none are left out, and without any nobody has counted.

    Args:
        read: counts of tokens read that do not overlap (new and cached ones).
        written: counts of tokens written that do not overlap, reasoning included.
        reasoned: tokens of reasoning among those written.
    """
    known_read = [count for value in read if (count := token_count(value)) is not None]
    known_written = [count for value in written if (count := token_count(value)) is not None]
    if not known_read and not known_written:
        return Usage()
    return Usage(
        prompt_tokens=sum(known_read),
        completion_tokens=sum(known_written),
        reasoning_tokens=token_count(reasoned) or 0,
        source="provider",
    )


def tokens_from(entries: list[Reply]) -> tuple[Token, ...]:
    """Tokens of entries with `token`, `logprob` and `top_logprobs`, as in OpenAI's chat; none where they are odd."""
    try:
        return tokens_of(msgspec.convert({"content": entries}, Logprobs))
    except (msgspec.ValidationError, OverflowError):
        return ()


def mapping(value: Any) -> Reply:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[Reply]:
    """The objects in a list; none where it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def words(value: Any) -> str:
    """The value where it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def paragraphs(texts: Iterable[str]) -> str:
    """Several stretches of reasoning as one text."""
    return "\n\n".join(text for text in texts if text)
