"""Slips of the finger."""

from __future__ import annotations

from random import Random

from assay.perturbations.base import perturbation
from assay.perturbations.chance import struck

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _neighbours() -> dict[str, str]:
    """The letters around each letter on a QWERTY keyboard, whose rows are set off by half a key; both cases."""
    place = {letter: (column + row / 2, row) for row, letters in enumerate(_ROWS) for column, letter in enumerate(letters)}
    near = {
        letter: "".join(other for other, (u, v) in place.items() if other != letter and abs(u - x) <= 1 and abs(v - y) <= 1)
        for letter, (x, y) in place.items()
    }
    return near | {letter.upper(): others.upper() for letter, others in near.items()}


NEIGHBOURS = _neighbours()


@perturbation(kind="robustness")
def typos(text: str, rng: Random, rate: float = 0.1) -> str:
    """Each letter a-z is hit with probability `rate` as its neighbour on a QWERTY keyboard; case and length stay."""
    characters = list(text)
    for place in struck(len(characters), rng, rate):
        near = NEIGHBOURS.get(characters[place])
        if near is not None:
            characters[place] = rng.choice(near)
    return "".join(characters)
