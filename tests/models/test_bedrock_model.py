from __future__ import annotations

import hashlib
import hmac
import json
import re
import struct
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import web

from assay.errors import AssayError, MissingExtra
from assay.models import open_model
from assay.models.wire import aws
from assay.records import Completion, Message, Request, Response, Usage
from fake_servers import Handler
from hosted_services import KEY, VARIABLE, answer, asked, error, opened, replying

NAME = "bedrock/us.anthropic.claude-x-v1:0"
REQUEST = Request(prompt=(Message(role="user", content="Why?"),), max_tokens=20)
REPLY = {
    "output": {"message": {"role": "assistant", "content": [{"text": "Because."}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
}
SECRET, TOKEN = "wJalr-a-secret-access-key", "FQoG-a-session-token"


@pytest.fixture(autouse=True)
def _no_credentials_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_REGION", "eu-north-1")
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.fixture
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)


def _frame(name: str, payload: dict[str, Any], kind: str = "event") -> bytes:
    """A frame as Amazon documents it: lengths and their checksum, headers of type 7 (text), the payload, a checksum."""
    headers = b"".join(
        bytes([len(key)]) + key.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for key, value in ((f":{kind}-type", name), (":content-type", "application/json"), (":message-type", kind))
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return message + struct.pack(">I", zlib.crc32(message))


BEGIN = (
    _frame("messageStart", {"role": "assistant"})
    + _frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Be"}})
    + _frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "cause."}})
)
END = _frame("messageStop", {"stopReason": "max_tokens"}) + _frame("metadata", {"usage": REPLY["usage"]})


def _streaming(data: bytes, size: int = 7) -> Handler:
    async def handler(request: web.Request) -> web.StreamResponse:
        assert request.path.endswith("/converse-stream")
        response = web.StreamResponse(headers={"Content-Type": "application/vnd.amazon.eventstream"})
        await response.prepare(request)
        for start in range(0, len(data), size):
            await response.write(data[start : start + size])
        return response

    return handler


def test_a_bearer_token_is_enough() -> None:
    seen: list[Any] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((request.path, request.headers["Authorization"]))
        return web.json_response(REPLY)

    response = answer(handler, NAME, REQUEST)
    assert seen == [("/model/us.anthropic.claude-x-v1:0/converse", f"Bearer {KEY}")]
    assert response.completions == (Completion(text="Because."),)
    assert response.usage == Usage(prompt_tokens=3, completion_tokens=2, source="provider")
    assert response.latency_s is not None


def _signature(request: web.Request, body: bytes, signed: str, scope: str) -> str:
    """AWS Signature Version 4 of what arrived, after Amazon's description of it."""
    path = quote(request.raw_path, safe="/-_.~")
    headers = "".join(f"{name}:{request.headers[name].strip()}\n" for name in signed.split(";"))
    canonical = f"POST\n{path}\n\n{headers}\n{signed}\n{hashlib.sha256(body).hexdigest()}"
    date = request.headers["X-Amz-Date"]
    text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{SECRET}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.new(key, text.encode(), "sha256").hexdigest()


@pytest.mark.usefixtures("_credentials")
@pytest.mark.parametrize("model", [NAME, "bedrock/arn:aws:bedrock:eu-north-1:123456789012:inference-profile/eu.x-v1:0"])
def test_requests_are_signed_by_the_credentials_of_the_machine(model: str) -> None:
    seen: list[Any] = []

    async def handler(request: web.Request) -> web.Response:
        written = request.headers["Authorization"]
        match = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/(\S+), SignedHeaders=(\S+), Signature=(\w+)", written)
        assert match is not None
        scope, signed, signature = match.groups()
        seen.append((signature, request.headers["X-Amz-Security-Token"], scope.split("/")[1:]))
        assert {"host", "x-amz-date", "x-amz-security-token"} <= set(signed.split(";"))
        assert signature == _signature(request, await request.read(), signed, scope)
        return web.json_response(REPLY)

    assert answer(handler, model, REQUEST).completions[0].text == "Because."
    assert [one[1:] for one in seen] == [(TOKEN, ["eu-north-1", "bedrock", "aws4_request"])]


@pytest.mark.usefixtures("_credentials")
def test_credentials_that_come_back_in_an_error_do_not_show() -> None:
    message = f"The canonical string should have been 'x-amz-security-token:{TOKEN}' and the key {SECRET}"
    broken = error(replying({"message": message}, 403), NAME, REQUEST)
    assert (broken.kind, broken.retriable) == ("authentication", False)
    assert TOKEN not in broken.message
    assert SECRET not in broken.message
    assert "AWS_SECRET_ACCESS_KEY" in broken.message


@pytest.mark.parametrize("size", [7, 10_000])
def test_a_stream_measures_the_first_token(size: int) -> None:
    response = answer(_streaming(BEGIN + END, size), NAME, REQUEST, stream=True)
    assert response.completions == (Completion(text="Because.", finish_reason="length"),)
    assert response.usage == Usage(prompt_tokens=3, completion_tokens=2, source="provider")
    assert response.first_token_s is not None
    assert response.latency_s is not None
    assert 0 < response.first_token_s <= response.latency_s


@pytest.mark.parametrize(
    ("data", "kind", "retriable"),
    [
        (BEGIN, "truncated_body", True),
        (BEGIN + END[:20], "truncated_body", True),
        (BEGIN[:-1] + b"x" + END, "malformed", True),
        (b"<html>not a stream at all</html>", "malformed", True),
        (struct.pack(">II", 3, 0) + struct.pack(">I", zlib.crc32(struct.pack(">II", 3, 0))) + b"\0" * 40, "malformed", True),
        (END, "truncated_body", True),
        (BEGIN + _frame("throttlingException", {"message": "Too many"}, "exception"), "rate_limit", True),
        (BEGIN + _frame("modelStreamErrorException", {"message": "Oh"}, "exception"), "server", True),
        (BEGIN + _frame("validationException", {"message": "Input is too long"}, "exception"), "context_length", False),
    ],
)
def test_a_broken_stream_has_its_kind(data: bytes, kind: str, retriable: bool) -> None:
    broken = error(_streaming(data, 50), NAME, REQUEST, stream=True)
    assert (broken.kind, broken.retriable) == (kind, retriable)


@pytest.mark.parametrize(
    ("status", "message", "kind", "retriable"),
    [
        (429, "Too many requests, please wait before trying again.", "rate_limit", True),
        (403, "The security token included in the request is expired", "authentication", False),
        (404, "Could not resolve the foundation model", "not_found", False),
        (400, "Input is too long for requested model.", "context_length", False),
        (400, "The model returned the following errors: `temperature` is deprecated for this model.", "bad_request", False),
        (424, "The model failed", "server", True),
        (503, "Unavailable", "server", True),
    ],
)
def test_each_error_has_its_kind(status: int, message: str, kind: str, retriable: bool) -> None:
    broken = error(replying({"message": message}, status, {"x-amzn-ErrorType": "Any"}), NAME, REQUEST)
    assert (broken.kind, broken.retriable) == (kind, retriable)
    assert (VARIABLE in broken.message) == (kind == "authentication")
    assert ("{inferenceConfig: {temperature: null}}" in broken.message) == (kind == "bad_request")


def test_several_completions_are_several_calls() -> None:
    [response] = asked(replying(REPLY), NAME, [Request(prompt="x", completions=2, temperature=1.0)])
    assert isinstance(response, Response)
    assert [completion.text for completion in response.completions] == ["Because.", "Because."]
    assert response.usage.completion_tokens == 4


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssayError, match=r"no AWS credentials.*AWS_BEARER_TOKEN_BEDROCK"):
        open_model(NAME, {})
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(AssayError, match="nobody"):
        open_model(NAME, {})
    monkeypatch.delenv("AWS_PROFILE")
    monkeypatch.delenv("AWS_REGION")
    with pytest.raises(AssayError, match="AWS_REGION"):
        opened(NAME)


def test_the_region_makes_the_address_and_no_credential_is_in_the_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    model = opened(NAME)
    assert model.identity.options["base_url"] == "https://bedrock-runtime.eu-north-1.amazonaws.com"
    assert KEY not in repr(model.identity)


def test_only_signatures_and_streams_need_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aws.importlib.util, "find_spec", lambda name: None)
    assert answer(replying(REPLY), NAME, REQUEST).completions[0].text == "Because."
    for config in ({"stream": True}, {"key_variable": "NOT_SET"}):
        with pytest.raises(MissingExtra, match=r"pip install '(assay|\.)\[bedrock\]'"):
            opened(NAME, **config)


def test_a_stream_of_an_empty_message_is_an_empty_answer() -> None:
    empty = _frame("messageStart", {"role": "assistant"}) + END
    assert answer(_streaming(empty), NAME, REQUEST, stream=True).completions == (Completion(text="", finish_reason="length"),)
