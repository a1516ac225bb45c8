"""Words that people say while they think."""

from __future__ import annotations

from random import Random

from assay.perturbations.base import perturbation
from assay.perturbations.words import data


@perturbation(kind="robustness")
def filler_words(text: str, rng: Random, rate: float = 0.333) -> str:
    """Before each word a filler (uh, like, you know, probably) is put in with probability `rate`.

    A word is what follows a space, or the start, with a Latin letter; nothing is put before numbers, signs or other scripts.
    The list is `data/fillers.json`.
    """
    fillers, random = data("fillers"), rng.random
    words = text.split(" ")
    for place, word in enumerate(words):
        first = word[:1]
        if first.isascii() and first.isalpha() and random() < rate:
            words[place] = f"{fillers[int(random() * len(fillers))]} {word}"
    return " ".join(words)
