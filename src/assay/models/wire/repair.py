"""Replies whose completions are fine and whose details are not: what is odd is put right or left out."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from assay.models.limits import MOST_TOKENS

_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGITS = re.compile(r"\s*\d{1,15}\s*", re.ASCII)


def token_count(value: Any) -> int | None:
    """A count of tokens, also as a whole float or in digits; `None` where the value is none."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS or value != int(value):
        return None
    return int(value)


def repaired(plain: Any, logprobs: type[msgspec.Struct]) -> Any:
    """A reply as plain data: whole characters, names as text, counts as whole numbers; what is none of them is left out.

    Args:
        plain: the reply, as JSON gives it.
        logprobs: the shape log-probabilities must have to be kept.
    """
    plain = whole_characters(plain)
    if not isinstance(plain, dict):
        return plain
    choices = plain.get("choices")
    if isinstance(choices, list):
        choices = [_choice(choice, logprobs) if isinstance(choice, dict) else choice for choice in choices]
    return {
        "choices": choices,
        "usage": _usage(plain.get("usage")),
        "model": _name(plain.get("model")),
        "system_fingerprint": _name(plain.get("system_fingerprint")),
        "error": plain.get("error"),
    }


def _choice(choice: dict[str, Any], logprobs: type[msgspec.Struct]) -> dict[str, Any]:
    kept = dict(choice)
    index = token_count(choice.get("index"))
    kept["index"] = 0 if index is None else index
    kept["finish_reason"] = _name(choice.get("finish_reason"))
    kept["logprobs"] = _logprobs(choice.get("logprobs"), logprobs)
    message = choice.get("message")
    if isinstance(message, dict):
        beside = ("refusal", "reasoning_content", "reasoning")
        kept["message"] = {**message, **{name: _text(message.get(name)) for name in beside}}
    return kept


def _logprobs(given: Any, kind: type[msgspec.Struct]) -> msgspec.Struct | None:
    """The log-probabilities; without offsets or alternatives where those are odd, since the rest may do without them."""
    whole = given if isinstance(given, dict) else {}
    for without in ((), ("text_offset",), ("text_offset", "top_logprobs")):
        try:
            return msgspec.convert({name: value for name, value in whole.items() if name not in without}, kind)
        except (msgspec.ValidationError, OverflowError):
            continue
    return None


def _usage(usage: Any) -> dict[str, Any] | None:
    if not isinstance(usage, dict):
        return None
    details = usage.get("completion_tokens_details")
    reasoned = token_count(details.get("reasoning_tokens")) if isinstance(details, dict) else None
    return {
        "prompt_tokens": token_count(usage.get("prompt_tokens")),
        "completion_tokens": token_count(usage.get("completion_tokens")),
        "completion_tokens_details": {"reasoning_tokens": reasoned},
    }


def _name(value: Any) -> str | None:
    return str(value) if isinstance(value, str | int | float) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def whole_characters(value: Any) -> Any:
    """Plain data whose texts hold no lone surrogate: each becomes U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [whole_characters(item) for item in value]
    if isinstance(value, dict):
        return {whole_characters(key): whole_characters(item) for key, item in value.items()}
    return value
