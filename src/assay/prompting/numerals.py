r"""Every number in a text, and what it is worth.

Read are digits of all scripts and their separators, fractions (`½`, `2 1/2`, `\frac{3}{4}`), powers (`6.02e23`, `3 × 10^5`,
`10⁶`), words that multiply (2.5 million, 3 crore, 1億2000万), and numbers in words.

Numbers of versions, addresses and clocks (`1.2.3`, `10:30`) are none.
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
    """What it may be worth, as English writes numbers, the usual value first: 300,000 and 300 for "300K"."""
    open_sign: str = ""
    """The point or comma whose meaning is open: elsewhere 1.234 is 1234, and 1,234 is 1.234."""
    decimal: str = ""
    """The decimal sign that its writing shows."""
    percent: bool = False
    rank: int = 3
    """How well it can be an answer: 3, or 2 for a small number in words."""


_SIGNS = dict(zip(
    "’ʼ‘＇−–－‑\u2007\u2008\u2009\u200a\u202f，٬．٫％٪＝≈≃／⁄∕＄＋（）＊\u3000",
        "''''----" + "\u00a0" * 5 + ",,..%%===///$+()* ",
    strict=True,
))  # fmt: skip


def plain(text: str) -> str:
    """A text of the same length with digits of all scripts in ASCII, letters without accents, one sign for each purpose."""
    return text if text.isascii() else "".join(map(_plain, text))


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    digit, base = unicodedata.decimal(character, None), unicodedata.normalize("NFD", character)[0]
    return str(digit) if digit is not None else base if base.isascii() and base.isalpha() else _SIGNS.get(character, character)


WORDS: dict[str, Any] = json.loads(files("assay.prompting").joinpath("data", "words.json").read_text("utf-8"))
"""Words of several languages, without accents: those of numbers and months, and those that say which number is the answer."""


def valued(listed: str) -> dict[str, int]:
    """Words with their values, which are listed as `1 one|un; 2 two`."""
    entries = (entry.split(" ", 1) for entry in listed.split("; "))
    return {plain(word): int(value) for value, words in entries for word in words.split("|")}


def either(words: Iterable[str]) -> str:
    """A regular expression for any of some words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_MULTIPLES = valued(WORDS["times"]) | {"k": 1000, "m": 10**6, "b": 10**9}
_PARTS = {word: Fraction(1, parts) for word, parts in valued(WORDS["parts"]).items()}
_GAP = r"(?:[.,'_\u00a0 ]|\{[.,]\}|(?:,|\{,\})?\\[,!; ])"
_NUMBER = re.compile(
    rf"""(?P<sign>(?:(?<![\w.,)\]}}%])|(?<=[\u3040-\u9fff]))[-+])?
        (?:(?:\\?[$€£¥₹₽₩₺¢]|(?<![A-Za-z])(?:[A-Z]{{1,2}}\$|USD|EUR|GBP|CHF|JPY|INR|Rs\.?|Fr\.))[\s\u00a0]?(?=[\d.\\]))?
        (?: (?:(?<![\d/.,])(?P<whole>\d{{1,9}})(?:\sand)?(?:[ \u00a0]|-(?=\d/\d))?)?
            (?:\\[dtc]?frac\s?(?:\{{\s?(?P<top>-?\d{{1,15}})\s?\}}|(?P<t>\d))
              \s?(?:\{{\s?(?P<bottom>\d{{1,15}})\s?\}}|(?P<b>\d))
              | (?<![\d/.,])(?P<over>\d{{1,15}})\s?/\s?(?P<under>\d{{1,15}})(?![\d/]|[.,]\d)|(?P<part>[¼-¾⅐-⅞]))
          | (?P<listed>(?<=\d,))?(?<!\d)(?<!\d[.:])(?:
              (?P<digits>[1-9]\d{{0,2}}(?P<by>{_GAP})\d{{3}}(?!\d)(?:(?P=by)\d{{3}}(?!\d))*+|[1-9]\d?(?:,\d\d(?!\d))++,\d{{3}}(?!\d)|\d++)
              (?:(?!(?P=by))(?(listed)(?!,))(?P<point>[.,]|\{{[.,]\}})(?P<decimals>\d++)(?!,\d))?
            | (?<![\w.])\.(?P<only>\d++))(?![.:]\d)
            (?: (?P<ten>[eE]|[\s\u00a0]?(?:×|x|·|⋅|\*|\\times|\\cdot)[\s\u00a0]?10)?
              (?P<power>(?:(?<=[eE])|\s?(?:\^|\*\*)\s?\{{?\s?)[-+]?\d{{1,3}}(?!\w)|[⁻⁺]?[⁰¹²³⁴-⁹]{{1,3}})\}}?)?)""",
    re.VERBOSE,
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", "^*{ ")
_TIMES = re.compile(rf"[ \u00a0-]?({either(valued(WORDS['times']))})(?![A-Za-z])|((?-i:[kKMB]))(?!\w)", re.IGNORECASE)
_PART = re.compile(rf"(?:(?P<and>\s(?:and\san?|et|y|e)\s)|[ -]?)(?P<part>{either(_PARTS)})(?![^\W_])", re.IGNORECASE)
_A_PART = re.compile(rf"\ban?\s(?P<part>{either(_PARTS)})(?![^\W_])", re.IGNORECASE)
_MINUS = re.compile(r"(?:(?<!\d)(?<!\d\s)\b(?:minus|negative|moins|menos|meno)\s|[负負])\Z", re.IGNORECASE)


def numbers_in(text: str) -> list[Number]:
    """The numbers in a plain text (see `plain`), in order; in words those of the language that the text seems to be in."""
    numbers: list[Number] = []
    for match in _NUMBER.finditer(text):
        if (read := _run(match) if match["digits"] or match["only"] else _fraction(match)) is None:
            continue
        number, before = _multiplied(text, _negated(read) if match["sign"] == "-" else read), numbers[-1] if numbers else None
        if before and before.end == number.start and text[number.start] == "€" and number.end - number.start == 3:
            numbers[-1] = before._replace(end=number.end, values=(before.values[0] + number.values[0] / 100,))  # 45€50
        elif before and text[before.end : number.start] in ("", " ") and min(len(before.values), len(number.values)) > 1:
            numbers[-1] = before._replace(end=number.end, values=(before.values[0] + number.values[0],))  # 3만 5천
        else:
            numbers.append(number)
    taken = {place for number in numbers for place in range(number.start, number.end)}
    parts = (Number(*part.span(), (_PARTS[part[1].lower()],), rank=1) for part in _A_PART.finditer(text))
    for one in (*_in_words(text), *parts):
        if taken.isdisjoint(place := range(one.start, one.end)):
            numbers.append(one)
            taken.update(place)
    return sorted(_negated(one) if _MINUS.search(text, max(0, one.start - 12), one.start) else one for one in numbers)


def _negated(number: Number) -> Number:
    return number._replace(values=tuple(-value for value in number.values))


def _fraction(match: re.Match[str]) -> Number | None:
    top, bottom = match["top"] or match["t"] or match["over"], match["bottom"] or match["b"] or match["under"]
    if bottom and not int(bottom):
        return None
    part = Fraction(int(top), int(bottom)) if bottom else Fraction(unicodedata.numeric(match["part"])).limit_denominator(10)
    return Number(*match.span(), (int(match["whole"] or 0) + part,))


def _run(match: re.Match[str]) -> Number | None:
    """Digits with the signs between them, times a power of ten or to a power."""
    whole, decimals = re.sub(r"\D", "", match["digits"] or ""), match["decimals"] or match["only"] or ""
    if len(whole) + len(decimals) > LONGEST_NUMBER:
        return None
    point, by = "." if match["only"] else (match["point"] or "").strip("{}"), (match["by"] or "").strip("{}")[:1]
    is_open = by in (".", ",") and not point and len(whole) <= 6
    value = Fraction(f"{whole}.{decimals}") / (1000 if is_open and by == "." else 1)
    power = int((match["power"] or "1").translate(_RAISED))
    if match["ten"]:
        value *= Fraction(10) ** power
    elif value and len(match[0]) * abs(power) <= LONGEST_NUMBER:
        value **= power
    decimal = point or {",": ".", ".": ","}.get("" if is_open else by, "")
    return Number(*match.span(), (value,), by if is_open else "", decimal)


def _multiplied(text: str, number: Number) -> Number:
    """A number with the words or the letter behind it that multiply it: 2.5 million, 3 crore, 5k, 2万, 5 and a half."""
    if (part := _PART.match(text, number.end)) and part["and"]:
        number = number._replace(values=(number.values[0] + _PARTS[part["part"].lower()],), end=part.end())
    for _ in range(3):
        if times := _TIMES.match(text, number.end):
            value = number.values[0] * _MULTIPLES[(times[1] or times[2]).lower()]
            number = number._replace(values=(value, *number.values), end=times.end())
    return number


class _Language:
    """How a language spells numbers, and the common words by which it is known."""

    def __init__(self, data: dict[str, str]) -> None:
        self.values, self.times = valued(data["words"]), valued(data["times"])
        self.common = frozenset(data["common"].split())
        word, link, letter = either((*self.values, *self.times)), data["and"], r"[^\W_\u3040-\u9fff\uac00-\ud7af]"
        chain = rf"(?>{word})(?>(?>[-\s]{link}[-\s]|[-\s]|{link}|)(?>{word})){{0,15}}"
        self.chain = re.compile(rf"(?<!{letter}){chain}(?!{letter})", re.IGNORECASE)
        self.word = re.compile(word, re.IGNORECASE)


@lru_cache(maxsize=1)
def _languages() -> list[_Language]:
    return [_Language(data) for data in WORDS["languages"].values()]


def _in_words(text: str) -> list[Number]:
    """The numbers in words, of the language that the text seems to be in, of several that which finds most."""
    said = frozenset(re.findall(r"[^\W\d_]+", text[-2000:].lower()))
    known = [len(said & language.common) for language in _languages()]
    tried = [language for language, count in zip(_languages(), known, strict=True) if count == max(known)]
    read = [[number for match in one.chain.finditer(text) for number in _spelled(text, match, one)] for one in tried]
    return max(read, key=lambda numbers: sum(number.end - number.start for number in numbers))


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
        elif not terms or last % 10 ** len(str(language.values[word])) == 0 < last:
            terms.append(language.values[word])
        else:
            yield _in_one(text, start, before, sum(terms))
            terms, start = [language.values[word]], piece.start()
        before = piece.end()
    yield _in_one(text, start, before, sum(terms))


def _in_one(text: str, start: int, end: int, value: int) -> Number:
    if (part := _PART.match(text, end)) and not part["and"]:
        return Number(start, part.end(), (value * _PARTS[part["part"].lower()],))
    read = _multiplied(text, Number(start, end, (Fraction(value),)))
    return read._replace(rank=2 if value <= 12 and read.end == end else 3)

