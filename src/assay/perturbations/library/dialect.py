"""Standard American English as speakers of African American English may write it.

The word list (`data/dialect_aave.json`) holds function words, auxiliaries and spellings of pronunciations described by Green
2002 (African American English: A Linguistic Introduction) and Labov 1972 (Language in the Inner City): stopped and fronted
th, the ending -in, r-lessness, reduced consonant clusters, the negator ain't. It renders orthography and single words, not
grammar, and stands for no speaker in particular: a test of whether answers depend on such spellings.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from importlib import resources
from random import Random

from assay.perturbations.base import perturbation
from assay.perturbations.casing import like

_word = re.compile(r"(\w+(?:['’]\w+)*)")
_BYTES = 4


@functools.cache
def words() -> dict[str, tuple[str, ...]]:
    """Standard word to its other spellings, all in lower case, in alphabetical order."""
    text = resources.files("assay.perturbations").joinpath("data", "dialect_aave.json").read_text(encoding="utf-8")
    return {word: tuple(spellings) for word, spellings in sorted(json.loads(text).items())}


@functools.cache
def _written() -> dict[str, tuple[int, tuple[str, ...]]]:
    """Each listed word as it may be written (case, straight or curly apostrophe): its number and spellings likewise."""
    found = {}
    for number, (word, spellings) in enumerate(words().items()):
        for written in (word, word.capitalize(), word.upper()):
            same_case = tuple(like(written, spelling) for spelling in spellings)
            found[written] = (number, same_case)
            found[written.replace("'", "’")] = (number, tuple(spelling.replace("'", "’") for spelling in same_case))
    return found


@perturbation(kind="fairness", references=True)
def dialect(text: str, rng: Random, rate: float = 1.0) -> str:
    """Standard American English words become African American English ones; each listed word with probability `rate`.

    A word is changed everywhere or nowhere in an instance, and always to the same spelling, so that an answer quoted from
    the question stays a quotation. Only whole words count; case is kept.
    """
    written, draws = _written(), rng.randbytes(_BYTES * len(words()))
    parts = _word.split(text)
    chosen = {}
    for word in written.keys() & set(parts[1::2]):
        number, spellings = written[word]
        draw = int.from_bytes(draws[_BYTES * number : _BYTES * (number + 1)], "little")  # its low bits choose the spelling
        if draw < rate * 256**_BYTES:
            chosen[word] = spellings[draw % len(spellings)]
    if text.isascii():
        parts[1::2] = [chosen.get(word, word) for word in parts[1::2]]
    else:
        for place in range(1, len(parts), 2):
            if parts[place] in chosen and _stands_alone(parts, place):
                parts[place] = chosen[parts[place]]
    return "".join(parts)


def _stands_alone(parts: list[str], place: int) -> bool:
    """Whether no combining accent, which would make the word part of a longer one, is on either side."""
    beside = parts[place - 1][-1:] + parts[place + 1][:1]
    return not any(unicodedata.category(character)[0] == "M" for character in beside)
