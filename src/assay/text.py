"""Foreign text made fit to show, and to compare.

Shown, everything that could command a terminal or hide in a report becomes visible. Compared, the ways to encode and to set
the same text become one.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST_SHOWN = 20_000

_ALIKE = str.maketrans(
    dict.fromkeys("‘’‚‛`´ʼ＇", "'")
    | dict.fromkeys("“”„‟«»″＂", '"')
    | dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
)
_PLAIN_RUN = re.compile("[^²³¹⁰-₟¼-¾⅐-⅟↉ºª]+")
"""Everything but superscripts, subscripts and fractions, which compatibility forms would take for digits: x² is not x2."""


def folded(text: str) -> str:
    """A text as it is compared: case folded, compatibility forms (NFKC), quotes and dashes as in ASCII, nothing invisible.

    Superscripts, subscripts and fractions stay what they are, and so does white space.
    """
    if text.isascii():
        return text.lower()
    return _PLAIN_RUN.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text.translate(_ALIKE)).casefold()


def same_text(text: str) -> str:
    """A text as it is told from others: `folded`, white space as one space, no punctuation at the end."""
    return " ".join(folded(text).split()).rstrip(".!?…。！？ ")


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
