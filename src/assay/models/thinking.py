"""Which models think before they answer, told by their names, and how much room that takes.

The names are those that providers gave such models until 2026-12-01. A model that is not among them and thinks all the same
shows it by truncated answers, which the end of a run names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

ROOM = 8192
"""Tokens for thinking, besides those of the answer: the usual medium budget of hosted reasoning models."""

_THINKS = re.compile(
    r"(?<![a-z0-9])(?:o[134](?:-mini|-pro|-preview)?(?![a-z0-9])|gpt-5(?!.*chat)|gpt-oss|deepseek-r\d|qwq|qwen3(?!.*instruct)"
    r"|magistral|glm-(?:4\.[5-9]|[5-9])|minimax-m\d|kimi-k2-thinking|gemini-(?:2\.5|[3-9])|grok-(?:3-mini|4|code)|phi-4-reasoning"
    r"|seed-oss|ernie-x1|hunyuan-t1|nova-premier)"
    r"|thinking|reason(?:er|ing)",
    re.IGNORECASE,
)


_OFF = re.compile(r"non-?thinking|non-?reasoning", re.IGNORECASE)
SWITCHES = ("thinking", "reasoning", "reasoning_effort")
"""Fields of a request's body that have a model think."""


def thinking_room(model: str, body: Mapping[str, Any]) -> int:
    """Tokens that a model may need to think, 0 where it is not known to.

    Args:
        model: its name at the endpoint.
        body: extra fields of every request.
    """
    thinks = any(body.get(switch) for switch in SWITCHES) or (_THINKS.search(model) and not _OFF.search(model))
    return ROOM if thinks else 0
