"""Amazon Bedrock's Converse API, version 2023-09-30.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, and botocore 1.44's model of the service.
One form for all models there; what only some take goes into `additionalModelRequestFields`. There is no `n`, no seed and there
are no log-probabilities. Tokens from and to the prompt cache are counted beside `inputTokens`. Models take few stop sequences
and none of white space alone; the others are cut from the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import quote

from assay.models.wire.dialect import Dialect, Gathering, overlaid, turns
from assay.models.wire.replies import Reply, mapping, nothing, objects, paragraphs, usage_of, words
from assay.records import Completion, FinishReason, Request, Response

MOST_STOPS = 4
"""Stop sequences that are sent: what the strictest models there take."""

_FINISH: dict[str, FinishReason] = {
    "end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "model_context_window_exceeded": "length",
    "guardrail_intervened": "content_filter", "content_filtered": "content_filter",
}  # fmt: skip


class Converse(Dialect):
    """`/model/<model>/converse`."""

    no_temperature: ClassVar[str] = "{inferenceConfig: {temperature: null}}"
    statuses: ClassVar[Mapping[str, int]] = {
        "validationException": 400, "throttlingException": 429, "internalServerException": 500,
        "modelStreamErrorException": 502, "serviceUnavailableException": 503,
    }  # fmt: skip

    def path(self, stream: bool) -> str:
        """What follows the base URL; the slashes of an ARN are no part of the path."""
        return f"/model/{quote(self.model, safe=':')}/converse" + ("-stream" if stream else "")

    def body(self, request: Request, many: int, stream: bool) -> Reply:
        """The body that asks for one completion."""
        system, messages = turns(request)
        decoding: Reply = {"maxTokens": max(1, request.max_tokens), "temperature": request.temperature}
        if request.top_p != 1.0:
            decoding["topP"] = request.top_p
        if stops := [stop for stop in request.stop if stop.strip()]:
            decoding["stopSequences"] = stops[:MOST_STOPS]
        spoken: list[Reply] = []
        for message in messages:
            # The speakers must take turns.
            if not spoken or spoken[-1]["role"] != message.role:
                spoken.append({"role": message.role, "content": []})
            spoken[-1]["content"].append({"text": message.content})
        body: Reply = {"messages": spoken, "inferenceConfig": decoding}
        if system:
            body["system"] = [{"text": system}]
        return overlaid(body, self.extra)

    def response(self, reply: Reply) -> Response:
        """The message in a reply."""
        message = mapping(mapping(reply.get("output")).get("message"))
        if not isinstance(message.get("content"), list):
            raise nothing("it has no message")
        blocks = objects(message["content"])
        thoughts = (mapping(mapping(block.get("reasoningContent")).get("reasoningText")).get("text") for block in blocks)
        used = mapping(reply.get("usage"))
        completion = Completion(
            text="".join(words(block.get("text")) for block in blocks),
            finish_reason=_FINISH.get(words(reply.get("stopReason")), "unknown"),
            reasoning=paragraphs(words(thought) for thought in thoughts),
        )
        read = [used.get(name) for name in ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")]
        return Response(completions=(completion,), usage=usage_of(read, [used.get("outputTokens")], None))

    def gathering(self) -> Gathering:
        """An empty stream."""
        return _Gathering()


class _Gathering(Gathering):
    """Frames, each an object with the frame's name as its one key; `metadata`, with the usage, comes after `messageStop`."""

    def __init__(self) -> None:
        self._texts: dict[int, list[str]] = {}
        self._thoughts: dict[int, list[str]] = {}
        self._rest: Reply = {}
        self._begun = False

    def add(self, event: Reply) -> bool:
        """Take in a frame; whether it brought text."""
        for name, value in event.items():
            if name.endswith("xception"):
                self._rest["error"] = {**mapping(value), "type": name}
                self.finished = True
            elif name == "messageStart":
                self._begun = True
            elif name == "messageStop":
                self._rest["stopReason"] = mapping(value).get("stopReason")
                # An end without a message before it is no empty answer.
                self.finished = self._begun
            elif name == "metadata":
                self._rest["usage"] = mapping(value).get("usage")
            elif name == "contentBlockDelta":
                self._begun = True
                return self._delta(mapping(value))
        return False

    def _delta(self, frame: Reply) -> bool:
        delta = mapping(frame.get("delta"))
        index = frame.get("contentBlockIndex")
        place = index if isinstance(index, int) else 0
        text, thought = words(delta.get("text")), words(mapping(delta.get("reasoningContent")).get("text"))
        if text:
            self._texts.setdefault(place, []).append(text)
        if thought:
            self._thoughts.setdefault(place, []).append(thought)
        return bool(text or thought)

    def reply(self) -> Reply:
        """The message that came."""
        thoughts = [
            {"reasoningContent": {"reasoningText": {"text": "".join(self._thoughts[p])}}} for p in sorted(self._thoughts)
        ]
        texts = [{"text": "".join(self._texts[place])} for place in sorted(self._texts)]
        return {**self._rest, "output": {"message": {"content": [*thoughts, *texts]}}}
