"""Which of the numbers or dates that a text names it gives as its answer.

In this order: the one announced last ("the answer is …", a box, a tag), of an equation what it comes to; the first of the last
bold part; the one that the text opens with before it gives reasons; the last one. Those of steps, chapters and list items,
those in brackets and behind "because" are taken only where there is no other. One that is denied ("not 12") is never taken, nor
one of two ("8 or 9"); of a correction ("12, no, 14") it is the second.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import chain

from assay.prompting.extractors import MOST_READ, announcements
from assay.prompting.numerals import WORDS, either

_PHRASES = {name: either(words.split("|")) for name, words in WORDS["phrases"].items()}
_LIST = re.compile(r"^[ \t>*_#-]{0,6}(?P<n>\d{1,2})[.)][*_]{0,2}[ \t]+(?=\S)", re.MULTILINE)
_LABEL = re.compile(rf"(?:\b(?:{_PHRASES['labels']})|第|步骤|ステップ|#|№|\[)['\"*_]{{0,3}}\s?[:.#]?\s?\Z", re.IGNORECASE)
_GLUED = re.compile(r"(?:[A-Za-z]-?|\d[:.-]|\S[\^_]\{?)\Z")
_MARKED = re.compile(r":\d\d|[xyz]\b|\]\(")
_ASIDE = re.compile(
    rf"(?<!\\)\([^()\n]{{1,300}}\)"
    rf"|\d[^.\n]{{0,40}}?,?(?<!\band)(?<!\bbut)[ ](?P<why>(?:{_PHRASES['because']}|(?<=,\s)car)\s"
    r"(?>(?:[^.\n=]|\.(?=\d)){0,300})(?!=))"
    rf"|\"(?:{_PHRASES['reasons']})\"\s?:\s?(?:\"[^\"\n]{{0,2000}}\"|\[[^\]]{{0,2000}}\])"
    rf"|^\W{{0,4}}(?:{_PHRASES['asides']})\b[^\n]{{0,500}}",
    re.IGNORECASE | re.MULTILINE,
)
_DENIAL = re.compile(
    rf"(?:(?<!\w)(?:{_PHRASES['not']})|n't|不是)(?:\s(?:{_PHRASES['verbs']}))?[\s*_\"'$]{{0,6}}\Z", re.IGNORECASE
)
_DENIED = re.compile(rf"[\s*_\"'$]{{0,4}}(?:(?:{_PHRASES['denied']})\b|ではなく|[가이]\s아니라)", re.IGNORECASE)
_GIVEN = re.compile(rf"\b(?:{_PHRASES['given']})\s\Z", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<!approx)(?<!\bca)[.!?;](?=\s|\Z)|[。！？]|\n")
_EQUALS = re.compile(r"(?:[^=,;\n(]|\([^()=\n]{0,30}\)|,(?=\d)){0,80}(?:=|\\approx|→)[\s*_$]{0,4}")
_IS = re.compile(
    rf"(?:=[\s*_$]{{0,3}}|\b(?:{_PHRASES['conclusions']})\s(?:(?!\b(?:{_PHRASES['within']})\b)[^,;.\n\d]){{0,40}})\Z",
    re.IGNORECASE,
)
_PART = re.compile(r"[-+*/×]\s?\$?\Z")
_ONWARD = re.compile(
    rf"(?:(?!\s(?:{_PHRASES['joints']})\b)[^,;:=\n+*/×]){{0,60}}(?:\s(?:{_PHRASES['within']})\b[^,;:=\n+*/×]{{0,60}})?",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    rf"(?:[^\n]{{0,30}}?|\s{{1,4}})(?:\b(?:{_PHRASES['corrections']})\b|[,.(—-]\s?(?:{_PHRASES['no']})[,:;—.\s])[^\n\d]{{0,40}}",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\*\*(?=\S)[^*\n]{1,200}(?<!:)\*\*(?!\s?:)|<(?:b|strong)>[^<\n]{1,200}</", re.IGNORECASE)
_CONCLUSION = re.compile(rf"\n[ \t]{{0,4}}(?:(?:{_PHRASES['conclusions']})\b|所以|因此)", re.IGNORECASE)
_DRESS = re.compile(rf"[\s*_$(>\"'`~≈\\\[{{]{{0,12}}(?:(?:{_PHRASES['approximately']})\s)?", re.IGNORECASE)
_VERDICT = re.compile(
    r"[*_$)\"'`}\]]{0,4}(?:\s[^\W\d]{1,15})?[*_]{0,2}"
    rf"(?:[.:;!]\s|[ \t]{{0,9}}\n|\s(?:\(|[-—]\s(?=[^\W\d]))|,\s(?:as|da|car)\s|,?\s(?:{_PHRASES['because']})\s|[。（])",
    re.IGNORECASE,
)
_OR = re.compile(rf"[\s*_$%]{{0,6}}(?:\b(?:{_PHRASES['or']})\b|或|か)[\s*_$]{{0,6}}", re.IGNORECASE)


class Picker:
    """A text and the places in it that may be its answer.

    Args:
        text: the text as it was written.
        plain: the same with plain characters; see `assay.prompting.numerals.plain`.
        places: where each begins and ends, in order and without overlap.
        ranks: how well each can be the answer: 3 well, 2 if there is no better, 1 as an aside, 0 as a mark.
        same: whether two of them, by number, mean the same.
    """

    def __init__(
        self, text: str, plain: str, places: Sequence[tuple[int, int]], ranks: Sequence[int], same: Callable[[int, int], bool]
    ) -> None:
        self.text, self.plain, self.places, self.same = text, plain, places, same
        self.starts = [start for start, _ in places]
        self._ranks = ranks
        listed = list(_LIST.finditer(plain))
        self._list = {match.start("n") for match in listed} if any(match["n"] == "1" for match in listed) else set()
        self._known: dict[int, int] = {}
        self._asides = [match.span("why" if match["why"] else 0) for match in _ASIDE.finditer(plain)]

    def pick(self) -> int | None:
        """The number of the place that is the answer, `None` where there is none or are two."""
        ways = (find() for find in (self._announced, self._bold, self._opening))
        index = next((index for index in chain(ways, map(self._last, (3, 2, 1, 0))) if index is not None), None)
        return None if index is None or self._is_one_of_two(index) else index

    def rank(self, index: int) -> int:
        """How well a place can be the answer, by itself and by what stands around it; below 0 where it is denied."""
        if index not in self._known:
            self._known[index] = self._rank(index)
        return self._known[index]

    def _rank(self, index: int) -> int:
        start, end = self.places[index]
        if _DENIAL.search(self.plain, max(0, start - 32), start) or _DENIED.match(self.plain, end):
            return -1
        marked = start in self._list or _MARKED.match(self.plain, end) or _GLUED.search(self.plain, max(0, start - 3), start)
        if marked or _LABEL.search(self.plain, max(0, start - 24), start):
            return 0
        aside = within(self._asides, start) or _GIVEN.search(self.plain, max(0, start - 8), start)
        return min(self._ranks[index], 1) if aside else self._ranks[index]

    def _announced(self) -> int | None:
        for place in reversed(announcements(self.text)[-MOST_READ:]):
            start = place.end - len(self.plain[place.start : place.end].lstrip())
            stop = _SENTENCE.search(self.plain, start, place.end)
            end = stop.start() if stop else place.end
            first = bisect_left(self.starts, place.start)
            inside = range(first, min(bisect_left(self.starts, end), first + 30))
            ranks = {index: self.rank(index) for index in inside}
            bold = _BOLD.search(self.plain, place.start, end)
            least = ((2, bold.start()),) if bold else ()
            wanted = (*least, (2, 0), (1, 0), (0, 0))
            index = next((i for rank, start in wanted for i in inside if ranks[i] >= rank and self.starts[i] >= start), None)
            if index is None and -1 in ranks.values():  # "is not 12. It is 14."
                after = range(inside.stop, min(len(self.starts), inside.stop + 5))
                return next((i for i in after if self.rank(i) >= 2 and self.starts[i] < end + 120), None)
            if index is not None:
                return self._corrected(self._result(index, end))
        return None

    def _result(self, index: int, end: int) -> int:
        """The last place of the equation that a place begins."""
        while match := _EQUALS.match(self.plain, self.places[index][1], end):
            after = bisect_left(self.starts, match.end())
            if after == len(self.starts) or self.starts[after] > min(match.end() + 8, end):
                break
            index = after
        return index

    def _corrected(self, index: int) -> int:
        for _ in range(3):
            match = _CORRECTION.match(self.plain, self.places[index][1])
            after = bisect_left(self.starts, match.end()) if match else len(self.starts)
            if match is None or after == len(self.starts) or self.starts[after] > match.end() + 40 or self.rank(after) < 2:
                break
            index = self._result(after, self.places[after][1] + 80)
        return index

    def _bold(self) -> int | None:
        """In the last bold part that is no heading, unless a conclusion follows."""
        for match in reversed(list(_BOLD.finditer(self.plain))):
            inside = range(*(bisect_left(self.starts, place) for place in match.span()))
            index = next((index for index in inside if self.rank(index) >= 2), None)
            if index is not None:
                ends = _CONCLUSION.search(self.plain, match.end())
                return None if ends and self._last(3, ends.start()) is not None else self._result(index, match.end())
        return None

    def _opening(self) -> int | None:
        if not self.starts or self.rank(0) < 2 or not _DRESS.fullmatch(self.plain, 0, self.starts[0]):
            return None
        return 0 if _VERDICT.match(self.plain, self.places[0][1]) else None

    def _last(self, least: int, start: int = 0) -> int | None:
        inside = range(bisect_left(self.starts, start), len(self.starts))
        index = next((index for index in reversed(inside) if self.rank(index) >= least), None)
        if index is None:
            return None
        for before in range(max(index - 3, 0), index):  # "= 525 miles in 3 days"
            equal = _IS.search(self.plain, max(0, self.starts[before] - 50), self.starts[before]) and self.rank(before) >= least
            if equal and _ONWARD.fullmatch(self.plain, self.places[before][1], self.starts[index]):
                return before
        return index

    def _is_one_of_two(self, index: int) -> bool:
        """Whether another stands beside it as just as good: "8 or 9"."""
        pairs = [pair for pair in ((index - 1, index), (index, index + 1)) if pair[0] >= 0 and pair[1] < len(self.starts)]
        beside = (pair for pair in pairs if _OR.fullmatch(self.plain, self.places[pair[0]][1], self.places[pair[1]][0]))
        beside = (
            pair for pair in beside if not _PART.search(self.plain, max(0, self.starts[pair[0]] - 3), self.starts[pair[0]])
        )
        return any(min(map(self.rank, pair)) > 0 and not self.same(*pair) for pair in beside)


def within(spans: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether a place lies in one of the spans, which are in order."""
    index = bisect_right(spans, (place, 1 << 60)) - 1
    return index >= 0 and place < spans[index][1]
