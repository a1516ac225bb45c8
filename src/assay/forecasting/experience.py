"""What is known of a model from answers it has given: how long they took and how long they were."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import msgspec

from assay.records import Record, Request, Response, Text

if TYPE_CHECKING:
    from assay.engine.storage import Storage

LOOKED_AT = 4000
"""Answers that are looked at, the newest of all models."""


class Experience(Record):
    """Sums over a model's answers, scored ones included."""

    answers: int = 0
    latency_s: float = 0.0
    timed: int = 0
    """Answers whose latency is known."""
    prompt_tokens: int = 0
    prompt_bytes: int = 0
    """Of the answers whose tokens the provider or the model's own tokenizer counted."""
    written: int = 0
    allowed: int = 0
    """Tokens that the same answers might have had at most."""

    @property
    def seconds(self) -> float | None:
        """Mean seconds an answer took."""
        return self.latency_s / self.timed if self.timed else None

    @property
    def tokens_a_byte(self) -> float | None:
        """Tokens in a byte of prompt, the chat template's included."""
        return self.prompt_tokens / self.prompt_bytes if self.prompt_bytes and self.prompt_tokens else None

    @property
    def share_written(self) -> float | None:
        """Tokens written, as a share of those allowed."""
        return min(1.0, self.written / self.allowed) if self.allowed else None

    @property
    def written_an_answer(self) -> float:
        """Mean tokens an answer has."""
        return self.written / self.answers if self.answers else 0.0

    def with_answer(self, request: Request, response: Response) -> Experience:
        """This, and one answer more."""
        usage, counted = response.usage, response.usage.source != "none"
        return Experience(
            answers=self.answers + 1,
            latency_s=self.latency_s + (response.latency_s or 0.0),
            timed=self.timed + (response.latency_s is not None),
            prompt_tokens=self.prompt_tokens + usage.prompt_tokens,
            prompt_bytes=self.prompt_bytes + (bytes_of(request) if counted else 0),
            written=self.written + usage.completion_tokens,
            allowed=self.allowed + (request.max_tokens * request.completions if counted else 0),
        )


def recall(storage: Storage, names: Collection[str]) -> dict[str, Experience]:
    """The experience with models of those names, from the newest answers in the response cache."""
    found: dict[str, Experience] = {}
    for preimage, response in storage.latest(LOOKED_AT):
        try:
            said = _decode(preimage)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        name = said.model.get("name")
        if name in names and isinstance(name, str):
            found[name] = found.get(name, Experience()).with_answer(said.request, response)
    return found


def bytes_of(request: Request) -> int:
    """Bytes of a request's prompt and continuation."""
    return _length(request.prompt) + len((request.continuation or "").encode("utf-8", "replace"))


def _length(text: Text) -> int:
    parts = [text] if isinstance(text, str) else [message.content for message in text]
    return sum(len(part.encode("utf-8", "replace")) for part in parts)


class _Said(Record):
    """What a preimage says of model and request; see `assay.engine.keys`."""

    model: dict[str, Any]
    request: Request


_decode = msgspec.json.Decoder(_Said).decode
