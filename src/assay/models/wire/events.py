"""Server-sent events: a stream of bytes as named events (WHATWG HTML, section 9.2.6), whatever way the bytes are cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Event(NamedTuple):
    """One event of a stream."""

    name: str
    """Its type; `message` where the server gives none."""
    data: bytes
    at_s: float = 0.0
    """Seconds from sending the request to its arrival."""


class EventParser:
    """Takes bytes as they come and gives the events that are complete.

    An event that is not ended by an empty line is not complete, and is dropped, as the standard has it: `rest` says whether
    there is one.
    """

    def __init__(self) -> None:
        self._buffer = b""
        self._name = ""
        self._data: list[bytes] = []
        self._begun = False

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that these bytes complete."""
        self._buffer += chunk
        if not self._begun and len(self._buffer) >= 3:
            self._buffer = self._buffer.removeprefix(b"\xef\xbb\xbf")
            self._begun = True
        # A carriage return at the end may be the first half of a line end.
        held = b"\r" if self._buffer.endswith(b"\r") else b""
        text = self._buffer[: len(self._buffer) - len(held)]
        *lines, last = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._buffer = last + held
        for line in lines:
            if line:
                self._field(line)
            elif self._data:
                yield Event(self._name or "message", b"\n".join(self._data))
                self._name, self._data = "", []
            else:
                self._name = ""

    @property
    def rest(self) -> bool:
        """The stream ended within an event."""
        return bool(self._data or self._buffer.strip())

    def _field(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
