"""Which option of a closed question a text gives as its answer, however it says so.

A text is drawn as a sketch (see `option_sketch`), in which each rule here finds verdicts: places where an option is *announced*
("the answer is B", a tag, a box), *judged* right, chosen or concluded ("I choose B", "B is correct", "B? Yes", "which leaves
B", a tick), *given* alone (as the text's opening, a sentence or a line of its own), *stated* ("it is B"), left over by
*elimination*, or merely *mentioned*. What is denied ("not B", "B is wrong"), asked or supposed ("if B were true") is none.

The strongest kind counts, and of equal verdicts the last one; what stands before a correction ("wait, no") gives way to what
follows it. A text that names two options as right, or only denies some, chooses nothing; nor does a list of all options.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from assay.prompting.extractors import Found, found, nothing
from assay.prompting.option_names import Names, names_of, phrases_of, simplified, tokens, undressed
from assay.prompting.option_sketch import Sketch, sketch
from assay.prompting.reasoning import spoken

OPTION, LETTER = ("option", 1), ("letter", 2)
"""Name and version of the reader: of options by their texts, and by their letters too."""
LONG = 400
"""Characters from which on what is stated in the midst of a text is taken for an argument."""
LONGEST_MENTION, LONGEST_NUMBER = 240, 80
"""Characters of a text up to which an option may be taken for chosen because no other is mentioned."""
LONGEST_OBJECT = 4000

_NEXT_QUESTION = re.compile(
    r"\n\s{0,5}(?:#{1,3}\s|\*\*)?(?:question|q|input|passage|problem|user|human|review|text|tweet|sentence|premise|article"
    r"|message|query|instruction)\s?\d{0,4}\s?[:：]",
    re.IGNORECASE,
)
Span = tuple[int, int, int]
"""An option's index, and the first and the last character (exclusive) of the place that names it."""


def read_option(text: str, options: Sequence[str], *, lettered: bool = True, weak: bool = True) -> Found[int]:
    """The option a completion gives, as an index, or `None` where it gives none; see the head of this module.

    Args:
        text: the completion; its reasoning blocks are not read. Nor is a next question that a base model puts to itself.
        options: the texts of the options.
        lettered: the model saw them in this order behind the letters A, B, …, so that it may name them by letter or place.
        weak: what is stated of an option, or that no other is mentioned, may be the answer.
    """
    extractor, version = LETTER if lettered else OPTION
    part = spoken(text)
    if not part.text.strip() or not options:
        return nothing(extractor, version)
    names = names_of(tuple(options), lettered)
    span = _whole(part.text, names)
    if span is None:
        next_question = _NEXT_QUESTION.search(part.text)
        if next_question and part.text[: next_question.start()].strip():
            before = part.text[: next_question.start()]
            span = _whole(before, names) or _read(before, names, STATED)
        span = span or _read(part.text, names, MENTIONED if weak else GIVEN)
    if span is None:
        return nothing(extractor, version)
    index, start, end = span
    return found(extractor, index, part.start + start, part.start + end, version)


def named_options(text: str, options: Sequence[str]) -> set[int]:
    """The options that a text names and does not deny, suppose or ask for."""
    drawn = sketch(text, names := names_of(tuple(options), False))
    return {drawn.options[place] for place in Reader(drawn, names).free}


def _whole(text: str, names: Names) -> Span | None:
    """The option that a text is, where it is nothing else."""
    bare, letter = text.strip(), undressed(text).upper()
    forms = (names.exact.get(bare), names.exact.get(undressed(text)), names.simple.get(simplified(text)))
    index = names.letters.get(letter) if names.lettered and len(letter) == 1 else None
    index = next((form for form in forms if form is not None), None) if index is None else index
    start = len(text) - len(text.lstrip())
    return None if index is None else (index, start, start + len(bare))


def _rated(text: str, names: Names) -> int | None:
    """The option that an object marks as true, or rates highest: `{"spam": 0.9, "ham": 0.1}`."""
    start, end = text.find("{"), text.rfind("}") + 1
    if not 0 <= start < end <= start + LONGEST_OBJECT:
        return None
    try:
        given = json.loads(text[start:end])
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict) or not all(isinstance(value, (bool, int, float)) for value in given.values()):
        return None
    rated = {names.letters.get(key, names.simple.get(simplified(key))): value for key, value in given.items()}
    best = [index for index, value in rated.items() if value == max(rated.values())]
    return best[0] if len(rated) == len(given) > 1 and None not in rated and len(best) == 1 else None


def _read(text: str, names: Names, least: int) -> Span | None:
    """The option a text gives by a verdict of a kind down to the least one."""
    if (index := _rated(text, names)) is not None:
        return index, 0, len(text)
    reader = Reader(sketch(text, names), names)
    return (
        reader.decided(least)
        or (reader.truth() if least > GIVEN else None)
        or (reader.mentioned() if least >= MENTIONED else None)
    )


ANNOUNCED, JUDGED, GIVEN, STATED, LEFT, MENTIONED = range(6)


class Rule(NamedTuple):
    """A pattern on sketches, which can match where one of some characters occurs, and what kind of verdict it finds."""

    needs: frozenset[str]
    pattern: re.Pattern[str]
    kind: int


class Verdict(NamedTuple):
    """What a text says of an option at one place."""

    kind: int
    at: int
    """Where in the sketch."""
    option: int | None
    """`None` where several are named at once."""
    right: bool = False
    """It was called right."""


def _rules(*rules: tuple[str, str] | tuple[str, str, int]) -> tuple[Rule, ...]:
    return tuple(Rule(frozenset(rule[0]), re.compile(rule[1]), rule[2] if len(rule) > 2 else MENTIONED) for rule in rules)


_M = r"(M(?:,M){0,25}+(?:,?&M){0,25}+)"
_AND = r"(M(?:(?:,M){0,9},?&M|&M){0,25}+)"
_DENIED = _rules(
    ("DO", rf"[DO]I?[AwRHCS]{{0,2}}{_AND}"),  # not B
    ("E", rf"EI?[AwRHCS]{{0,2}}{_M}"),  # rule out A, C
    ("XE", rf"{_M}[,:|]?I?(?:X|E(?!M))"),  # B is wrong
    ("D", rf"{_M}I?DI?(?![XMI])"),  # B does not
    ("X", rf"X[AwR]{{0,3}}[I:]{{1,3}}{_M}"),  # the wrong answer is B
    ("?", rf"{_M}\?{{1,3}}[.,]?[OD]"),  # B? No
    ("O", rf"{_M}[:|]?O(?=[.\n,|IR]|$)"),  # | B | no |
    ("x", rf"{_M}(?:[:|.]{{0,2}}w?){{0,3}}x|(?:^|[\n|,])x[:|]?{_M}"),  # a cross behind or before
    ("~", rf"~{_M}[.:]?w{{0,9}}~"),  # crossed out
)
_RIGHT = r"[AS]?I{0,2}(?:DX|A?R)(?!A?[I:]{1,2}M)(?!H)"
_VERDICTS = _rules(
    ("I:", rf"(?<![IM])[AR][AwRC&S]{{0,4}}[I:]{{1,3}}[\n.:AIRS]{{0,5}}w?{_M}(?!w?D)", ANNOUNCED),  # the answer is B
    ("\n", rf"A\n{{1,3}}{_M}(?=[.\n,:?]|$)", ANNOUNCED),  # a heading
    ("AR", rf"[AR]{{1,3}}{_M}I?(?=[.\n]|$)", ANNOUNCED),  # answer B
    (":", rf"(?:^|[\n,.])[wASR]{{1,4}}:{_M}(?=[,\n.]|$)", JUDGED),  # "label": "B"
    ("C", rf"C[AwSI]{{0,3}}{_M}(?!D)|{_M}I?C(?=[.\n,]|$)", JUDGED),  # I choose B
    ("Z", rf"Z[,:ZI]{{0,3}}[SIA,]{{0,4}}{_M}(?![DI]{{0,2}}[XD])(?=[.,;:\nBb&SIRZ]|$)|{_M}I?Z(?=[.\n]|$)", JUDGED),  # so B
    ("RX", rf"{_M}{_RIGHT}", JUDGED),  # B is right
    ("YR", rf"{_M}(?:\?{{1,3}}[.,]?[YR]|[:|]?Y(?=[.\n,|]|$)|:w?R(?=[.\n,]|$))", JUDGED),  # B? Yes
    ("M", rf"(?:(?<=[.\n?;:])|^)[WZbYO,CS]{{0,4}}{_M}I?(?=[.\n]|$)", GIVEN),  # a sentence of its own
    ("W", rf"W[,.:]?Z?{_M}(?=[.,:;\nBb]|$)", GIVEN),  # wait, B
    ("M", rf"^:?{_M}(?:[.,:;\nB|b]|$)", GIVEN),  # B, because
    (",", rf"(?:(?<=[.\n])|^)[^M.\n]{{1,12}},{_M}(?=[.\n]*$)", GIVEN),  # all in all, B
    ("I", rf"Iw?{_M}(?!D)|Iww{_M}(?=[.\n,]|$)", STATED),  # it is B
    (":", rf"[Sw]I?:{_M}(?=[.\n]|$)", STATED),
    ("D", rf"DM,b?({_M[1:-1]})(?=[.\n]|$)", STATED),  # not A, B
)
_SAID_RIGHT = re.compile(_RIGHT)
_SUPPOSED = re.compile(rf"H[^.;\n?MbZ:,]{{0,8}}{_M}(?:[^.;\n?,:Mb]{{0,5}}M){{0,3}}")
_ASKED = re.compile(rf"{_M}[^.;\n?:]{{0,12}}\?(?![.,]?[YOR])")
_ANSWERED = re.compile(r"\?[.,]?[YR]")
_CONDITION = re.compile(r"M[^.\n?!]{0,20}H")
_OPENING = re.compile(r"(?:(?<=[\n.])|^)[:u|xV]{0,2}M(?=[:.\n|,]|$)")
_LINE = re.compile(r"[^\n]+")
_MARKS = frozenset("VxYROX")
_YES_MARK = re.compile(r"V|(?<=[|:])[YR](?=\||$)|(?<=[.,:])(?<!D)[YR](?=[.]?$)")
_NO_MARK = re.compile(r"x|\|[OX](?=\||$)|[.,:](?:[OX]|D[YR])[.]?$")
_TRUTH = re.compile(r"(?:(?<=[.\n])|^)(?P<alone>[RX])(?=[.,\n]|$)|[SwA]I(?P<not>D?)(?P<said>[RX])(?=[.,;\nBb]|$)")
_SENTENCE = re.compile(r"[.?\n]")


class Reader:
    """A sketch and what it says of each option."""

    def __init__(self, drawn: Sketch, names: Names) -> None:
        self.drawn, self.names, self.shape, self.options = drawn, names, drawn.shape, drawn.options
        self.verdicts: list[Verdict] = []
        self.denied: dict[int, int] = {}
        """Where each option that is denied is so last."""
        self.free: list[int] = []
        """Places that are neither denied nor supposed nor asked."""
        if drawn.options:
            self._judge()

    def _judge(self) -> None:
        shape, options, there = self.shape, self.options, set(self.shape)
        rules = [rule for rule in _DENIED if not rule.needs.isdisjoint(there)]
        no = {place for rule in rules for match in rule.pattern.finditer(shape) for place in self._places(match)}
        marks = self._marks() if there & _MARKS else []
        no |= {place for place, right in marks if not right}
        self.verdicts += [Verdict(JUDGED, place, options[place]) for place, right in marks if right and place not in no]
        self.denied = {options[place]: place for place in sorted(no)}
        supposed = {place for match in _SUPPOSED.finditer(shape) for place in range(*match.span())} if "H" in there else set()
        asked = {place for match in _ASKED.finditer(shape) for place in range(*match.span())} if "?" in there else set()
        listed = self._listed()
        for rule in _VERDICTS:
            for match in rule.pattern.finditer(shape) if not rule.needs.isdisjoint(there) else ():
                places = self._places(match)
                named, last = {options[place] for place in places}, places[-1]
                out = not no.isdisjoint(places) or not supposed.isdisjoint(places)
                question = not asked.isdisjoint(places) and not _ANSWERED.match(shape, last + 1)
                again = len(named) == len(self.names.options) > 2 or (rule.kind >= GIVEN and places[0] in listed)
                if not (out or question or again or (rule.kind == STATED and not self._at_an_end(last))):
                    right = rule.kind == JUDGED and _SAID_RIGHT.match(shape, last + 1) is not None
                    self.verdicts.append(Verdict(rule.kind, last, named.pop() if len(named) == 1 else None, right))
        for index, place in self.denied.items():
            other = self.names.opposites.get(index, index)
            if other not in self.denied and self._at_an_end(place):
                self.verdicts.append(Verdict(STATED, place, other))
        self.verdicts.sort(key=lambda verdict: (verdict.at, -verdict.kind))
        taken = no | supposed | asked
        self.free = [place for place in options if place not in taken and not _CONDITION.match(shape, place)]

    def _places(self, match: re.Match[str]) -> list[int]:
        """The places of the group of options that a rule matched."""
        start, end = next(span for span in match.regs[1:] if span[0] >= 0)
        return [place for place in range(start, end) if place in self.options]

    def _at_an_end(self, place: int) -> bool:
        """Whether a place is in the first sentence of a text, or in one of the last two; any place of a short text is."""
        if len(self.drawn.text) <= LONG or not _SENTENCE.search(self.shape, 0, place):
            return True
        return len(_SENTENCE.findall(self.shape[place:].rstrip(".?\n"))) < 2

    def _listed(self) -> set[int]:
        """Places that open a line or sentence as members of a list that goes through several options."""
        opening = [match.end() - 1 for match in _OPENING.finditer(self.shape)]
        counts = Counter(self.options[place] for place in opening)
        if len(counts) < 2:
            return set()
        first, last = self.options[opening[0]], self.options[opening[-1]]
        between = self.shape[opening[-2] : opening[-1]]
        goes_on = between.count("\n") == 1 or ("\n" not in between and len(between) < 3)
        if not self.shape[opening[-1] + 1 :].strip(".\n") and (counts[last] > 1 or not goes_on):
            opening = opening[:-1]  # a last line of its own
        if counts[first] > 1 and all(count == 1 for index, count in counts.items() if index != first):
            opening = opening[1:]  # the answer, and then the list
        return set(opening) if len({self.options[place] for place in opening}) > 1 else set()

    def _marks(self) -> list[tuple[int, bool]]:
        """Options that a line is about, and whether they are right: by a tick or cross, a table's cell, or a last word."""
        marks = []
        for line in _LINE.finditer(self.shape):
            named = {self.options[place]: place for place in range(*line.span()) if place in self.options}
            right, wrong = _YES_MARK.findall(line[0]), _NO_MARK.findall(line[0])
            if len(named) == 1 and len(right) + len(wrong) == 1:
                marks.append((next(iter(named.values())), bool(right)))
        return marks

    def decided(self, least: int) -> Span | None:
        """The verdict that counts, if it is of a kind down to the least one; else what elimination leaves."""
        corrections = [place for place, symbol in enumerate(self.shape) if symbol == "W"]
        verdicts = self.verdicts
        if verdicts and (last := bisect_right(corrections, verdicts[-1].at)):
            verdicts = [verdict for verdict in verdicts if verdict.at > corrections[last - 1]]
        best = min((verdict.kind for verdict in verdicts), default=MENTIONED)
        equal = [verdict for verdict in verdicts if verdict.kind == best]
        if equal and best <= least:
            alike = [verdict for verdict in equal if verdict.right] if equal[-1].right else equal
            if (equal[-1].right or best == STATED) and not self._settled(alike):
                return None
            return None if equal[-1].option is None else self._span(equal[-1].option, [equal[-1].at])
        left = [index for index in range(len(self.names.options)) if index not in self.denied]
        if equal or len(left) != 1 or len(self.denied) < 2:
            return None
        return self._span(left[0], [at for at, index in self.options.items() if index == left[0]] or [*self.denied.values()])

    def _settled(self, equal: Sequence[Verdict]) -> bool:
        """Whether verdicts agree, or the text turns before the last one."""
        others = [verdict.at for verdict in equal if verdict.option not in (None, equal[-1].option)]
        return not others or not set(self.shape[others[-1] : equal[-1].at]).isdisjoint("bZW")

    def _span(self, option: int, places: Sequence[int]) -> Span:
        return option, self.drawn.starts[min(places)], self.drawn.ends[max(places)]

    def truth(self) -> Span | None:
        """A verdict on the statement itself: "That is correct", "The claim is not true"."""
        if self.names.verdicts is None or self.verdicts:
            return None
        for match in reversed(list(_TRUTH.finditer(self.shape))):
            said, place = match["alone"] or match["said"], match.end() - 1
            word = tokens(self.drawn.text[self.drawn.starts[place] : self.drawn.ends[place]])
            if word in phrases_of("words") and self._at_an_end(place):
                return self._span(self.names.verdicts[(said == "X") != bool(match["not"])], [place])
        return None

    def mentioned(self) -> Span | None:
        """The only option that is named, by more than a letter in running text if any is."""
        for places in ([place for place in self.free if place not in self.drawn.bare], self.free):
            if len({self.options[place] for place in self.free}) == 1 and places and not self.verdicts:
                digit = self.drawn.text[self.drawn.starts[places[-1]]].isdigit()
                short = len(self.drawn.text) <= (LONGEST_NUMBER if digit else LONGEST_MENTION)
                return self._span(self.options[places[-1]], places[-1:]) if short else None
        return None
