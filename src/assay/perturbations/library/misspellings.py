"""Common misspellings.

The list (`data/misspellings.json`) holds some 1,600 English words with misspellings of them that are no words themselves:
doubled and dropped letters, ie for ei, vowels by ear, and letters in the wrong order.
"""

from __future__ import annotations

import functools
from random import Random

from assay.perturbations.base import perturbation
from assay.perturbations.words import Lexicon, data, split


@functools.cache
def words() -> dict[str, list[str]]:
    """Word to its misspellings."""
    listed: dict[str, list[str]] = data("misspellings")
    return listed


@functools.cache
def lexicon() -> Lexicon:
    """The list, ready to exchange its words."""
    return Lexicon.of(words())


@perturbation(kind="robustness")
def misspellings(text: str, rng: Random, rate: float = 0.2) -> str:
    """Each occurrence of a listed word is misspelled with probability `rate`, in one of the ways listed; case is kept."""
    parts = split(text)
    lexicon().here_and_there(parts, rng, rate)
    return "".join(parts)
