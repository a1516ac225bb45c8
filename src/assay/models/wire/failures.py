"""What an HTTP error of a model's endpoint means: its kind, whether to ask again, and a message for people."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from assay.models.base import RequestError
from assay.models.wording import one_line

__all__ = ["from_error_field", "from_status", "one_line", "retry_after_s"]

Clean = Callable[[str], str]
"""Takes the secrets out of a text."""

_LARGEST = 64 * 1024
"""Bytes of an error's body that are read."""
_TOO_LONG = re.compile(
    r"context.?(length|window|size|limit)|maximum.{0,20}context|too many tokens|(prompt|input) is too long"
    r"|exceeds?.{0,40}tokens",
    re.I,
)
_FILTERED = re.compile(r"content.?(filter|policy|management)|responsible.?ai|usage polic|policy.violation|bio_policy", re.I)
_NO_MODEL = re.compile(
    r"model.{0,80}(not found|does not exist|not exist|no such)|(unknown|invalid|no such) model|model_not_found", re.I
)
_QUOTA = re.compile(r"insufficient_quota|quota exceeded|exceeded your current quota|billing", re.I)
_NO_CREDIT = re.compile(r"credit balance|specified api usage limits", re.I)
_WRONG_KEY = re.compile(r"api key (not valid|expired)|api_key_invalid", re.I)
_FIELD = re.compile(
    r"field|param|argument|propert|option|schema|unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not permitted",
    re.I,
)
"""A request that the server takes amiss for how it is written, not for what it says."""
_DELAY = re.compile(rb'"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d+)?)s"')
"""The pause in the details of Google's errors, which call a limit per minute a quota too."""
_FOR_LONG = re.compile(rb"PerDay|spend_limit_reached")
"""Limits of Google and Anthropic that do not end within minutes."""


def from_status(
    status: int, headers: Mapping[str, str], data: bytes, where: str, key_hint: str, clean: Clean = str
) -> RequestError:
    """The error behind a response that is not a success.

    Args:
        status: the HTTP status.
        headers: the response's headers.
        data: its body, of whatever form.
        where: the URL that was asked.
        key_hint: what to do about a refused key.
        clean: takes the secrets out of what the server said, before any of it is cut.
    """
    message, code = _server_message(data, clean)
    said = f"{where} answered {status}" + (f": {message}" if message else "")
    about = f"{code} {message}"
    if status == 402 or _NO_CREDIT.search(about):
        return RequestError("rate_limit", f"{said} (the account's quota is used up)", retriable=False)
    if status in (401, 403) or _WRONG_KEY.search(about):
        if _FILTERED.search(about):
            return RequestError("content_filter", said, retriable=False)
        return RequestError("authentication", f"{said} ({key_hint})", retriable=False)
    if status == 404 or _NO_MODEL.search(about):
        return RequestError("not_found", said, retriable=False)
    if status == 429:
        return _rate_limit(said, headers, data[:_LARGEST], quota=_QUOTA.search(about) is not None)
    if status == 408:
        return RequestError("timeout", said, retriable=True, retry_after_s=retry_after_s(headers))
    if status >= 500 or status in (409, 424, 425):
        return RequestError("server", said, retriable=True, retry_after_s=retry_after_s(headers))
    if 300 <= status < 400:
        target = one_line(clean(headers.get("Location", "another address")))
        return RequestError(
            "bad_request", f"{said}: it redirects to {target} (set base_url to the final address)", retriable=False
        )
    if status == 413 or _TOO_LONG.search(about):
        return RequestError("context_length", said, retriable=False)
    if _FILTERED.search(about):
        return RequestError("content_filter", said, retriable=False)
    hint = " (a field the server does not take is left out by `body: {field: null}` in models.yaml)"
    return RequestError("bad_request", said + (hint if not message or _FIELD.search(about) else ""), retriable=False)


def from_error_field(error: Any, where: str, key_hint: str, clean: Clean = str) -> RequestError:
    """The error behind a 200 whose body holds an `error`, as some gateways send: by its code where that is a status."""
    try:
        data = json.dumps({"error": error}).encode()
    except (ValueError, RecursionError):
        data = b""
    code = str(error.get("code")) if isinstance(error, dict) else ""
    status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else 502
    return from_status(status, {}, data, where, key_hint, clean)


def _rate_limit(said: str, headers: Mapping[str, str], data: bytes, *, quota: bool) -> RequestError:
    """The error for 429: a limit that ends soon, or a quota that does not."""
    delay = _DELAY.search(data)
    if _FOR_LONG.search(data) or (quota and delay is None):
        return RequestError("rate_limit", f"{said} (the account's quota is used up)", retriable=False)
    pause_s = retry_after_s(headers)
    if pause_s is None and delay is not None:
        pause_s = float(delay[1])
    return RequestError("rate_limit", said, retriable=True, retry_after_s=pause_s)


def retry_after_s(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """The pause a server asks for, seconds: `retry-after-ms`, or `Retry-After` as a number or a date. `None` if neither."""
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("Retry-After")
    number = _seconds(value)
    if number is not None or value is None:
        return number
    try:
        moment = parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))


def _seconds(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _server_message(data: bytes, clean: Clean) -> tuple[str, str]:
    """The message and code in an error body: OpenAI's `{"error": {...}}`, a bare message, or whatever text it is."""
    text = clean(data[:_LARGEST].decode("utf-8", "replace"))
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return one_line(re.sub(r"<[^<>]*>", " ", text)), ""
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return _said(error, clean), ""
    message = error.get("message") or error.get("detail") or error
    return _said(message, clean), one_line(clean(f"{_word(error.get('code'))} {_word(error.get('type'))}"))


def _word(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float) else ""


def _said(value: Any, clean: Clean) -> str:
    """A message for people; of a message that is a structure its beginning."""
    try:
        return one_line(clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError):
        return "a message that is nested too deeply to be shown"
