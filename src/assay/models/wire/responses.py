"""OpenAI's Responses API, `/responses` of version v1 (https://platform.openai.com/docs/api-reference/responses), SDK 3.57.

It takes no stop sequences (they are cut from the answer), no `n` and no seed, and no fewer than 16 tokens. Answers are asked
not to be kept there (`store: false`). Summaries of the reasoning come where `reasoning: {summary: auto}` asks for them; their
tokens count as output. Reasoning models refuse log-probabilities, which are therefore asked for only where the configuration's
body has `top_logprobs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from assay.models.wire.dialect import Dialect, Gathering, overlaid
from assay.models.wire.repair import token_count
from assay.models.wire.replies import Reply, mapping, nothing, objects, paragraphs, tokens_from, usage_of, words
from assay.records import Completion, FinishReason, Message, Request, Response

LEAST_TOKENS = 16
"""The smallest limit the API takes."""

_INCOMPLETE: dict[str, FinishReason] = {"max_output_tokens": "length", "content_filter": "content_filter"}
_TEXT_EVENTS = ("response.output_text.delta", "response.refusal.delta")
_THOUGHT_EVENTS = ("response.reasoning_text.delta", "response.reasoning_summary_text.delta")
_LAST_EVENTS = ("response.completed", "response.incomplete", "response.failed")


class Responses(Dialect):
    """`/responses`."""

    statuses: ClassVar[Mapping[str, int]] = {
        "server_error": 500, "rate_limit_exceeded": 429, "invalid_prompt": 400, "bio_policy": 400,
        "misalignment_policy_violation": 400,
    }  # fmt: skip

    def path(self, stream: bool) -> str:
        """What follows the base URL."""
        return "/responses"

    def body(self, request: Request, many: int, stream: bool) -> Reply:
        """The body that asks for one completion."""
        prompt = request.prompt
        messages = (Message(role="user", content=prompt),) if isinstance(prompt, str) else prompt
        body: Reply = {
            "model": self.model,
            "input": [{"role": message.role, "content": message.content} for message in messages],
            "max_output_tokens": max(LEAST_TOKENS, request.max_tokens),
            "temperature": request.temperature,
            "store": False,
        }
        if request.top_p != 1.0:
            body["top_p"] = request.top_p
        if self.logprobs():
            body["include"] = ["message.output_text.logprobs"]
        if stream:
            body["stream"] = True
        return overlaid(body, self.extra)

    def logprobs(self) -> int:
        """Alternatives at a position, as the configuration's body asks for them."""
        return token_count(self.extra.get("top_logprobs")) or 0

    def response(self, reply: Reply) -> Response:
        """The answer in a reply; one that is nothing but a refusal has its words, with the finish reason `content_filter`."""
        if not isinstance(reply.get("output"), list):
            raise nothing("it has no output")
        output = objects(reply["output"])
        messages = [item for item in output if item.get("type") == "message"]
        remarks = [item for item in messages if item.get("phase") == "commentary"]
        parts = [part for item in messages if item not in remarks for part in objects(item.get("content"))]
        text = "".join(words(part.get("text")) for part in parts if part.get("type") == "output_text")
        refusal = "".join(words(part.get("refusal")) for part in parts if part.get("type") == "refusal")
        finish: FinishReason = "stop" if reply.get("status") == "completed" else "unknown"
        finish = _INCOMPLETE.get(words(mapping(reply.get("incomplete_details")).get("reason")), finish)
        if refusal and not text:
            text, finish = refusal, "content_filter"
        thinking = [item for item in output if item.get("type") == "reasoning"] + remarks
        thoughts = [part for item in thinking for name in ("summary", "content") for part in objects(item.get(name))]
        used = mapping(reply.get("usage"))
        return Response(
            completions=(
                Completion(
                    text=text,
                    tokens=tokens_from([entry for part in parts for entry in objects(part.get("logprobs"))]),
                    finish_reason=finish,
                    reasoning=paragraphs(words(part.get("text")) for part in thoughts),
                ),
            ),
            usage=usage_of(
                read=[used.get("input_tokens")],
                written=[used.get("output_tokens")],
                reasoned=mapping(used.get("output_tokens_details")).get("reasoning_tokens"),
            ),
            model_version=words(reply.get("model")),
        )

    def gathering(self) -> Gathering:
        """An empty stream."""
        return _Gathering()


class _Gathering(Gathering):
    """Events that tell what is being written; the last one holds the whole reply."""

    def __init__(self) -> None:
        self._reply: Reply = {}

    def add(self, event: Reply) -> bool:
        """Take in an event; whether it brought text."""
        kind = event.get("type")
        if kind in _LAST_EVENTS:
            self._reply = mapping(event.get("response"))
            self.finished = True
        elif kind == "error":
            self._reply = {"error": mapping(event.get("error")) or {**event, "type": "error"}}
            self.finished = True
        return kind in (*_TEXT_EVENTS, *_THOUGHT_EVENTS) and bool(event.get("delta"))

    def reply(self) -> Reply:
        """The reply in the last event."""
        return self._reply
