from __future__ import annotations

from typing import Any

import pytest

from assay.models import RequestError
from assay.models.wire.converse import Converse
from assay.records import Completion, Message, Request, Usage


def _body(request: Request, **extra: Any) -> dict[str, Any]:
    return Converse("m", extra).body(request, 1, False)


def test_a_conversation_is_written_in_blocks() -> None:
    messages = (Message(role="system", content="Be brief."), Message(role="user", content="Why?"))
    request = Request(prompt=messages, max_tokens=9, temperature=0.5, top_p=0.9, stop=("\n", "A", "B", "C", "D", "E"))
    assert _body(request) == {
        "system": [{"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": "Why?"}]}],
        "inferenceConfig": {"maxTokens": 9, "temperature": 0.5, "topP": 0.9, "stopSequences": ["A", "B", "C", "D"]},
    }


def test_what_one_speaker_says_in_a_row_is_one_message() -> None:
    messages = tuple(Message(role=role, content=role[:1]) for role in ("user", "user", "assistant", "user"))  # type: ignore[arg-type]
    assert _body(Request(prompt=messages))["messages"] == [
        {"role": "user", "content": [{"text": "u"}, {"text": "u"}]},
        {"role": "assistant", "content": [{"text": "a"}]},
        {"role": "user", "content": [{"text": "u"}]},
    ]


def test_the_configurations_body_is_laid_over_field_by_field() -> None:
    body = _body(Request(prompt="x"), inferenceConfig={"temperature": None}, additionalModelRequestFields={"k": 1})
    assert body["inferenceConfig"] == {"maxTokens": 100}
    assert body["additionalModelRequestFields"] == {"k": 1}


def test_the_slashes_of_an_arn_are_no_part_of_the_path() -> None:
    arn = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.x-v1:0"
    path = "/model/arn:aws:bedrock:us-east-1:123456789012:inference-profile%2Fus.x-v1:0/converse"
    assert Converse(arn, {}).path(False) == path
    assert Converse(arn, {}).path(True) == f"{path}-stream"


def test_reasoning_is_kept_apart_and_cached_tokens_counted() -> None:
    response = Converse("m", {}).response(
        {
            "output": {
                "message": {
                    "role": "assistant",
                    "content": [
                        {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "x"}}},
                        {"reasoningContent": {"redactedContent": "eA=="}},
                        {"text": "Because."},
                    ],
                }
            },
            "stopReason": "end_turn",
            "usage": {"inputTokens": 5, "outputTokens": 7, "totalTokens": 112, "cacheReadInputTokens": 100},
            "metrics": {"latencyMs": 5},
        }
    )
    assert response.completions == (Completion(text="Because.", reasoning="Hm.", finish_reason="stop"),)
    assert response.usage == Usage(prompt_tokens=105, completion_tokens=7, source="provider")


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("guardrail_intervened", "content_filter"),
        ("content_filtered", "content_filter"),
        ("tool_use", "unknown"),
    ],
)
def test_each_stop_reason_has_its_meaning(reason: str, finish: str) -> None:
    reply = {"output": {"message": {"content": [{"text": "x"}]}}, "stopReason": reason}
    assert Converse("m", {}).response(reply).completions[0].finish_reason == finish


def test_a_stream_is_gathered_into_the_reply_it_would_have_been() -> None:
    dialect = Converse("m", {})
    gathering = dialect.gathering()
    frames: list[dict[str, Any]] = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "H"}}}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "m."}}}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "x"}}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "Be"}, "p": "abc"}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "cause"}}},
        {"messageStop": {"stopReason": "max_tokens"}},
        {"metadata": {"usage": {"inputTokens": 5, "outputTokens": 7}, "metrics": {"latencyMs": 5}}},
    ]
    assert [gathering.add(frame) for frame in frames] == [False, True, True, False, False, True, True, False, False]
    assert gathering.finished
    response = dialect.response(gathering.reply())
    assert response.completions == (Completion(text="Because", reasoning="Hm.", finish_reason="length"),)
    assert response.usage == Usage(prompt_tokens=5, completion_tokens=7, source="provider")


def test_an_exception_in_a_stream_has_the_status_of_its_kind() -> None:
    dialect = Converse("m", {})
    gathering = dialect.gathering()
    gathering.add({"throttlingException": {"message": "Too many requests"}})
    assert gathering.finished
    assert dialect.error(gathering.reply()) == {"message": "Too many requests", "type": "throttlingException", "code": 429}


@pytest.mark.parametrize("reply", [{}, {"output": None}, {"output": {"message": {"content": "x"}}}])
def test_a_reply_without_a_message_is_malformed(reply: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match="no completion"):
        Converse("m", {}).response(reply)
