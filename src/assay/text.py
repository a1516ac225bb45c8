"""Foreign text made fit to show: everything that could command a terminal or hide in a report becomes visible instead."""

from __future__ import annotations

import unicodedata

LONGEST_SHOWN = 20_000


def visible(text: str, longest: int = LONGEST_SHOWN) -> str:
    """The text with control, bidirectional and invisible characters as escapes, cut in the middle where that saves room."""
    marker = f"\n[… {len(text) - longest:,} characters not shown …]\n"
    if len(text) > longest + len(marker):
        text = f"{text[: longest // 2]}{marker}{text[-longest // 2 :]}"
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if _harmless(character) else _escape(character) for character in text)


def one_line(text: str, longest: int = 2000) -> str:
    """As `visible`, with every run of white space as one space: for table cells, titles and messages."""
    return visible(" ".join(text.split()), longest).replace("\n", " ")


def _harmless(character: str) -> bool:
    return character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _escape(character: str) -> str:
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{{{ord(character):x}}}"
