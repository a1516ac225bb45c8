"""Anthropic's Messages API, version 2023-06-01 (https://platform.claude.com/docs/en/api/messages), as of its SDK 2.14.

The system's words are a field of their own. There is no `n`, no seed and there are no log-probabilities. A stop sequence of
white space alone is refused, so such ones are left out here and cut from the answer instead. What a model thinks counts
towards `max_tokens`; blocks of thinking are kept apart from the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from assay.models.wire.dialect import Dialect, Gathering, overlaid, turns
from assay.models.wire.replies import Reply, mapping, nothing, objects, paragraphs, usage_of, words
from assay.records import Completion, FinishReason, Request, Response

VERSION = "2023-06-01"
"""The value of the header `anthropic-version`."""

_FINISH: dict[str, FinishReason] = {
    "end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}  # fmt: skip


class Messages(Dialect):
    """`/v1/messages`."""

    statuses: ClassVar[Mapping[str, int]] = {
        "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
        "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504,
        "overloaded_error": 529,
    }  # fmt: skip

    def path(self, stream: bool) -> str:
        """What follows the base URL."""
        return "/v1/messages"

    def body(self, request: Request, many: int, stream: bool) -> Reply:
        """The body that asks for one completion."""
        system, messages = turns(request)
        body: Reply = {
            "model": self.model,
            "max_tokens": max(1, request.max_tokens),
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "temperature": request.temperature,
        }
        if system:
            body["system"] = system
        if request.top_p != 1.0:
            body["top_p"] = request.top_p
        if stops := [stop for stop in request.stop if stop.strip()]:
            body["stop_sequences"] = stops
        if stream:
            body["stream"] = True
        return overlaid(body, self.extra)

    def response(self, reply: Reply) -> Response:
        """The message in a reply; one that was refused has what was said of it as its text, where nothing else came."""
        if not isinstance(reply.get("content"), list):
            raise nothing("it has no content")
        blocks = objects(reply["content"])
        text = "".join(words(block.get("text")) for block in blocks if block.get("type") == "text")
        finish = _FINISH.get(words(reply.get("stop_reason")), "unknown")
        if finish == "content_filter" and not text:
            text = words(mapping(reply.get("stop_details")).get("explanation"))
        reasoning = paragraphs(words(block.get("thinking")) for block in blocks if block.get("type") == "thinking")
        used = mapping(reply.get("usage"))
        return Response(
            completions=(Completion(text=text, finish_reason=finish, reasoning=reasoning),),
            usage=usage_of(
                read=[used.get(f"{kind}input_tokens") for kind in ("", "cache_creation_", "cache_read_")],
                written=[used.get("output_tokens")],
                reasoned=mapping(used.get("output_tokens_details")).get("thinking_tokens"),
            ),
            model_version=words(reply.get("model")),
        )

    def gathering(self) -> Gathering:
        """An empty stream."""
        return _Gathering()


class _Gathering(Gathering):
    """`message_start`, then for each block a start, deltas and a stop, then `message_delta` and `message_stop`."""

    _FIELD: ClassVar[dict[str, str]] = {"text_delta": "text", "thinking_delta": "thinking"}

    def __init__(self) -> None:
        self._message: Reply = {}
        self._blocks: dict[int, Reply] = {}
        self._parts: dict[int, list[str]] = {}

    def add(self, event: Reply) -> bool:
        """Take in an event; whether it brought text."""
        kind = event.get("type")
        if kind == "message_start":
            self._message = dict(mapping(event.get("message")))
        elif kind == "content_block_start":
            block = mapping(event.get("content_block"))
            self._blocks[self._place(event)] = block
            self._parts[self._place(event)] = [words(block.get(words(block.get("type"))))]
        elif kind == "content_block_delta":
            delta = mapping(event.get("delta"))
            field = self._FIELD.get(words(delta.get("type")))
            if field and (text := words(delta.get(field))):
                self._parts.setdefault(self._place(event), []).append(text)
                self._blocks.setdefault(self._place(event), {"type": field})
                return True
        elif kind == "message_delta":
            self._message.update(mapping(event.get("delta")))
            used = {name: count for name, count in mapping(event.get("usage")).items() if count is not None}
            self._message["usage"] = {**mapping(self._message.get("usage")), **used}
        elif kind == "error":
            self._message["error"] = event.get("error") or {"message": "the stream broke off with an error"}
        # An end without a message before it is no empty answer.
        said = bool(self._blocks or self._message.get("stop_reason"))
        self.finished = self.finished or kind == "error" or (kind == "message_stop" and said)
        return False

    def reply(self) -> Reply:
        """The message that came."""
        content: list[Any] = []
        for place in sorted(self._blocks):
            block = self._blocks[place]
            content.append({**block, words(block.get("type")): "".join(self._parts[place])})
        return {**self._message, "content": content}

    @staticmethod
    def _place(event: Reply) -> int:
        index = event.get("index")
        return index if isinstance(index, int) else 0
