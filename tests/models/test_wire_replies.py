from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.models import RequestError
from assay.models.wire.converse import Converse
from assay.models.wire.dialect import Dialect, overlaid
from assay.models.wire.gemini import Gemini
from assay.models.wire.messages import Messages
from assay.models.wire.replies import cut_at_stops, decoded, together, usage_of
from assay.models.wire.responses import Responses
from assay.prompting.reading import outcome_of
from assay.records import Completion, Response, Token, Usage

DIALECTS: list[type[Dialect]] = [Converse, Gemini, Messages, Responses]
NAMES = (
    "content", "type", "text", "thinking", "usage", "output", "message", "candidates", "parts", "thought", "index",
    "finishReason", "promptFeedback", "blockReason", "logprobsResult", "chosenCandidates", "topCandidates", "token",
    "logProbability", "usageMetadata", "promptTokenCount", "input_tokens", "output_tokens_details", "thinking_tokens",
    "stopReason", "contentBlockDelta", "delta", "reasoningContent", "metadata", "contentBlockIndex", "messageStop",
    "response", "error", "code", "summary", "logprobs", "top_logprobs", "incomplete_details", "reason", "refusal",
    "content_block", "throttlingException",
)  # fmt: skip
WORDS = (
    "text", "thinking", "text_delta", "content_block_delta", "content_block_start", "message_delta", "message_start",
    "message_stop", "error", "message", "output_text", "refusal", "reasoning", "response.completed", "max_tokens",
    "response.output_text.delta", "STOP",
)  # fmt: skip
ATOMS = st.one_of(st.none(), st.booleans(), st.integers(-3, 10**20), st.floats(), st.text(max_size=3), st.sampled_from(WORDS))
JSON = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5), max_leaves=20
)
OBJECTS = st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6)


def _read(dialect: Dialect, reply: dict[str, Any]) -> Response | str:
    """The response, or the kind of the error."""
    dialect.error(reply)
    try:
        return dialect.response(reply)
    except RequestError as error:
        return error.kind


@pytest.mark.parametrize("kind", DIALECTS)
@given(OBJECTS)
def test_any_object_is_a_response_or_malformed(kind: type[Dialect], reply: dict[str, Any]) -> None:
    response = _read(kind("m", {}), reply)
    if isinstance(response, str):
        assert response == "malformed"
    else:
        assert response.completions
        assert all(isinstance(completion.text, str) for completion in response.completions)
        assert response.usage.prompt_tokens >= 0


@pytest.mark.parametrize("kind", DIALECTS)
@given(st.lists(OBJECTS, max_size=6))
def test_any_stream_is_gathered(kind: type[Dialect], events: list[dict[str, Any]]) -> None:
    dialect = kind("m", {})
    gathering = dialect.gathering()
    for event in events:
        gathering.add(event)
    response = _read(dialect, gathering.reply())
    assert response == "malformed" or isinstance(response, Response)


@pytest.mark.parametrize(
    ("data", "retriable"),
    [(b"", True), (b"<html>busy", True), (b'{"a": "cut', True), (b'{"a": "\xff"}', True), (b"[1]", False), (b'"x"', False)],
)
def test_what_is_no_object_is_malformed(data: bytes, retriable: bool) -> None:
    with pytest.raises(RequestError) as raised:
        decoded(data, str)
    assert (raised.value.kind, raised.value.retriable) == ("malformed", retriable)


def test_the_beginning_of_a_bad_body_is_shown_without_secrets() -> None:
    with pytest.raises(RequestError) as raised:
        decoded(b"no json: secret", lambda text: text.replace("secret", "***"))
    assert "'no json: ***'" in raised.value.message


def test_half_characters_and_numbers_json_does_not_have_are_survived() -> None:
    assert decoded(b'{"a": "\\ud83d", "b": NaN, "c": 99999999999999999999999}', str)["a"] == "�"


@pytest.mark.parametrize(
    ("text", "stops", "cut", "finish"),
    [
        ("one\ntwo", ("\n",), "one", "stop"),
        ("one two", ("\n",), "one two", "length"),
        ("a END b\nc", ("\n", " END"), "a", "stop"),
        ("\nlate", ("\n",), "", "stop"),
        ("text", ("",), "text", "length"),
    ],
)
def test_an_answer_is_cut_at_the_first_stop(text: str, stops: tuple[str, ...], cut: str, finish: str) -> None:
    completion = cut_at_stops(Completion(text=text, finish_reason="length", reasoning="\n"), stops)
    assert (completion.text, completion.finish_reason, completion.reasoning) == (cut, finish, "\n")


def test_tokens_are_cut_with_the_text() -> None:
    tokens = tuple(Token(text=text, logprob=-1.0) for text in ("on", "e\n", "two"))
    completion = cut_at_stops(Completion(text="one\ntwo", tokens=tokens), ("\n",))
    assert [token.text for token in completion.tokens] == ["on"]


def _response(text: str, source: str = "provider") -> Response:
    usage = Usage(prompt_tokens=10, completion_tokens=2, reasoning_tokens=1, source=source)  # type: ignore[arg-type]
    completions = tuple(Completion(text=letter) for letter in text)
    return Response(completions=completions, usage=usage, latency_s=0.5, first_token_s=0.1, model_version=text)


def test_several_calls_become_one_response() -> None:
    whole = together([_response("ab"), _response("cd")], 3)
    assert [completion.text for completion in whole.completions] == ["a", "b", "c"]
    assert whole.usage == Usage(prompt_tokens=20, completion_tokens=4, reasoning_tokens=2, source="provider")
    assert (whole.latency_s, whole.first_token_s, whole.model_version) == (1.0, 0.1, "ab")
    assert together([_response("a"), _response("b", "none")], 2).usage == Usage()


def test_counts_that_are_none_are_left_out() -> None:
    assert usage_of([3, None, "x", -1], [True, 2.0], 1e300) == Usage(
        prompt_tokens=3, completion_tokens=2, reasoning_tokens=0, source="provider"
    )
    assert usage_of([None], [], 5) == Usage()


def test_a_body_is_overlaid_deeply_and_null_takes_out() -> None:
    body = {"a": 1, "b": {"c": 2, "d": 3}, "e": {"f": 1}}
    over = {"a": None, "b": {"c": None, "x": 4}, "e": 5, "g": {"h": None}, "missing": None}
    assert overlaid(body, over) == {"b": {"d": 3, "x": 4}, "e": 5, "g": {"h": None}}
    assert body["b"] == {"c": 2, "d": 3}


CUT: list[tuple[Dialect, dict[str, Any]]] = [
    (
        Messages("m", {}),
        {
            "content": [{"type": "thinking", "thinking": "Hm"}],
            "stop_reason": "max_tokens",
            "usage": {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 9}},
        },
    ),
    (
        Gemini("m", {}),
        {
            "candidates": [{"content": {"parts": [{"text": "Hm", "thought": True}]}, "finishReason": "MAX_TOKENS"}],
            "usageMetadata": {"thoughtsTokenCount": 9},
        },
    ),
    (
        Responses("m", {}),
        {
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]}],
            "usage": {"output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 9}},
        },
    ),
]


@pytest.mark.parametrize(("dialect", "reply"), CUT)
def test_a_budget_that_thinking_has_eaten_is_a_truncated_answer(dialect: Dialect, reply: dict[str, Any]) -> None:
    response = dialect.response(reply)
    [completion] = response.completions
    assert outcome_of(completion, completion.text) == "truncated"
    assert (completion.text, completion.reasoning) == ("", "Hm")
    assert (response.usage.completion_tokens, response.usage.reasoning_tokens) == (9, 9)
