"""What a name looks like, whatever letters it is written with: of Latin, Cyrillic and Greek ones many are drawn the same."""

from __future__ import annotations

import unicodedata

LATIN = {
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "н": "h", "і": "i", "ј": "j", "к": "k", "м": "m", "о": "o",
    "р": "p", "ԛ": "q", "ѕ": "s", "т": "t", "у": "y", "ү": "y", "ѵ": "v", "ԝ": "w", "х": "x", "ӏ": "l", "г": "r", "п": "n",
    "α": "a", "β": "b", "ε": "e", "η": "n", "ι": "i", "κ": "k", "μ": "m", "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u",
    "χ": "x", "ω": "w", "γ": "y", "ζ": "z", "ɑ": "a", "ɡ": "g", "ı": "i", "ł": "l", "ø": "o", "đ": "d",
}  # fmt: skip
"""Small letters that are taken for a Latin one, most of them of Cyrillic and Greek."""
CAPITALS = {"Η": "H", "Ν": "N", "Υ": "Y", "I": "l", "0": "O", "1": "l", "|": "l"}
"""The same of capitals and digits that look otherwise than their small letters."""


def shapes_of(name: str) -> tuple[str, ...]:
    """What a name reads like; two names with a shape in common may be taken for each other.

    Case, accents, and the kind of letters and spaces make no difference; of the second shape neither does I for l, 0 for O.
    """
    plain = "".join(each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each))
    plain = " ".join(plain.split())
    drawn = "".join(CAPITALS.get(each, each) for each in plain)
    return tuple(dict.fromkeys("".join(LATIN.get(each, each) for each in text.casefold()) for text in (plain, drawn)))
