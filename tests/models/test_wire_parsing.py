from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.models import RequestError
from assay.models.wire.parsing import IMPOSSIBLE, Reply, decode, response_of
from assay.models.wire.scoring import scored_response
from assay.records import Response, Token, Usage


def _read(body: Any) -> Response:
    return response_of(decode(body if isinstance(body, bytes) else json.dumps(body).encode()))


def test_a_chat_response_is_read_whole() -> None:
    alternatives = [{"token": "B", "logprob": -0.1, "bytes": [66]}, {"token": "A", "logprob": -2.5, "bytes": [65]}]
    response = _read(
        {
            "id": "x",
            "model": "gpt-x-2025",
            "system_fingerprint": "fp_1",
            "choices": [
                {
                    "index": 1,
                    "message": {"role": "assistant", "content": "second"},
                    "finish_reason": "length",
                },
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": "B", "refusal": None, "reasoning_content": "because"},
                    "logprobs": {"content": [{"token": "B", "logprob": -0.1, "bytes": [66], "top_logprobs": alternatives}]},
                    "finish_reason": "stop",
                },
            ],
            "usage": {"prompt_tokens": 9, "completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 3}},
        }
    )
    first, second = response.completions
    assert (first.text, first.reasoning, first.finish_reason) == ("B", "because", "stop")
    assert first.tokens == (Token(text="B", logprob=-0.1, top={"B": -0.1, "A": -2.5}),)
    assert (second.text, second.finish_reason) == ("second", "length")
    assert response.usage == Usage(prompt_tokens=9, completion_tokens=4, reasoning_tokens=3, source="provider")
    assert response.model_version == "gpt-x-2025@fp_1"


def test_a_completions_response_is_read_whole() -> None:
    logprobs = {"tokens": [" B", "."], "token_logprobs": [-0.5, -1], "top_logprobs": [{" B": -0.5, " A": -2}, None]}
    response = _read({"choices": [{"index": 0, "text": " B.", "logprobs": logprobs, "finish_reason": "eos"}]})
    [completion] = response.completions
    assert completion.tokens == (Token(text=" B", logprob=-0.5, top={" B": -0.5, " A": -2.0}), Token(text=".", logprob=-1.0))
    assert (completion.text, completion.finish_reason, completion.logprob) == (" B.", "stop", -1.5)
    assert response.usage == Usage()


@pytest.mark.parametrize(
    ("message", "text", "finish"),
    [
        ({"content": None, "refusal": "I cannot"}, "I cannot", "content_filter"),
        ({"content": None}, "", "stop"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "thinking"}, {"type": "text", "text": "b"}]}, "ab", "stop"),
        ({"content": "", "reasoning": "only thought"}, "", "stop"),
    ],
)
def test_the_shapes_a_message_comes_in(message: dict[str, Any], text: str, finish: str) -> None:
    [completion] = _read({"choices": [{"message": message, "finish_reason": "stop"}]}).completions
    assert (completion.text, completion.finish_reason) == (text, finish)


def test_the_filter_is_told_from_the_end() -> None:
    choice = {"message": {"content": "x"}, "finish_reason": "content_filter"}
    assert _read({"choices": [choice]}).completions[0].finish_reason == "content_filter"
    assert _read({"choices": [{"text": "x", "finish_reason": "new thing"}]}).completions[0].finish_reason == "unknown"


def test_numbers_json_does_not_have_and_half_characters_are_survived() -> None:
    body = (
        b'{"choices": [{"text": "a\\ud83d", "logprobs": {"tokens": ["a", "\\ud83d", "c", "d"],'
        b' "token_logprobs": [-Infinity, NaN, 1e999, -1], "top_logprobs": [{"x": -Infinity}, {"x": NaN}, {}, null]}}]}'
    )
    [completion] = _read(body).completions
    assert completion.text == "a�"
    assert [token.logprob for token in completion.tokens] == [IMPOSSIBLE, None, None, -1.0]
    assert [token.top for token in completion.tokens] == [{"x": IMPOSSIBLE}, {}, {}, {}]
    assert msgspec.json.decode(msgspec.json.encode(completion), type=type(completion)) == completion


@pytest.mark.parametrize(
    ("body", "retriable"),
    [
        (b"", True),
        (b"<html>busy</html>", True),
        (b'{"choices": [{"text": "cut', True),
        (b'{"choices": [{"text": "\xff"}]}', True),
        (b'{"choices": null, "more": ' + b"[" * 100_000, True),
        (b"{}", False),
        (b'{"choices": []}', False),
        (b'{"choices": null}', False),
        (b'{"choices": "many"}', False),
        (b'{"choices": [{"text": 7}]}', False),
        (b"[1, 2]", False),
    ],
)
def test_what_is_no_response_is_malformed(body: bytes, retriable: bool) -> None:
    with pytest.raises(RequestError) as raised:
        _read(body)
    assert (raised.value.kind, raised.value.retriable) == ("malformed", retriable)
    assert len(raised.value.message) < 500


NAMES = (
    "choices", "usage", "message", "content", "text", "logprobs", "tokens", "token_logprobs", "top_logprobs", "text_offset",
    "index", "finish_reason", "prompt_tokens", "completion_tokens", "token", "logprob", "model", "refusal", "error",
)  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(NAMES),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)
choices = st.fixed_dictionaries(
    {"choices": st.lists(st.dictionaries(st.sampled_from(["text", "message", "logprobs", "index"]), json_values), max_size=3)},
    optional={"usage": json_values, "model": json_values},
)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | (json_values | choices).map(lambda value: json.dumps(value).encode()))
def test_whatever_comes_is_a_response_or_a_request_error(data: bytes) -> None:
    for read in (response_of, lambda reply: scored_response(reply, "a", "b")):
        outcome = _outcome(read, data)
        if isinstance(outcome, RequestError):
            assert outcome.kind in ("malformed", "no_echo")
        else:
            # Whatever was accepted can be stored and comes back the same.
            assert msgspec.json.decode(msgspec.json.encode(outcome), type=Response) == outcome


def _outcome(read: Callable[[Reply], Response], data: bytes) -> Response | RequestError:
    try:
        return read(decode(data))
    except RequestError as error:
        return error
