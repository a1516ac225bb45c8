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
        self._pieces: list[bytes] = []
        """The line that is not ended, as it came."""
        self._name = ""
        self._data: list[bytes] = []
        self._first = True
        """No line has ended."""
        self._returned = False
        """The last byte was a carriage return, which ended a line; a line feed after it belongs to it."""

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that these bytes complete."""
        if not chunk:
            return
        if self._returned:
            chunk = chunk.removeprefix(b"\n")
        self._returned = chunk.endswith(b"\r")
        ended, *lines = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._pieces.append(ended)
        for following in lines:
            line = self._line()
            self._pieces, self._first = [following], False
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
        return bool(self._data or self._line().strip())

    def _line(self) -> bytes:
        """The line under way, without the mark that a stream may begin with."""
        line = b"".join(self._pieces)
        return line.removeprefix(b"\xef\xbb\xbf") if self._first else line

    def _field(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
