from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.models import RequestError
from assay.models.wire.failures import from_error_field, from_status, one_line, retry_after_s

URL = "http://host/v1/chat/completions"


def _classify(status: int, message: str = "", headers: dict[str, str] | None = None, **fields: Any) -> RequestError:
    body = json.dumps({"error": {"message": message, **fields}}).encode()
    return from_status(status, headers or {}, body, URL, "set KEY")


@pytest.mark.parametrize(
    ("status", "message", "code", "kind", "retriable"),
    [
        (401, "Incorrect API key", "invalid_api_key", "authentication", False),
        (403, "No access", None, "authentication", False),
        (404, "The model `x` does not exist", "model_not_found", "not_found", False),
        (400, "The model `x` does not exist", None, "not_found", False),
        (429, "Rate limit reached", "rate_limit_exceeded", "rate_limit", True),
        (429, "You exceeded your current quota", "insufficient_quota", "rate_limit", False),
        (400, "This model's maximum context length is 4096 tokens", "context_length_exceeded", "context_length", False),
        (400, "prompt is too long: 9000 tokens > 8192 maximum", None, "context_length", False),
        (400, "The response was filtered", "content_filter", "content_filter", False),
        (400, "temperature must be 1", "unsupported_value", "bad_request", False),
        (422, "extra fields", None, "bad_request", False),
        (307, "", None, "bad_request", False),
        (408, "", None, "timeout", True),
        (409, "", None, "server", True),
        (500, "The server had an error", None, "server", True),
        (503, "Loading model", None, "server", True),
        (529, "Overloaded", None, "server", True),
        (424, "The model failed while processing", None, "server", True),
        (402, "Pay first", "billing_error", "rate_limit", False),
        (400, "Your credit balance is too low to access the API", None, "rate_limit", False),
        (400, "API key not valid. Please pass a valid API key.", 400, "authentication", False),
        (413, "Request exceeds the maximum size", "request_too_large", "context_length", False),
        (400, "input length and `max_tokens` exceed context limit: 9 + 8 > 10", None, "context_length", False),
        (400, "Input is too long for requested model.", None, "context_length", False),
        (400, "Your prompt was flagged as potentially violating our usage policy", 400, "content_filter", False),
    ],
)
def test_a_status_has_a_kind(status: int, message: str, code: str | None, kind: str, retriable: bool) -> None:
    error = _classify(status, message, code=code)
    assert (error.kind, error.retriable) == (kind, retriable)
    assert f"{URL} answered {status}" in error.message
    assert message in error.message


def _google(quota_id: str, *details: dict[str, str]) -> RequestError:
    violated = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota_id}]}
    message = "You exceeded your current quota, please check your plan and billing details."
    return _classify(429, message, code=429, details=[violated, *details])


def test_a_limit_per_minute_that_is_called_a_quota_is_waited_for() -> None:
    pause = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "26.5s"}
    error = _google("GenerateContentInputTokensPerModelPerMinute-FreeTier", pause)
    assert (error.kind, error.retriable, error.retry_after_s) == ("rate_limit", True, 26.5)
    for lasting in (_google("GenerateRequestsPerDayPerProjectPerModel-FreeTier", pause), _google("Unknown")):
        assert (lasting.kind, lasting.retriable) == ("rate_limit", False)
        assert "quota is used up" in lasting.message


def test_a_spending_limit_is_not_waited_for() -> None:
    error = _classify(429, "Limit reached", type="rate_limit_error", details={"error_code": "enforced_spend_limit_reached"})
    assert (error.kind, error.retriable) == ("rate_limit", False)


def test_messages_say_what_to_do() -> None:
    assert "set KEY" in _classify(401).message
    assert "{field: null}" in _classify(400, "unknown field").message
    assert "{field: null}" not in _classify(400, "content rejected by policy").message
    assert "https://new/" in _classify(308, headers={"Location": "https://new/"}).message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "soon"}, None),
    ],
)
def test_the_pause_a_server_asks_for_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, now=60.0) == seconds


def test_an_error_inside_a_success_is_found_out_by_its_code() -> None:
    assert from_error_field({"message": "busy", "code": 429}, URL, "").kind == "rate_limit"
    assert from_error_field({"message": "no key", "code": "401"}, URL, "").kind == "authentication"
    assert from_error_field("something", URL, "").kind == "server"


@given(st.integers(300, 599), st.binary(max_size=200))
def test_any_body_gives_an_error_on_one_line(status: int, body: bytes) -> None:
    message = from_status(status, {}, body, URL, "").message
    assert message.isprintable()
    assert len(message) < 1000


def test_a_page_of_html_becomes_a_short_line() -> None:
    error = from_status(502, {}, b"<html><h1>Bad\nGateway</h1>" + b"x" * 10_000, URL, "")
    assert error.message.startswith(f"{URL} answered 502: Bad Gateway xxx")
    assert len(error.message) < 600
    assert one_line("a\x1b[31m\n\n b\u202e") == "a [31m b"
