"""Which option a completion chooses: by its letter, in any usual dress, or by its text.

Tried in this order; within each the last one wins:

1. the whole completion is a letter, however dressed: `B`, `(B)`, `**B**`, `$B$`, `\\text{B}`;
2. an announced letter or option text (`Answer: B`, `the answer is (B)`, `\\boxed{B}`, `<answer>B</answer>`), a choice
   (`I choose B`), or a verdict (`B is the correct answer`);
3. a last line that is nothing but a letter, or a letter with its option's text;
4. an opening letter with a delimiter (`B. because …`), unless the text goes through several letters so;
5. the text of one option and of no other, or one letter and no other.

A list of letters ("A or C") chooses nothing. A next question that a base model puts to
itself behind its answer is not read.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from functools import lru_cache

from assay.prompting.extractors import MOST_READ, Found, announcements, found, nothing
from assay.prompting.reasoning import spoken

EXTRACTOR, VERSION = "letter", 1

_WIDE = {ord("Ａ") + index: letter for index, letter in enumerate(string.ascii_uppercase)}
_NEXT_QUESTION = re.compile(
    r"\n\s{0,5}(?:#{1,3}\s|\*\*)?(?:question|q|input|passage|problem|user|human)\s?\d{0,4}\s?[:：]", re.I
)
_OPEN = (
    r"[\s*_$\"'“‘`(（\[【{<>#«:：-]{0,12}(?:\\[(\[]\s?)?"
    r"(?:\\(?:text|textbf|mathrm|mathbf|mathsf|bf|rm|boxed)\s?\{?\W{0,3}){0,3}"
)
_NAMED = r"(?:(?:option|choice|letter|answer|opción|opcion|opção|opzione|choix|variant|вариант|选项|選項)\s{0,2})?"
_CONNECTED = r"because|since|as|for|is|was|which|due|given|and|or|but|in|based|with|while|not|if|from|by|then|so"
_CONCLUDED = re.compile(r"(?<![a-z])(?:must\sbe|should\sbe|it['’]s|it\sis)[:\s]", re.IGNORECASE)
_CHOSEN = re.compile(
    r"(?<![a-z])(?:choose|chose|pick|picked|select|selected|going\swith|go\swith|opt\sfor|guess)[:\s]", re.IGNORECASE
)
_RIGHT = (
    r"(?:the\s|most\s|likely\s|only\s|single\s|best\s|probably\s|clearly\s){0,4}"
    r"(?:correct|right|true|accurate|best|answer|one)(?!\w)"
)
_HYPOTHETICAL = re.compile(r"(?:\bif|\bwhether|\bthat|\bwhy)\s\S{0,3}\Z", re.IGNORECASE)
_NEGATED = re.compile(
    r"(?:\bnot|(?<!going\s)\bto|\bnever|n['’]t|\bcannot|\bwhy|\bif|\bwhether)\s(?:\w{1,12}\s){0,1}\Z", re.IGNORECASE
)


def read_option(text: str, options: Sequence[str], *, mention: bool = True) -> Found[int]:
    """The option a completion chooses, as an index, or `None` where it chooses none; see the head of this module.

    Args:
        text: the completion; its reasoning blocks are not read.
        options: the texts of the options, at most 26; the first is A.
        mention: whether the fifth way counts, which takes an option for chosen because no other is mentioned.
    """
    part = spoken(text)
    if not part.text.strip() or not options:
        return nothing(EXTRACTOR, VERSION)
    reader = _Reader(part.text.translate(_WIDE), options)
    next_question = _NEXT_QUESTION.search(part.text)
    span = None
    if next_question and part.text[: next_question.start()].strip():
        span = _Reader(reader.text[: next_question.start()], options).surely()
    span = span or reader.surely() or (reader.by_mention() if mention else None)
    if span is None:
        return nothing(EXTRACTOR, VERSION)
    index, start, end = span
    return found(EXTRACTOR, index, part.start + start, part.start + end, VERSION)


Span = tuple[int, int, int]
"""An option's index, and the first and the last character (exclusive) of the place that names it."""


@lru_cache(maxsize=32)
def _patterns(letters: str) -> tuple[re.Pattern[str], ...]:
    """The whole text a letter; a letter named; a verdict on one; one of a list; one that opens a line."""
    some = f"[{letters}{letters.lower()}]"
    upper = f"[{letters}]"
    alone = re.compile(rf"\A{_OPEN}(?P<letter>{some})[\W_]*\Z")
    letter = re.compile(
        rf"{_OPEN}{_NAMED}[(\[（*_]{{0,4}}(?:(?P<upper>{upper})(?![A-Za-z'’])|(?P<lower>{some})(?=[)\]}}*$.:,;\n]|\s*\Z))"
    )
    verdict = re.compile(
        rf"(?<![A-Za-z'’])(?P<letter>{upper})(?:[)\]*.:]{{0,3}}|\s\([^()\n]{{1,80}}\))\s(?i:is)\s(?i:{_RIGHT})"
    )
    several = re.compile(
        rf"[)\]*]{{0,3}}(?:\s(?:or|and|und|oder|y|o|et|ou)\s|\s?[/&+]\s?|,\s?(?=[A-Z]\W{{0,3}}(?:,|or\b|and\b|\Z|\n)))"
        rf"(?:option\s)?[(*]{{0,3}}{upper}(?![A-Za-z'’])(?!\s(?:is|are|was|does|do|would|can)\b)"
    )
    opening = re.compile(rf"^[\s*_$\"'(\[>#-]{{0,8}}(?P<letter>{upper})[*_$\"')\]]{{0,4}}(?:[.:,)\]\n]|\s*[-–—]\s|\Z)", re.M)
    return alone, letter, verdict, several, opening


class _Reader:
    """One text and its options, and the ways to find the choice."""

    def __init__(self, text: str, options: Sequence[str]) -> None:
        self.text = text
        self.options = options
        self.letters = string.ascii_uppercase[: len(options)]
        self._alone, self._letter, self._verdict, self._several, self._opening = _patterns(self.letters)

    def surely(self) -> Span | None:
        """The choice by any way but mere mention."""
        match = self._alone.match(self.text)
        if match:
            return self._span(match["letter"], match.start("letter"))
        normal = [_plain(option) for option in self.options]
        if normal.count(_plain(self.text)) == 1:
            return self._place(normal.index(_plain(self.text)))
        return self._announced() or self._last_line() or self._opens()

    def _span(self, letter: str, start: int) -> Span:
        return self.letters.index(letter.upper()), start, start + 1

    def _announced(self) -> Span | None:
        spans = [self._named_at(place.start, place.end) for place in announcements(self.text)[-MOST_READ:]]
        spans += self._after(_CONCLUDED)
        for match in self._verdict.finditer(self.text):
            if not _HYPOTHETICAL.search(self.text, max(0, match.start() - 12), match.start()):
                spans.append(self._span(match["letter"], match.start()))
        given = [span for span in spans if span] or [span for span in self._after(_CHOSEN) if span]
        return max(given, key=lambda span: span[1]) if given else None

    def _after(self, pattern: re.Pattern[str]) -> list[Span | None]:
        """The upper-case letters named behind a phrase that is not negated."""
        spans = []
        for match in pattern.finditer(self.text):
            if not _NEGATED.search(self.text, max(0, match.start() - 24), match.start()):
                span = self._named_at(match.end() - 1, min(len(self.text), match.end() + 60))
                spans.append(span if span and self.text[span[1]].isupper() else None)
        return spans

    def _named_at(self, start: int, end: int) -> Span | None:
        """The option named where an announcement ends: by its text, else by its letter, unless several are."""
        after = self.text[start : min(end, start + 2000)]
        lead = len(after) - len(after.lstrip(" \t\r\n*_$\"'“”`(:>"))
        said = _plain(after)
        exact = [i for i, option in enumerate(self.options) if _plain(option) and _starts(said, _plain(option))]
        match = self._letter.match(self.text, start, end)
        letter = match and (match["upper"] or match["lower"])
        if exact and len(exact) == 1 and not (letter and len(_plain(self.options[exact[0]])) < 2):
            return exact[0], start + lead, start + lead + len(self.options[exact[0]])
        if exact:
            longest = max(exact, key=lambda i: len(_plain(self.options[i])))
            if [_plain(o) for o in self.options].count(_plain(self.options[longest])) == 1 and not letter:
                return longest, start + lead, start + lead + len(self.options[longest])
        if match is None or letter is None:
            return None
        place = match.start("upper") if match["upper"] else match.start("lower")
        if self._several.match(self.text, place + 1) or (letter in "AI" and self._is_word(place)):
            return None
        return self._span(letter, place)

    def _is_word(self, place: int) -> bool:
        """Whether the A or I at a place is an English word: another word follows that does not connect clauses."""
        return re.match(rf"\s(?!(?:{_CONNECTED})\b)[a-z]", self.text[place + 1 : place + 20]) is not None

    def _last_line(self) -> Span | None:
        lines = self.text.rstrip().splitlines(keepends=True)
        if len(lines) < 2:
            return None
        start = len("".join(lines[:-1]))
        line = lines[-1]
        if match := self._alone.match(line):
            return self._span(match["letter"], start + match.start("letter"))
        opening = self._opening.match(line)
        if opening is None or len(self._opened(self.text)) > 1:
            return None
        said, option = _plain(line[opening.end() :]), _plain(self.options[self.letters.index(opening["letter"])])
        return self._span(opening["letter"], start + opening.start("letter")) if said == option else None

    def _opens(self) -> Span | None:
        match = self._opening.match(self.text)
        if match is None or len(self._opened(self.text)) > 1 or self._several.match(self.text, match.end("letter")):
            return None
        return self._span(match["letter"], match.start("letter"))

    def _opened(self, text: str) -> set[str]:
        return {match["letter"] for match in self._opening.finditer(text)}

    def by_mention(self) -> Span | None:
        """The only option whose text occurs, else the only letter that stands alone."""
        plain = _plain(self.text)
        normal = [_plain(option) for option in self.options]
        named = [i for i, option in enumerate(normal) if option and re.search(rf"(?<!\w){re.escape(option)}(?!\w)", plain)]
        outer = [i for i in named if not any(i != j and normal[i] in normal[j] for j in named)]
        if len(outer) == 1:
            return self._place(outer[0])
        alone = rf"(?<![A-Za-z'’\\])\(?\*{{0,3}}(?P<letter>[{self.letters}])\*{{0,3}}\)?(?![A-Za-z'’])"
        matches = [m for m in re.finditer(alone, self.text) if m["letter"] not in "AI" or not self._is_word(m.start("letter"))]
        if outer or len({match["letter"] for match in matches}) != 1:
            return None
        return self._span(matches[-1]["letter"], matches[-1].start("letter"))

    def _place(self, index: int) -> Span:
        words = [re.escape(word) for word in self.options[index].strip(" \t\n.!?\"'*_`").split()]
        places = list(re.finditer(r"\s+".join(words), self.text, re.IGNORECASE)) if words else []
        return (index, places[-1].start(), places[-1].end()) if places else (index, 0, len(self.text))


def _plain(text: str) -> str:
    return " ".join(text.lower().strip(" \t\n.!?\"'*_`“”$(:>").split())


def _starts(text: str, option: str) -> bool:
    return text.startswith(option) and not text[len(option) : len(option) + 1].isalnum()
