from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from assay.errors import AssayError
from assay.models import Endpoint, ModelConfig, RequestError, open_model
from assay.models.wire import transport
from assay.records import Message, Request, Response
from fake_servers import free_port, mock_server, own_server, run

KEY = "sk-a-very-secret-key"


@pytest.fixture(autouse=True)
def _no_keys_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ASSAY_TEST_KEY", KEY)


def _open(base_url: str, **more: Any) -> Endpoint:
    config = ModelConfig(**{"name": "openai/m", "base_url": base_url, "key_variable": "ASSAY_TEST_KEY", **more})
    model = open_model("openai/m", {"openai/m": config})
    assert isinstance(model, Endpoint)
    return model


def _ask(
    handler: Callable[[web.Request], Awaitable[web.StreamResponse]], request: Request, **more: Any
) -> tuple[Response | RequestError, Endpoint]:
    async def main() -> tuple[Response | RequestError, Endpoint]:
        async with own_server(handler) as base_url:
            model = _open(base_url, **more)
            try:
                return await model.ask(request), model
            except RequestError as error:
                return error, model
            finally:
                await model.close()

    result: tuple[Response | RequestError, Endpoint] = run(main())
    return result


def _error(handler: Callable[[web.Request], Awaitable[web.StreamResponse]], request: Request, **more: Any) -> RequestError:
    outcome, _ = _ask(handler, request, **more)
    assert isinstance(outcome, RequestError)
    assert KEY not in str(outcome)
    return outcome


def _sending(body: bytes | str, status: int = 200, headers: dict[str, str] | None = None) -> Any:
    async def handler(_: web.Request) -> web.Response:
        data = body.encode() if isinstance(body, str) else body
        return web.Response(body=data, status=status, headers=headers)

    return handler


def test_generation_scoring_and_sampling_against_the_fake_server(shared: Path) -> None:
    async def main(base_url: str) -> None:
        chat, text = _open(base_url), _open(base_url, endpoint="completions")
        messages = (Message(role="user", content="Item 3. Which?"),)
        sampled = await chat.ask(Request(prompt=messages, temperature=1.0, completions=3, top_logprobs=2))
        assert len(sampled.completions) == 3
        assert len(sampled.completions[0].tokens[0].top) == 2
        assert sampled.usage.source == "provider"
        assert sampled.model_version == "m@mock"
        assert sampled.latency_s is not None
        assert 0.02 <= sampled.latency_s < 10

        prompt = "Item 3. Which?\nAnswer:"
        generated = (await text.ask(Request(prompt=prompt, top_logprobs=5))).completions[0]
        scored = {
            letter: (await text.ask(Request(prompt=prompt, continuation=f" {letter}"))).completions[0] for letter in "ABCD"
        }
        # What the model says is what it finds likeliest, with the same log-probability.
        best = max(scored, key=lambda letter: scored[letter].logprob or -99.0)
        assert generated.text == f" {best}"
        assert scored[best].logprob == generated.logprob
        assert all([token.text for token in one.tokens] == [f" {letter}"] for letter, one in scored.items())
        await chat.close()
        await text.close()

    with mock_server(shared, "--latency-ms", "20") as server:
        run(main(server.base_url))


def test_a_server_that_ignores_echo_is_found_out() -> None:
    async def handler(request: web.Request) -> web.Response:
        assert (await request.json())["echo"] is True
        logprobs = {"tokens": [" Paris"], "token_logprobs": [-0.1], "top_logprobs": None, "text_offset": [0]}
        return web.json_response({"choices": [{"text": " Paris", "logprobs": logprobs, "finish_reason": "length"}]})

    error = _error(handler, Request(prompt="Capital of France?", continuation=" Paris"), endpoint="completions")
    assert (error.kind, error.retriable) == ("no_echo", False)
    assert "' Paris' instead of the text it was sent" in error.message


def test_a_server_that_must_generate_a_token_is_asked_for_one_and_it_is_dropped() -> None:
    asked = []

    async def handler(request: web.Request) -> web.Response:
        body = await request.json()
        asked.append(body["max_tokens"])
        if body["max_tokens"] < 1:
            return web.json_response({"error": {"message": "max_tokens must be at least 1, got 0."}}, status=400)
        logprobs = {"tokens": ["Q", " A", " B"], "token_logprobs": [None, -0.5, -0.7], "text_offset": [0, 1, 3]}
        return web.json_response({"choices": [{"text": "Q A B", "logprobs": logprobs}]})

    async def main() -> None:
        async with own_server(handler) as base_url:
            model = _open(base_url, endpoint="completions")
            for _ in range(2):
                response = await model.ask(Request(prompt="Q", continuation=" A"))
                assert (response.completions[0].text, response.completions[0].logprob) == (" A", -0.5)
            await model.close()

    run(main())
    assert asked == [0, 1, 1]


def test_a_wrong_model_name_is_answered_with_the_names_the_server_has() -> None:
    async def handler(request: web.Request) -> web.Response:
        if request.path == "/v1/models":
            return web.json_response({"data": [{"id": "llama"}, {"id": "qwen\x1b[0m"}]})
        return web.json_response({"error": {"message": "The model `m` does not exist", "code": "model_not_found"}}, status=404)

    error = _error(handler, Request(prompt="x"))
    assert (error.kind, error.retriable) == ("not_found", False)
    assert "no model 'm' there; the server has llama, qwen [0m" in error.message


def test_a_wrong_path_is_told_from_a_wrong_model() -> None:
    assert (
        "base_url the address that ends before /chat/completions" in _error(_sending("nope", 404), Request(prompt="x")).message
    )


def test_the_key_is_sent_and_never_shown() -> None:
    seen = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization"))
        return web.json_response({"error": {"message": f"Incorrect API key provided: {KEY}."}}, status=401)

    error = _error(handler, Request(prompt="x"))
    assert seen == [f"Bearer {KEY}"]
    assert (error.kind, error.retriable) == ("authentication", False)
    assert "Incorrect API key provided: ***" in error.message
    assert "ASSAY_TEST_KEY" in error.message


def test_the_key_is_not_carried_to_where_a_redirect_points() -> None:
    hits = []

    async def handler(request: web.Request) -> web.Response:
        hits.append(request.path)
        return web.Response(status=307, headers={"Location": "/elsewhere"})

    error = _error(handler, Request(prompt="x"))
    assert error.kind == "bad_request"
    assert "redirects to /elsewhere" in error.message
    assert hits == ["/v1/chat/completions"]


def test_a_body_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "LARGEST_BODY", 1_000_000)
    sent = 0

    async def handler(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(1000):
            await response.write(b" " * 100_000)
            sent += 100_000
        return response

    error = _error(handler, Request(prompt="x"))
    assert (error.kind, error.retriable) == ("malformed", False)
    assert sent < 50_000_000


def test_a_small_packet_that_unpacks_to_a_large_body_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "LARGEST_BODY", 1_000_000)

    async def handler(_: web.Request) -> web.Response:
        response = web.Response(body=b" " * 20_000_000)
        response.enable_compression(web.ContentCoding.gzip)
        return response

    assert _error(handler, Request(prompt="x")).kind == "malformed"


@pytest.mark.parametrize(
    "body", [b"<html>", b"\xff\xfe", b'{"choices": 5}', b'{"choices": [{"message": {"content": 5}}]}', b""]
)
def test_a_response_that_is_none_is_a_failure(body: bytes) -> None:
    assert _error(_sending(body), Request(prompt="x")).kind == "malformed"


def test_an_error_inside_a_success_is_an_error() -> None:
    error = _error(_sending(json.dumps({"error": {"message": f"slow down {KEY}", "code": 429}})), Request(prompt="x"))
    assert (error.kind, error.retriable) == ("rate_limit", True)


def test_hostile_text_stays_what_it_is() -> None:
    hostile = "<script>alert(1)</script>\x1b[2J\u202e\x00 ' OR 1=1 --"
    outcome, _ = _ask(_sending(json.dumps({"choices": [{"message": {"content": hostile}}]})), Request(prompt="x"))
    assert isinstance(outcome, Response)
    assert outcome.completions[0].text == hostile


def test_a_body_that_ends_early_and_a_silent_server_may_be_tried_again() -> None:
    async def cut(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"choices"')
        assert request.transport is not None
        request.transport.close()
        return response

    error = _error(cut, Request(prompt="x"))
    assert (error.kind, error.retriable) == ("truncated_body", True)

    async def silent(request: web.Request) -> web.Response:
        import asyncio

        await asyncio.sleep(5)
        return web.Response()

    error = _error(silent, Request(prompt="x"), timeout_s=0.1)
    assert (error.kind, error.retriable) == ("timeout", True)
    assert "0.1 s" in error.message


def test_a_refused_connection_names_the_address() -> None:
    async def main() -> None:
        model = _open(f"http://127.0.0.1:{free_port()}/v1")
        with pytest.raises(RequestError, match=r"cannot connect to http://127\.0\.0\.1") as raised:
            await model.ask(Request(prompt="x"))
        assert (raised.value.kind, raised.value.retriable) == ("connection", True)
        await model.close()

    run(main())


def test_connections_are_kept_between_requests(shared: Path) -> None:
    async def main(base_url: str) -> None:
        model = _open(base_url)
        for number in range(20):
            await model.ask(Request(prompt=f"Item {number}."))
        await model.close()

    with mock_server(shared) as server:
        server.reset()
        run(main(server.base_url))
        # One of them is the request for the statistics.
        assert server.stats()["connections"] <= 2


def test_a_key_is_needed_everywhere_but_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        AssayError, match=r"openai/gpt needs an API key for https://api\.openai\.com/v1, and OPENAI_API_KEY is not set"
    ):
        open_model("openai/gpt", {})
    config = ModelConfig(name="openai/gpt", base_url="https://models.example/v1", key_variable="NO_SUCH_KEY")
    with pytest.raises(AssayError, match="NO_SUCH_KEY is not set"):
        open_model("openai/gpt", {"openai/gpt": config})
    for address in ("http://localhost:1/v1", "http://127.0.0.1:1/v1/", "http://[::1]:1/v1"):
        model = open_model("openai/gpt", {"openai/gpt": ModelConfig(name="openai/gpt", base_url=address)})
        assert model.identity.options["base_url"] == address.rstrip("/")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:7/v1")
    assert open_model("openai/gpt", {}).identity.options["base_url"] == "http://localhost:7/v1"


@pytest.mark.parametrize(
    ("base_url", "message"),
    [
        ("localhost:8000", "not an http:// or https:// address"),
        ("http://", "not an http:// or https:// address"),
        ("http://host:port/v1", "not an http:// or https:// address"),
        ("https://me:secret@host/v1", "holds credentials"),
        ("https://host/v1?key=secret", "holds a query"),
    ],
)
def test_an_address_that_cannot_be_used_is_said(base_url: str, message: str) -> None:
    with pytest.raises(AssayError, match=message) as raised:
        _open(base_url)
    assert "secret" not in str(raised.value)


def test_a_key_with_a_line_break_inside_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_TEST_KEY", "sk-secret\nX-Evil: 1")
    with pytest.raises(AssayError, match="does not allow") as raised:
        _open("http://localhost:1/v1")
    assert "sk-secret" not in str(raised.value)


def test_what_a_model_can_do_follows_from_its_endpoint() -> None:
    chat = _open("http://localhost:1/v1", concurrency=3, context_window=99).capabilities
    assert (chat.chat, chat.text, chat.scores, chat.top_logprobs) == (True, False, False, 20)
    assert (chat.concurrency, chat.context_window) == (3, 99)
    text = _open("http://localhost:1/v1", endpoint="completions").capabilities
    assert (text.chat, text.text, text.scores, text.top_logprobs) == (False, True, True, 5)


def test_the_identity_holds_no_key() -> None:
    assert KEY not in repr(_open("http://localhost:1/v1").identity)
    assert os.environ["ASSAY_TEST_KEY"] == KEY
