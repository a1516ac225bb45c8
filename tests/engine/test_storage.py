"""The file behind the response cache: what a batch of answers leaves in it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine.storage import Entry, Storage
from assay.records import Completion, Response

KEYS = [f"{number:064x}" for number in range(100)]
batches = st.lists(st.lists(st.integers(0, len(KEYS) - 1), max_size=150), max_size=4)


def entry(number: int, text: str) -> Entry:
    return Entry(KEYS[number], b"preimage " * (number + 1), Response(completions=(Completion(text=text),)))


@settings(max_examples=25, deadline=None)
@given(batches, st.sets(st.integers(0, len(KEYS) - 1), max_size=5))
def test_of_each_request_the_first_sound_answer_stays_whatever_comes_together(batches: list[list[int]], hurt: set[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        storage = Storage(Path(folder) / "responses.sqlite")
        damaged = [(bytes.fromhex(KEYS[number]), b"", b"no response", 0) for number in hurt]
        storage._connection.executemany("INSERT INTO responses (key, preimage, response, used) VALUES (?, ?, ?, ?)", damaged)
        stays: dict[int, str] = {}
        for at, numbers in enumerate(batches):
            entries = [entry(number, f"answer {at}.{place}") for place, number in enumerate(numbers)]
            for number, one in zip(numbers, entries, strict=True):
                stays.setdefault(number, one.response.completions[0].text)
            stored = storage.write(entries)
            assert [one.completions[0].text for one in stored] == [stays[number] for number in numbers]
        found = storage.read(KEYS)
        assert {number: one.completions[0].text for number, one in enumerate(found) if one is not None} == stays
        assert all(storage.preimage(KEYS[number]) == entry(number, "").preimage for number in stays)
        storage.close()
