"""Functions of the task own_code."""

from __future__ import annotations

from typing import Any


def shortened(documents: Any) -> Any:
    """The documents about countries with a short name, in capitals."""
    kept = documents.filter(lambda document: len(document["country"]) < 6)
    return kept.map(lambda document: {"country": document["country"].upper()})


def question(document: dict[str, Any]) -> str:
    """What is asked."""
    return f"{document['country']}:"


def answer(document: dict[str, Any]) -> int:
    """The right option."""
    return int(document["label"])


def options(document: dict[str, Any]) -> list[str]:
    """The options in order."""
    return [option.lower() for option in document["choices"]]


def never_called(items: Any) -> float:
    """A metric of the task's own."""
    return 0.0 * len(items)
