"""Which language a text is written in, told by the model of py3langid, which knows 139 languages."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=256)  # strict and loose readings of one answer share most of their texts
def language_of(text: str) -> str | None:
    """The ISO 639-1 code of a text's language (`en`, `hi`, `zh`); `None` where py3langid is not installed."""
    try:
        from py3langid import classify
    except ImportError:
        return None
    return str(classify(text)[0])


def is_written_in(text: str, language: str) -> bool | None:
    """Whether a text is in a language, given by its ISO 639-1 code; a region (`zh-cn`) is not told apart.

    A text without letters is in none. `None` where it cannot be told because py3langid is not installed.
    """
    if not any(character.isalpha() for character in text):
        return False
    found = language_of(text)
    return None if found is None else found == language.lower().partition("-")[0]
