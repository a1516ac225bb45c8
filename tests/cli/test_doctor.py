"""`assay doctor MODEL` finds out what an endpoint can do with about ten tiny requests, and what to write down."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from assay.cli.examining import block
from assay.engine import Engine
from assay.models import Model, ModelConfig, open_model
from assay.models.configuration import load_models_file
from assay.models.probing import Finding, findings
from assay.records import Completion, Request, Response, Usage
from cli_helpers import Assay
from fake_models import FakeEndpoint
from fake_servers import mock_server, own_server, run

Reply = Callable[[str, dict[str, Any]], tuple[int, Any]]


async def probed(
    reply: Reply, listed: Any = None, **details: Any
) -> tuple[dict[str, Finding], list[tuple[str, dict[str, Any]]]]:
    """What is found out about a server that answers with `reply(path, body)`, and all that it was asked."""
    asked: list[tuple[str, dict[str, Any]]] = []

    async def handler(request: web.Request) -> web.Response:
        path = request.path.removeprefix("/v1")
        if request.method == "GET":
            return web.json_response({"data": [{"id": "m", "max_model_len": listed}]})
        body = await request.json()
        asked.append((path, body))
        status, answer = reply(path, body)
        if isinstance(answer, str):
            return web.Response(text=answer, content_type="text/event-stream")
        return web.json_response(answer, status=status)

    async with own_server(handler) as url, Engine(None, retries=0) as engine:
        config = ModelConfig(name="openai/m", base_url=url, **details)
        model = open_model("openai/m", {"openai/m": config})
        found = [finding async for finding in model.findings(engine.ask)]
        await model.close()
    return {finding.what: finding for finding in found}, asked


def refusal(message: str) -> tuple[int, Any]:
    return 400, {"error": {"message": message, "type": "invalid_request_error"}}


def chat_answer(body: dict[str, Any], text: str) -> tuple[int, Any]:
    usage = {"prompt_tokens": 9, "completion_tokens": min(len(text.split()), body.get("max_tokens", 99)), "total_tokens": 0}
    return 200, {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}], "usage": usage}


def capable_chat(path: str, body: dict[str, Any]) -> tuple[int, Any]:
    """A chat endpoint that follows what it is told, gives no log-probabilities and knows no other endpoint."""
    if path != "/chat/completions":
        return 404, {"error": {"message": "no such route"}}
    if "logprobs" in body:
        return refusal("property 'logprobs' is unsupported")
    if body.get("stream"):
        if "stream_options" in body:
            return refusal("unknown field stream_options")
        parts = [{"choices": [{"delta": {"content": "1 2"}}]}, {"choices": [{"delta": {}, "finish_reason": "length"}]}]
        return 200, "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
    if body["messages"][0]["role"] == "system":
        return chat_answer(body, "Orange.")
    if body.get("temperature"):
        return chat_answer(body, f"word {body['seed']}")
    counted = " ".join(map(str, range(1, body["max_tokens"] + 1)))
    return chat_answer(body, counted.split(body["stop"][0])[0] if "stop" in body else counted)


def test_what_an_endpoint_takes_and_refuses_is_found_out_and_becomes_settings() -> None:
    found, asked = run(probed(capable_chat))
    assert len(asked) <= 10
    assert {what for what, finding in found.items() if finding.works} == {
        "model", "chat", "counts of tokens", "length limit", "system messages", "stop sequences", "same seed, same answer",
        "streaming", "endpoint",
    }  # fmt: skip
    assert found["chat"].needed
    assert not found["completions"].works
    assert not found["completions"].needed
    assert found["log-probabilities"].settings == {"body": {"logprobs": None, "top_logprobs": None}}
    assert found["streaming"].settings == {"stream": True, "body": {"stream_options": None}}
    assert all(body.get("max_tokens", 0) <= 24 for _, body in asked)


@pytest.mark.parametrize(("listed", "window"), [(4096, 4096), ("4096", None), (True, None), (-1, None), (10**30, None)])
def test_the_window_that_the_list_of_models_tells_becomes_a_setting(listed: Any, window: int | None) -> None:
    found, _ = run(probed(capable_chat, listed))
    assert found["endpoint"].settings.get("context_window") == window
    assert ("a window of 4,096 tokens" in found["model"].said) == (window is not None)
    configured, _ = run(probed(capable_chat, listed, context_window=1000))
    assert "context_window" not in configured["endpoint"].settings


def test_an_endpoint_that_takes_no_temperature_is_asked_without_one() -> None:
    def reply(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if "temperature" in body:
            return refusal("Unsupported value: 'temperature' does not support 0.0 with this model")
        return capable_chat(path, body)

    found, asked = run(probed(reply))
    assert found["chat"].works
    assert found["endpoint"].settings == {"endpoint": "chat", "body": {"temperature": None}}
    assert len(asked) <= 11


def test_ignored_wishes_are_told_from_fulfilled_ones() -> None:
    numbers = iter(range(99))

    def reply(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path != "/chat/completions":
            return 404, {}
        text = f"{next(numbers)} 1 2 3 4 5 6 7 8 9 10 11"
        return 200, {"choices": [{"message": {"content": text, "reasoning_content": "let me think"}, "finish_reason": "stop"}]}

    found, _ = run(probed(reply))
    assert found["counts of tokens"].works is False
    assert found["length limit"].works is False
    assert found["stop sequences"].works is False
    assert found["same seed, same answer"].works is False
    assert found["log-probabilities"].works is False
    assert found["system messages"].works is None
    assert "thinks before it answers" in found["reasoning"].said


def test_a_prompt_that_is_not_echoed_is_not_taken_for_scoring() -> None:
    def reply(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path != "/completions":
            return 404, {}
        logprobs = {"tokens": [" x"], "token_logprobs": [-0.5], "top_logprobs": [{" x": -0.5}]} if "logprobs" in body else None
        return 200, {"choices": [{"text": " x", "finish_reason": "length", "logprobs": logprobs}]}

    found, _ = run(probed(reply))
    assert found["completions"].works
    assert found["log-probabilities"].works
    assert found["prompt log-probabilities"].works is False
    assert found["endpoint"].settings["endpoint"] == "completions"


@pytest.mark.parametrize(("status", "kind"), [(401, "authentication"), (404, "not_found")])
def test_a_wrong_key_or_model_is_said_with_few_requests(status: int, kind: str) -> None:
    found, asked = run(probed(lambda path, body: (status, {"error": {"message": "no"}})))
    assert kind in found["chat"].said
    assert "system messages" not in found
    assert len(asked) == (1 if status == 401 else 2)


def test_the_block_can_be_pasted_and_counts_and_costs_are_said(shared: Path, assay: Assay) -> None:
    with mock_server(shared) as server:
        prices = "price_per_million_input: 1, price_per_million_output: 1"
        Path("m.yaml").write_text(
            f"- {{name: mine, provider: openai, model: mock-1, base_url: '{server.base_url}', {prices}}}\n"
        )
        said = assay("doctor", "mine", "--models-file", "m.yaml")
        requests = server.stats()["requests"]
    assert said.code == 0, said.out
    assert requests <= 10
    assert re.search(rf"asked {requests} requests: \d+ tokens read, \d+ written; cost 0\.000", said.out)
    assert "ok  prompt log-probabilities: given texts are scored" in said.out
    Path("pasted.yaml").write_text(said.out.split("In models.yaml:\n\n")[1])
    (pasted,) = load_models_file("pasted.yaml").values()
    assert (pasted.name, pasted.endpoint, pasted.stream, pasted.base_url) == ("mine", "chat", True, server.base_url)


def test_where_the_environment_says_an_endpoint_is_stands_in_the_block(
    shared: Path, assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mock_server(shared) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        said = assay("doctor", "openai/mock-1")
    assert said.code == 0, said.out
    Path("pasted.yaml").write_text(said.out.split("In models.yaml:\n\n")[1])
    (pasted,) = load_models_file("pasted.yaml").values()
    assert (pasted.name, pasted.endpoint, pasted.base_url) == ("openai/mock-1", "chat", server.base_url)
    # It answers both ways, and only one of them scores.
    (choice,) = [line for line in said.out.splitlines() if line.startswith("ok  endpoint: ")]
    assert "scores no options" in choice
    assert "write endpoint: completions" in choice


def test_a_server_that_is_not_there_is_named_and_ends_with_code_1(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    said = assay("doctor", "openai/x")
    assert said.code == 1
    assert "NO  chat: connection: cannot connect to http://127.0.0.1:9" in said.out
    assert "models.yaml:" not in said.out


def test_any_model_is_probed_by_what_it_says_it_can_do(assay: Assay) -> None:
    said = assay("doctor", "baseline/majority")
    assert said.code == 0
    assert "– " in said.out

    def reply(request: Request, _: int) -> Response:
        usage = Usage(prompt_tokens=1, completion_tokens=2, source="tokenizer")
        return Response(completions=(Completion(text="1 2 3\x1b[31m"),), usage=usage)

    async def all_of(model: Model) -> list[Finding]:
        async with Engine(None) as engine:
            return [finding async for finding in findings(model, engine.ask)]

    found = asyncio.run(all_of(FakeEndpoint(reply)))
    assert found[0].what == "text completion"
    assert all("\x1b" not in finding.said for finding in found)


def test_secrets_do_not_stand_in_the_block() -> None:
    config = ModelConfig(name="x/y", headers={"X-Token": "hidden-value"}, key_variable="MY_KEY", body={"a": {"b": 1}})
    text = block(config, {"stream": True, "body": {"temperature": None}})
    assert "hidden-value" not in text
    assert "temperature: null" in text
    assert "key_variable: MY_KEY" in text
