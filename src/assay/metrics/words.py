"""Text as words and punctuation marks, by the conventions of the Penn Treebank.

Punctuation stands alone, contractions are taken apart ("don't" is "do" and "n't", "it's" is "it" and "'s"), straight double
quotes become `` and ''. HELM counts words so for BLEU and for copied text (Marcus et al. 1993, Computational Linguistics 19).
"""

from __future__ import annotations

import re
from functools import lru_cache

_opening_quote = re.compile(r"""(^|[\s(\[{<])"|``""")
_separate = re.compile(r"(--+|\.\.+|[\]\[(){}<>;@#$%&?!«»“”‘„‟‹›]|''|``|[:,](?!\d))")
_final_period = re.compile(r"(?<![.\s])\.(?=[\])}>\"'\s»”’]*$)")
_possessive = re.compile(r"(?<=[^'\s])'(?=\s|$)")
_clitic = re.compile(r"(?<=\w)('(?:s|m|d|ll|re|ve)|n't)(?=\W|$)", re.IGNORECASE)
_joined = re.compile(r"\b(?:(can)(not)|(gim|lem)(me)|(gon|wan)(na)|(got)(ta))\b", re.IGNORECASE)
_sentence_end = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[]?[A-Z0-9])")
_abbreviation = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|No|Jr|Sr|Co|Inc|Ltd|[A-Z])|\b[a-z]\.[a-z])\.$")


def words(text: str) -> list[str]:
    """The words of a text that is taken as one sentence: a full stop is split off only at its end."""
    return list(_words(text))


@lru_cache(maxsize=512)  # several metrics read the words of one answer
def _words(text: str) -> tuple[str, ...]:
    text = _final_period.sub(" . ", text.strip())
    if '"' in text or "``" in text:
        text = _opening_quote.sub(lambda found: (found[1] or "") + " `` ", text).replace('"', " '' ")
    text = _separate.sub(r" \1 ", text)
    if "'" in text:
        text = _clitic.sub(r" \1", _possessive.sub(" '", text))
    return tuple(_joined.sub(lambda found: " ".join(part for part in found.groups() if part), text).split())


def words_of_sentences(text: str) -> list[str]:
    """The words of a text of several sentences: the full stop of each is split off.

    A sentence ends where `.`, `!` or `?` is followed by white space and a capital or a digit, unless a usual abbreviation or
    an initial stands before.
    """
    found: list[str] = []
    held: list[str] = []
    for piece in _sentence_end.split(text):
        held.append(piece)
        if not _abbreviation.search(piece):
            found += words(" ".join(held))
            held = []
    return found + words(" ".join(held))
