"""Foreign texts as pages show them: a part at a time, nothing hidden in them, and what was found in them marked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from assay.text import visible

SHOWN = 12_000
"""Characters of a text that a page shows at once."""
IN_A_REPORT = 4_000
"""The same in a report without a server, where the rest cannot be asked for."""
LONGEST_RUN = 1_000
"""Hidden characters that one piece holds."""

_BREAKS = str.maketrans("", "", "\n\t")
"""What is not printable, but seen all the same."""


@dataclass(frozen=True)
class Piece:
    """A part of a text, and what is to be said of it."""

    text: str
    kind: str = ""
    """A class: `control` for characters that would not be seen, `match` for what was read as the answer, `gone` and `come` for
    words that only the first or the second of two texts has; empty: nothing."""


@dataclass(frozen=True)
class Passage:
    """As much of a text as is shown."""

    name: str
    """Which of a page's texts it is."""
    pieces: tuple[Piece, ...]
    start: int
    """The first character that is shown, from 0."""
    end: int
    length: int
    """Characters of the whole text."""
    match: int | None = None
    """Where the match begins, if outside of what is shown."""

    @property
    def before(self) -> int | None:
        """Where the part before this one begins; `None` at the beginning."""
        return max(0, self.start - (self.end - self.start)) if self.start else None

    @property
    def after(self) -> int | None:
        """Where the part after this one begins; `None` at the end."""
        return self.end if self.end < self.length else None


def passage(name: str, text: str, start: int = 0, match: tuple[int, int] | None = None, most: int = SHOWN) -> Passage:
    """A part of a text.

    Args:
        name: which of a page's texts it is.
        text: the whole text.
        start: the first character to show; the beginning where the text is shorter.
        match: first character and end of what was found in it.
        most: characters to show.
    """
    start = start if 0 <= start < len(text) else 0
    end = min(len(text), start + most)
    if match is None or match[0] >= match[1]:
        return Passage(name, tuple(pieces(text[start:end])), start, end, len(text))
    first, last = (min(max(place, start), end) for place in match)
    parts = (*pieces(text[start:first]), *pieces(text[first:last], "match"), *pieces(text[last:end]))
    return Passage(name, parts, start, end, len(text), match[0] if first == last else None)


def pieces(text: str, kind: str = "") -> Iterator[Piece]:
    """A text with its control, bidirectional and invisible characters, as escapes, in pieces of their own."""
    if not text:
        return
    if text.translate(_BREAKS).isprintable() or visible(text, len(text)) == text:
        yield Piece(text, kind)
        return
    for hidden, run in itertools.groupby(text, _is_hidden):
        part = "".join(run)
        if not hidden:
            yield Piece(part, kind)
            continue
        for place in range(0, len(part), LONGEST_RUN):
            yield Piece(visible(part[place : place + LONGEST_RUN]), "control")


def _is_hidden(character: str) -> bool:
    return visible(character) != character
