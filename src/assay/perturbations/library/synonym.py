"""Other words for the same.

Choosing among the senses of a word needs a lexical database and a tagger. The list here (`data/synonyms.json`) is small
instead, some 600 words, and holds only those of which nearly every use can be exchanged: adverbs and adjectives mostly,
no numbers, no terms, no names of places. It changes fewer words of a text than a list drawn from WordNet would.
"""

from __future__ import annotations

import functools
from random import Random

from assay.perturbations.base import perturbation
from assay.perturbations.words import Lexicon, data, split

_ARTICLES = {"a": False, "an": True}
_VOWELS = tuple("aeiouAEIOU")


@functools.cache
def words() -> dict[str, list[str]]:
    """Word to its synonyms."""
    listed: dict[str, list[str]] = data("synonyms")
    return listed


@functools.cache
def _lexicon() -> Lexicon:
    return Lexicon.of(words())


@perturbation(kind="robustness")
def synonym(text: str, rng: Random, rate: float = 0.5) -> str:
    """Each occurrence of a listed word becomes one of its synonyms with probability `rate`; case is kept.

    After `a` or `an` only a synonym that the article fits is taken. The list is small: see the module.
    """
    known = _lexicon()
    parts = split(text)
    for place in known.places(parts):
        if rng.random() >= rate:
            continue
        others = known.written[parts[place]][1]
        vowel = _ARTICLES.get(parts[place - 2].lower()) if place > 1 else None
        fitting = others if vowel is None else [other for other in others if other.startswith(_VOWELS) == vowel]
        if fitting:
            parts[place] = fitting[int(rng.random() * len(fitting))]
    return "".join(parts)
