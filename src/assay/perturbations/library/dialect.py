"""Standard American English as speakers of African American English may write it.

The word list (`data/dialect_aave.json`) holds function words, auxiliaries and spellings of pronunciations described by Green
2002 (African American English: A Linguistic Introduction) and Labov 1972 (Language in the Inner City): stopped and fronted
th, the ending -in, r-lessness, reduced consonant clusters, the negator ain't. It renders orthography and single words, not
grammar, and stands for no speaker in particular: a test of whether answers depend on such spellings.
"""

from __future__ import annotations

import functools
from random import Random

from assay.perturbations.base import perturbation
from assay.perturbations.words import Lexicon, data


@functools.cache
def words() -> dict[str, tuple[str, ...]]:
    """Standard word to its other spellings, all in lower case, in alphabetical order."""
    return {word: tuple(spellings) for word, spellings in sorted(data("dialect_aave").items())}


@functools.cache
def _lexicon() -> Lexicon:
    return Lexicon.of(words())


@perturbation(kind="fairness", references=True)
def dialect(text: str, rng: Random, rate: float = 1.0) -> str:
    """Standard American English words become African American English ones; each listed word with probability `rate`.

    A word is changed everywhere or nowhere in an instance, and always to the same spelling, so that an answer quoted from
    the question stays a quotation. Only whole words count; case is kept.
    """
    return _lexicon().throughout(text, rng, rate)
