"""Google's Gemini API, `generateContent` of version v1beta (https://ai.google.dev/api/generate-content), as of its SDK 3.6.

Thoughts come as parts marked `thought`, where `generationConfig: {thinkingConfig: {includeThoughts: true}}` asks for them;
`candidatesTokenCount` does not hold them, `thoughtsTokenCount` does, and both are paid for as output. At most five stop
sequences are taken; the others are cut from the answer. Most models refuse log-probabilities, and none says so before: they are
asked for only where the configuration's body has `generationConfig: {responseLogprobs: true, logprobs: 5}`. So do many models
several candidates; the caller finds out.
"""

from __future__ import annotations

from typing import Any, ClassVar
from urllib.parse import quote

from assay.models.wire.bodies import sampling_seed
from assay.models.wire.dialect import Dialect, Gathering, overlaid, turns
from assay.models.wire.repair import token_count
from assay.models.wire.replies import Reply, mapping, nothing, objects, paragraphs, tokens_from, usage_of, words
from assay.records import Completion, FinishReason, Request, Response

MOST_STOPS = 5
"""Stop sequences that one request may have."""

_FINISH: dict[str, FinishReason] = {
    "STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter", "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter", "PROHIBITED_CONTENT": "content_filter", "SPII": "content_filter",
    "MODEL_ARMOR": "content_filter", "IMAGE_SAFETY": "content_filter",
}  # fmt: skip


class Gemini(Dialect):
    """`/models/<model>:generateContent`."""

    most_completions: ClassVar[int] = 8
    no_temperature: ClassVar[str] = "{generationConfig: {temperature: null}}"

    def path(self, stream: bool) -> str:
        """What follows the base URL. The key is never in it."""
        model = self.model if "/" in self.model else f"models/{self.model}"
        return f"/{quote(model)}:" + ("streamGenerateContent?alt=sse" if stream else "generateContent")

    def body(self, request: Request, many: int, stream: bool) -> Reply:
        """The body that asks for so many completions."""
        system, messages = turns(request)
        decoding: Reply = {"maxOutputTokens": max(1, request.max_tokens), "temperature": request.temperature}
        if request.top_p != 1.0:
            decoding["topP"] = request.top_p
        if request.stop:
            decoding["stopSequences"] = list(request.stop[:MOST_STOPS])
        if many != 1:
            decoding["candidateCount"] = many
        if request.temperature > 0:
            decoding["seed"] = sampling_seed(request)
        roles = {"user": "user", "assistant": "model"}
        body: Reply = {
            "contents": [{"role": roles[message.role], "parts": [{"text": message.content}]} for message in messages],
            "generationConfig": decoding,
        }
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        return overlaid(body, self.extra)

    def logprobs(self) -> int:
        """Alternatives at a position, as the configuration's body asks for them."""
        asked = mapping(self.extra.get("generationConfig"))
        return (token_count(asked.get("logprobs")) or 1) if asked.get("responseLogprobs") is True else 0

    def response(self, reply: Reply) -> Response:
        """The candidates in a reply; a prompt that was blocked has one without text."""
        candidates = sorted(objects(reply.get("candidates")), key=_index)
        if candidates:
            completions = tuple(_completion(candidate) for candidate in candidates)
        elif mapping(reply.get("promptFeedback")).get("blockReason"):
            completions = (Completion(text="", finish_reason="content_filter"),)
        else:
            raise nothing("it has no candidates")
        used = mapping(reply.get("usageMetadata"))
        return Response(
            completions=completions,
            usage=usage_of(
                read=[used.get("promptTokenCount"), used.get("toolUsePromptTokenCount")],
                written=[used.get("candidatesTokenCount"), used.get("thoughtsTokenCount")],
                reasoned=used.get("thoughtsTokenCount"),
            ),
            model_version=words(reply.get("modelVersion")),
        )

    def gathering(self) -> Gathering:
        """An empty stream."""
        return _Gathering()


class _Gathering(Gathering):
    """Chunks that are replies themselves, each with the next parts; the last has the finish reasons."""

    def __init__(self) -> None:
        self._reply: Reply = {}
        self._candidates: dict[int, Reply] = {}
        self._parts: dict[int, list[Any]] = {}

    def add(self, event: Reply) -> bool:
        """Take in a chunk; whether it brought text."""
        self._reply.update(event)
        brought = False
        for candidate in objects(event.get("candidates")):
            place = _index(candidate)
            held = self._candidates.setdefault(place, {})
            logprobs = _extended(held.get("logprobsResult"), candidate.get("logprobsResult"))
            held.update({name: value for name, value in candidate.items() if value is not None})
            held["logprobsResult"] = logprobs
            parts = objects(mapping(candidate.get("content")).get("parts"))
            self._parts.setdefault(place, []).extend(parts)
            brought = brought or any(part.get("text") for part in parts)
        blocked = mapping(self._reply.get("promptFeedback")).get("blockReason")
        ended = bool(self._candidates) and all(one.get("finishReason") for one in self._candidates.values())
        self.finished = bool(ended or blocked or self._reply.get("error"))
        return brought

    def reply(self) -> Reply:
        """The chunks as one."""
        candidates = [{**held, "content": {"parts": self._parts[place]}} for place, held in self._candidates.items()]
        return {**self._reply, "candidates": candidates}


def _completion(candidate: Reply) -> Completion:
    parts = objects(mapping(candidate.get("content")).get("parts"))
    thoughts = "".join(words(part.get("text")) for part in parts if part.get("thought") is True)
    chosen = mapping(candidate.get("logprobsResult"))
    tops = objects(chosen.get("topCandidates"))
    entries = []
    for place, token in enumerate(objects(chosen.get("chosenCandidates"))):
        others = objects(tops[place].get("candidates")) if place < len(tops) else []
        entries.append({**_token(token), "top_logprobs": [_token(other) for other in others]})
    return Completion(
        text="".join(words(part.get("text")) for part in parts if part.get("thought") is not True),
        tokens=tokens_from(entries),
        finish_reason=_FINISH.get(words(candidate.get("finishReason")), "unknown"),
        reasoning=paragraphs([thoughts]),
    )


def _token(entry: Reply) -> Reply:
    return {"token": words(entry.get("token")), "logprob": entry.get("logProbability")}


def _index(candidate: Reply) -> int:
    return token_count(candidate.get("index")) or 0


def _extended(held: Any, new: Any) -> Reply:
    names = ("chosenCandidates", "topCandidates")
    return {name: [*objects(mapping(held).get(name)), *objects(mapping(new).get(name))] for name in names}
