"""What a text says of the options of a question: the places that name one, and the phrases that do something to it.

A text becomes a *sketch*: one character for each thing in it that matters, in their order. `M` is a place that names an option;
the phrases of `data/phrases.toml` have the characters of `SYMBOLS`; other words are `w`; what is left are signs that separate.
"The answer is not B, it's C." is `AIDM,IM.`. So a rule of grammar is a short regular expression that serves all languages.

An option is named by its text, by what stands for it (its letter, its place in the list, the head of "Class 3: refunds", any
word for yes), in any case, with any white space, quotes, brackets and marks of emphasis around and between its words. Signs
that carry meaning count (`x < 0`, `C++`, `-5`). Of names that begin at one place the longest is meant.
"""

from __future__ import annotations

import re
import string
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import TypeVar

SYMBOLS = {
    "noun": "A", "copula": "I", "negation": "D", "right": "R", "wrong": "X", "choose": "C", "exclude": "E", "conclude": "Z",
    "hypothesis": "H", "correction": "W", "reason": "B", "contrast": "b", "yes": "Y", "no": "O", "and": "&", "subject": "S",
    "filler": "",
}  # fmt: skip
"""The character of each table of phrases; fillers leave no trace."""
_SIGNS = {
    **dict.fromkeys(".!。．！…।؛", "."), **dict.fromkeys("?？؟", "?"), **dict.fromkeys(",，、،", ","),
    **dict.fromkeys(":：=→⇒➡>-–—", ":"), **dict.fromkeys("✓✔☑✅👍🗹", "V"), **dict.fromkeys("✗✘❌☒✖❎👎", "x"),
    ";": ";", "；": ";", "/": "&", "&": "&", "|": "|", "[x]": "V", "[ ]": "u", "☐": "u", "⬜": "u",
    "~~": "~", "####": "A:", "+": "&", "_": "", "'": "", "’": "",
}  # fmt: skip
_SOFT = frozenset("\"'`´*_()[]{}.,:;?!“”‘’«»„·…。，、：；？！（）「」『』【】《》〈〉$\\\u200b\ufe0f") | {"~~", "[x]", "[ ]"}
"""Signs that say nothing about which option is meant, unless two options differ in nothing else."""
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff"
"""Letters of scripts that put no spaces between words, or join particles to them: each is a token of its own."""
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06ed\u0900-\u0963\u0970-\u0dff"
_TOKEN = re.compile(
    rf"\d+(?:[.,]\d+){{0,9}}|[★⭐✭]+|#{{4}}(?!#)|\\[a-z]+|\[[ x]\]|~~|</?[a-z][a-z_ -]{{0,30}}>|\n\s*|[{_UNSPACED}]"
    rf"|(?:[^\W\d_{_UNSPACED}]|[{_MARKS}])+|\S"
)
_STYLING = frozenset(("b", "strong", "i", "em", "p", "br", "code", "u", "div", "span", "li", "ul", "ol", "td", "tr", "mark"))
_ENUMERATED = re.compile(r"\s*[(\[]?(?:[A-Za-z]|\d{1,2})[).:\]]\s+(?=\S)")
_PARTED = re.compile(r"\s*(?:[:：(（]|\s[-–—]\s)\s*")
_SCALE = re.compile(r"\s?(?:/|out of|of|von|de|sur|su|van|из|z|av|üzerinden)\s?(\d+)(?![\d/])")
_LETTERS = {ord(wide): letter for wide, letter in zip("ＡＢＣＤＥＦＧＨＩＪ🅰🅱АВСЕΑΒΕ", "ABCDEFGHIJABABCEABE", strict=True)}
"""Letters that are drawn as Latin ones: full-width, in boxes, Cyrillic, Greek."""
_ADJECTIVES = frozenset(("correct", "right", "true", "best", "good", "wrong", "false", "incorrect", "better", "valid"))

_COMPLEMENTS = (
    "not",
    "non",
    "un",
    "in",
    "im",
    "ir",
    "dis",
    "no",
    "nicht",
    "kein",
    "un",
    "pas",
    "nao",
    "não",
    "не",
    "不",
    "非",
    "비",
)


@lru_cache(maxsize=1)
def tables() -> dict[str, dict[str, tuple[tuple[str, ...], ...]]]:
    """The phrases of `data/phrases.toml` by table and row, each as its tokens."""
    raw = tomllib.loads(files("assay.prompting").joinpath("data", "phrases.toml").read_text(encoding="utf-8"))
    return {
        name: {row: tuple(tokens(phrase) for phrase in phrases.split("|")) for row, phrases in rows.items()}
        for name, rows in raw.items()
    }


@lru_cache(maxsize=1)
def _phrases() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """By first token the phrases that begin with it and their characters, longest first."""
    found = {phrase: symbol for name, symbol in SYMBOLS.items() for row in tables()[name].values() for phrase in row}
    return _by_first(found)


T = TypeVar("T")


def _by_first(found: Mapping[tuple[str, ...], T]) -> dict[str, list[tuple[tuple[str, ...], T]]]:
    """Names or phrases by their first token, longest first."""
    index: dict[str, list[tuple[tuple[str, ...], T]]] = {}
    for phrase in sorted(found, key=len, reverse=True):
        index.setdefault(phrase[0], []).append((phrase, found[phrase]))
    return index


def _plain(token: str) -> str:
    """A token as it is compared: one form of each character, no commas between thousands."""
    if not token.isascii():
        token = unicodedata.normalize("NFKC", token).replace("−", "-")
    return token.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", token) else token


def _lower(text: str) -> str:
    """The text in lower case, each character where it was."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(low if len(low := one.lower()) == 1 else one for one in text)


def tokens(text: str) -> tuple[str, ...]:
    """The tokens of a name or phrase: words, numbers and the signs that carry meaning."""
    lower, kept = _lower(text), []
    for match in _TOKEN.finditer(lower):
        token, start, end = match[0], match.start(), match.end()
        if token[0] in "-−–" and _between(lower, start, end):
            continue
        if token not in _SOFT and not token.isspace():
            kept.append(_plain(token))
    return tuple(kept)


def _between(text: str, start: int, end: int) -> bool:
    """Whether a hyphen stands between words, so that it only joins or parts them."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return text[start] == "–" or (before.isalnum() and after.isalnum()) or (before.isspace() and after.isspace())


@dataclass(frozen=True)
class Names:
    """What the options of a question are called."""

    options: tuple[str, ...]
    exact: dict[str, int | None]
    simple: dict[str, int | None]
    """What an answer that is nothing else can be: an option as it is, or in any case and without surroundings."""
    first: dict[str, list[tuple[tuple[str, ...], int]]]
    """By first token the names that begin with it, longest first."""
    letters: dict[str, int]
    """Options that one letter names: all of them where they were listed with letters, else those whose text is one."""
    lettered: bool
    literal: re.Pattern[str] | None
    """The texts of options that differ in case or signs only."""
    opposites: dict[int, int] = field(default_factory=dict)
    """Options that another one says the contrary of: to deny the one is to give the other."""
    verdicts: tuple[int, int] | None = None
    """The options for yes and no, or true and false."""
    bare: frozenset[tuple[str, ...]] = frozenset()
    """Names that are also common words, so that they need a boundary behind."""
    acted: frozenset[tuple[str, ...]] = frozenset()
    """Names that count behind "should be" alone: what was approved need not be to approve."""
    places: dict[str, list[tuple[tuple[str, ...], int]]] = field(default_factory=dict)
    """By first token the names of places in the list: "second"."""


@lru_cache(maxsize=256)
def names_of(options: tuple[str, ...], lettered: bool) -> Names:
    """The names of options; `lettered` where the model saw them with letters A, B, …"""
    full = [tokens(option) for option in options]
    clear = [bool(one) and full.count(one) == 1 for one in full]
    claimed: dict[tuple[str, ...], set[int]] = {}
    for index, option in enumerate(options):
        for name in _other_names(option, full) if clear[index] else ():
            claimed.setdefault(name, set()).add(index)
    known = {name: owners.pop() for name, owners in claimed.items() if name and len(owners) == 1 and name not in full}
    verdicts = _verdicts(full)
    words = tables()["words"]
    for index, side in zip(verdicts or (), ("yes", "no"), strict=False):
        known |= {name: index for name in words[side] if name not in full and name not in known}
    known |= {one: index for index, one in enumerate(full) if clear[index]}
    acted = {}
    for name in [one for one in known if one[0].isascii() and one[0].isalpha() and len(one[0]) > 3]:
        for form in (name[0] + "ed", name[0] + "d", name[0][:-1] + "ied", name[0] + name[0][-1] + "ed"):
            acted[(form, *name[1:])] = known[name]
    acted = {name: index for name, index in acted.items() if name not in known}
    known |= acted
    letters = {string.ascii_uppercase[index]: index for index in range(min(len(options), 26))} if lettered else {}
    if not lettered:
        letters = {one[0].upper(): known.pop(one) for one in list(known) if len(one) == 1 and re.fullmatch("[a-z]", one[0])}
    if lettered:  # a letter is the rule, so that a text which is also a phrase, or a mere sign, is rather that
        both = {name for side in words.values() for name in side}
        known = {name: index for name, index in known.items() if name in both or _is_telling(name)}
    unclear = sorted(
        (
            option.strip()
            for option, good in zip(options, clear, strict=True)
            if not good and (not lettered or any(map(str.isalnum, option)))
        ),
        key=len,
        reverse=True,
    )
    common = {name for side in words.values() for name in side} | {
        phrase
        for table in ("copula", "negation", "no", "yes", "filler", "and", "subject")
        for row in tables()[table].values()
        for phrase in row
    }
    numerals = {name for row in tables()["number"].values() for name in row}
    return Names(
        options=options,
        exact=_whole(options, str.strip),
        simple=_whole(options, simplified),
        first=_by_first(known),
        letters=letters,
        lettered=lettered,
        literal=re.compile("|".join(_bounded(text) for text in unclear if text)) if any(unclear) else None,
        opposites=_opposites(full),
        verdicts=verdicts,
        bare=frozenset(name for name in known if name in common or name in numerals),
        acted=frozenset(acted),
        places=_places(len(options)) if lettered else {},
    )


def _is_telling(name: tuple[str, ...]) -> bool:
    """Whether a name has a letter or digit, and is no phrase of the grammar."""
    return any(map(str.isalnum, "".join(name))) and not any(phrase == name for phrase, _ in _phrases().get(name[0], ()))


def _bounded(text: str) -> str:
    """A pattern for a text as it stands, and not inside a word."""
    before = r"(?<!\w)" if text[0].isalnum() else ""
    return before + re.escape(text) + (r"(?!\w)" if text[-1].isalnum() else "")


def _whole(options: Sequence[str], normal: Callable[[str], str]) -> dict[str, int | None]:
    """The options by what an answer that is nothing else looks like in a normal form; `None` where several look so."""
    forms: dict[str, int | None] = {}
    for index, option in enumerate(options):
        form = normal(option)
        forms[form] = None if form in forms else index
    return forms


def undressed(text: str) -> str:
    """A text without white space, quotes and marks of emphasis around it."""
    return text.strip(" \t\r\n\"'*_`“”")


def simplified(text: str) -> str:
    """A text in lower case, without marks around it and with single spaces."""
    return " ".join(text.lower().strip(" \t\r\n.!\"'*_`“”").split())


def _other_names(option: str, full: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    own = tokens(option)
    if rest := _ENUMERATED.match(option):
        yield tokens(option[rest.end() :])
    for part in _PARTED.split(option.strip(" )）"), maxsplit=1):
        if part and part.strip() != option.strip():
            yield tokens(part)
    if own[0] in ("a", "an", "the") and len(own) > 1:
        yield own[1:]
    if len(own) > 1 and "".join(own).isalpha():
        yield ("".join(own),)
    for ending, others in tables()["inflection"].items():
        if own[-1].endswith(ending) and len(own[-1]) > len(ending) + 3:
            yield from ((*own[:-1], own[-1][: -len(ending)] + "".join(other)) for other in others)
    if own[-1] == "的" and len(own) > 2:
        yield own[:-1]
    numbers = [[token for token in one if token.isdecimal() and len(token) < 4] for one in full]
    if all(len(found) == 1 and len(one) <= 3 for found, one in zip(numbers, full, strict=True)):
        number = next(token for token in own if token.isdecimal())
        yield (number,)
        if 1 <= int(number) <= 10:
            yield from (row[int(number) - 1] + unit for row in tables()["number"].values() for unit in _units(int(number)))
            yield ("★" * int(number),)
            yield ("⭐" * int(number),)
    elif own and set(own) <= {"★", "☆"}:
        yield (str(option.count("★")),)


def _units(number: int) -> tuple[tuple[str, ...], ...]:
    stars: tuple[tuple[str, ...], ...] = (("star",), ("stars",), ("out", "of"))
    return stars if number == 1 else (*stars, ())


def _verdicts(full: Sequence[tuple[str, ...]]) -> tuple[int, int] | None:
    """Which option is yes or true, and which no or false."""
    words = tables()["words"]
    chief = {"yes": ("yes", "true", "correct", "right"), "no": ("no", "false", "incorrect", "wrong")}
    sides = []
    for side in ("yes", "no"):
        fits = [index for index, one in enumerate(full) if one in words[side] and (not one[0].isascii() or len(one) == 1)]
        fits = [index for index in fits if full[index][0] in chief[side]] or fits
        if len(fits) != 1:
            return None
        sides.append(fits[0])
    return (sides[0], sides[1]) if sides[0] != sides[1] else None


def _opposites(full: Sequence[tuple[str, ...]]) -> dict[int, int]:
    found = {}
    for index, one in enumerate(full):
        contrary = {(prefix, *one) for prefix in _COMPLEMENTS} | {(prefix + one[0], *one[1:]) for prefix in _COMPLEMENTS if one}
        others = [other for other, text in enumerate(full) if text in contrary]
        if len(others) == 1:
            found[index] = others[0]
    return found


def _places(count: int) -> dict[str, list[tuple[tuple[str, ...], int]]]:
    found: dict[tuple[str, ...], int] = {}
    for row in tables()["order"].values():
        found |= dict(zip(row[: min(count, len(row) - 1)], range(count), strict=False))
        found[row[-1]] = count - 1
    return _by_first(found)


def _joined(character: str) -> bool:
    """Whether a character beside a letter makes it a part of a word, as those of scripts without spaces do not."""
    return character.isascii() and character.isalnum()


@dataclass
class Sketch:
    """A text in one character for each thing that matters; the lists have an element for each character."""

    text: str
    shape: str
    starts: list[int]
    ends: list[int]
    options: dict[int, int]
    """The option named at each `M`."""
    bare: set[int]
    """Places where a letter stands without any dress, in running text."""


def sketch(text: str, names: Names) -> Sketch:
    """The sketch of a text."""
    return _Sketcher(text, names).drawn()


class _Sketcher:
    def __init__(self, text: str, names: Names) -> None:
        self.text, self.names = text, names
        lower = _lower(text)
        matches = list(_TOKEN.finditer(lower))
        self.tokens = [match[0] for match in matches]
        self.starts = [match.start() for match in matches]
        self.ends = [match.end() for match in matches]
        if not lower.isascii():
            self.tokens = [token if token.isascii() else unicodedata.normalize("NFKC", token) for token in self.tokens]
        self.shape: list[str] = []
        self.spans: list[tuple[int, int]] = []
        self.options: dict[int, int] = {}
        self.bare: set[int] = set()
        self.by_text: set[int] = set()
        self.listing = re.search(r"\n\s*\d+[.)] ", text) is not None

    def drawn(self) -> Sketch:
        names, phrases, place, count = self.names, _phrases(), 0, len(self.tokens)
        literal = {match.start(): match for match in names.literal.finditer(self.text)} if names.literal else {}
        first, all_tokens = names.first, self.tokens
        while place < count:
            token = all_tokens[place]
            if literal and (match := literal.get(self.starts[place])):
                place = self._literal(match, place)
                continue
            named = self._longest(first[token], place) if token in first else None
            if named is None and "," in token and (plain := _plain(token)) in first:
                all_tokens[place] = plain
                named = self._longest(first[plain], place)
            phrase = self._phrase(phrases[token], place) if token in phrases else None
            if named and (phrase is None or phrase[0] <= named[0]) and self._stands(place, named[0], named[2]):
                place = self._name(place, *named[:2])
            elif (token in names.places or (token.isdecimal() and names.lettered)) and (ordinal := self._ordinal(place)):
                place = ordinal
            elif len(token) == 1 and names.letters and (token.isalpha() or ord(token) in _LETTERS) and self._letter(place):
                place += 1
            elif phrase:
                self._put(phrase[1], self.starts[place], self.ends[phrase[0] - 1])
                place = phrase[0]
            else:
                self._other(place, token)
                place += 1
        starts, ends = [start for start, _ in self.spans], [end for _, end in self.spans]
        return Sketch(self.text, "".join(self.shape), starts, ends, self.options, self.bare)

    def _put(self, symbols: str, start: int, end: int) -> None:
        for symbol in symbols:
            self.shape.append(symbol)
            self.spans.append((start, end))

    def _other(self, place: int, token: str) -> None:
        start, end = self.starts[place], self.ends[place]
        if token in _SIGNS:
            sign = _SIGNS[token]
            if token in "-–—" and not (self.text[end : end + 1].isspace() and self.text[start - 1 : start].isspace()):
                sign = ":" if token == "—" or self.text[end : end + 1] == ">" else ""
            if token == "+" and self.text[start - 1 : start].isalnum():
                sign = "w"
            if sign != "." or self.shape[-1:] != ["."]:
                self._put(sign, start, end)
        elif token[0] == "\n":
            self._put("\n", start, end)
        elif token[0] == "<" and len(token) > 1:
            name = token.strip("</>")
            if name not in _STYLING:
                noun = any(
                    tuple(part) in {p for p, s in _phrases().get(part[0], ()) if s == "A"}
                    for part in [tokens(name)[-1:]]
                    if part
                )
                self._put("\n" if token[1] == "/" else "A:" if noun else "w:", start, end)
        elif token == "\\boxed" or token == "\\fbox":
            self._put("A:", start, end)
        elif token[0].isalnum() or (len(token) > 1 and token[0] != "\\"):
            if token[-2:] == "ly" and len(token) > 4:
                return
            if not (token[0] > "\u0e00" and self.shape[-1:] == ["w"] and self.spans[-1][1] == start):
                self._put("w", start, end)
            else:
                self.spans[-1] = (self.spans[-1][0], end)

    def _phrase(self, known: list[tuple[tuple[str, ...], str]], place: int) -> tuple[int, str] | None:
        """Where the longest phrase at a place ends, and its characters."""
        following = self.tokens[place + 1] if place + 1 < len(self.tokens) else "."
        word = following[0].isalnum()
        for phrase, symbol in known:
            if len(phrase) == 1:
                return place + 1, symbol
            if (following == phrase[1] or not word) and (end := self._walk(phrase, place, " '’-\"*_`")) is not None:
                return end, symbol
        return None

    def _longest(self, known: list[tuple[tuple[str, ...], int]], place: int) -> tuple[int, int, tuple[str, ...]] | None:
        for name, index in known:
            if (end := self._walk(name, place, None)) is not None:
                return end, index, name
        return None

    def _walk(self, name: tuple[str, ...], place: int, between: str | None) -> int | None:
        """Where a name that begins at a place ends; a few signs that mean nothing may stand between its tokens."""
        at, count = place, len(self.tokens)
        for position, wanted in enumerate(name):
            if position:
                skipped = 0
                while at < count and self.tokens[at] != wanted and skipped < 4:
                    sign = self.tokens[at]
                    if not (sign in between if between is not None else sign in _SOFT or sign in "-–_"):
                        break
                    at, skipped = at + 1, skipped + 1
            if at >= count or self.tokens[at] != wanted:
                return None
            at += 1
        return at

    def _stands(self, place: int, end: int, name: tuple[str, ...]) -> bool:
        """Whether a name stands for itself, and is not a part of a longer word, number or formula."""
        start, stop, text = self.starts[place], self.ends[end - 1], self.text
        before, after = text[start - 1 : start], text[stop : stop + 1]
        edge, last = text[start], text[stop - 1]
        if last.isascii() and last.isalnum() and (after in "+#^" and after and not text[stop + 1 : stop + 2].isalnum()):
            return False
        if edge.isdigit() and (
            before.isalnum()
            or (before in "-−+/.^" and before and not text[start - 2 : start - 1].isspace() and place)
            or (before in "-−" and before)
        ):
            return bool(before in "-−/" and before and text[start - 2 : start - 1].isalpha())
        if last.isdigit() and (
            after.isalnum() or (after == "/" and text[stop + 1 : stop + 2].isdigit() and not self._scale(stop))
        ):
            return False
        glued = {0: self.starts[place + 1] == self.ends[place]} if len(name) > 1 and name[0] in ("-", "+") else {}
        if len(name) > 1 and name[-1] in ("-", "+", "#"):
            glued[1] = self.starts[end - 1] == self.ends[end - 2]
        if not all(glued.values()):
            return False
        if (
            edge.isdigit()
            and place
            and after in (".", ")")
            and text[stop + 1 : stop + 2] == " "
            and "\n" in (self.shape[-1:] or "\n")
        ):
            return False  # the number of a list's item
        if edge.isdigit() and self.listing and after in (".", ")") and not place:
            return False
        if last.isdigit() and (more := re.match(r",\s?(\d+)", text[stop : stop + 12])) and more[1] not in self.names.first:
            return False
        if name in self.names.acted and self.tokens[place - 1 : place] != ["be"]:
            return False
        if name in self.names.bare and not self._closed(end):
            return False
        return not (edge.isalpha() and before == "\\")

    def _closed(self, end: int) -> bool:
        """Whether nothing follows that would make a short common word a part of the sentence."""
        if end >= len(self.tokens):
            return True
        token = self.tokens[end]
        if not token[0].isalnum():
            return token != "-" or not self.text[self.ends[end] : self.ends[end] + 1].isalnum()
        symbols = {
            symbol for phrase, symbol in _phrases().get(token, ()) if len(phrase) == 1 or self._walk(phrase, end, " '’-")
        }
        if not (token.isascii() or self.text[self.starts[end] - 1].isspace()):
            return bool(symbols & set("IBbZ"))
        if "&" in symbols:
            return any(token in self.names.first for token in self.tokens[end + 1 : end + 3])
        return bool(symbols & set("SIBbZRX")) or token in ("for", "as", "the")

    def _scale(self, stop: int) -> re.Match[str] | None:
        match = _SCALE.match(_lower(self.text[stop : stop + 30]))
        numbers = [
            int(name[0])
            for names in self.names.first.values()
            for name, _ in names
            if len(name) == 1 and name[0].isdecimal() and len(name[0]) < 6
        ]
        return match if match and numbers and int(match[1][:6]) == max(numbers) else None

    def _name(self, place: int, end: int, index: int) -> int:
        start, stop = self.starts[place], self.ends[end - 1]
        if self.tokens[end - 1].isdecimal() and (scale := self._scale(stop)):
            stop += scale.end()
            while end < len(self.tokens) and self.starts[end] < stop:
                end += 1
        self._mention(index, start, stop, True)
        return end

    def _literal(self, match: re.Match[str], place: int) -> int:
        index = next(i for i, option in enumerate(self.names.options) if option.strip() == match[0])
        self._mention(index, match.start(), match.end(), True)
        while place < len(self.tokens) and self.starts[place] < match.end():
            place += 1
        return place

    def _mention(self, index: int, start: int, end: int, by_text: bool, bare: bool = False) -> None:
        """One more place that names an option; an option's letter and its text side by side are one place."""
        last = len(self.shape) - 1
        while last >= 0 and self.shape[last] in ".:,?" and last > len(self.shape) - 3:
            last -= 1
        joined = last >= 0 and self.shape[last] == "M" and self.options[last] == index
        between = self.text[self.spans[last][1] : start] if joined else ""
        goes_on = by_text and "." in between and re.match(r"[ \t][^\W\d]", self.text[end : end + 2])
        if joined and (last in self.by_text) != by_text and "\n" not in between and not goes_on:
            del self.shape[last + 1 :], self.spans[last + 1 :]
            self.spans[last] = (self.spans[last][0], end)
            self.bare.discard(last)
            self.by_text ^= {last} & self.by_text
            return
        if joined and last == len(self.shape) - 1 and between.strip("* ") == "":
            self.spans[last] = (self.spans[last][0], end)
            return
        self._put("M", start, end)
        here = len(self.shape) - 1
        self.options[here] = index
        if by_text:
            self.by_text.add(here)
        if bare:
            self.bare.add(here)

    def _ordinal(self, place: int) -> int | None:
        """Where "the second option" or "option 2" ends, if it stands at a place."""
        token, last = self.tokens[place], "".join(self.shape[-1:])
        if last == "A" and token.isdecimal() and 0 < int(token[:3]) <= len(self.names.options):
            self._mention(int(token) - 1, self.starts[place], self.ends[place], False)
            return place + 1
        for name, index in self.names.places.get(token, ()):
            width = len(name)
            if tuple(self.tokens[place : place + width]) != name:
                continue
            after, text = place + width, _lower(self.text[: self.starts[place]][-9:])
            follows = self.tokens[after] if after < len(self.tokens) else ""
            noun = self._phrase(_phrases().get(follows, []), after)
            stop = noun[0] if noun and noun[1] == "A" else after + (follows in ("one", "的", "项", "番"))
            ends = last in ("I", "C") and (not follows or follows in _SOFT)
            if (
                (stop > after and self._closed(stop) and not text.rstrip().endswith("my"))
                or ends
                or (last == "A" and not follows)
            ):
                self._mention(index, self.starts[place], self.ends[stop - 1], False)
                return stop
        return None

    def _letter(self, place: int) -> bool:
        """A letter that stands for an option, in its dress or alone; whether it does."""
        start, end, text = self.starts[place], self.ends[place], self.text
        own = text[start].translate(_LETTERS)
        index = self.names.letters.get(own.upper())
        before, after, following = text[start - 1 : start] if start else "", text[end : end + 1], text[end + 1 : end + 2]
        if (
            index is None
            or _joined(before)
            or _joined(after)
            or (before and before in "°\\^+#%&")
            or (after and after in "+#^°=")
            or following == "="
        ):
            return False
        if before in ("'", "’") and text[start - 2 : start - 1].isalnum():
            return False
        if before == "/" and self.shape[-2:] != ["M", "&"]:
            return False
        if (
            after in ("'", "’")
            and following.isalpha()
            and not re.match(r"(?:[dt][iıuü]r|[yi]|n[iıuü]n|a\b|e\b)", text[end + 1 : end + 4])
        ):
            return False
        if after == "-" and following.isalpha():
            return False
        initial = (after == "." and following.isalpha() and text[end + 2 : end + 3] == ".") or (
            before == "." and text[start - 2 : start - 1].isalpha() and after == "."
        )
        if initial or self._is_article(place):
            return False
        last = "".join(self.shape[-1:])
        own_line = not text[:start].rsplit("\n", 1)[-1].strip(" \t*_>-#(|[\"'`")
        dressed = (before != "" and before in "([{*_`'’\"“‘「『（【|$") and (after == "" or after in ")]}*_`\"”'’」』）】|$.:")
        announced = last in ("A", "I", "C") or (last == ":" and ("A" in self.shape[-3:] or not text[start].islower()))
        if ord(text[start]) > 127 and text[start] in "АВСЕΑΒΕ" and not (announced or text.strip(" .()*") == text[start]):
            return False
        if text[start].islower():
            stop = (
                after == ""
                or after in ".:,;)]}*\"'`\n。"
                or re.match(r"\s(?:[-–—]\s|because|since|as\b|and\b|but\b)", text[end : end + 9])
            )
            if not (stop and (announced or dressed or (own_line and after in ").:" and after))):
                return False
            if own in "AIEOYDL" and last == "I" and after == ",":
                return False
        elif not (dressed or (own_line and after and after in ").:]*")) and self._is_word(place, last, before, after):
            return False
        self._mention(index, start, end, False, bare=not dressed and not announced and not own_line)
        return True

    def _is_article(self, place: int) -> bool:
        """Whether an A begins a title or a sentence: a word follows that is no option's."""
        following = self.tokens[place + 1 : place + 2]
        spaced = self.text[self.ends[place] : self.ends[place] + 1] == " " and self.tokens[place] == "a"
        return spaced and following[0][0].isalpha() and following[0] not in self.names.first and following[0] not in _phrases()

    def _is_word(self, place: int, last: str, before: str, after: str) -> bool:
        """Whether a capital letter belongs to the words around it: "A patient", "vitamin C", "C major", "E. coli"."""
        if last == "w" and before in (" ", "-") and self.spans[-1][1] >= self.starts[place] - 1:
            return True
        if last == "&" and self.shape[-2:-1] == ["w"] and self.spans[-2][1] - self.spans[-2][0] == 1:
            return True  # the second of "vitamins A and C"
        if place + 1 >= len(self.tokens) or not self.tokens[place + 1][0].isalpha():
            point = self.tokens[place + 1 : place + 2] == ["."] and self.ends[place] > 1
            return point and last not in (":", "I", "A", "C", "Z") and self._goes_on(place + 2, place)
        return self._goes_on(place + 1, place)

    def _goes_on(self, following: int, place: int) -> bool:
        """Whether the token behind a letter is a small word that makes the letter a part of its sentence."""
        if following >= len(self.tokens) or not self.text[self.starts[following]].islower():
            return False
        if self.text[self.starts[following] - 1] not in " \t":
            return False
        token = self.tokens[following]
        phrase = self._phrase(_phrases().get(token, []), following)
        if self.tokens[place] == "a" and token in _ADJECTIVES:
            return True
        return (
            phrase is None
            or phrase[1] in ("A", "S")
            or (
                not phrase[1]
                and self.tokens[place] == "a"
                and token not in ("as", "for", "to", "also", "then", "here", "either", "with")
            )
        )
