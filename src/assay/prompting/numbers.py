"""The number that a text gives as its answer, and the number that a whole text is.

See `assay.prompting.numerals` for how numbers are written, and `assay.prompting.picking` for which of them is the answer. How
one is meant that can be read in two ways (`1.234`, "45 %"), the other numbers of the text decide, then the references, then
English usage.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from assay.prompting.extractors import Found, found, nothing
from assay.prompting.numerals import LONGEST_NUMBER, Number, numbers_in, plain
from assay.prompting.picking import Picker

EXTRACTOR, VERSION = "number", 3
_PERCENT = re.compile(r"[\s\u00a0]?(?:\\?%|(?:pro[cz]ent|(?:per|pour)\s?cent|(?:por|per)\s?ci?ento)\b|процент)", re.IGNORECASE)
_OF_SYMBOL = re.compile(r"(?:√\(?|sqrt[\[\d\]]{0,3}[{(]?|(?:π|\\pi)\}?\s?[/{]{1,2})\Z")
_SYMBOL = re.compile(r"[\s*·]?(?:\\cdot\s?)?(?:√|\\sqrt|π|\\?pi\b)")
_AROUND = re.compile(r"(?:[\s$€£¥₹%*_~≈]|EUR|USD|GBP|CHF){0,8}")


def _said(text: str) -> Number | None:
    """The number that a text gives, with the decimal sign that the text shows."""
    read = plain(text)
    numbers = [one._replace(percent=_PERCENT.match(read, one.end) is not None) for one in numbers_in(read)]
    index = Picker(text, read, numbers, [one.rank for one in numbers], lambda a, b: _same(numbers[a], numbers[b])).pick()
    one, signs = Number(0, 0, ()) if index is None else numbers[index], {one.decimal for one in numbers} - {""}
    if index is None or _OF_SYMBOL.search(read, max(0, one.start - 10), one.start) or _SYMBOL.match(read, one.end):
        return None  # √2, 2π
    return one._replace(decimal=signs.pop() if len(signs) == 1 else "")


def _same(one: Number, other: Number) -> bool:
    return one.values[0] in (*other.values, other.values[0] / (100 if other.percent else 1))


def number(text: str, references: Sequence[str] = ()) -> Found[Fraction]:
    """The number that a text gives as its answer, where ambiguous in the format of the references; see this module's head."""
    said = _said(text)
    if said is None:
        return nothing(EXTRACTOR, VERSION)
    value = _meant(said, [one for reference in references if (one := _reference(reference))])
    return found(EXTRACTOR, value, said.start, said.end, VERSION)


_reference = lru_cache(maxsize=4096)(_said)


def _meant(said: Number, references: Sequence[Number] = ()) -> Fraction:
    """Which of its values a number has, as the text decides or the references; else the first."""
    values, sign = said.values, said.open_sign
    decimal = said.decimal or next(filter(None, (one.decimal or (one.open_sign and ".") for one in references)), "")
    if sign and said.decimal != ".":
        elsewhere = tuple(value * (1000 if sign == "." else Fraction(1, 1000)) for value in values)
        values = elsewhere if decimal == "," else (*values, *elsewhere) if sign == "." else values
    pairs = []
    for one in references:
        value, scales = _meant(one), (1,) if said.percent == one.percent else (1, Fraction(1, 100) if said.percent else 100)
        pairs += [(_apart(given * scale, value), given * scale) for scale in scales for given in values]
    return min(pairs, key=lambda pair: pair[0])[1] if pairs else values[0]


def _apart(one: Fraction, other: Fraction) -> Fraction:
    """How many times larger one number is than another; the same for all where one is 0."""
    return max(abs(one), abs(other)) / min(abs(one), abs(other)) if one and other else Fraction(0 if one == other else 10**9)


def number_of(text: str) -> Fraction | None:
    """The number that a whole text is, with a currency or a percent sign at most; `None` for codes such as 007 and words."""
    if len(text) > LONGEST_NUMBER or re.match(r"\s*[-+]?0\d", text):
        return None
    read = plain(text)
    numbers = numbers_in(read)
    if len(numbers) != 1 or numbers[0].rank < 3 or not any(map(str.isnumeric, text)):
        return None
    around = _AROUND.fullmatch(read, 0, numbers[0].start) and _AROUND.fullmatch(read, numbers[0].end)
    return _meant(numbers[0]) if around else None


def plain_number(value: Fraction) -> str:
    """A number as references write it: `1234`, `-0.5`; as a fraction `1/3` where its decimals never end."""
    places = next((places for places in range(51) if 10**places % value.denominator == 0), 0)
    if places == 0:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).zfill(places + 1)
    return ("-" if value < 0 else "") + digits[:-places] + "." + digits[-places:]
