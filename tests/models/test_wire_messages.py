from __future__ import annotations

from typing import Any

import pytest

from assay.models import RequestError
from assay.models.wire.messages import Messages
from assay.records import Completion, Message, Request, Usage

SYSTEM = Message(role="system", content="Be brief.")
USER = Message(role="user", content="Why?")


def _body(request: Request, stream: bool = False, **extra: Any) -> dict[str, Any]:
    return Messages("claude-x", extra).body(request, 1, stream)


def _events(*more: dict[str, Any]) -> list[dict[str, Any]]:
    usage = {"input_tokens": 25, "cache_read_input_tokens": 3, "output_tokens": 1}
    return [
        {"type": "message_start", "message": {"id": "msg_1", "model": "claude-x-1", "content": [], "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Let me "}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "see."}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "EqQ="}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Because"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "."}},
        {"type": "content_block_stop", "index": 1},
        *more,
    ]


def test_the_systems_words_are_a_field_of_their_own() -> None:
    body = _body(Request(prompt=(SYSTEM, USER), max_tokens=7))
    assert body == {
        "model": "claude-x",
        "max_tokens": 7,
        "temperature": 0.0,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Why?"}],
    }
    assert _body(Request(prompt="Why?"))["messages"] == [{"role": "user", "content": "Why?"}]


def test_stop_sequences_of_white_space_are_left_to_the_client() -> None:
    assert _body(Request(prompt="x", stop=("\n", "Question:")))["stop_sequences"] == ["Question:"]
    assert "stop_sequences" not in _body(Request(prompt="x", stop=("\n", "\n\n")))


def test_the_configurations_body_comes_last() -> None:
    body = _body(Request(prompt="x", top_p=0.5), stream=True, max_tokens=4000, temperature=None, thinking={"type": "adaptive"})
    assert (body["max_tokens"], body["top_p"], body["stream"]) == (4000, 0.5, True)
    assert body["thinking"] == {"type": "adaptive"}
    assert "temperature" not in body


def test_thoughts_are_kept_apart_and_cached_tokens_counted() -> None:
    response = Messages("m", {}).response(
        {
            "model": "claude-x-1",
            "stop_reason": "end_turn",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "x"},
                {"type": "redacted_thinking", "data": "zzz"},
                {"type": "text", "text": "Be"},
                {"type": "text", "text": "cause."},
            ],
            "usage": {
                "input_tokens": 10,
                "cache_creation_input_tokens": 200,
                "cache_read_input_tokens": 3000,
                "output_tokens": 40,
                "output_tokens_details": {"thinking_tokens": 30},
            },
        }
    )
    assert response.completions == (Completion(text="Because.", reasoning="Hm.", finish_reason="stop"),)
    assert response.usage == Usage(prompt_tokens=3210, completion_tokens=40, reasoning_tokens=30, source="provider")
    assert response.model_version == "claude-x-1"


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"),
        ("pause_turn", "unknown"),
        (None, "unknown"),
    ],
)
def test_each_stop_reason_has_its_meaning(reason: str | None, finish: str) -> None:
    reply = {"content": [{"type": "text", "text": "x"}], "stop_reason": reason}
    assert Messages("m", {}).response(reply).completions[0].finish_reason == finish


def test_a_refusal_without_text_says_why() -> None:
    reply = {"content": [], "stop_reason": "refusal", "stop_details": {"type": "refusal", "explanation": "Too risky."}}
    [completion] = Messages("m", {}).response(reply).completions
    assert (completion.text, completion.finish_reason) == ("Too risky.", "content_filter")


def test_a_limit_reached_while_thinking_is_a_cut_answer() -> None:
    reply = {"content": [{"type": "thinking", "thinking": "Long"}], "stop_reason": "max_tokens"}
    assert Messages("m", {}).response(reply).completions == (Completion(text="", reasoning="Long", finish_reason="length"),)


def test_a_stream_is_gathered_into_the_reply_it_would_have_been() -> None:
    dialect = Messages("m", {})
    gathering = dialect.gathering()
    usage = {"output_tokens": 12, "input_tokens": None, "output_tokens_details": {"thinking_tokens": 8}}
    ends = ({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}, {"type": "message_stop"})
    brought = []
    for event in _events(*ends):
        assert not gathering.finished
        brought.append(gathering.add(event))
    assert gathering.finished
    assert [place for place, text in enumerate(brought) if text] == [3, 4, 8, 9]
    response = dialect.response(gathering.reply())
    assert response.completions == (Completion(text="Because.", reasoning="Let me see.", finish_reason="stop"),)
    assert response.usage == Usage(prompt_tokens=28, completion_tokens=12, reasoning_tokens=8, source="provider")
    assert response.model_version == "claude-x-1"


def test_an_error_in_a_stream_has_the_status_of_its_kind() -> None:
    dialect = Messages("m", {})
    gathering = dialect.gathering()
    for event in _events({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}):
        gathering.add(event)
    assert gathering.finished
    assert dialect.error(gathering.reply()) == {"type": "overloaded_error", "message": "Overloaded", "code": 529}


@pytest.mark.parametrize("reply", [{}, {"content": None}, {"content": "text"}])
def test_a_reply_without_content_is_malformed(reply: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match="no completion") as raised:
        Messages("m", {}).response(reply)
    assert (raised.value.kind, raised.value.retriable) == ("malformed", False)
