"""Characters that look like others: to a person reading (confusables), and to a machine reading print (OCR).

`data/confusables.json` gives Latin letters the letters of other scripts that common fonts draw alike; `data/ocr.json` lists
what character recognition takes for one another, also in pairs (rn and m). Digits never become other digits.
"""

from __future__ import annotations

from random import Random

from assay.perturbations.base import perturbation
from assay.perturbations.chance import struck
from assay.perturbations.words import data


@perturbation(kind="robustness")
def confusables(text: str, rng: Random, rate: float = 0.1) -> str:
    """Each Latin letter becomes, with probability `rate`, a letter of another script that looks the same; length stays."""
    alike = data("confusables")
    characters = list(text)
    for place in struck(len(characters), rng, rate):
        others = alike.get(characters[place])
        if others is not None:
            characters[place] = others[0] if len(others) == 1 else rng.choice(others)
    return "".join(characters)


@perturbation(kind="robustness")
def ocr(text: str, rng: Random, rate: float = 0.05) -> str:
    """Each character, or pair such as rn, that scanners misread is misread with probability `rate`: l as 1, O as 0, rn as m."""
    alike = data("ocr")
    characters = list(text)
    free = 0
    for place in struck(len(characters), rng, rate):
        if place < free:  # the second character of a pair that was misread
            continue
        others = alike.get(text[place : place + 2])
        if others is not None and place + 1 < len(text):
            characters[place + 1] = ""
            free = place + 2
        else:
            others = alike.get(text[place])
        if others is not None:
            characters[place] = rng.choice(others)
    return "".join(characters)
