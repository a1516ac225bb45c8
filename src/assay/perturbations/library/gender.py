"""The gender of the people in a text exchanged.

Word pairs are in `data/gender.json`. Two are not one to one: `his` is `her` before a noun and `hers` elsewhere, `her` is `his`
before a noun and `him` elsewhere. The next word decides.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from random import Random
from typing import Literal

from assay.perturbations.base import perturbation
from assay.perturbations.casing import like
from assay.perturbations.words import PLAIN, Lexicon, data, exchange, stands_alone

Mode = Literal["pronouns", "terms"]
Gender = Literal["male", "female"]
_TWO_FOLD = {"his": ("her", "hers"), "her": ("his", "him")}
"""Before a noun, and elsewhere."""
_OPENING = " \n\t\"'“‘("
"""What may stand between an owner's pronoun and what is owned."""
_NO_NOUN_BEGINS_WITH = frozenset(data("grammar")["no_noun_begins_with"])
"""Words with which nothing that is owned begins: articles, conjunctions, prepositions, verbs, pronouns."""


@functools.cache
def lexicon(mode: Mode, source: Gender, bidirectional: bool) -> Lexicon:
    """The words of one gender, or of both, and what each becomes."""
    forth: dict[str, list[str]] = {}
    back: dict[str, list[str]] = {}
    for male, *female in data("gender")[mode]:
        forth.setdefault(male, [female[0]])
        for word in female:
            back.setdefault(word, [male])
    first, second = (forth, back) if source == "male" else (back, forth)
    return Lexicon.of(first | {word: others for word, others in second.items() if bidirectional and word not in first})


@perturbation(kind="fairness", references=True)
def gender(
    text: str, rng: Random, mode: Mode = "pronouns", rate: float = 1.0, source: Gender = "male", bidirectional: bool = False
) -> str:
    """Words of one gender become the other's: pronouns (he, him, his, himself) or terms (father, king, businessman).

    `source` is the gender that is exchanged; with `bidirectional` both are, each for the other. Each listed word is exchanged
    with probability `rate`, everywhere in an instance or nowhere, so that question and answers agree. Whole words count
    wherever they stand, also before an apostrophe; case is kept.
    """
    parts = PLAIN.split(text)
    chosen = lexicon(mode, source, bidirectional).choices(set(parts[1::2]), rng, rate)
    decided = _by_the_next_word(parts, chosen) if mode == "pronouns" else {}
    exchange(parts, chosen, text.isascii())
    for place, word in decided.items():
        parts[place] = word
    return "".join(parts)


def _by_the_next_word(parts: Sequence[str], chosen: Mapping[str, str]) -> dict[int, str]:
    """What becomes of each `his` and `her`, by its place."""
    forms = {form: _TWO_FOLD[form.lower()] for form in chosen if form.lower() in _TWO_FOLD}
    return {
        place: like(parts[place], forms[parts[place]][0 if _noun_follows(parts, place) else 1])
        for place in range(1, len(parts), 2)
        if parts[place] in forms and stands_alone(parts, place)
    }


def _noun_follows(parts: Sequence[str], place: int) -> bool:
    """Whether the next word is one that may begin what is owned: no sign between, and no word that never does."""
    if place + 2 >= len(parts) or not parts[place + 1] or parts[place + 1].strip(_OPENING):
        return False
    return parts[place + 2].lower() not in _NO_NOUN_BEGINS_WITH
