"""A streamed reply of an OpenAI-compatible endpoint, put together to the body that it would have been unstreamed.

So streamed and unstreamed answers are read by the same code. What is odd in a chunk is left to that reading.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from assay.models.base import RequestError

END = b"[DONE]"
"""What ends the stream, where the server says so."""
MOST_CHOICES = 1000
"""Indices of choices above are none."""

_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


class Gathering:
    """Takes the events of a stream and gives the body."""

    def __init__(self) -> None:
        self._reply: dict[str, Any] = {}
        self._choices: dict[int, dict[str, Any]] = {}
        self.first_token_s: float | None = None
        """Seconds until the first event that held text."""
        self.ended = False
        """The stream said that it is complete."""

    def add(self, data: bytes, at_s: float) -> None:
        """Take one event.

        Args:
            data: its data.
            at_s: seconds from sending the request to its arrival.

        Raises:
            RequestError: it is no JSON object (`malformed`).
        """
        if data.strip() == END:
            self.ended = True
            return
        chunk = _decoded(data)
        for name, value in chunk.items():
            if name != "choices" and value is not None:
                self._reply[name] = value
        choices = chunk.get("choices")
        for part in choices if isinstance(choices, list) else []:
            if isinstance(part, dict) and self._take(part) and self.first_token_s is None:
                self.first_token_s = at_s

    @property
    def complete(self) -> bool:
        """Every choice that was begun has ended, or the stream said so; a server's error counts as an end."""
        finished = bool(self._choices) and all(choice.get("finish_reason") for choice in self._choices.values())
        return self.ended or finished or "error" in self._reply

    def body(self) -> bytes:
        """The reply as one JSON object; of one that an error broke off, the error alone."""
        choices = [] if "error" in self._reply else [_joined(self._choices[index]) for index in sorted(self._choices)]
        return json.dumps({**self._reply, "choices": choices or None}).encode()

    def _take(self, part: dict[str, Any]) -> bool:
        """Add a part of a choice; whether it held text."""
        index = part.get("index", 0)
        if not isinstance(index, int) or not 0 <= index < MOST_CHOICES:
            index = 0
        choice = self._choices.setdefault(index, {"index": index})
        if part.get("finish_reason"):
            choice["finish_reason"] = part["finish_reason"]
        _add_logprobs(choice, part.get("logprobs"))
        text = _add_text(choice, "text", part.get("text"))
        delta = part.get("delta")
        if isinstance(delta, dict):
            message = choice.setdefault("message", {})
            for name in _TEXTS:
                text = _add_text(message, name, delta.get(name)) or text
        return text


def _decoded(data: bytes) -> dict[str, Any]:
    try:
        chunk: Any = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        try:
            chunk = json.loads(data)  # knows NaN, infinities and lone surrogates
        except (ValueError, RecursionError):
            chunk = None
    if not isinstance(chunk, dict):
        raise RequestError("malformed", "the stream holds an event that is no JSON object", retriable=True)
    return chunk


def _add_text(whole: dict[str, Any], name: str, part: Any) -> bool:
    """Add a piece of a text; whether it held any character."""
    if isinstance(part, list):
        part = "".join(str(piece.get("text") or "") for piece in part if isinstance(piece, dict))
    if not isinstance(part, str):
        return False
    whole.setdefault(name, []).append(part)
    return bool(part)


def _joined(choice: dict[str, Any]) -> dict[str, Any]:
    """A choice with the pieces of its texts put together."""
    whole = dict(choice)
    if "text" in whole:
        whole["text"] = "".join(whole["text"])
    if "message" in whole:
        whole["message"] = {name: "".join(pieces) for name, pieces in whole["message"].items()}
    return whole


def _add_logprobs(choice: dict[str, Any], part: Any) -> None:
    """The lists of both protocols, one after the other; a list that a chunk lacks makes the whole not fit together."""
    if not isinstance(part, dict):
        return
    whole = choice.setdefault("logprobs", {})
    for name, values in part.items():
        if isinstance(values, list):
            whole.setdefault(name, []).extend(values)
