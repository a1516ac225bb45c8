"""Whether a text that was written freely can be read as one of the options, where an instance has a closed list of them.

It can where it is an option apart from case, punctuation and articles, begins with one, or names one and no other; where
several are right, where it names any. Everything else ("broken harbor" among refund, explain and human) is no answer to the
question, though it is kept and judged as what was said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from assay.records import Reading, Reference

EXTRACTOR, VERSION = "listed", 1
NONE_OF_THEM = Reading(extractor=EXTRACTOR, version=VERSION)
"""How a text was read that is none of the options."""

_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset(("a", "an", "the"))
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]")
"""Letters of scripts that put no spaces between words, or join particles to them."""


def is_listed(text: str, references: Sequence[Reference]) -> bool:
    """Whether a text can be read as one of the options; true where there is no closed list: where no reference is wrong."""
    right = sum(reference.correct for reference in references)
    if right == len(references):
        return True
    said, given = _Forms(text), tuple(reference.text for reference in references)
    named = [form for form in map(_option, given) if form.found_in(said)]
    if any(form.equals(said) or form.opens(said) for form in named) or any(_option(one).equals(said) for one in given):
        return True
    outer = [form for form in named if not any(form is not other and form.words in other.words for other in named)]
    return len(outer) == 1 or (right > 1 and bool(outer))


class _Forms:
    """A text as its words with a space around each, as its letters and digits alone, and as it stands, in lower case."""

    def __init__(self, text: str) -> None:
        words = _WORD.findall(text.casefold())
        self.plain = text.casefold().strip()
        self.words = f" {' '.join(words)} " if words else ""
        self.joined = "".join(word for word in words if word not in _ARTICLES) or "".join(words)

    def equals(self, said: _Forms) -> bool:
        """Whether a text is this option."""
        return self.joined == said.joined if self.joined else self.plain == said.plain

    def opens(self, said: _Forms) -> bool:
        """Whether a text begins with this option."""
        return said.words.startswith(self.words) if self.words else said.plain.startswith(self.plain)

    def found_in(self, said: _Forms) -> bool:
        """Whether a text names this option. One letter alone is rather a word than a name, unless the text begins with it."""
        if not self.words:
            return self.plain in said.plain
        if len(self.joined) == 1 and self.joined.isascii():
            return self.opens(said)
        return self.words in said.words or (_UNSPACED.search(self.joined) is not None and self.joined in said.joined)


@lru_cache(maxsize=1024)
def _option(text: str) -> _Forms:
    return _Forms(text)
