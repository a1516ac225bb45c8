"""Settings that have the right type and make no sense all the same."""

from __future__ import annotations

import re
from typing import Any

from assay.errors import AssayError
from assay.prompting.base import Prompting

RANGES: dict[str, tuple[float, float]] = {
    "shots": (0, 10_000),
    "max_tokens": (0, 10_000_000),
    "temperature": (0, 100),
    "completions": (1, 10_000),
}
"""The least and the greatest value of a setting."""


def check(prompting: Prompting) -> None:
    """Refuse settings that cannot be meant.

    Raises:
        AssayError: a number out of its range, a text that no encoding can carry, or a substitution that is no regular
            expression; the message names the setting.
    """
    for name, (least, most) in RANGES.items():
        value = getattr(prompting, name)
        if name == "max_tokens" and not prompting.scores:
            least = 1
        if not least <= value <= most:
            raise _refused(prompting, name, f"is {value}", f"give a value from {least:g} to {most:g}")
    if not 0 < prompting.top_p <= 1:
        raise _refused(prompting, "top_p", f"is {prompting.top_p}", "give a value above 0 and up to 1")
    for name in prompting.__struct_fields__:
        if not _encodable(getattr(prompting, name)):
            raise _refused(prompting, name, "holds half a character (a lone surrogate)", "write it whole")
    for pattern, replacement in prompting.substitutions:
        _check_substitution(prompting, pattern, replacement)


def _check_substitution(prompting: Prompting, pattern: str, replacement: str) -> None:
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise _refused(
            prompting, "substitutions", f"has {pattern[:80]!r}, no regular expression: {error}", "correct it"
        ) from None
    try:
        compiled.sub(replacement, "")  # the replacement is read even where nothing matches
    except (re.error, IndexError) as error:
        problem = f"has the replacement {replacement[:80]!r} for {pattern[:80]!r}: {error}"
        raise _refused(prompting, "substitutions", problem, "a backslash is written twice, a group must exist") from None


def _refused(prompting: Prompting, name: str, problem: str, fix: str) -> AssayError:
    return AssayError(f"prompting {prompting.method}: {name} {problem}", fix)


def _encodable(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_encodable(part) for part in value)
    try:
        _ = value.encode() if isinstance(value, str) else b""
    except UnicodeEncodeError:
        return False
    return True
