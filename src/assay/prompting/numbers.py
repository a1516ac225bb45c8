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
from typing import NamedTuple

from assay.prompting.dates import day_spans
from assay.prompting.extractors import Found, found, nothing
from assay.prompting.numerals import LONGEST_NUMBER, Number, numbers_in, plain
from assay.prompting.picking import Picker, within

EXTRACTOR, VERSION = "number", 2
_PERCENT = re.compile(r"[\s\u00a0]?(?:\\?%|(?:pro[cz]ent|(?:per|pour)\s?cent|(?:por|per)\s?ci?ento)\b|процент)", re.IGNORECASE)
_AROUND = re.compile(r"(?:[\s$€£¥₹%*_~≈]|EUR|USD|GBP|CHF){0,8}")


class _Said(NamedTuple):
    """The number that a text gives, and how the text writes numbers."""

    number: Number
    percent: bool
    decimal: str
    """The decimal sign that the text shows."""


def _said(text: str) -> _Said | None:
    read = plain(text)
    numbers = numbers_in(read)
    dates = day_spans(read)
    ranks = [0 if within(dates, number.start) else number.rank for number in numbers]
    places = [(number.start, number.end) for number in numbers]
    picker = Picker(text, read, places, ranks, lambda one, other: numbers[one].values[0] in _worth(read, numbers[other]))
    if (index := picker.pick()) is None:
        return None
    signs = {number.decimal for number in numbers} - {""}
    return _Said(numbers[index], _PERCENT.match(read, numbers[index].end) is not None, signs.pop() if len(signs) == 1 else "")


def _worth(text: str, number: Number) -> tuple[Fraction, ...]:
    return (*number.values, number.values[0] / 100) if _PERCENT.match(text, number.end) else number.values


def number(text: str, references: Sequence[str] = ()) -> Found[Fraction]:
    """The number that a text gives as its answer; see the head of this module.

    Args:
        text: what the model wrote.
        references: right answers, by whose format an ambiguous number is read.
    """
    said = _said(text)
    if said is None:
        return nothing(EXTRACTOR, VERSION)
    value = _meant(said, [one for reference in references if (one := _reference(reference))])
    return found(EXTRACTOR, value, said.number.start, said.number.end, VERSION)


_reference = lru_cache(maxsize=4096)(_said)


def _meant(said: _Said, references: Sequence[_Said]) -> Fraction:
    """Which of its values a number has, as the text decides or the references; else the first."""
    (_, _, values, sign, _, _), percent, decimal = said
    decimal = decimal or next((d for one in references if (d := one.decimal or ("." if one.number.open_sign else ""))), "")
    if sign and (decimal or sign == "," or not references):
        values = (values if sign == "." else values[::-1])[:1] if sign == (decimal or ".") else (max(values, key=abs),)
    pairs = []
    for one in references:
        value, scales = _meant(one, ()), (1,) if percent == one.percent else (1, Fraction(1, 100)) if percent else (1, 100)
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
    if len(numbers) != 1 or numbers[0].rank < 3 or not any(map(str.isnumeric, text)) or day_spans(read):
        return None
    around = _AROUND.fullmatch(read, 0, numbers[0].start) and _AROUND.fullmatch(read, numbers[0].end)
    return _meant(_Said(numbers[0], False, numbers[0].decimal), ()) if around else None


def plain_number(value: Fraction) -> str:
    """A number as references write it: `1234`, `-0.5`; as a fraction `1/3` where its decimals never end."""
    if value.denominator == 1:
        return str(value.numerator)
    rest, places = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest //= prime
            power += 1
        places = max(places, power)
    if rest != 1 or places > 50:
        return f"{value.numerator}/{value.denominator}"
    scaled = f"{abs(value.numerator) * 10**places // value.denominator:0{places + 1}d}"
    return ("-" if value < 0 else "") + scaled[:-places] + "." + scaled[-places:]
