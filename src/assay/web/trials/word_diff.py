"""Two texts word by word: what the second leaves out of the first, and what it has instead."""

from __future__ import annotations

import difflib
import re

from assay.web.trials.passages import Piece, pieces

MOST_WORDS = 3_000
"""Words of either text; longer ones are not compared, which takes time as the product of their lengths."""
_words = re.compile(r"\s+|\w+|[^\w\s]")


def word_diff(before: str, after: str) -> tuple[Piece, ...] | None:
    """Both texts as one: words of the first alone are `gone`, of the second alone `come`. `None` where they are too long."""
    old, new = _words.findall(before), _words.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return None
    found: list[Piece] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for how, low, high, new_low, new_high in matcher.get_opcodes():
        if how == "equal":
            found += pieces("".join(old[low:high]))
            continue
        found += pieces("".join(old[low:high]), "gone")
        found += pieces("".join(new[new_low:new_high]), "come")
    return tuple(found)
