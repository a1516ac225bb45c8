r"""Every number in a text, and what it is worth.

Read are digits of all scripts and their separators, fractions (`½`, `2 1/2`, `\frac{3}{4}`), powers (`6.02e23`, `3 × 10^5`,
`10⁶`), words that multiply (2.5 million, 3 crore, 1億2000万), and numbers in words.

Where a point or a comma may group thousands or begin the decimals (`1.234`), both values are given, the English one first.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

LONGEST_NUMBER = 400
"""Digits: what has more is no number."""


class Number(NamedTuple):
    """A number and its place in a text."""

    start: int
    end: int
    values: tuple[Fraction, ...]
    """What it may be worth, the usual reading first: 1.234 and 1234, or 300,000 and 300 for "300K"."""
    open_sign: str = ""
    """The point or comma that may group digits or begin decimals."""
    decimal: str = ""
    """The decimal sign that its writing shows."""
    rank: int = 3
    """How well it can be an answer: 3, or 2 for a small number in words, 1 for an article ("one"), 0 for part of a version."""


class _Plain(dict[int, str]):
    """Characters, one for one: digits of all scripts in ASCII, letters without accents, one sign for each purpose."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        base = unicodedata.normalize("NFD", character)[0]
        digit = unicodedata.decimal(character, None)
        self[code] = str(digit) if digit is not None else base if base.isascii() and base.isalpha() else character
        return self[code]


_SAME = "’ʼ‘＇−–－‑\u2007\u2008\u2009\u200a\u202f，٬．٫％٪＝≈≃／⁄∕＄＋（）＊\u3000"
_PLAIN = _Plain(zip(map(ord, _SAME), "''''----" + "\u00a0" * 5 + ",,..%%===///$+()* ", strict=True))


def plain(text: str) -> str:
    """A text of the same length in which digits are ASCII and letters have no accents."""
    return text if text.isascii() else text.translate(_PLAIN)


WORDS: dict[str, Any] = json.loads(files("assay.prompting").joinpath("data", "words.json").read_text("utf-8"))
"""Words of several languages, without accents: those of numbers and months, and those that say which number is the answer."""


def valued(listed: str) -> dict[str, int]:
    """Words with their values, which are listed as `1 one|un; 2 two`."""
    entries = (entry.split(" ", 1) for entry in listed.split("; "))
    return {plain(word): int(value) for value, words in entries for word in words.split("|")}


def either(words: Iterable[str]) -> str:
    """A regular expression for any of some words, the longest first."""
    return "|".join(re.escape(word).replace("\\ ", r"\s") for word in sorted(words, key=len, reverse=True))


_MULTIPLES, _PARTS = valued(WORDS["times"]), valued(WORDS["parts"])
_SEPARATOR = r"(?:[.,'_\u00a0]|\{[.,]\}|(?:,|\{,\})?\\[,!; ]|[ ](?=\d{3}(?!\d)))"
_NUMBER = re.compile(
    rf"""(?P<sign>(?:(?<![\w.,)\]}}%])|(?<=[\u3040-\u9fff]))[-+])?
        (?:(?:\\?[$€£¥₹₽₩₺¢]|(?<![A-Za-z])(?:[A-Z]{{1,2}}\$|USD|EUR|GBP|CHF|JPY|INR|Rs\.?|Fr\.))[\s\u00a0]?(?P<inner>[-+])?(?=[\d.\\]))?
        (?: (?:(?P<a>\d{{1,9}})\s?)?\\[dtc]?frac\s?(?:\{{\s?(?P<top>-?\d{{1,15}})\s?\}}|(?P<t>\d))
              \s?(?:\{{\s?(?P<bottom>\d{{1,15}})\s?\}}|(?P<b>\d))
          | (?<![\d/.,])(?:(?P<whole>\d{{1,9}})(?:\sand)?(?:[ \u00a0]|-(?=\d/\d)))?(?P<over>\d{{1,15}})
              \s?/\s?(?P<under>\d{{1,15}})(?![\d/]|[.,]\d)
          | (?:(?P<one>\d{{1,9}})[ \u00a0]?)?(?P<part>[¼-¾⅐-⅞])
          | (?P<run>(?<!\d)\d+(?:{_SEPARATOR}\d+)*|(?<![\w.])\.\d+)
            (?:[eE](?P<e>[-+]?\d{{1,3}})(?!\w)
              |[\s\u00a0]?(?:×|x|·|⋅|\*|\\times|\\cdot)[\s\u00a0]?10
                (?:\s?(?:\^|\*\*)\s?\{{?\s?(?P<power>[-+]?\d{{1,3}})\s?\}}?|(?P<high>[⁻⁺]?[⁰¹²³⁴-⁹]{{1,3}}))
              |\s?(?:\^|\*\*)\s?\{{?(?P<raised>-?\d{{1,3}})\}}?|(?P<risen>[⁻⁺]?[⁰¹²³⁴-⁹]{{1,3}}))?)""",
    re.VERBOSE,
)
_SIGN = re.compile(_SEPARATOR)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_TIMES = re.compile(rf"[ \u00a0-]?({either(_MULTIPLES)})(?![A-Za-z])", re.IGNORECASE)
_SHORT = re.compile(r"([kKMB])(?!\w)")
_PART = re.compile(rf"[ -]?({either(_PARTS)})(?![^\W_])", re.IGNORECASE)
_AND_PART = re.compile(rf"\s(?:and\san?|et|y|e)\s({either(_PARTS)})(?![^\W_])", re.IGNORECASE)
_EAST = frozenset("千万萬億亿억만천")
_MINUS = re.compile(r"(?:(?<!\d)(?<!\d\s)\b(?:minus|negative|moins|menos|meno)\s|[负負])\Z", re.IGNORECASE)


def numbers_in(text: str) -> list[Number]:
    """The numbers in a plain text (see `plain`), in order; in words those of the language that the text seems to be in."""
    numbers: list[Number] = []
    for number in _in_digits(text):
        before = numbers[-1] if numbers else None
        gap, less = text[before.end : number.start] if before else "-", before and before.values > number.values
        if before and less and (text[before.end - 1] in _EAST if not gap else gap == " " and _many(before) and _many(number)):
            numbers[-1] = before._replace(end=number.end, values=(before.values[0] + number.values[0],))
        else:
            numbers.append(number)
    digits = bytearray(len(text))
    for number in numbers:
        digits[number.start : number.end] = b"1" * (number.end - number.start)
    numbers += [number for number in _in_words(text) if not any(digits[number.start : number.end])]
    negative = (bool(_MINUS.search(text, max(0, number.start - 12), number.start)) for number in numbers)
    return sorted(_negated(number) if minus else number for number, minus in zip(numbers, negative, strict=True))


def _many(number: Number) -> bool:
    return len(number.values) > 1 and not number.open_sign


def _negated(number: Number) -> Number:
    return number._replace(values=tuple(-value for value in number.values))


def _in_digits(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        if match["run"] is None:
            value = _fraction(match)
            pieces = [] if value is None else [Number(match.start(), match.end(), (value,))]
        else:
            pieces = list(_run(text, match.start("run"), match.end("run")))
        if not pieces:
            continue
        pieces[-1] = _multiplied(text, _raised(pieces[-1], match))
        pieces[0] = pieces[0]._replace(start=match.start())
        if (match["sign"] == "-") != (match["inner"] == "-"):
            pieces[0] = _negated(pieces[0])
        yield from pieces


def _fraction(match: re.Match[str]) -> Fraction | None:
    if match["part"]:
        return int(match["one"] or 0) + Fraction(unicodedata.numeric(match["part"])).limit_denominator(10)
    top, bottom = match["top"] or match["t"] or match["over"], match["bottom"] or match["b"] or match["under"]
    return int(match["a"] or match["whole"] or 0) + Fraction(int(top), int(bottom)) if int(bottom) else None


def _run(text: str, start: int, end: int) -> Iterator[Number]:
    """Digits with separators as one number, or as the several that they are."""
    if text[start] == ".":
        if end - start <= LONGEST_NUMBER:
            yield Number(start, end, (Fraction(text[start:end]),), decimal=".")
        return
    signs = list(_SIGN.finditer(text, start, end))
    kinds = [sign[0].strip("{}")[0].replace("\\", "\u00a0").replace(" ", "\u00a0") for sign in signs]
    bounds = [start, *(place for sign in signs for place in sign.span()), end]
    groups = [text[first:last] for first, last in zip(bounds[::2], bounds[1::2], strict=True)]
    cut = next((kind for kind in "\u00a0,'_" if kind in kinds), "")
    if read := _grouped(groups, kinds):
        yield Number(start, end, *read)
    elif cut:
        for sign, kind in zip(signs, kinds, strict=True):
            if kind == cut:
                yield from _run(text, start, sign.start())
                start = sign.end()
        yield from _run(text, start, end)
    elif kinds and len(groups[-1]) <= LONGEST_NUMBER:  # a version, an address
        yield Number(start, end, (Fraction(groups[-1]),), rank=0)


def _grouped(groups: list[str], kinds: list[str]) -> tuple[tuple[Fraction, ...], str, str] | None:
    """The values of groups of digits and the signs between them, the sign whose meaning is open, and the decimal sign."""
    if sum(map(len, groups)) > LONGEST_NUMBER:
        return None
    together, whole = Fraction("".join(groups)), "".join(groups[:-1])
    if not kinds:
        return (together,), "", ""
    *others, last = kinds
    if not others and last in ".,":
        decimal = Fraction(f"{whole}.{groups[1]}")
        if len(groups[1]) != 3 or len(whole) > 3 or whole[0] == "0":
            return (decimal,), "", last
        return ((decimal, together) if last == "." else (together, decimal)), last, ""
    if len(set(kinds)) == 1 and _in_thousands(groups, last):
        return (together,), "", {",": ".", ".": ","}.get(last, "")
    if last in ".," and len(set(others)) == 1 and last != others[0] and _in_thousands(groups[:-1], others[0]):
        return (Fraction(f"{whole}.{groups[-1]}"),), "", last
    return None


def _in_thousands(groups: list[str], sign: str) -> bool:
    """Whether digits are grouped by thousands, or in the Indian way (12,34,567)."""
    sizes = [len(group) for group in groups]
    indian = sign == "," and sizes[0] <= 2 and set(sizes[1:-1]) <= {2} and sizes[-1] == 3
    return indian or (sizes[0] <= 3 and set(sizes[1:]) <= {3})


def _raised(number: Number, match: re.Match[str]) -> Number:
    """A number times a power of ten, or to a power."""
    ten = match["e"] or match["power"] or (match["high"] or "").translate(_RAISED)
    power = match["raised"] or (match["risen"] or "").translate(_RAISED)
    values = number.values
    if ten:
        values = tuple(value * Fraction(10) ** int(ten) for value in values)
    elif power and values[0] and (number.end - number.start) * abs(int(power)) <= LONGEST_NUMBER:
        values = tuple(value ** int(power) for value in values)
    return number._replace(values=values, end=match.end())


def _multiplied(text: str, number: Number) -> Number:
    """A number with the words or the letter behind it that multiply it: 2.5 million, 3 crore, 5k, 2万."""
    for _ in range(3):
        if word := _TIMES.match(text, number.end):
            times = _MULTIPLES[word[1].lower()]
            number = number._replace(values=(*(value * times for value in number.values), *number.values), end=word.end())
    if short := _SHORT.match(text, number.end):
        value = number.values[0] * Fraction(1000) ** (1 + "kMB".index(short[0].replace("K", "k")))
        number = number._replace(values=(value, *number.values), end=short.end())
    return number


class _Language:
    """How a language spells numbers, and the common words by which it is known."""

    def __init__(self, name: str, data: dict[str, str]) -> None:
        self.values, self.times = valued(data["words"]), valued(data["times"])
        self.common, self.articles = frozenset(data["common"].split()), frozenset(data["articles"].split())
        word, link, letter = either((*self.values, *self.times)), data["and"], "" if name == "zh" else r"[^\W_]"
        chain = rf"(?>{word})(?>(?>[-\s]{link}[-\s]|[-\s]|{link}|)(?>{word})){{0,15}}"
        self.chain = re.compile(rf"(?<!{letter}){chain}(?!{letter})" if letter else chain, re.IGNORECASE)
        self.word = re.compile(word, re.IGNORECASE)


@lru_cache(maxsize=1)
def _languages() -> dict[str, _Language]:
    return {name: _Language(name, data) for name, data in WORDS["languages"].items()}


def _in_words(text: str) -> Iterator[Number]:
    """The numbers in words, of the language that the text seems to be in, else of the one that finds most."""
    said = frozenset(re.findall(r"[^\W\d_]+", text[-2000:].lower()))
    *languages, chinese = sorted(_languages().values(), key=lambda language: -len(said & language.common))
    most = len(said & languages[0].common)
    tried = [one for one in languages if most < 2 or len(said & one.common) == most]
    read = [[number for match in one.chain.finditer(text) for number in _spelled(text, match, one)] for one in tried]
    yield from max(read, key=lambda numbers: sum(number.end - number.start for number in numbers))
    for match in chinese.chain.finditer(text):
        yield from _spelled(text, match, chinese)


def _spelled(text: str, match: re.Match[str], language: _Language) -> Iterator[Number]:
    """The numbers that a chain of number words spells: one, unless they cannot be joined ("one two three")."""
    terms: list[int] = []
    start = before = match.start()
    for piece in language.word.finditer(text, *match.span()):
        word, last = piece[0].lower(), terms[-1] if terms else 0
        if (times := language.times.get(word)) is not None:
            total = 0
            while terms and terms[-1] < times:
                total += terms.pop()
            terms.append(max(total, 1) * times)
        elif last in range(1, 10) and language.values[word] in range(20, 100, 10) and text[before : piece.start()].isalpha():
            terms[-1] += language.values[word]  # dreiundzwanzig
        elif not terms or last % 10 ** len(str(language.values[word])) == 0 < last or (last in (60, 80) and word in _TEENS):
            terms.append(language.values[word])
        else:
            yield _in_one(text, start, before, sum(terms), language)
            terms, start = [language.values[word]], piece.start()
        before = piece.end()
    yield _in_one(text, start, before, sum(terms), language)


_TEENS = frozenset(("dix", "onze", "douze", "treize", "quatorze", "quinze", "seize"))
"""What follows soixante and quatre-vingt."""


def _in_one(text: str, start: int, end: int, value: int, language: _Language) -> Number:
    if part := _AND_PART.match(text, end):
        return Number(start, part.end(), (value + Fraction(1, _PARTS[part[1].lower()]),))
    if part := _PART.match(text, end):
        return Number(start, part.end(), (Fraction(value, _PARTS[part[1].lower()]),))
    rank = 1 if text[start:end].lower() in language.articles else 2 if value <= 12 else 3
    return Number(start, end, (Fraction(value),), rank=rank)
