from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from assay.errors import AssayError
from assay.models import open_model
from assay.records import Completion, Request, Response, Usage
from hosted_services import KEY, VARIABLE, answer, asked, error, opened, replying, server_sent

NAME = "google/gemini-x"
REQUEST = Request(prompt="Why?", max_tokens=20)


def _candidate(text: str, **more: Any) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", **more}


REPLY = {
    "candidates": [_candidate("Because.")],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2, "thoughtsTokenCount": 5},
    "modelVersion": "gemini-x-001",
}


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(VARIABLE, KEY)


def _refusal(status: int, message: str, *details: dict[str, str]) -> dict[str, Any]:
    return {"error": {"code": status, "message": message, "status": "X", "details": list(details)}}


def test_content_is_asked_for_and_read_and_the_key_is_in_no_url() -> None:
    seen: list[Any] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((request.path, request.query_string, request.headers["x-goog-api-key"]))
        seen.append("Authorization" in request.headers)
        return web.json_response(REPLY)

    response = answer(handler, NAME, REQUEST, base_url="/v1beta")
    assert seen == [("/v1beta/models/gemini-x:generateContent", "", KEY), False]
    assert response.completions == (Completion(text="Because."),)
    assert response.usage == Usage(prompt_tokens=3, completion_tokens=7, reasoning_tokens=5, source="provider")
    assert response.model_version == "gemini-x-001"


def test_a_stream_measures_the_first_token() -> None:
    chunks = [
        {"candidates": [{"content": {"parts": [{"text": "Be"}]}}]},
        {**REPLY, "candidates": [_candidate("cause.")]},
    ]
    seen = []
    stream = server_sent(*chunks, named=False)

    async def handler(request: web.Request) -> Any:
        seen.append(request.path_qs)
        return await stream(request)

    response = answer(handler, NAME, REQUEST, stream=True)
    assert seen == ["/models/gemini-x:streamGenerateContent?alt=sse"]
    assert response.completions == (Completion(text="Because."),)
    assert response.usage.reasoning_tokens == 5
    assert response.first_token_s is not None
    assert response.latency_s is not None
    assert 0 < response.first_token_s <= response.latency_s


def test_a_stream_that_ends_early_may_be_tried_again() -> None:
    for cut in (True, False):
        chunk = {"candidates": [{"content": {"parts": [{"text": "Be"}]}}]}
        broken = error(server_sent(chunk, named=False, cut=cut), NAME, REQUEST, stream=True)
        assert (broken.kind, broken.retriable) == ("truncated_body", True)


def test_an_error_in_a_stream_has_its_kind() -> None:
    chunk = _refusal(503, "The model is overloaded.")
    broken = error(server_sent(chunk, named=False), NAME, REQUEST, stream=True)
    assert (broken.kind, broken.retriable) == ("server", True)


@pytest.mark.parametrize(
    ("status", "message", "kind", "retriable"),
    [
        (400, "API key not valid. Please pass a valid API key.", "authentication", False),
        (403, "Permission denied on resource project.", "authentication", False),
        (404, "models/gemini-x is not found for API version v1beta", "not_found", False),
        (400, "The input token count (9) exceeds the maximum number of tokens allowed (8).", "context_length", False),
        (503, "The model is overloaded. Please try again later.", "server", True),
    ],
)
def test_each_error_has_its_kind(status: int, message: str, kind: str, retriable: bool) -> None:
    broken = error(replying(_refusal(status, message), status), NAME, REQUEST)
    assert (broken.kind, broken.retriable) == (kind, retriable)
    assert (VARIABLE in broken.message) == (kind == "authentication")


def test_the_pause_google_asks_for_is_obeyed() -> None:
    pause = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "26s"}
    broken = error(replying(_refusal(429, "You exceeded your current quota", pause), 429), NAME, REQUEST)
    assert (broken.kind, broken.retriable, broken.retry_after_s) == ("rate_limit", True, 26.0)


def test_a_blocked_prompt_is_an_answer_that_was_filtered() -> None:
    response = answer(replying({"promptFeedback": {"blockReason": "SAFETY"}}), NAME, REQUEST)
    assert response.completions == (Completion(text="", finish_reason="content_filter"),)


def test_several_candidates_come_in_one_call_where_the_model_gives_them() -> None:
    asked_for = []

    async def handler(request: web.Request) -> web.Response:
        many = (await request.json())["generationConfig"].get("candidateCount", 1)
        asked_for.append(many)
        return web.json_response({**REPLY, "candidates": [_candidate(f"{many}.{n}", index=n) for n in range(min(many, 5))]})

    response = answer(handler, NAME, Request(prompt="x", temperature=1.0, completions=10))
    assert asked_for == [8, 5]
    texts = [completion.text for completion in response.completions]
    assert texts == ["8.0", "8.1", "8.2", "8.3", "8.4", "5.0", "5.1", "5.2", "5.3", "5.4"]
    assert response.usage.prompt_tokens == 6


def test_a_model_that_gives_one_candidate_is_asked_again_with_another_seed() -> None:
    seeds = []

    async def handler(request: web.Request) -> web.Response:
        decoding = (await request.json())["generationConfig"]
        if "candidateCount" in decoding:
            return web.json_response(_refusal(400, "Multiple candidates is not enabled for this model"), status=400)
        seeds.append(decoding["seed"])
        return web.json_response(REPLY)

    requests = [Request(prompt=text, temperature=1.0, completions=3) for text in "xy"]
    outcomes = asked(handler, NAME, requests)
    assert [len(outcome.completions) for outcome in outcomes if isinstance(outcome, Response)] == [3, 3]
    assert len(set(seeds)) == 6


def test_log_probabilities_come_where_the_body_asks_for_them() -> None:
    body = {"generationConfig": {"responseLogprobs": True, "logprobs": 3}}
    assert opened(NAME, base_url="http://localhost:1", body=body).capabilities.top_logprobs == 3
    assert opened(NAME, base_url="http://localhost:1").capabilities.top_logprobs == 0
    chosen = {"chosenCandidates": [{"token": "Because.", "logProbability": -0.25}]}
    seen = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((await request.json())["generationConfig"])
        return web.json_response({**REPLY, "candidates": [_candidate("Because.", logprobsResult=chosen)]})

    assert answer(handler, NAME, REQUEST, body=body).completions[0].logprob == -0.25
    assert seen == [{"maxOutputTokens": 20, "temperature": 0.0, "responseLogprobs": True, "logprobs": 3}]


def test_either_of_googles_variables_holds_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssayError, match="GEMINI_API_KEY is not set"):
        open_model(NAME, {})
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY"):
        with monkeypatch.context() as patched:
            patched.setenv(name, KEY)
            model = open_model(NAME, {})
    assert model.identity.options["base_url"] == "https://generativelanguage.googleapis.com/v1beta"
    assert KEY not in repr(model.identity)
