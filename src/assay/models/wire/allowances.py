"""What a server says of its rate limits in the headers of a response, read into the model's `Allowance`."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import datetime

from assay.models.base import Allowance

NAMES = {
    "requests": (
        ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
        ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ),
    "tokens": (
        ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
        ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ),
}
"""By what is limited: pairs of headers, what is left and when all is free again. The first pair is OpenAI's, which most
servers and gateways send (Azure without the second); the other Anthropic's."""

LONGEST_S = 3600.0
"""A reset further away than this is not believed."""

_PARTS = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def note(allowance: Allowance, headers: Mapping[str, str]) -> None:
    """Bring an allowance up to date with a response's headers; what they do not say, or say oddly, stays as it was."""
    for what, pairs in NAMES.items():
        for left_name, reset_name in pairs:
            left = headers.get(left_name)
            if left is None:
                continue
            remaining = _number(left)
            if remaining is not None:
                setattr(allowance, what, remaining)
                setattr(allowance, f"{what}_full_at", time.monotonic() + seconds_until(headers.get(reset_name)))
            break


def seconds_until(value: str | None) -> float:
    """Seconds until a reset: written `6m0s`, `120ms`, `1.5` or as a date; 0 where it is none of them."""
    text = (value or "").strip()
    number = _number(text)
    if number is None and text and _PARTS.sub("", text) == "":
        number = sum(float(amount) * _SECONDS[unit] for amount, unit in _PARTS.findall(text))
    if number is None:
        try:
            number = datetime.fromisoformat(text).timestamp() - time.time()
        except (ValueError, OverflowError, OSError):
            return 0.0
    return min(max(number, 0.0), LONGEST_S)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
