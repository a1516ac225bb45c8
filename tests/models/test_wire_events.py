from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from assay.models.wire.events import Event, EventParser

STREAM = (
    b'\xef\xbb\xbf: a comment\r\ndata: {"a": 1}\r\n\r\nevent: delta\ndata: one\ndata:two\n\n'
    b"id: 7\rretry: 3\rdata\r\r\n\ndata: cut"
)
EVENTS = [Event("message", b'{"a": 1}'), Event("delta", b"one\ntwo"), Event("message", b"")]


def _parsed(chunks: list[bytes]) -> tuple[list[Event], bool]:
    parser = EventParser()
    return [event for chunk in chunks for event in parser.feed(chunk)], parser.rest


@given(st.lists(st.integers(0, len(STREAM))))
def test_events_do_not_depend_on_how_the_bytes_are_cut(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[start:end] for start, end in itertools.pairwise(places)]
    assert _parsed(chunks) == (EVENTS, True)


@given(st.binary(max_size=200))
def test_any_bytes_are_taken(data: bytes) -> None:
    events, _ = _parsed([data[:50], data[50:]])
    assert all(isinstance(event.data, bytes) for event in events)


def test_a_stream_that_ends_after_an_event_has_no_rest() -> None:
    assert _parsed([b"data: x\n\n"]) == ([Event("message", b"x")], False)


def test_a_name_holds_for_one_event_only() -> None:
    assert _parsed([b"event: a\n\ndata: x\n\nevent: b\ndata: y\n\ndata: z\n\n"])[0] == [
        Event("message", b"x"), Event("b", b"y"), Event("message", b"z"),
    ]  # fmt: skip


def test_a_line_that_a_carriage_return_ends_is_complete_at_the_end_of_the_stream() -> None:
    assert _parsed([b"data: x\r\r"]) == ([Event("message", b"x")], False)
    assert _parsed([b"data: x\r", b"\n\r", b"\n"]) == ([Event("message", b"x")], False)


def test_the_work_for_a_line_without_an_end_grows_as_its_length() -> None:
    class Watched(bytes):
        """Counts the bytes that are looked at for line ends."""

        looked_at = 0

        def replace(self, *args: object) -> Watched:  # type: ignore[override]
            Watched.looked_at += len(self)
            return self

    parser = EventParser()
    for _ in range(200):
        assert list(parser.feed(Watched(b"x" * 100))) == []
    assert parser.rest
    assert Watched.looked_at == 2 * 200 * 100
