"""A text as what it says of the options of a question: one character for each thing in it that matters, in their order.

`M` is a place that names an option, the phrases of `data/phrases.toml` have the characters of `SYMBOLS`, other words are `w`,
the rest are signs that separate. "The answer is not B, it's C." is `AIDM,IM.`. So a rule of grammar is a short regular
expression that serves all languages (see `options`).

Of names that begin at one place the longest is meant: "not toxic" is never "toxic". Letters that belong to the words around
them ("vitamin C", "37 °C", "A patient", "D.C.") and numbers that count or belong to formulas name nothing.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from assay.prompting.option_names import SOFT, TOKEN, ByFirst, Names, T, by_first, lower, phrases_of, plain, tables, tokens

SYMBOLS = {
    "noun": "A", "copula": "I", "negation": "D", "right": "R", "wrong": "X", "choose": "C", "exclude": "E", "conclude": "Z",
    "hypothesis": "H", "condition": "H", "correction": "W", "reason": "B", "contrast": "b", "yes": "Y", "no": "O", "and": "&",
    "subject": "S", "filler": "",
}  # fmt: skip
"""The character of each table of phrases; fillers leave no trace."""
_SIGNS = {
    **dict.fromkeys(".!。．！…।؛", "."), **dict.fromkeys("?？؟", "?"), **dict.fromkeys(",，،", ","),
    **dict.fromkeys(":：=→⇒➡-–—", ":"), ">": ">", **dict.fromkeys("✓✔☑✅👍🗹", "V"), **dict.fromkeys("✗✘❌☒✖❎👎", "x"),
    ";": ";", "；": ";", "/": "&", "&": "&", "、": "&", "|": "|", "[x]": "V", "[ ]": "u", "☐": "u", "⬜": "u", "~~": "~",
    "####": "A:", "+": "&", "\\boxed": "A:", "\\fbox": "A:", "_": "", "'": "", "’": "",
}  # fmt: skip
_STYLING = frozenset(("b", "strong", "i", "em", "p", "br", "code", "u", "div", "span", "li", "ul", "ol", "td", "tr", "mark"))
_LETTERS = {ord(wide): letter for wide, letter in zip("ＡＢＣＤＥＦＧＨＩＪ🅰🅱АВСЕΑΒΕ", "ABCDEFGHIJABABCEABE", strict=True)}
"""Letters that are drawn as Latin ones: full-width, in boxes, Cyrillic, Greek."""
_FOREIGN = frozenset("АВСЕΑΒΕ")
_SUFFIX = r"(?:[dt][iıuü]r|[yi]|n[iıuü]n|a|e)\b"
_LETTER = re.compile(
    r"(?<![A-Za-z0-9°\\^+#%&])(?<!\w['’])(?<![A-Z]\.)(?<![MD][rs]\.\s)."
    rf"(?![A-Za-z0-9+#^°=]|\s?=|-[^\W\d]|['’](?!{_SUFFIX})\w|\.[^\W\d]\.)"
)
"""A letter that is no part of a word, an abbreviation or a formula; Turkish endings may follow."""
_DRESSED = re.compile(r"(?<=[(\[{*_`'’\"“‘「『（【|$]).(?=[)\]}*_`\"”'’」』）】|$.:]|\Z)")
_OWN_LINE = re.compile(r"[ \t*_>#(|\[\"'`-]*\Z")
_LOWER_END = re.compile(r"\Z|[.,:;)\]}*\"'`\n。]|\s(?:[-–—]\s|because|since|as\b|and\b|but\b)")
_ENDING = re.compile(r"(?![+#^](?!\w))")
_NUMBER_START = re.compile(r"(?<![A-Za-z0-9+.^])(?<!P\()(?<![^A-Za-z][-−/])(?<!\A[-−/])")
_NUMBER_END = re.compile(r"(?![A-Za-z0-9])")
_NEXT_NUMBER = re.compile(r",\s?(\d+)")
_SCALE = re.compile(r"\s?(?:/|out of|of|von|de|sur|su|van|из|z|av|üzerinden)\s?(\d+)(?![\d/])", re.IGNORECASE)
_CERTAINTY = re.compile(r"[wA]{1,3}[:I]{0,3}")
_LIST = re.compile(r"\n\s*\d+[.)] ")


@dataclass
class Sketch:
    """A text in one character for each thing that matters; `starts` and `ends` have an element for each character."""

    text: str
    shape: str
    starts: list[int]
    ends: list[int]
    options: dict[int, int]
    """The option named at each `M`."""
    bare: set[int]
    lesser: list[int]
    """Places where a letter stands without any dress, in running text; where words stand that label a lesser answer."""


@lru_cache(maxsize=1)
def _phrases() -> ByFirst[str]:
    return by_first({phrase: symbol for table, symbol in SYMBOLS.items() for row in tables()[table].values() for phrase in row})


def sketch(text: str, names: Names) -> Sketch:
    """The sketch of a text."""
    return _Sketcher(text, names).drawn()


class _Sketcher:
    def __init__(self, text: str, names: Names) -> None:
        self.text, self.names, low = text, names, lower(text)
        matches = list(TOKEN.finditer(low))
        self.tokens, self.count = [match[0] for match in matches], len(matches)
        self.starts, self.ends = [match.start() for match in matches], [match.end() for match in matches]
        if not low.isascii():
            self.tokens = [token if token.isascii() else unicodedata.normalize("NFKC", token) for token in self.tokens]
        self.shape: list[str] = []
        self.spans: list[tuple[int, int]] = []
        self.options: dict[int, int] = {}
        self.bare, self.by_text = set[int](), set[int]()
        self.asides: dict[str, list[int]] = {row: [] for row in tables()["aside"]}

    def drawn(self) -> Sketch:
        names, phrases, place = self.names, _phrases(), 0
        asides = by_first({phrase: row for row, phrases in tables()["aside"].items() for phrase in phrases})
        literal = {match.start(): match for match in names.literal.finditer(self.text)} if names.literal else {}
        while place < self.count:
            token = self.tokens[place]
            if "," in token and token not in names.first:
                token = self.tokens[place] = plain(token)
            named = self._longest(names.first, place) if token in names.first else None
            match = literal.get(self.starts[place])
            if match and not (named and self.ends[named[0] - 1] > match.end()):
                index = next(index for index, option in enumerate(names.options) if option.strip() == match[0])
                place = self._name(index, match.start(), match.end(), place)
                continue
            aside = self._longest(asides, place, " '’-\"*_`") if token in asides else None
            stop = self.ends[aside[0] - 1] if aside else 0
            if aside and (aside[2][1:] not in phrases_of("noun") or self.text[stop : stop + 1] in ':"*'):
                self.asides[aside[1]].append(len(self.shape))
            phrase = self._phrase(place) if token in phrases else None
            if named and phrase and named[2] in names.words and "M" in self.shape[-2:]:
                named = None
            if named and (phrase is None or phrase[0] <= named[0]) and self._stands(place, named[0], named[2]):
                place = self._name(named[1], self.starts[place], self.ends[named[0] - 1], place)
            elif (token in names.places or (names.lettered and token.isdecimal())) and (ordinal := self._ordinal(place)):
                place = ordinal
            elif len(token) == 1 and names.letters and (token.isalpha() or ord(token) in _LETTERS) and self._letter(place):
                place += 1
            elif phrase:
                self._put(phrase[1], self.starts[place], self.ends[phrase[0] - 1])
                place = phrase[0]
            else:
                self._other(token, self.starts[place], self.ends[place])
                place += 1
        starts, ends = [start for start, _ in self.spans], [end for _, end in self.spans]
        shape = re.sub("(?<=M)>(?=M)", "E", "".join(self.shape)).replace(">", ":")
        return Sketch(self.text, shape, starts, ends, self.options, self.bare, self.asides["lesser"])

    def _put(self, symbols: str, start: int, end: int) -> None:
        for symbol in symbols:
            self.shape.append(symbol)
            self.spans.append((start, end))

    def _other(self, token: str, start: int, end: int) -> None:
        """A sign, a tag or a word that is no phrase."""
        if token in _SIGNS:
            sign, before, after = _SIGNS[token], self.text[start - 1 : start], self.text[end : end + 1]
            if token in "-–—" and not (before.isspace() and after.isspace()):
                sign = ":" if token == "—" or after == ">" else ""
            sign = "w" if token == "+" and before.isalnum() else sign
            if sign not in ".>" or self.shape[-1:] != [sign]:
                self._put(sign, start, end)
        elif token[0] == "\n":
            self._put("\n", start, end)
        elif token[0] == "<" and len(token) > 1:
            name = tokens(token.strip("</>"))
            if token.strip("</>") not in _STYLING:
                opens = "A:" if name[-1:] in phrases_of("noun") or name in phrases_of("noun") else "w:"
                self._put("\n" if token[1] == "/" else opens, start, end)
        elif (token[0].isalnum() or (len(token) > 1 and token[0] != "\\")) and not (token[-2:] == "ly" and len(token) > 4):
            if token[0] > "\u0e00" and self.shape[-1:] == ["w"] and self.spans[-1][1] == start:
                self.spans[-1] = (self.spans[-1][0], end)  # one word of a script without spaces
            else:
                self._put("w", start, end)

    def _phrase(self, place: int) -> tuple[int, str, tuple[str, ...]] | None:
        """The longest phrase at a place: where it ends, and its characters."""
        return self._longest(_phrases(), place, " '’-\"*_`") if place < self.count else None

    def _longest(self, known: ByFirst[T], place: int, between: str | None = None) -> tuple[int, T, tuple[str, ...]] | None:
        following = self.tokens[place + 1] if place + 1 < self.count else "."
        for name, value in known.get(self.tokens[place], ()):
            near = len(name) == 1 or following == name[1] or not following[0].isalnum()
            if near and (end := self._walk(name, place, between)) is not None:
                return end, value, name
        return None

    def _walk(self, name: tuple[str, ...], place: int, between: str | None = None) -> int | None:
        """Where a name that begins at a place ends; a few signs that mean nothing may stand between its tokens."""
        at = place
        for position, wanted in enumerate(name):
            for _ in range(4 if position else 0):
                sign = self.tokens[at] if at < self.count else wanted
                if sign == wanted or not (sign in between if between is not None else sign in SOFT or sign in "-–_"):
                    break
                at += 1
            if at >= self.count or self.tokens[at] != wanted:
                return None
            at += 1
        return at

    def _stands(self, place: int, end: int, name: tuple[str, ...]) -> bool:
        """Whether a name stands for itself, and is not a part of a longer word, number or formula."""
        start, stop, text = self.starts[place], self.ends[end - 1], self.text
        if text[stop - 1].isascii() and text[stop - 1].isalnum() and not _ENDING.match(text, stop):
            return False
        if text[start].isdigit() and not (_NUMBER_START.match(text, start) and not self._is_item(place, start, stop)):
            return False
        if text[stop - 1].isdigit():
            more = _NEXT_NUMBER.match(text, stop)
            counted = text[stop : stop + 1] == "/" and text[stop + 1 : stop + 2].isdigit() and not self._scale(stop)
            if counted or not _NUMBER_END.match(text, stop) or (more and more[1] not in self.names.first):
                return False
        signs = [(name[0], "-+", place), (name[-1], "-+#", end - 2)] if len(name) > 1 else []
        if any(sign in apart and self.starts[at + 1] != self.ends[at] for sign, apart, at in signs):
            return False
        if name in self.names.acted and self.tokens[place - 1 : place] != ["be"]:
            return False
        return not (name in self.names.common and not self._closed(end, name)) and text[start - 1 : start] != "\\"

    def _is_item(self, place: int, start: int, stop: int) -> bool:
        """Whether a number is that of a list's item."""
        followed = self.text[stop : stop + 2] in (". ", ") ")
        return followed and ("\n" in self.shape[-1:] if place else _LIST.search(self.text) is not None)

    def _closed(self, end: int, name: tuple[str, ...] = ()) -> bool:
        """Whether nothing follows that would make a short common word a part of the sentence."""
        if end >= self.count:
            return True
        token = self.tokens[end]
        if not token[0].isalnum():
            return token != "-" or not self.text[self.ends[end] : self.ends[end] + 1].isalnum()
        symbol = (self._phrase(end) or (0, "w", ()))[1]
        if not (token.isascii() or self.text[self.starts[end] - 1].isspace()):
            return symbol in "IBbZ" and symbol != ""
        if symbol == "&":
            return any(token in self.names.first for token in self.tokens[end + 1 : end + 3])
        if symbol == "A":
            return name != () and name not in phrases_of("no")
        return (symbol in "SIBbZC" and symbol != "") or token in ("for", "as", "the", "from")

    def _scale(self, stop: int) -> re.Match[str] | None:
        """What follows the first number of "4 out of 5"."""
        match = _SCALE.match(self.text, stop) if self.names.scale else None
        return match if match and match[1][:6] == str(self.names.scale) else None

    def _name(self, index: int, start: int, stop: int, place: int) -> int:
        """The place behind an option's text; what says of how many ("4 out of 5") belongs to it."""
        if self.text[stop - 1].isdecimal() and (scale := self._scale(stop)):
            stop = scale.end()
        stop += self.names.options[index].endswith("?") and self.text[stop : stop + 1] == "?"
        self._mention(index, start, stop, True)
        return bisect_left(self.starts, stop, place)

    def _mention(self, index: int, start: int, end: int, by_text: bool, bare: bool = False) -> None:
        """One more place that names an option; an option's letter and its text side by side are one place."""
        if (sure := self.asides["certainty"]) and _CERTAINTY.fullmatch("".join(self.shape[sure[-1] : sure[-1] + 9])):
            self._put("w", start, end)
            return
        last = len(self.shape) - 1
        while last > len(self.shape) - 3 and last >= 0 and self.shape[last] in ".:,?":
            last -= 1
        if last >= 0 and self.shape[last] == "M" and self.options[last] == index:
            between = self.text[self.spans[last][1] : start]
            goes_on = by_text and "." in between and re.match(r"[ \t][^\W\d]", self.text[end : end + 2])
            both = (last in self.by_text) != by_text and "\n" not in between and not goes_on
            if both or (last == len(self.shape) - 1 and not between.strip("* ")):
                del self.shape[last + 1 :], self.spans[last + 1 :]
                self.spans[last] = (self.spans[last][0], end)
                self.bare -= {last} if both else set()
                return
        here = len(self.shape)
        self._put("M", start, end)
        self.options[here] = index
        self.by_text |= {here} if by_text else set()
        self.bare |= {here} if bare else set()

    def _ordinal(self, place: int) -> int | None:
        """Where "the second option" or "option 2" ends, if it stands at a place."""
        token, last, start = self.tokens[place], "".join(self.shape[-1:]), self.starts[place]
        if len(self.shape) in self.asides["first"][-1:] + self.asides["lesser"][-1:]:
            return None
        if last == "A" and token.isdecimal() and 0 < int(token[:3]) <= len(self.names.options):
            self._mention(int(token) - 1, start, self.ends[place], False)
            return place + 1
        for name, index in self.names.places.get(token, ()):
            after = place + len(name)
            if tuple(self.tokens[place:after]) != name:
                continue
            follows = self.tokens[after] if after < self.count else ""
            noun = self._phrase(after)
            stop = noun[0] if noun and noun[1] == "A" else after + (follows in ("one", "的", "项", "番"))
            whole = stop > after and self._closed(stop) and self.tokens[place - 1 : place] != ["my"]
            if whole or (last in ("I", "C") and (not follows or follows in SOFT)) or (last == "A" and not follows):
                self._mention(index, start, self.ends[stop - 1], False)
                return stop
        return None

    def _letter(self, place: int) -> bool:
        """A letter that stands for an option, in its dress or alone; whether it does."""
        start, end, text = self.starts[place], self.ends[place], self.text
        index = self.names.letters.get(text[start].translate(_LETTERS).upper())
        if index is None or not _LETTER.match(text, start) or self._is_article(place):
            return False
        if text[start - 1 : start] == "/" and self.shape[-2:] != ["M", "&"]:
            return False
        last = "".join(self.shape[-1:])
        own_line = _OWN_LINE.match(text, max(text.rfind("\n", 0, start) + 1, start - 40), start) is not None
        delimited = own_line and text[end : end + 1] in tuple(").:]*")
        dressed = _DRESSED.match(text, start) is not None
        named = not {"A", "R"}.isdisjoint(self.shape[-4:])
        announced = last in ("A", "I", "C") or (last == ":" and (named or not text[start].islower()))
        small, marked = text[start].islower(), dressed or delimited
        fits = (announced or marked) and _LOWER_END.match(text, end) if small else marked or not self._is_word(place, last)
        if not fits or (text[start] in _FOREIGN and not (announced or text.strip(" .()*") == text[start])):
            return False
        self._mention(index, start, end, False, bare=not (dressed or announced or own_line))
        return True

    def _is_article(self, place: int) -> bool:
        """Whether an A begins a title or a sentence: a word follows that is no option's and no phrase."""
        if self.tokens[place] != "a" or place + 1 >= self.count or self.text[self.ends[place]] != " ":
            return False
        follows = self.tokens[place + 1]
        return follows[0].isalpha() and follows not in self.names.first and follows not in _phrases()

    def _is_word(self, place: int, last: str) -> bool:
        """Whether a capital letter belongs to the words around it: "A patient", "vitamin C", "C major", "E. coli"."""
        following, verb = place + 1, self._phrase(place + 1)
        if last == "w" and self.spans[-1][1] == self.starts[place] - 1 and not (verb and verb[1] == "C"):
            return self.text[self.starts[place] - 1] in " -"
        if last == "&" and self.shape[-2:-1] == ["w"] and self.spans[-2][1] - self.spans[-2][0] == 1:
            return True  # the second of "vitamins A and C"
        if self.tokens[following : following + 1] == ["."]:
            if place == 0 or last in (":", "I", "A", "C", "Z"):
                return False
            following += 1
        if following >= self.count or not self.text[(begin := self.starts[following])].islower():
            return False
        token, phrase = self.tokens[following], self._phrase(following)
        if self.text[begin - 1] not in " \t" or phrase is None or phrase[1] == "S":
            return self.text[begin - 1] in " \t"
        article = self.tokens[place] == "a"
        return article and (
            (token,) in phrases_of("adjective") or phrase[1] == "A" or (not phrase[1] and (token,) not in phrases_of("link"))
        )
