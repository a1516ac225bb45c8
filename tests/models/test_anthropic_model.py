from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from assay.errors import AssayError
from assay.models import open_model
from assay.records import Completion, Message, Request, Response, Usage
from hosted_services import KEY, VARIABLE, answer, asked, error, opened, replying, server_sent

NAME = "anthropic/claude-x"
REQUEST = Request(prompt=(Message(role="user", content="Why?"),), max_tokens=20)
REPLY = {
    "type": "message",
    "model": "claude-x-1",
    "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Because.\nReally."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 9, "output_tokens": 4, "output_tokens_details": {"thinking_tokens": 2}},
}
EVENTS: tuple[dict[str, Any], ...] = (
    {"type": "message_start", "message": {**REPLY, "content": [], "stop_reason": None}},
    {"type": "ping"},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Because"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ".\nReally."}},
)
ENDS: tuple[dict[str, Any], ...] = (
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 20}},
    {"type": "message_stop"},
)


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(VARIABLE, KEY)


def test_a_message_is_asked_for_and_read() -> None:
    seen: list[Any] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((request.path, request.headers["x-api-key"], request.headers["anthropic-version"]))
        seen.append("Authorization" in request.headers)
        seen.append((await request.json())["messages"])
        return web.json_response(REPLY)

    response = answer(handler, NAME, REQUEST)
    assert seen == [("/v1/messages", KEY, "2023-06-01"), False, [{"role": "user", "content": "Why?"}]]
    assert response.completions == (Completion(text="Because.\nReally.", reasoning="Hm.", finish_reason="stop"),)
    assert response.usage == Usage(prompt_tokens=9, completion_tokens=4, reasoning_tokens=2, source="provider")
    assert response.model_version == "claude-x-1"
    assert response.latency_s is not None
    assert response.first_token_s is None


def test_stops_of_white_space_are_cut_from_the_answer() -> None:
    request = Request(prompt="x", stop=("\n",))
    assert answer(replying(REPLY), NAME, request).completions[0].text == "Because."


def test_a_stream_measures_the_first_token() -> None:
    response = answer(server_sent(*EVENTS, *ENDS), NAME, REQUEST, stream=True)
    assert response.completions == (Completion(text="Because.\nReally.", finish_reason="length"),)
    assert response.usage == Usage(prompt_tokens=9, completion_tokens=20, reasoning_tokens=2, source="provider")
    assert response.first_token_s is not None
    assert response.latency_s is not None
    assert 0 < response.first_token_s <= response.latency_s


@pytest.mark.parametrize("cut", [True, False])
def test_a_stream_that_ends_early_may_be_tried_again(cut: bool) -> None:
    broken = error(server_sent(*EVENTS, cut=cut), NAME, REQUEST, stream=True)
    assert (broken.kind, broken.retriable) == ("truncated_body", True)


@pytest.mark.parametrize(
    ("kind", "expected", "retriable"),
    [
        ("overloaded_error", "server", True),
        ("rate_limit_error", "rate_limit", True),
        ("invalid_request_error", "bad_request", False),
        ("authentication_error", "authentication", False),
        ("something_new", "server", True),
    ],
)
def test_an_error_in_a_stream_has_its_kind(kind: str, expected: str, retriable: bool) -> None:
    event = {"type": "error", "error": {"type": kind, "message": f"No {KEY}"}}
    broken = error(server_sent(*EVENTS[:2], event), NAME, REQUEST, stream=True)
    assert (broken.kind, broken.retriable) == (expected, retriable)
    assert "No ***" in broken.message


@pytest.mark.parametrize(
    ("status", "kind", "message", "expected", "retriable"),
    [
        (529, "overloaded_error", "Overloaded", "server", True),
        (429, "rate_limit_error", "This request would exceed your rate limit", "rate_limit", True),
        (401, "authentication_error", f"invalid x-api-key {KEY}", "authentication", False),
        (404, "not_found_error", "model: claude-x", "not_found", False),
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "context_length", False),
        (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", "rate_limit", False),
        (400, "invalid_request_error", "Output blocked by content filtering policy", "content_filter", False),
    ],
)
def test_each_error_has_its_kind(status: int, kind: str, message: str, expected: str, retriable: bool) -> None:
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    broken = error(replying(body, status, {"retry-after": "7"}), NAME, REQUEST)
    assert (broken.kind, broken.retriable) == (expected, retriable)
    assert broken.retry_after_s == (7.0 if retriable else None)
    assert (VARIABLE in broken.message) == (expected == "authentication")


def test_a_model_that_takes_no_temperature_is_told_how_to_be_asked() -> None:
    body = {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "`temperature` is deprecated for this model."},
    }
    broken = error(replying(body, 400), NAME, REQUEST)
    assert broken.kind == "bad_request"
    assert "`body: {temperature: null}`" in broken.message


def test_several_completions_are_several_calls_and_none_is_paid_twice() -> None:
    calls = []

    async def handler(request: web.Request) -> web.Response:
        calls.append(await request.json())
        if len(calls) == 3:
            return web.json_response({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, status=529)
        return web.json_response({**REPLY, "content": [{"type": "text", "text": str(len(calls))}]})

    request = Request(prompt="x", completions=3, temperature=1.0)
    broken, response = asked(handler, NAME, [request, request])
    assert not isinstance(broken, Response)
    assert broken.kind == "server"
    assert isinstance(response, Response)
    assert [completion.text for completion in response.completions] == ["1", "2", "4"]
    assert response.usage == Usage(prompt_tokens=27, completion_tokens=12, reasoning_tokens=6, source="provider")
    assert len(calls) == 4


def test_a_completion_does_not_keep_the_key() -> None:
    reply = {**REPLY, "content": [{"type": "text", "text": f"The key is {KEY}"}]}
    assert answer(replying(reply), NAME, REQUEST).completions[0].text == "The key is ***"


def test_given_text_cannot_be_scored() -> None:
    broken = error(replying(REPLY), NAME, Request(prompt="x", continuation="y"))
    assert (broken.kind, broken.retriable) == ("bad_request", False)


def test_a_key_is_needed_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssayError, match="ANTHROPIC_API_KEY is not set"):
        open_model(NAME, {})
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    model = open_model(NAME, {})
    assert model.identity.options["base_url"] == "https://api.anthropic.com"
    assert KEY not in repr(model.identity)


def test_what_the_model_can_do() -> None:
    can = opened(NAME, base_url="http://localhost:1", context_window=99, concurrency=3).capabilities
    assert (can.chat, can.text, can.scores, can.top_logprobs) == (True, False, False, 0)
    assert (can.context_window, can.concurrency) == (99, 3)
    with pytest.raises(AssayError, match="endpoint"):
        opened(NAME, base_url="http://localhost:1", endpoint="completions")


def test_a_base_url_may_name_the_version() -> None:
    seen = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request.path)
        return web.json_response(REPLY)

    answer(handler, NAME, REQUEST, base_url="/v1")
    assert seen == ["/v1/messages"]


def test_a_stream_that_says_nothing_is_no_empty_answer_and_one_of_an_empty_message_is() -> None:
    broken = error(server_sent(ENDS[-1]), NAME, REQUEST, stream=True)
    assert (broken.kind, broken.retriable) == ("truncated_body", True)
    response = answer(server_sent(EVENTS[0], *ENDS[1:]), NAME, REQUEST, stream=True)
    assert response.completions == (Completion(text="", finish_reason="length"),)
