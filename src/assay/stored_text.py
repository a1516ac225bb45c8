"""Prompts and inputs as one column of text in a table, whether plain or the messages of a conversation."""

from __future__ import annotations

import msgspec

from assay.records import Message, Text

MESSAGES = "\x1emessages:"
"""Marks a stored text that is the JSON of messages; the control character keeps it apart from any plain prompt."""


def to_stored(text: Text) -> str:
    """A text as it is stored."""
    return text if isinstance(text, str) else MESSAGES + msgspec.json.encode(text, order="deterministic").decode()


def stored_text(stored: str) -> Text:
    """A text as it was before it was stored.

    Raises:
        msgspec.MsgspecError: it is marked as messages and holds something else.
    """
    if stored.startswith(MESSAGES):
        return msgspec.json.decode(stored[len(MESSAGES) :], type=tuple[Message, ...])
    return stored
