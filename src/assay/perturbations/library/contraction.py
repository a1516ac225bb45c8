"""Short forms for long ones, and back.

The pairs (`data/contractions.json`) are those of English grammars. What depends on the words around is decided by them:
`it is` at the end of a sentence stays, `I have to` stays, `he'd been` is `he had been`, `why don't you` is `why do you not`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from random import Random

from assay.perturbations.base import perturbation
from assay.perturbations.casing import like
from assay.perturbations.words import data, split, stands_alone, written

_PARTICIPLES = frozenset(data("grammar")["participles"])
"""Past participles without the ending -ed."""
_BASES = frozenset(data("grammar")["bases"])
"""Verbs that end in -ed as they are."""
_AFTER_HAS = frozenset(("been", "got", "had", "become"))
"""What follows `'s` only where it means `has`."""
_SUBJECTS = frozenset(("i", "you", "he", "she", "it", "we", "they"))
_CANNOT = {form: like(form, "can't") for form in written("cannot")}
_ASKING = frozenset(("why", "how", "what", "who", "where", "when", "which", "and", "but", "or", "so"))
"""Words after which a verb with n't asks."""


@functools.cache
def pairs() -> dict[str, str]:
    """Long form to short form, in lower case with a straight apostrophe."""
    listed: dict[str, str] = data("contractions")
    return listed


@functools.cache
def _seconds() -> frozenset[str]:
    return frozenset(form for long in pairs() for form in written(long.split(" ")[1]))


@functools.cache
def _expansions() -> dict[str, tuple[str, ...]]:
    """Each short form as it may be written to its long forms, `is` and `would` first."""
    found: dict[str, list[str]] = {"can't": ["cannot"], "let's": ["let us"]}
    for long, short in pairs().items():
        if short != "can't":
            found.setdefault(short, []).append(long)
    return {
        form: tuple(sorted(longs, key=lambda long: long.endswith((" has", " had"))))
        for short, longs in found.items()
        for form in written(short)
    }


def contract(parts: list[str]) -> None:
    """Contract in a text split into words, in place; the second word and the space before it become empty."""
    seconds = _seconds()
    for place in range(1, len(parts), 2):
        second = parts[place]
        if second in _CANNOT:
            parts[place] = _CANNOT[second]
        elif second in seconds and place > 1 and parts[place - 1] == " " and stands_alone(parts, place):
            first = parts[place - 2]
            short = pairs().get(f"{first} {second}".lower())
            if short is not None and (second.lower() == "not" or _verb_follows(parts, place)):
                parts[place - 2 : place + 1] = [like(f"{first} {second}", short), "", ""]


def _verb_follows(parts: Sequence[str], place: int) -> bool:
    """Whether what stands after a pronoun's verb leaves it unstressed: a word, and a participle after `have`."""
    if place + 2 >= len(parts) or parts[place + 1] != " ":
        return False
    return parts[place].lower() not in ("have", "has", "had") or _is_participle(parts[place + 2].lower())


def _is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (word.endswith("ed") and word not in _BASES)


@perturbation(kind="robustness")
def contraction(text: str, rng: Random) -> str:
    """Long forms become short: `do not` is `don't`, `it is late` is `it's late`. Case is kept."""
    parts = split(text)
    contract(parts)
    return "".join(parts)


@perturbation(kind="robustness")
def expansion(text: str, rng: Random) -> str:
    """Short forms become long: `don't` is `do not`, `it's late` is `it is late`. Case is kept; a possessive is none."""
    known = _expansions()
    parts = split(text)
    for place in range(1, len(parts), 2):
        short = parts[place]
        longs = known.get(short)
        if longs is None or not stands_alone(parts, place):
            continue
        after = parts[place + 2] if place + 2 < len(parts) and parts[place + 1] == " " else ""
        long = _fitting(longs, after.lower())
        if after.lower() in _SUBJECTS and long.endswith("not") and _asks(parts, place):
            verb = like(short, long.removesuffix("not").rstrip())
            parts[place : place + 3] = [verb, " ", f"{after} {'NOT' if short.isupper() else 'not'}"]
        else:
            parts[place] = like(short, long)
    return "".join(parts)


def _fitting(longs: Sequence[str], after: str) -> str:
    """The long form that fits the word after it."""
    if len(longs) == 1:
        return longs[0]
    if longs[0].endswith(" would"):
        return longs[1] if after == "better" or _is_participle(after) else longs[0]
    return longs[1] if after in _AFTER_HAS else longs[0]


def _asks(parts: Sequence[str], place: int) -> bool:
    """Whether a verb with n't at this place opens a question: at a start, after a sign, or after a word that asks."""
    before = parts[place - 1]
    if place == 1 or re.search(r"[^\s\w]|\n", before):
        return True
    return parts[place - 2].lower() in _ASKING
