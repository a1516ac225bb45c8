"""What a wire format beside OpenAI's chat is: a request as a body, a reply as a response, a stream as a reply.

A dialect is a set of pure functions. A stream is gathered into the reply that the same request would have had without
streaming, so each format is read in one place only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.models.wire.replies import Reply
from assay.records import Message, Request, Response


class Gathering(ABC):
    """A stream on its way to become a reply."""

    finished: bool = False
    """The stream has come to its end, as the format marks it."""

    @abstractmethod
    def add(self, event: Reply) -> bool:
        """Take in an event; whether it brought text, thought or answer."""

    @abstractmethod
    def reply(self) -> Reply:
        """What has come, in the form of an unstreamed reply."""


@dataclass(frozen=True)
class Dialect(ABC):
    """One wire format, for one model."""

    model: str
    """The model's name at the endpoint."""
    extra: Mapping[str, Any]
    """The configuration's `body`, laid over every body."""

    most_completions: ClassVar[int] = 1
    """Completions that one call may ask for."""
    no_temperature: ClassVar[str] = "{temperature: null}"
    """The `body` of a configuration that leaves the temperature out."""
    statuses: ClassVar[Mapping[str, int]] = {}
    """The HTTP status that each word for an error stands for, for errors that come without one."""

    @abstractmethod
    def path(self, stream: bool) -> str:
        """What follows the base URL."""

    @abstractmethod
    def body(self, request: Request, many: int, stream: bool) -> Reply:
        """The body that asks for so many completions; `many` is at most `most_completions`."""

    @abstractmethod
    def response(self, reply: Reply) -> Response:
        """The completions, usage and version in a reply.

        Raises:
            RequestError: it holds no completion (`malformed`).
        """

    @abstractmethod
    def gathering(self) -> Gathering:
        """An empty stream."""

    def logprobs(self) -> int:
        """Most alternatives at a position that the format gives, under this configuration; 0 without log-probabilities."""
        return 0

    def error(self, reply: Reply) -> Reply | None:
        """The error in a reply, its `code` an HTTP status where its word has one; `None` where there is none."""
        error = reply.get("error")
        if not error:
            return None
        if not isinstance(error, dict):
            return {"message": error}
        for field in ("code", "type"):
            word = error.get(field)
            if isinstance(word, str) and word in self.statuses:
                return {**error, "type": word, "code": self.statuses[word]}
        return error


def turns(request: Request) -> tuple[str, list[Message]]:
    """The system's words, joined by blank lines, and the other messages. Plain text is one message of the user."""
    if isinstance(request.prompt, str):
        return "", [Message(role="user", content=request.prompt)]
    system = "\n\n".join(message.content for message in request.prompt if message.role == "system")
    return system, [message for message in request.prompt if message.role != "system"]


def overlaid(body: Mapping[str, Any], extra: Mapping[str, Any]) -> Reply:
    """A body with the configuration's fields laid over it, objects within it field by field; null takes a field out."""
    result = dict(body)
    for name, value in extra.items():
        held = result.get(name)
        if value is None:
            result.pop(name, None)
        elif isinstance(held, dict) and isinstance(value, Mapping):
            result[name] = overlaid(held, value)
        else:
            result[name] = value
    return result
