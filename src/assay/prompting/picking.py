"""Which of the numbers or dates that a text names it gives as its answer.

In this order: the one announced last ("the answer is …", a box, a tag, an answer-like key of an object), of an equation what it
comes to; the first of the last bold part; the one that is told ("is", "costs", `Total:`) or that the text opens with before it
gives reasons; the last one. Those of steps and chapters, in brackets, in questions and behind "because" are taken only where
there is no other. One that is denied ("not 12") is never taken, nor one of two ("8 or 9", "3 to 5"), nor what stands before a
correction ("12, no, 14").
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from assay.prompting.extractors import MOST_READ, announcements
from assay.prompting.numerals import WORDS, either

_PHRASES = {name: either(words.split("|")) for name, words in WORDS["phrases"].items()}
_LIST = re.compile(r"^[ \t>*_#-]{0,6}(?P<n>\d{1,2})[.)][*_]{0,2}[ \t]+(?=\S)", re.MULTILINE)
_MARK = re.compile(
    rf"(?:(?:(?:\b|_)(?:{_PHRASES['labels']})|\bn[or]\.|第|步骤|ステップ|#|№|\[)['\"*_>]{{0,3}}\s?[:.#]?\s?['\"]?"
    r"|[A-Za-z]-?|\d-|\S[\^_]\{?)\Z",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    rf"(?<!\\)\([^()\n]{{1,300}}\)|(?<=[\s,])(?:{_PHRASES['because']})\s(?:[^.\n=]|\.(?=\d)){{0,300}}+(?!=)"
    rf"|\"(?:{_PHRASES['reasons']})\"\s?:\s?(?:\"[^\"\n]{{0,2000}}\"|\[[^\]]{{0,2000}}\])"
    r"|(?:(?<=[.!?]\s)|(?<=\n))(?:[^.!?\n=]|\.(?=\d)){1,200}+\?"
    rf"|(?<=\d[.!*]\n\n)[*_#]{{0,4}}(?:{_PHRASES['offers']})\b[^\n]{{0,40}}:(?s:.{{0,2000}})",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    rf"(?:(?<!\w)(?:{_PHRASES['not']})|n't|不是)(?:\s(?:{_PHRASES['verbs']}))?[\s*_\"'$]{{0,6}}\Z", re.IGNORECASE
)
_CORRECTION = re.compile(
    rf"(?:[.,;:?!(—–\n-]\s{{0,3}}|\s(?=or rather\b))"
    rf"(?:{_PHRASES['corrections']}|(?:{_PHRASES['no']})(?=[,:;—.\s]))\b[^\n\d]{{0,40}}",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?;](?=\s|\Z)|[。！？]|\n")
_EQUALS = re.compile(r"[^=,;\n]{0,80}(?:=|\\approx|→)[\s*_$]{0,4}")
_IS = re.compile(
    rf"(?:=[\s*_$]{{0,3}}|\b(?:{_PHRASES['conclusions']}),?\s(?:(?!\b(?:{_PHRASES['within']})\b)[^,;.\n\d]){{0,40}})\Z",
    re.IGNORECASE,
)
_ONWARD = re.compile(
    rf"(?:(?!\s(?:{_PHRASES['joints']})\b)[^,;:=\n+*/×]){{0,60}}(?:\s(?:{_PHRASES['within']})\b[^,;:=\n+*/×]{{0,60}})?",
    re.IGNORECASE,
)
_TOLD = re.compile(
    rf"(?:{_IS.pattern[3:-3]}|\b(?:{_PHRASES['tells']})\s(?:about\s)?[$€*_]{{0,3}}|\A[*_$€]{{0,4}}"
    rf"|^[^:\n]{{0,20}}\b(?:{_PHRASES['keys']}|{_PHRASES['date keys']})\b[^:\d\n]{{0,20}}:[\s*_$€]{{0,4}})\Z",
    re.IGNORECASE | re.MULTILINE,
)
_WORDS = rf"(?:(?!\s(?:{_PHRASES['joints']}|{_PHRASES['tells']})\b)[^\d.,;:?!=+*×\n]){{0,50}}"
_BEYOND = re.compile(
    rf"{_WORDS}(?:\s(?:(?!to\b)(?:{_PHRASES['within']})|at)\b"
    rf"|[,;]\s(?:[^\d,;:=\n]{{0,30}}\s)?(?:{_PHRASES['backdrops']})\b){_WORDS}"
    r"|\n[^\n:=\d]{1,30}:[\s*_$€]{0,4}",
    re.IGNORECASE,
)
"""Behind what is told ("the total is 45"), what may follow: for how many, in which year, with what tax; other lines."""
_KEYED = [
    re.compile(rf"(?i:[\"'<](?:[a-z]+[_ ])?(?:{_PHRASES[name]})(?:_(?:cost|price|sum))?(?:[\"']\s?:|>)\s?[\"']?[$€£]?)")
    for name in ("keys", "date keys")
]
_BOLD = re.compile(r"\*\*(?=\S)[^*\n]{1,200}(?<!:)\*\*(?!\s?:)")
_DRESS = re.compile(r"[\s*_$(>\"'`~≈\\\[{]{0,12}")
_VERDICT = re.compile(
    r"[*_$)\"'`}\]]{0,4}(?:\s[^\W\d]{1,15})?[*_]{0,2}"
    rf"(?:[.:;!]\s(?!=)|[ \t]{{0,9}}\n|\s(?:\(|[-—]\s(?=[^\W\d]))|,\s(?:as|da|car)\s|,?\s(?:{_PHRASES['because']})\s|[。（])",
    re.IGNORECASE,
)
_OR = re.compile(
    rf"[\s*_$%]{{0,6}}(?:\b(?:{_PHRASES['or']}|{_PHRASES['ranges']})\b|或|か|~|-)[\s*_$]{{0,6}}(?:\b[a-z]\s?=\s?)?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(rf"\b(?:{_PHRASES['between']})\s[*_$]{{0,3}}\Z", re.IGNORECASE)
_AND = re.compile(rf"(?:\s[^\W\d]{{1,12}})?\s(?:and|und|et|y|e|en|и|{_PHRASES['ranges']})\s[*_$]{{0,3}}", re.IGNORECASE)
_COMPOUND = re.compile(r"\s?[^\W\d]{1,12},?\s(?:(?:and|und|et|y|e)\s)?\d")


class Picker:
    """A text, as written and `plain`, and the places in it that may be its answer: tuples of start, end, …, in order.

    Their ranks: 3 for what can well be the answer, 2 if there is no better, 1 for an aside, 0 for a mark. `same` compares two
    of them by number. Where `lone`, of several that are not told as the answer none is it.
    """

    def __init__(
        self, text: str, plain: str, places: Sequence[tuple[Any, ...]], ranks: Sequence[int], same: Callable[[int, int], bool],
        lone: bool = False,
    ) -> None:  # fmt: skip
        self.text, self.plain, self.places, self.same, self.lone = text, plain, places, same, lone
        self.starts = [place[0] for place in places]
        asides = {place for match in _ASIDE.finditer(plain) for place in range(*match.span())}
        listed = {match.start("n") for match in _LIST.finditer(plain)}
        self.ranks = [
            -1 if _DENIAL.search(plain, max(0, start - 32), start)
            else 0 if _MARK.search(plain, max(0, start - 24), start) or (start in listed and len(listed) > 1)
            else min(rank, 1) if start in asides else rank
            for start, rank in zip(self.starts, ranks, strict=True)
        ]  # fmt: skip
        """How well each can be the answer, by what stands around it, too; below 0 where it is denied."""
        turns = (self._inside(match.end(), match.end() + 40) for match in _CORRECTION.finditer(plain))
        turn = max((turn[0] for turn in turns if turn and self.ranks[turn[0]] >= 2), default=0)
        self.ranks[:turn] = [-1] * turn

    def pick(self) -> int | None:
        """The number of the place that is the answer, `None` where there is none or are two."""
        ways = (self._announced, self._keyed, self._bold, self._opening, self._last)
        index = next((index for way in ways if (index := way()) is not None), None)
        return None if index is None or self._is_one_of_two(index) else index

    def _inside(self, start: int, end: int) -> range:
        """The places that begin between two characters."""
        return range(bisect_left(self.starts, start), bisect_left(self.starts, end))

    def _announced(self) -> int | None:
        for place in reversed(announcements(self.text)[-MOST_READ:]):
            start = place.end - len(self.plain[place.start : place.end].lstrip())
            stop = _SENTENCE.search(self.plain, start, place.end)
            end = stop.start() if stop else place.end
            bold = _BOLD.search(self.plain, place.start, end)
            for first in (bold.start(), place.start) if bold else (place.start,):
                index = max(self._inside(first, end)[:30], key=lambda index: min(self.ranks[index], 2), default=None)
                if index is not None and self.ranks[index] >= (2 if first > place.start else 0):
                    return self._result(index, end)
        return None

    def _result(self, index: int, end: int) -> int:
        """The last place of the equation that a place begins."""
        while match := _EQUALS.match(self.plain, self.places[index][1], end):
            after = self._inside(match.end(), min(match.end() + 9, end + 1))
            if not after:
                break
            if _COMPOUND.match(self.plain, self.places[after[0]][1], end):
                break  # = 1 week and 5 days
            index = after[0]
        return index

    def _keyed(self) -> int | None:
        """Behind the last key of an object, or tag, that says "result" or the like."""
        keys = reversed(list(_KEYED[self.lone].finditer(self.plain)))
        places = (index for key in keys for index in self._inside(key.end() - 1, key.end() + 3)[:1])
        return next((index for index in places if self.ranks[index] >= 1), None)

    def _is(self, told: re.Pattern[str], index: int) -> bool:
        return told.search(self.plain, max(0, self.starts[index] - 50), self.starts[index]) is not None

    def _bold(self) -> int | None:
        """In the last bold part that is no heading."""
        for match in reversed(list(_BOLD.finditer(self.plain))):
            for index in self._inside(*match.span()):
                if self.ranks[index] >= 2:
                    return self._result(index, match.end())
        return None

    def _opening(self) -> int | None:
        opens = self.starts and self.ranks[0] >= 2 and _DRESS.fullmatch(self.plain, 0, self.starts[0])
        return 0 if opens and _VERDICT.match(self.plain, self.places[0][1]) else None

    def _last(self) -> int | None:
        """The last of the best, or what it belongs to: "= 525 miles in 3 days"."""
        best = max(self.ranks, default=-1)
        if best < 0:
            return None
        index = len(self.ranks) - 1 - self.ranks[::-1].index(best)
        results = (i for i in self._inside(self.starts[index] - 150, self.starts[index]) if self.ranks[i] >= best)
        for i in results:
            for told, more in ((_IS, _ONWARD), (_TOLD, _BEYOND)):
                if self._is(told, i) and more.fullmatch(self.plain, self.places[i][1], self.starts[index]):
                    return i
        if self.lone:
            equal = [i for i, rank in enumerate(self.ranks) if rank == best]
            equal = [i for i in equal if self._is(_TOLD, i)] or equal
            return equal[-1] if all(self.same(i, equal[-1]) for i in equal) else None
        return index

    def _is_one_of_two(self, index: int) -> bool:
        """Whether another stands beside it as just as good: "8 or 9"."""
        return any(
            self._joined(self.places[one][1], self.starts[other], self.starts[one])
            and (min(self.ranks[one], self.ranks[other]) > 0 or self.plain[self.starts[other] - 1] == "-")
            and not self.same(one, other)
            and self.plain[self.starts[one] - 1 : self.starts[one]] not in tuple("-+*/×")  # 100/5 = 5A/5 or 20
            for one, other in ((index - 1, index), (index, index + 1))
            if one >= 0 and other < len(self.starts)
        )

    def _joined(self, end: int, start: int, before: int) -> bool:
        """Whether "or" or "to" stands between, or "and" behind "between"."""
        between = self.lone or _BETWEEN.search(self.plain, max(0, before - 20), before)
        return bool(_OR.fullmatch(self.plain, end, start) or (between and _AND.fullmatch(self.plain, end, start)))
