"""Words as perturbations see them: whole, in whatever case they are written, and exchanged in that case."""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from random import Random
from typing import Any

from assay.perturbations.casing import like

_WORD = re.compile(r"(\w+(?:['’]\w+)*)")
_ASCII_WORD = re.compile(_WORD.pattern, re.ASCII)
PLAIN = re.compile(r"(\w+)")
"""A word without apostrophes: the `he` of `he's` and the name of `Emily's` can be exchanged alone."""
_BYTES = 4


@functools.cache
def data(name: str) -> Any:
    """The content of a data file of this package, by its name without `.json`."""
    return json.loads(resources.files("assay.perturbations").joinpath("data", f"{name}.json").read_text(encoding="utf-8"))


def split(text: str) -> list[str]:
    """The text in parts: words at the odd places, each with its apostrophes (`don't` is one), and what is between them."""
    return (_ASCII_WORD if text.isascii() else _WORD).split(text)  # the same words, a quarter faster


def written(word: str) -> tuple[str, ...]:
    """A word as it may be written: as it is, with a capital, in capitals, and each with a curly apostrophe too."""
    cases = dict.fromkeys((word, word[:1].upper() + word[1:], word.upper()))
    return tuple(dict.fromkeys([*cases, *(case.replace("'", "’") for case in cases)]))


def stands_alone(parts: Sequence[str], place: int) -> bool:
    """Whether no combining accent, which would make the word part of a longer one, is on either side of it."""
    beside = parts[place - 1][-1:] + parts[place + 1][:1]
    return beside.isascii() or not any(unicodedata.category(character)[0] == "M" for character in beside)


@dataclass(frozen=True)
class Lexicon:
    """Words and what each may become."""

    size: int
    written: Mapping[str, tuple[int, tuple[str, ...]]]
    """Each word as it may be written: its number, and what it may become, written likewise."""

    @classmethod
    def of(cls, entries: Mapping[str, Sequence[str]]) -> Lexicon:
        """A lexicon of lower-case words (or names with their capital) and what each may become."""
        found: dict[str, tuple[int, tuple[str, ...]]] = {}
        for number, (word, others) in enumerate(entries.items()):
            for form in written(word):
                curly = "’" in form
                made = tuple(like(form, other) if form != word else other for other in others)
                found[form] = (number, tuple(other.replace("'", "’") for other in made) if curly else made)
        return cls(len(entries), found)

    def places(self, parts: Sequence[str]) -> Iterator[int]:
        """Where its words stand in a split text, from the start."""
        known = self.written
        return (place for place in range(1, len(parts), 2) if parts[place] in known and stands_alone(parts, place))

    def choices(self, words: set[str], rng: Random, rate: float) -> dict[str, str]:
        """What becomes of words throughout an instance: each entry with probability `rate`, whatever else is there.

        An entry's draw depends on the generator's seed and the entry's number alone, so two texts perturbed with generators
        of one seed agree.
        """
        draws, chosen = rng.randbytes(_BYTES * self.size), {}
        for word in self.written.keys() & words:
            number, others = self.written[word]
            draw = int.from_bytes(draws[_BYTES * number : _BYTES * (number + 1)], "little")  # its low bits choose the other
            if draw < rate * 256**_BYTES:
                chosen[word] = others[draw % len(others)]
        return chosen

    def throughout(self, text: str, rng: Random, rate: float) -> str:
        """The text with each entry exchanged everywhere or nowhere, always for the same word."""
        parts = split(text)
        exchange(parts, self.choices(set(parts[1::2]), rng, rate), text.isascii())
        return "".join(parts)

    def here_and_there(self, parts: list[str], rng: Random, rate: float) -> None:
        """Exchange each occurrence on its own with probability `rate`, in place."""
        known, random = self.written, rng.random
        for place in range(1, len(parts), 2):
            found = known.get(parts[place])
            if found is not None and random() < rate and stands_alone(parts, place):
                others = found[1]
                parts[place] = others[0] if len(others) == 1 else others[int(random() * len(others))]


def exchange(parts: list[str], chosen: Mapping[str, str], ascii_only: bool) -> None:
    """Put the chosen words in the places of theirs, in place."""
    if ascii_only:
        parts[1::2] = [chosen.get(word, word) for word in parts[1::2]]
        return
    for place in range(1, len(parts), 2):
        if parts[place] in chosen and stands_alone(parts, place):
            parts[place] = chosen[parts[place]]
