from __future__ import annotations

from typing import Any

import pytest

from assay.models import RequestError
from assay.models.wire.responses import Responses
from assay.records import Completion, Message, Request, Token, Usage


def _body(request: Request, stream: bool = False, **extra: Any) -> dict[str, Any]:
    return Responses("gpt-x", extra).body(request, 1, stream)


def _message(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": list(parts), **more}


def test_a_request_is_not_kept_and_asks_for_no_less_than_the_api_takes() -> None:
    messages = (Message(role="system", content="Be brief."), Message(role="user", content="Why?"))
    assert _body(Request(prompt=messages, max_tokens=1, stop=("\n",))) == {
        "model": "gpt-x",
        "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
        "max_output_tokens": 16,
        "temperature": 0.0,
        "store": False,
    }
    assert _body(Request(prompt="x", max_tokens=17))["max_output_tokens"] == 17


def test_log_probabilities_are_had_only_where_they_are_asked_for() -> None:
    assert Responses("m", {}).logprobs() == 0
    assert Responses("m", {"top_logprobs": 3}).logprobs() == 3
    body = _body(Request(prompt="x"), stream=True, top_logprobs=3, temperature=None)
    assert (body["top_logprobs"], body["include"], body["stream"]) == (3, ["message.output_text.logprobs"], True)
    assert "temperature" not in body


def test_reasoning_is_kept_apart_and_its_tokens_counted() -> None:
    logprobs = [{"token": "Yes", "bytes": [], "logprob": -0.2, "top_logprobs": [{"token": "No", "logprob": -1.5}]}]
    response = Responses("m", {}).response(
        {
            "id": "resp_1",
            "status": "completed",
            "error": None,
            "incomplete_details": None,
            "model": "gpt-x-2026",
            "output": [
                {
                    "type": "reasoning",
                    "summary": [{"type": "summary_text", "text": "First."}, {"type": "summary_text", "text": "Second."}],
                    "content": [{"type": "reasoning_text", "text": "Third."}],
                },
                _message({"type": "output_text", "text": "One moment."}, phase="commentary"),
                _message({"type": "output_text", "text": "Yes", "annotations": [], "logprobs": logprobs}, phase="final_answer"),
            ],
            "usage": {
                "input_tokens": 30,
                "input_tokens_details": {"cached_tokens": 20},
                "output_tokens": 50,
                "output_tokens_details": {"reasoning_tokens": 48},
            },
        }
    )
    [completion] = response.completions
    assert completion.text == "Yes"
    assert completion.reasoning == "First.\n\nSecond.\n\nThird.\n\nOne moment."
    assert completion.tokens == (Token(text="Yes", logprob=-0.2, top={"No": -1.5}),)
    assert completion.finish_reason == "stop"
    assert response.usage == Usage(prompt_tokens=30, completion_tokens=50, reasoning_tokens=48, source="provider")
    assert response.model_version == "gpt-x-2026"


@pytest.mark.parametrize(
    ("reply", "completion"),
    [
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": [{"type": "reasoning"}]},
            Completion(text="", finish_reason="length"),
        ),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []},
            Completion(text="", finish_reason="content_filter"),
        ),
        (
            {"status": "completed", "output": [_message({"type": "refusal", "refusal": "I cannot."})]},
            Completion(text="I cannot.", finish_reason="content_filter"),
        ),
        ({"status": "cancelled", "output": []}, Completion(text="", finish_reason="unknown")),
    ],
)
def test_each_way_to_end_has_its_meaning(reply: dict[str, Any], completion: Completion) -> None:
    assert Responses("m", {}).response(reply).completions == (completion,)


def test_a_stream_ends_with_the_reply() -> None:
    dialect = Responses("m", {})
    gathering = dialect.gathering()
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"status": "in_progress", "output": []}},
        {"type": "response.reasoning_summary_text.delta", "delta": "Hm."},
        {"type": "response.output_text.delta", "delta": "Yes"},
        {"type": "response.output_text.done", "text": "Yes"},
        {
            "type": "response.completed",
            "response": {"status": "completed", "output": [_message({"type": "output_text", "text": "Yes"})]},
        },
    ]
    assert [gathering.add(event) for event in events] == [False, True, True, False, False]
    assert gathering.finished
    assert dialect.response(gathering.reply()).completions == (Completion(text="Yes"),)


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "slow down"}, 429),
        ({"type": "error", "error": {"code": "server_error", "message": "slow down"}}, 500),
        (
            {"type": "response.failed", "response": {"status": "failed", "error": {"code": "server_error", "message": "x"}}},
            500,
        ),
    ],
)
def test_an_error_in_a_stream_has_the_status_of_its_kind(event: dict[str, Any], code: int) -> None:
    dialect = Responses("m", {})
    gathering = dialect.gathering()
    assert not gathering.add(event)
    assert gathering.finished
    error = dialect.error(gathering.reply())
    assert error is not None
    assert error["code"] == code


@pytest.mark.parametrize("reply", [{}, {"output": "text"}])
def test_a_reply_without_output_is_malformed(reply: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match="no completion"):
        Responses("m", {}).response(reply)
