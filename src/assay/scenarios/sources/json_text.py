"""JSON that cannot be meant, in words that help whoever wrote it: what a program wrote that other programs do not read."""

from __future__ import annotations

import json
import re

_NO_NUMBER = re.compile(rb"[:,\[\s]-?(?:NaN|Infinity)\s*[,}\]]")
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def why_not_json(text: bytes, error: Exception, hint: str) -> tuple[str, str]:
    """What is wrong with a text that is refused, as the end of a sentence about it, and how to put it right.

    Args:
        text: the line, or the whole file.
        error: what its decoder says.
        hint: what to do where it is plainly no JSON.
    """
    if isinstance(error, RecursionError):
        return "is nested too deeply to be read", "keep what is asked in texts and lists, not in each other many times"
    if "out of range" in str(error):
        return "holds a number that is too large", "put it into quotes"
    try:
        json.loads(text)  # which takes more than JSON has
    except (ValueError, RecursionError):
        return f"is not JSON: {error}", hint
    if _NO_NUMBER.search(text):
        return "holds NaN or Infinity, which JSON does not have", "write null, or put it into quotes"
    if _HALF.search(text):
        return "holds half a character (a lone surrogate)", "write the character whole, in UTF-8"
    return f"is not JSON: {error}", hint


def may_repeat(line: bytes, keys: int) -> bool:
    """Whether an object with so many keys may have been written with one of them twice: true of all that hold others."""
    return line.count(b'":') != keys


def repeated_key(text: bytes) -> str | None:
    """A key that stands twice in one object of some JSON, of which a decoder would take the last; `None` where none does."""
    try:
        json.loads(text, object_pairs_hook=_pairs)
    except _Twice as found:
        return found.key
    except (ValueError, RecursionError):
        return None
    return None


class _Twice(Exception):
    """Stops the decoder."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Twice(next(key for key in keys if keys.count(key) > 1))
    return found
