r"""Numbers as people write them: which of them a text gives as its answer, and what it is worth.

The answer is, in this order: the number announced last ("the answer is …", `\boxed{…}`, a tag); the last one in bold; one that
the text opens with before it gives reasons; the last one. Of an announced equation it is what stands behind the equals sign.
Numbers of steps, chapters and list items, dates and times, what stands in brackets or behind "because", and small numbers in
words are taken only where there is no other. One that is denied ("not 12") is never taken, nor one of two ("8 or 9").

Where a point or a comma may group thousands or begin the decimals (`1.234`), the other numbers of the text decide, then the
references, then English usage.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any, NamedTuple

from assay.prompting.dates import date_spans
from assay.prompting.extractors import MOST_READ, Found, announcements, found, nothing

EXTRACTOR, VERSION = "number", 2
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
    percent: bool = False
    rank: int = 3
    """3: a number like any other; 2: a small one in words; 1: an aside; 0: a mark, as of a step or a date; -1: denied."""


class _Plain(dict[int, str]):
    """Characters, one for one: digits of all scripts in ASCII, letters without accents, one sign for each purpose."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        base = unicodedata.normalize("NFD", character)[0]
        digit = unicodedata.decimal(character, None)
        self[code] = str(digit) if digit is not None else base if base.isascii() and base.isalpha() else character
        return self[code]


_PLAIN = _Plain()
for _one, _others in {
    "'": "’ʼ‘＇", "-": "−–－‑", "\u00a0": "\u2007\u2008\u2009\u200a\u202f", ",": "，٬", ".": "．٫", "%": "％٪", "=": "＝≈≃",
    "/": "／⁄∕", "$": "＄", "+": "＋", "(": "（", ")": "）", "*": "＊", " ": "\u3000",
}.items():  # fmt: skip
    _PLAIN.update((ord(other), _one) for other in _others)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_DATA: dict[str, Any] = json.loads(files("assay.prompting").joinpath("data", "number_words.json").read_text("utf-8"))
_POWERS: dict[str, int] = {word.translate(_PLAIN): power for word, power in _DATA["powers"].items()}


def _alternatives(words: Sequence[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_SEPARATOR = r"(?:[.,'_\u00a0]|\{[.,]\}|(?:,|\{,\})?\\[,!; ]|[ ](?=\d{3}(?!\d)))"
_NUMBER = re.compile(
    rf"""(?P<sign>(?<![\w.,)\]}}%])[-+])?
        (?:(?:\\?[$€£¥₹₽₩₺¢]|(?<![A-Za-z])(?:[A-Z]{{1,2}}\$|USD|EUR|GBP|CHF|JPY|INR|Rs\.?|Fr\.))[\s\u00a0]?(?P<inner>[-+])?(?=[\d.\\]))?
        (?: (?:(?P<a>\d{{1,9}})\s?)?\\[dtc]?frac\s?(?:\{{\s?(?P<top>-?\d{{1,15}})\s?\}}|(?P<t>\d))
              \s?(?:\{{\s?(?P<bottom>\d{{1,15}})\s?\}}|(?P<b>\d))
          | (?<![\d/.,])(?:(?P<whole>\d{{1,9}})[ \u00a0])?(?P<over>\d{{1,15}})\s?/\s?(?P<under>\d{{1,15}})(?![\d/]|[.,]\d)
          | (?:(?P<one>\d{{1,9}})[ \u00a0]?)?(?P<part>[¼-¾⅐-⅞])
          | (?P<run>(?<!\d)\d+(?:{_SEPARATOR}\d+)*|(?<![\w.])\.\d+)
            (?:[eE](?P<e>[-+]?\d{{1,3}})(?!\w)
              |[\s\u00a0]?(?:×|x|·|⋅|\*|\\times|\\cdot)[\s\u00a0]?10
                (?:\s?(?:\^|\*\*)\s?\{{?\s?(?P<power>[-+]?\d{{1,3}})\s?\}}?|(?P<high>[⁻⁺]?[⁰¹²³⁴-⁹]{{1,3}}))
              |\s?(?:\^|\*\*)\s?\{{?(?P<raised>-?\d{{1,3}})\}}?|(?P<risen>[⁻⁺]?[⁰¹²³⁴-⁹]{{1,3}}))?)""",
    re.VERBOSE,
)
_SIGN = re.compile(_SEPARATOR)
_TIMES = re.compile(rf"[ \u00a0-]?(?P<word>{_alternatives(list(_POWERS))})(?![A-Za-z])", re.IGNORECASE)
_SHORT = re.compile(r"([kKMB])(?!\w)")
_PERCENT = re.compile(r"[\s\u00a0]?(?:\\?%|(?:pro[cz]ent|(?:per|pour)\s?cent|(?:por|per)\s?ci?ento)\b|процент)", re.IGNORECASE)
_MINUS = re.compile(r"(?:(?<!\d)(?<!\d\s)\b(?:minus|negative|moins|menos|meno)\s|[负負])\Z", re.IGNORECASE)


def _in_digits(plain: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(plain):
        if match["run"] is None:
            value = _fraction(match)
            pieces = [] if value is None else [Number(match.start(), match.end(), (value,))]
        else:
            pieces = list(_run(plain, match.start("run"), match.end("run")))
        if not pieces:
            continue
        pieces[-1] = _multiplied(plain, _raised(pieces[-1], match))
        negative = (match["sign"] == "-") != (match["inner"] == "-")
        values = tuple(-value if negative else value for value in pieces[0].values)
        pieces[0] = pieces[0]._replace(start=match.start(), values=values)
        yield from pieces


def _fraction(match: re.Match[str]) -> Fraction | None:
    if match["part"]:
        return int(match["one"] or 0) + Fraction(unicodedata.numeric(match["part"])).limit_denominator(10)
    top, bottom = match["top"] or match["t"] or match["over"], match["bottom"] or match["b"] or match["under"]
    return int(match["a"] or match["whole"] or 0) + Fraction(int(top), int(bottom)) if int(bottom) else None


def _run(plain: str, start: int, end: int) -> Iterator[Number]:
    """Digits with separators as one number, or as the several that they are."""
    if plain[start] == ".":
        if end - start <= LONGEST_NUMBER:
            yield Number(start, end, (Fraction("0" + plain[start:end]),), decimal=".")
        return
    signs = list(_SIGN.finditer(plain, start, end))
    kinds = [sign[0].strip("{}")[0].replace("\\", "\u00a0").replace(" ", "\u00a0") for sign in signs]
    bounds = [start, *(place for sign in signs for place in sign.span()), end]
    groups = [plain[first:last] for first, last in zip(bounds[::2], bounds[1::2], strict=True)]
    if read := _grouped(groups, kinds):
        yield Number(start, end, *read)
        return
    cut = next((kind for kind in "\u00a0,'_" if kind in kinds), "")
    if not cut:  # a version, an address
        if kinds:
            yield from (Number(start, end, (Fraction(group),), rank=0) for group in groups[-1:] if len(group) <= LONGEST_NUMBER)
        return
    for sign, kind in zip(signs, kinds, strict=True):
        if kind == cut:
            yield from _run(plain, start, sign.start())
            start = sign.end()
    yield from _run(plain, start, end)


def _grouped(groups: list[str], kinds: list[str]) -> tuple[tuple[Fraction, ...], str, str] | None:
    """The value of groups of digits and the signs between them, the sign whose meaning is open, and the decimal sign."""
    if sum(map(len, groups)) > LONGEST_NUMBER:
        return None
    if not kinds:
        return (Fraction(groups[0]),), "", ""
    *others, last = kinds
    together, whole = Fraction("".join(groups)), "".join(groups[:-1])
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


def _multiplied(plain: str, number: Number) -> Number:
    """A number with the word or letter behind it that multiplies it: 2.5 million, 3 crore, 5k, 2万."""
    for _ in range(3):
        if not (word := _TIMES.match(plain, number.end)):
            break
        times = Fraction(10) ** _POWERS[word["word"].lower()]
        number = number._replace(values=tuple(value * times for value in number.values), end=word.end())
    if short := _SHORT.match(plain, number.end):
        times = Fraction(1000) ** ("kMB".index(short[0].replace("K", "k")) + 1)
        number = number._replace(values=(number.values[0] * times, *number.values), end=short.end())
    return number


class _Language(NamedTuple):
    """How a language spells numbers."""

    common: frozenset[str]
    """Words by which it is known."""
    words: dict[str, int]
    times: dict[str, int]
    """Words that multiply what stands before them."""
    articles: frozenset[str]
    chain: re.Pattern[str]
    word: re.Pattern[str]


@lru_cache(maxsize=1)
def _languages() -> dict[str, _Language]:
    made = {}
    for name, data in _DATA["languages"].items():
        word = _alternatives([*data["words"], *data["times"]])
        apart = "" if name == "zh" else r"(?<![^\W_])"
        run = rf"{apart}(?>{word})(?>(?>[-\s]{data['und']}[-\s]|{data['und']}|[-\s]|)(?>{word})){{0,15}}"
        run += "" if name == "zh" else r"(?![^\W_])"
        common, articles = frozenset(data["common"].split()), frozenset(data["articles"].split())
        patterns = re.compile(run, re.IGNORECASE), re.compile(word, re.IGNORECASE)
        made[name] = _Language(common, data["words"], data["times"], articles, *patterns)
    return made


_PART = re.compile(rf"[ -]?({_alternatives(list(_DATA['parts']))})(?![^\W_])", re.IGNORECASE)


def _in_words(plain: str) -> Iterator[Number]:
    """The numbers in words, of the language that the text seems to be in, else of the one that finds most."""
    said = frozenset(re.findall(r"[^\W\d_]+", plain[-2000:].lower()))
    languages = dict(_languages())
    chinese = languages.pop("zh")
    known = max(languages.values(), key=lambda language: len(said & language.common))
    tried = [known] if said & known.common else list(languages.values())
    read = [[number for match in one.chain.finditer(plain) for number in _spelled(plain, match, one)] for one in tried]
    yield from max(read, key=lambda numbers: sum(number.end - number.start for number in numbers))
    for match in chinese.chain.finditer(plain):
        yield from _spelled(plain, match, chinese)


def _spelled(plain: str, match: re.Match[str], language: _Language) -> Iterator[Number]:
    """The numbers that a chain of number words spells: one, unless they cannot be joined ("one two three")."""
    terms: list[int] = []
    start = before = match.start()
    for piece in language.word.finditer(plain, *match.span()):
        word = piece[0].lower()
        if (times := language.times.get(word)) is not None:
            total = 0
            while terms and terms[-1] < times:
                total += terms.pop()
            terms.append(max(total, 1) * times)
        else:
            value, last = language.words[word], terms[-1] if terms else 0
            if terms and last < 10 and value in range(20, 100, 10) and "und" in plain[before : piece.start()].lower():
                terms[-1] += value  # dreiundzwanzig
            elif not terms or last % 10 ** len(str(value)) == 0 < last or (last in (60, 80) and 10 <= value < 20):
                terms.append(value)
            else:
                yield _word_number(plain, start, before, sum(terms), language)
                terms, start = [value], piece.start()
        before = piece.end()
    yield _word_number(plain, start, before, sum(terms), language)


def _word_number(plain: str, start: int, end: int, value: int, language: _Language) -> Number:
    rank = 1 if plain[start:end].lower() in language.articles else 2 if value <= 12 else 3
    if part := _PART.match(plain, end):
        return Number(start, part.end(), (Fraction(value, _DATA["parts"][part[1].lower()]),))
    return Number(start, end, (Fraction(value),), rank=rank)


_LIST = re.compile(r"^[ \t>*_#-]{0,6}(?P<n>\d{1,2})[.)][*_]{0,2}[ \t]+(?=\S)", re.MULTILINE)
_LABEL = re.compile(
    r"(?:\b(?:steps?|chapter|pages?|section|question|problem|part|option|figure|fig|table|exercise|equation|example|version|theorem"
    r"|round|confidence|item|note|rule|task|grade|level|schritt|kapitel|seite|frage|aufgabe|teil|abschnitt|tabelle|abbildung|beispiel"
    r"|etape|chapitre|question|partie|exercice|tableau|exemple|paso|capitulo|pagina|pregunta|parte|tabla|ejercicio|problema"
    r"|ejemplo|passo|passaggio|capitolo|domanda|esercizio|tabella|шаг|глава|стр|stap|hoofdstuk|adim|n[or])|第|步骤|ステップ|#|№|\[)"
    r"['\"*_]{0,3}\s?[:=.#]?\s?\Z",
    re.IGNORECASE,
)
_GLUED = re.compile(r"(?:[A-Za-z]-?|\d[:.-]|[A-Za-z][\^_]\{?)\Z")
_MARKED = re.compile(r":\d\d|(?:st|nd|rd|th)\b|[xyz]\b|\]\(")
_ASIDE = re.compile(
    r"(?<!\\)\([^()\n]{1,300}\)|(?<=[\w%$*)]),?\s(?:since|because|weil|denn|car|parce\sque|porque|puesto\sque|perche)\s"
    r"(?:[^.\n]|\.(?=\d)){0,300}|^\W{0,4}(?:note|hinweis|anmerkung|remarque|nota)\b[^\n]{0,500}",
    re.IGNORECASE | re.MULTILINE,
)
_DENIAL = re.compile(
    r"(?:\b(?:not|nicht|kein|keine|pas|never|rather\sthan|instead\sof|statt|non|no|не|niet|nao)|n't|不是|ではなく)"
    r"(?:\s(?:be|is|es|e|just|simply|exactly|equal\sto|actually|the|die|el|la))?[\s*_\"'$]{0,6}\Z",
    re.IGNORECASE,
)
_DENIED = re.compile(r"[\s*_\"'$]{0,4}(?:is|was|ist|est|es)\s(?:not|wrong|incorrect|false|falsch|nicht|faux)\b", re.IGNORECASE)


class _Text:
    """A text and its numbers, in order."""

    def __init__(self, text: str) -> None:
        self.text, self.plain = text, text.translate(_PLAIN)
        self.numbers = _joined(self.plain, list(_in_digits(self.plain)))
        ends = [number.end for number in self.numbers]
        for number in _in_words(self.plain):
            place = bisect_right(ends, number.start)
            if place == len(ends) or self.numbers[place].start >= number.end:
                self.numbers.append(number)
        self.numbers.sort()
        self.starts = [number.start for number in self.numbers]
        signs = {number.decimal for number in self.numbers} - {""}
        self.decimal = signs.pop() if len(signs) == 1 else ""
        listed = list(_LIST.finditer(self.plain))
        self._list = {match.start("n") for match in listed} if any(match["n"] == "1" for match in listed) else set()
        self._asides = [match.span() for match in _ASIDE.finditer(self.plain)]
        self._dates = date_spans(text)

    def rank(self, index: int) -> int:
        """How well a number can be the answer; see `Number.rank`."""
        number, plain = self.numbers[index], self.plain
        start, end = number.start, number.end
        if _DENIAL.search(plain, max(0, start - 32), start) or _DENIED.match(plain, end):
            return -1
        marked = start in self._list or _MARKED.match(plain, end) or _GLUED.search(plain, max(0, start - 3), start)
        if marked or _within(self._dates, start) or _LABEL.search(plain, max(0, start - 24), start):
            return 0
        return min(number.rank, 1) if _within(self._asides, start) else number.rank

    def announced(self) -> int | None:
        """The number announced last; of an equation what it comes to, and of a correction what it says."""
        for place in reversed(announcements(self.text)[-MOST_READ:]):
            stop = _SENTENCE.search(self.plain, place.start, place.end)
            end = stop.start() if stop else place.end
            first = bisect_left(self.starts, place.start)
            inside = range(first, min(bisect_left(self.starts, end), first + 30))
            ranks = {index: self.rank(index) for index in inside}
            index = next((index for least in (2, 1, 0) for index in inside if ranks[index] >= least), None)
            if index is None and -1 in ranks.values():  # "is not 12. It is 14."
                after = range(inside.stop, min(len(self.starts), inside.stop + 5))
                index = next((i for i in after if self.rank(i) >= 2 and self.starts[i] < end + 120), None)
                if index is None:
                    return None
            if index is not None:
                return self._corrected(self._result(index, end))
        return None

    def _result(self, index: int, end: int) -> int:
        """The last number of the equation that a number begins."""
        while match := _EQUALS.match(self.plain, self.numbers[index].end, end):
            after = bisect_left(self.starts, match.end())
            if after == len(self.starts) or self.starts[after] > min(match.end() + 8, end):
                break
            index = after
        return index

    def _corrected(self, index: int) -> int:
        for _ in range(3):
            match = _CORRECTION.match(self.plain, self.numbers[index].end)
            after = bisect_left(self.starts, match.end()) if match else len(self.starts)
            if match is None or after == len(self.starts) or self.starts[after] > match.end() + 40 or self.rank(after) < 2:
                break
            index = after
        return index

    def in_bold(self) -> int | None:
        """The first number of the last bold part that has one and is no heading, unless a conclusion follows."""
        for match in reversed(list(_BOLD.finditer(self.plain))):
            first, last = (bisect_left(self.starts, place) for place in match.span())
            index = next((index for index in range(first, last) if self.rank(index) >= 2), None)
            if index is not None:
                ends = _CONCLUSION.search(self.plain, match.end())
                return None if ends and self.last(3, ends.start()) is not None else self._result(index, match.end())
        return None

    def opening(self) -> int | None:
        """The number that the text opens with, where nothing but its reasons follows."""
        if self.numbers and _DRESS.fullmatch(self.plain, 0, self.starts[0]) and self.rank(0) >= 2:
            return 0 if _VERDICT.match(self.plain, self.numbers[0].end) else None
        return None

    def last(self, least: int, start: int = 0) -> int | None:
        """The last number of some rank."""
        first = bisect_left(self.starts, start)
        return next((index for index in reversed(range(first, len(self.numbers))) if self.rank(index) >= least), None)

    def answer(self) -> Number | None:
        """The number that the text gives as its answer."""
        found = (find() for find in (self.announced, self.in_bold, self.opening))
        index = next((index for index in chain(found, map(self.last, (3, 2, 1, 0))) if index is not None), None)
        return None if index is None or self._is_one_of_two(index) else self.numbers[index]

    def _is_one_of_two(self, index: int) -> bool:
        """Whether another number stands beside it as just as good: "8 or 9"."""
        for one, other in ((index - 1, index), (index, index + 1)):
            if one >= 0 and other < len(self.numbers):
                first, second = self.numbers[one], self.numbers[other]
                if _OR.fullmatch(self.plain, first.end, second.start) and first.values[0] != second.values[0]:
                    return self.rank(one) > 0 and self.rank(other) > 0
        return False


_SENTENCE = re.compile(r"(?<!approx)(?<!\bca)(?<!\betwa)[.!?;](?=\s|\Z)|[。！？]|\n")
_EQUALS = re.compile(r"(?:[^=,;\n(]|\([^()=\n]{0,30}\)|,(?=\d)){0,80}=[\s*_$]{0,4}")
_CORRECTION = re.compile(
    r"[^\n]{0,30}?(?:\bwait\b|\bcorrection\b|\bscratch\sthat\b|\bI\smean\b|\bor\srather\b|[,.(—-]\s?(?:no|nein|non|actually|sorry)[,:;—.]"
    r"|\bmoment\b|\bKorrektur\b|\bje\sveux\sdire\b|\bperdon\b|\bscusa\b)[^\n\d]{0,40}",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\*\*(?=\S)[^*\n]{1,200}(?<!:)\*\*(?!\s?:)|<(?:b|strong)>[^<\n]{1,200}</", re.IGNORECASE)
_CONCLUSION = re.compile(
    r"\n[ \t]{0,4}(?:(?:so|thus|therefore|hence|in\stotal|altogether|also|insgesamt|somit|donc|au\stotal|por\slo\stanto"
    r"|asi\sque|quindi|portanto|итого)\b|所以|因此)",
    re.IGNORECASE,
)
_DRESS = re.compile(r"[\s*_$(>\"'`~≈\\\[{]{0,12}(?:(?:about|approximately|exactly|around|ca\.|etwa|environ)\s)?", re.IGNORECASE)
_VERDICT = re.compile(
    r"[*_$)\"'`}\]]{0,4}(?:\s[^\W\d]{1,15})?[*_]{0,2}"
    r"(?:[.:;!]\s|[ \t]{0,9}\n|\s[-—(]|,?\s(?:because|since|as|weil|da|denn|car|porque|perche)\s|[。（])"
)
_OR = re.compile(r"[\s*_$%]{0,6}(?:\b(?:or|oder|ou|o|u|of|или|або)\b|或|か)[\s*_$]{0,6}", re.IGNORECASE)


_EAST = frozenset("千万萬億亿억만천")


def _joined(plain: str, numbers: list[Number]) -> list[Number]:
    """Numbers that are written as one in East Asia: 1億2000万."""
    joined: list[Number] = []
    for number in numbers:
        before = joined[-1] if joined else None
        if before and before.end == number.start and plain[number.start - 1] in _EAST and before.values > number.values:
            joined[-1] = before._replace(end=number.end, values=(before.values[0] + number.values[0],))
        else:
            joined.append(number)
    return joined


def _within(spans: Sequence[tuple[int, int]], place: int) -> bool:
    index = bisect_right(spans, (place, 1 << 60)) - 1
    return index >= 0 and spans[index][0] <= place < spans[index][1]


def number(text: str, references: Sequence[str] = ()) -> Found[Fraction]:
    """The number that a text gives as its answer; see the head of this module.

    Args:
        text: what the model wrote.
        references: right answers. They decide how a number is meant that can be read in two ways: `1.234`, and "45 %" which is
            0.45 where the reference is 0.5.
    """
    read = _Text(text)
    given = read.answer()
    if given is None:
        return nothing(EXTRACTOR, VERSION)
    percent = _PERCENT.match(read.plain, given.end) is not None
    negative = _MINUS.search(read.plain, max(0, given.start - 12), given.start) is not None
    values = tuple(-value for value in given.values) if negative else given.values
    given = given._replace(values=values, percent=percent)
    value = _meant(given, read.decimal, [one for text in references if (one := _reference(text))])
    return found(EXTRACTOR, value, given.start, given.end, VERSION)


class _Reference(NamedTuple):
    value: Fraction
    decimal: str
    percent: bool


@lru_cache(maxsize=4096)
def _reference(text: str) -> _Reference | None:
    read = _Text(text)
    given = read.answer()
    if given is None:
        return None
    decimal = read.decimal or ("." if given.open_sign else "")
    percent = _PERCENT.match(read.plain, given.end) is not None
    return _Reference(_meant(given, read.decimal, ()), decimal, percent)


def _meant(number: Number, decimal: str, references: Sequence[_Reference]) -> Fraction:
    """Which of its values a number has: as the text decides, or the references."""
    values = number.values
    decimal = decimal or next((one.decimal for one in references if one.decimal), "")
    if number.open_sign and (decimal or number.open_sign == "," or not references):
        as_decimal, together = values if number.open_sign == "." else values[::-1]
        values = (as_decimal if number.open_sign == (decimal or ".") else together,)
    pairs = [(value, one) for one in references for value in values]
    pairs += [(value / 100, one) for value, one in pairs if number.percent and not one.percent]
    pairs += [(value * 100, one) for value, one in pairs if one.percent and not number.percent]
    return min(pairs, key=lambda pair: _apart(pair[0], pair[1].value))[0] if len(pairs) > 1 else values[0]


def _apart(one: Fraction, other: Fraction) -> Fraction:
    """How many times larger one number is than another; the same for all where one is 0."""
    return max(abs(one), abs(other)) / min(abs(one), abs(other)) if one and other else Fraction(0 if one == other else 10**9)


_PLAINLY = re.compile(r"[\s$€£¥₹%*_~≈]{0,8}")


def number_of(text: str) -> Fraction | None:
    """The number that a whole text is, with a currency or a percent sign at most; `None` for codes such as 007."""
    if len(text) > LONGEST_NUMBER or re.match(r"\s*[-+]?0\d", text):
        return None
    read = _Text(text)
    digits = list(_in_digits(read.plain))
    if len(digits) != 1 or len(read.numbers) != 1 or read.rank(0) < 3:
        return None
    start, end = digits[0].start, digits[0].end
    around = _PLAINLY.fullmatch(read.plain, 0, start) and _PLAINLY.fullmatch(read.plain, end)
    return _meant(digits[0], "", ()) if around else None


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
