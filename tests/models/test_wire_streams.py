from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from assay.models import Endpoint, ModelConfig, RequestError, open_model
from assay.models.wire.parsing import decode, response_of
from assay.models.wire.streams import Gathering
from assay.records import Message, Request, Response
from fake_servers import mock_server, own_server, run

REQUEST = Request(prompt=(Message(role="user", content="Item 3. Which?"),), max_tokens=20)


def _open(base_url: str, **more: Any) -> Endpoint:
    config = ModelConfig(**{"name": "openai/m", "base_url": base_url, "stream": True, **more})
    model = open_model("openai/m", {"openai/m": config})
    assert isinstance(model, Endpoint)
    return model


def _streaming(*events: Any, pause_s: float = 0.0) -> Any:
    async def handler(request: web.Request) -> web.StreamResponse:
        assert (await request.json())["stream"] is True
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events:
            await response.write(b"data: " + (event if isinstance(event, bytes) else json.dumps(event).encode()) + b"\n\n")
            await asyncio.sleep(pause_s)
        return response

    return handler


def _asked(handler: Any, **more: Any) -> Response | RequestError:
    async def main() -> Response | RequestError:
        async with own_server(handler) as base_url:
            model = _open(base_url, **more)
            try:
                return await model.ask(REQUEST)
            except RequestError as error:
                return error
            finally:
                await model.close()

    result: Response | RequestError = run(main())
    return result


def _delta(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


@pytest.mark.parametrize("endpoint", ["chat", "completions"])
def test_a_streamed_answer_is_the_unstreamed_one(shared: Path, endpoint: str) -> None:
    prompt = REQUEST.prompt if endpoint == "chat" else "Item 3. Which?\nAnswer:"
    request = Request(prompt=prompt, max_tokens=30, completions=2, temperature=1.0)

    async def both(base_url: str) -> list[Response]:
        answers = []
        for stream in (False, True):
            model = _open(base_url, stream=stream, endpoint=endpoint)
            answers.append(await model.ask(request))
            await model.close()
        return answers

    with mock_server(shared, "--stream-token-ms", "5") as server:
        whole, streamed = run(both(server.base_url))
    assert whole.first_token_s is None
    assert streamed.first_token_s is not None
    assert 0 < streamed.first_token_s <= streamed.latency_s
    assert len(whole.completions) == 2
    assert (streamed.completions, streamed.usage) == (whole.completions, whole.usage)


def test_the_first_token_is_the_first_text_and_reasoning_counts() -> None:
    events = [
        _delta(role="assistant", content=""),
        _delta(reasoning_content="Hm."),
        _delta(content="B"),
        _delta("stop"),
        b"[DONE]",
    ]
    response = _asked(_streaming(*events, pause_s=0.05))
    assert isinstance(response, Response)
    (completion,) = response.completions
    assert (completion.text, completion.reasoning, completion.finish_reason) == ("B", "Hm.", "stop")
    assert response.first_token_s is not None
    assert response.latency_s is not None
    assert 0.04 < response.first_token_s < response.latency_s


def test_a_stream_that_breaks_off_is_worth_another_try() -> None:
    error = _asked(_streaming(_delta(content="The answer is")))
    assert isinstance(error, RequestError)
    assert (error.kind, error.retriable) == ("truncated_body", True)


def test_an_error_within_a_stream_is_an_error_and_no_answer() -> None:
    error = _asked(_streaming(_delta(content="The"), {"error": {"code": 503, "message": "overloaded"}}))
    assert isinstance(error, RequestError)
    assert (error.kind, error.retriable) == ("server", True)
    assert "overloaded" in error.message


def test_a_server_that_does_not_stream_is_named_with_the_way_out() -> None:
    async def handler(_: web.Request) -> web.Response:
        return web.json_response({"choices": [{"message": {"content": "B"}}]})

    error = _asked(handler)
    assert isinstance(error, RequestError)
    assert "stream: false" in error.message


def test_a_refused_stream_has_the_status_for_a_reason() -> None:
    async def handler(_: web.Request) -> web.Response:
        return web.json_response({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "2"})

    error = _asked(handler)
    assert isinstance(error, RequestError)
    assert (error.kind, error.retry_after_s) == ("rate_limit", 2.0)


def test_the_key_goes_alone_into_the_header_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str | None, str | None]] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((request.headers.get("api-key"), request.headers.get("Authorization")))
        return web.json_response({"choices": [{"message": {"content": "B"}, "finish_reason": "stop"}]})

    monkeypatch.setenv("ASSAY_TEST_KEY", "azure-key-0123456789")
    _asked(handler, stream=False, key_variable="ASSAY_TEST_KEY", key_header="api-key")
    assert seen == [("azure-key-0123456789", None)]


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["choices", "delta", "content", "index", "logprobs", "usage", "error", "finish_reason", "text"]), inner
    ),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(_json, max_size=5))
def test_whatever_a_stream_holds_becomes_a_response_or_a_request_error(events: list[Any]) -> None:
    gathering = Gathering()
    try:
        for event in events:
            gathering.add(json.dumps(event).encode(), 0.1)
        response_of(decode(gathering.body()))
    except RequestError:
        pass
