"""Other people's words in messages: printable, on one line, not too long."""

from __future__ import annotations

LONGEST_MESSAGE = 300
"""Characters of somebody else's message that are kept."""


def one_line(text: str) -> str:
    """Somebody else's words for a message: printable, on one line, not too long."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * LONGEST_MESSAGE]).split())
    return line if len(line) <= LONGEST_MESSAGE else line[:LONGEST_MESSAGE] + "…"
