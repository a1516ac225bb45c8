from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine import Keys
from assay.records import Message, ModelIdentity, Option, Request
from fake_models import FakeEndpoint

KEYS = Keys(FakeEndpoint())
requests = st.builds(
    Request,
    prompt=st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    continuation=st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    max_tokens=st.integers(0, 3),
    temperature=st.sampled_from([0.0, 0.5, 1.0]),
    stop=st.lists(st.sampled_from(["\n", "."]), max_size=2).map(tuple),
    completions=st.integers(1, 2),
    top_logprobs=st.integers(0, 2),
    repeat=st.integers(0, 2),
)


def _what_counts(request: Request) -> Request:
    return msgspec.structs.replace(request, repeat=request.repeat if request.temperature > 0 else 0)


@given(requests, requests)
def test_two_requests_share_a_key_exactly_when_nothing_that_counts_differs(one: Request, other: Request) -> None:
    assert (KEYS.key(one) == KEYS.key(other)) == (_what_counts(one) == _what_counts(other))


def test_the_key_of_a_request_stays_the_same_for_ever() -> None:
    # Written down once: a change here makes every stored answer unreachable, so it must be meant (raise keys.SCHEMA).
    request = Request(prompt=(Message(role="user", content="Übung"),), temperature=1, stop=("\n",), repeat=2)
    assert KEYS.preimage(request).decode() == (
        '{"model":{"name":"fake/endpoint"},'
        '"request":{"prompt":[{"content":"Übung","role":"user"}],"repeat":2,"stop":["\\n"],"temperature":1.0},"schema":1}'
    )
    assert KEYS.key(request) == "747f987fa0fd4eda51df10ddf8464414e90e0408fd02e79f1af0a2092f870f53"


def test_a_whole_number_and_its_float_are_the_same_setting() -> None:
    assert KEYS.key(Request(prompt="x", temperature=1)) == KEYS.key(Request(prompt="x", temperature=1.0))


def test_the_options_count_only_for_models_that_read_them() -> None:
    plain, optional = Request(prompt="x"), Request(prompt="x", options=(Option(text="A", share=0.5),))
    reader = Keys(FakeEndpoint(reads_options=True))
    assert KEYS.key(plain) == KEYS.key(optional)
    assert reader.key(plain) != reader.key(optional)


@pytest.mark.parametrize("change", [{"name": "a/b"}, {"revision": "2"}, {"endpoint": "chat"}, {"options": {"body": {"x": 1}}}])
def test_everything_in_the_models_identity_counts(change: dict[str, object]) -> None:
    other = FakeEndpoint()
    other.identity = msgspec.structs.replace(ModelIdentity(name="fake/endpoint"), **change)
    assert Keys(other).key(Request(prompt="x")) != KEYS.key(Request(prompt="x"))


def test_the_preimage_is_json_that_shows_what_was_asked() -> None:
    shown = json.loads(KEYS.preimage(Request(prompt="x", max_tokens=5)))
    assert shown["request"] == {"prompt": "x", "max_tokens": 5}
    assert shown["model"]["name"] == "fake/endpoint"
