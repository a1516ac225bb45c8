from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from assay.errors import AssayError
from assay.models import open_model
from assay.models.base import ModelConfig
from assay.records import Completion, Request, Usage
from hosted_services import KEY, VARIABLE, answer, error, opened, replying, server_sent

NAME = "openai/gpt-x"
REQUEST = Request(prompt="Why?", max_tokens=4, stop=("\n",))
REPLY: dict[str, Any] = {
    "status": "completed",
    "model": "gpt-x-2026",
    "error": None,
    "output": [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Because.\nReally."}]},
    ],
    "usage": {"input_tokens": 9, "output_tokens": 70, "output_tokens_details": {"reasoning_tokens": 64}},
}
ANSWER = Completion(text="Because.", reasoning="Hm.", finish_reason="stop")


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(VARIABLE, KEY)


def test_a_response_is_asked_for_and_cut_at_its_stop() -> None:
    seen: list[Any] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((request.path, request.headers["Authorization"]))
        body = await request.json()
        seen.append((body["max_output_tokens"], "stop" in body, body["store"]))
        return web.json_response(REPLY)

    response = answer(handler, NAME, REQUEST, base_url="/v1", endpoint="responses")
    assert seen == [("/v1/responses", f"Bearer {KEY}"), (16, False, False)]
    assert response.completions == (ANSWER,)
    assert response.usage == Usage(prompt_tokens=9, completion_tokens=70, reasoning_tokens=64, source="provider")
    assert response.model_version == "gpt-x-2026"


def test_a_stream_measures_the_first_token() -> None:
    events = [
        {"type": "response.created", "response": {**REPLY, "status": "in_progress", "output": []}},
        {"type": "response.output_text.delta", "delta": "Because"},
        {"type": "response.completed", "response": REPLY},
    ]
    response = answer(server_sent(*events), NAME, REQUEST, endpoint="responses", stream=True)
    assert response.completions == (ANSWER,)
    assert response.first_token_s is not None
    assert response.latency_s is not None
    assert 0 < response.first_token_s <= response.latency_s
    for cut in (True, False):
        broken = error(server_sent(*events[:2], cut=cut), NAME, REQUEST, endpoint="responses", stream=True)
        assert (broken.kind, broken.retriable) == ("truncated_body", True)


def test_a_budget_eaten_by_reasoning_is_a_cut_answer() -> None:
    incomplete = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": REPLY["output"][:1]}
    response = answer(replying({**REPLY, **incomplete}), NAME, REQUEST, endpoint="responses")
    assert response.completions == (Completion(text="", reasoning="Hm.", finish_reason="length"),)


@pytest.mark.parametrize(
    ("code", "kind", "retriable"),
    [
        ("server_error", "server", True),
        ("rate_limit_exceeded", "rate_limit", True),
        ("invalid_prompt", "bad_request", False),
        ("bio_policy", "content_filter", False),
    ],
)
def test_a_failed_response_has_the_kind_of_its_error(code: str, kind: str, retriable: bool) -> None:
    failed = {**REPLY, "status": "failed", "output": [], "error": {"code": code, "message": f"No {KEY}"}}
    for handler, stream in (
        (replying(failed), False),
        (server_sent({"type": "response.failed", "response": failed}), True),
        (server_sent({"type": "error", "code": code, "message": f"No {KEY}"}), True),
    ):
        broken = error(handler, NAME, REQUEST, endpoint="responses", stream=stream)
        assert (broken.kind, broken.retriable) == (kind, retriable)
        assert "No ***" in broken.message


def test_a_model_that_takes_no_temperature_is_told_how_to_be_asked() -> None:
    body = {"error": {"message": "Unsupported parameter: 'temperature' is not supported with this model.", "code": None}}
    broken = error(replying(body, 400), NAME, REQUEST, endpoint="responses")
    assert "`body: {temperature: null}`" in broken.message


def test_the_endpoint_is_part_of_who_answers() -> None:
    model = opened(NAME, base_url="http://localhost:1/v1", endpoint="responses", body={"top_logprobs": 2})
    assert model.identity.endpoint == "responses"
    assert model.capabilities.top_logprobs == 2
    assert not model.capabilities.text
    assert opened(NAME, base_url="http://localhost:1/v1").identity.endpoint == "chat"
    with pytest.raises(AssayError, match="OPENAI_API_KEY is not set"):
        open_model(NAME, {NAME: ModelConfig(name=NAME, endpoint="responses")})
