"""Which option of a closed question a text gives as its answer, however it says so.

A text is drawn as a sketch (see `option_sketch`), in which each rule here finds verdicts: places where an option is *announced*
("the answer is B", a tag, a box), *judged* right, chosen or concluded ("I choose B", "B is correct", "B? Yes", "which leaves
B", a tick), *given* alone (as the text's opening, a sentence or a line of its own), *stated* ("it is B"), left over by
*elimination*, or merely *mentioned*. What is denied ("not B", "B is wrong"), asked or supposed ("if B were true") is none.

The strongest kind counts, and of equal verdicts the last one; what stands before a correction ("wait, no") gives way to what
follows it. A text that names two options as right, or only denies some, chooses nothing; nor does a list of all options.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.prompting.extractors import Found, found, nothing
from assay.prompting.option_names import Names, names_of, phrases_of, simplified, tables, tokens, undressed
from assay.prompting.option_sketch import Sketch, sketch
from assay.prompting.reasoning import spoken

OPTION, LETTER = ("option", 2), ("letter", 3)
"""Name and version of the reader: of options by their texts, and by their letters too."""
LONG, LONGEST_MENTION, LONGEST_NUMBER = 400, 240, 80
"""Characters of a text: from which on what it states in its midst is an argument; up to which a lone mention is an answer."""

_NEXT_QUESTION = re.compile(
    r"\n\s{0,5}(?:#{1,3}\s|\*\*)?(?:question|q|input|passage|problem|user|human|review|text|tweet|sentence|premise|article"
    r"|message|query|instruction)\s?\d{0,4}\s?[:：]",
    re.IGNORECASE,
)
ANNOUNCED, JUDGED, GIVEN, STATED, LEFT, MENTIONED = range(6)
"""Kinds of verdicts, the strongest first."""
Span = tuple[int, int, int]
"""An option's index, and the first and the last character (exclusive) of the place that names it."""


def read_option(text: str, options: Sequence[str], *, lettered: bool = True, least: int = MENTIONED) -> Found[int]:
    """The option a completion gives, as an index, or `None` where it gives none; see the head of this module.

    Args:
        text: the completion; its reasoning blocks are not read. Nor is a next question that a base model puts to itself.
        options: the texts of the options.
        lettered: the model saw them in this order behind the letters A, B, …, so that it may name them by letter or place.
        least: the weakest kind of verdict that counts: `GIVEN`, `STATED`, or `MENTIONED`, the default.
    """
    extractor, version = LETTER if lettered else OPTION
    part = spoken(text)
    if not part.text.strip() or not options:
        return nothing(extractor, version)
    names = names_of(tuple(options), lettered)
    next_question = _NEXT_QUESTION.search(part.text)
    before = part.text[: next_question.start()] if next_question else ""
    span = _whole(part.text, names) or (_whole(before, names) or _read(before, names, STATED) if before.strip() else None)
    span = span or _read(part.text, names, least)
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


def _read(text: str, names: Names, least: int) -> Span | None:
    """The option a text gives by a verdict of a kind down to the least one."""
    reader = Reader(sketch(text, names), names)
    span = reader.decided(least) or (reader.truth() if least >= MENTIONED else None)
    return span or (reader.mentioned() if least >= MENTIONED else None)


class Rule(NamedTuple):
    """A pattern on sketches, which can match where one of some characters occurs, and what kind of verdict it finds."""

    needs: frozenset[str]
    pattern: re.Pattern[str]
    kind: int


class Verdict(NamedTuple):
    """What a text says of an option (`None`: of several at once) at one place of its sketch; whether that it is right."""

    kind: int
    at: int
    option: int | None
    right: bool = False


def _rules(*rules: tuple[str, str] | tuple[str, str, int]) -> tuple[Rule, ...]:
    return tuple(Rule(frozenset(rule[0]), re.compile(rule[1]), rule[2] if len(rule) > 2 else MENTIONED) for rule in rules)


_M = r"(M(?:,M){0,25}+(?:,?&M){0,25}+)"
_AND = r"(M(?:(?:,M){0,9},?&M|&M){0,25}+)"
_DENIED = _rules(
    ("DO", rf"[DO]I?[AwRHCS]{{0,2}}{_AND}"),  # not B
    ("E", rf"(?<!DM)EI?[AwRHCS]{{0,2}}{_M}"),  # rule out A, C
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
    ("u", rf"V{_M}(?=u|$)", JUDGED),  # a ticked box among others on its line
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
_FIELD = re.compile(r"(?:(?:^|[\n,.])[wASRZ]{1,4}:|^)M(?=[,\n.]|w:|$)")
_LABELLED = re.compile(r"[wARCS&]{0,4}[I:]{1,3}w?M")
_IF = re.compile(r",?w{0,3}H")
_SCORE = re.compile(
    r"(?:[\"'](?:,\s?[\"'](?:score|probability|confidence)[\"'])?\s?:\s?|[*`)\]]{0,3}\s?[:=(]\s?(?=[\d.]{1,12}\s?[%/]|[01]\.\d))"
    r"(\d{1,3}(?:\.\d{1,9})?)"
)


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
        two = self.names.verdicts if len(self.names.options) == 2 else None
        for index, place in self.denied.items():
            not_so = two and shape.endswith(("AD", "AID"), 0, place)
            other = sum(two) - index if two and not_so else self.names.opposites.get(index, index)
            if other not in self.denied and self._at_an_end(place):
                self.verdicts.append(Verdict(STATED, place, other))
        (best, poor), (unreal, lesser) = self._scored(), self._aside()
        self.verdicts += [Verdict(STATED, place, options[place]) for place in best]
        said = [verdict for verdict in self.verdicts if verdict.at not in poor | unreal]
        self.verdicts = [verdict for verdict in said if verdict.at not in lesser] or said
        self.verdicts.sort(key=lambda verdict: (verdict.at, -verdict.kind))
        taken = no | supposed | asked | unreal | poor
        self.free = [place for place in options if place not in taken and not _CONDITION.match(shape, place)]

    def _places(self, match: re.Match[str]) -> list[int]:
        """The places of the group of options that a rule matched."""
        start, end = next(span for span in match.regs[1:] if span[0] >= 0)
        return [place for place in range(start, end) if place in self.options]

    def _aside(self) -> tuple[set[int], set[int]]:
        """Places of what is not so, and of what counts if nothing else does: lesser answers, side fields, conditions."""
        shape, unreal = self.shape, set[int]()
        fields = {field.end() - 1: field[0] == "M" or not set("ARZ").isdisjoint(field[0]) for field in _FIELD.finditer(shape)}
        main = {place for place, named in fields.items() if named} or {min(fields, default=0)}
        labelled = (_LABELLED.match(shape, at) for at in self.drawn.lesser if shape[at - 1 : at] != "R")
        lesser = (fields.keys() - main) | {match.end() - 1 for match in labelled if match}
        would, had = tables()["unreal"]["would"], tables()["unreal"]["had"]
        for place in self.options:
            copula = self._said(place - 1) if shape[place - 1 : place] == "I" else ()
            first = max(shape.rfind(sign, max(place - LONG, 0), place) for sign in ".\n?") + 1 if copula in would else place
            if (condition := _IF.match(shape, place + 1)) and self._said(condition.end() - 1) in phrases_of("condition"):
                (unreal if copula in would else lesser).add(place)
            elif copula in phrases_of("hedged") or "H" in shape[first:place] or (copula in would and self._said(first) in had):
                lesser.add(place)
        return unreal, lesser

    def _scored(self) -> tuple[set[int], set[int]]:
        """The place that shares of several options favour, if one, and the others; in an object any numbers are shares."""
        found = ((place, _SCORE.match(self.drawn.text, self.drawn.ends[place])) for place in self.options)
        scores = {place: float(match[1]) for place, match in found if match}
        if len({self.options[place] for place in scores}) < 2:
            return set(), set()
        highest = max(scores.values())
        best = {place for place, score in scores.items() if score == highest}
        return (best, scores.keys() - best) if len(best) == 1 else (set(), set(scores))

    def _said(self, place: int) -> tuple[str, ...]:
        """The words behind a character of the sketch."""
        return tokens(self.drawn.text[self.drawn.starts[place] : self.drawn.ends[place]])

    def _at_an_end(self, place: int) -> bool:
        """Whether a place is in the first sentence of a text, or in one of the last two; any place of a short text is."""
        if len(self.drawn.text) <= LONG or not _SENTENCE.search(self.shape, 0, place):
            return True
        ended = _SENTENCE.search(shape := self.shape.rstrip(".?\n"), place)
        return ended is None or _SENTENCE.search(shape, ended.end()) is None

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
        gaps = [self.shape.count("\n", *pair) for pair in pairwise(opening)]
        apart = self.shape[opening[0] + 1 : opening[0] + 2] == "\n" and gaps[0] > max(gaps[1:], default=gaps[0])
        if (counts[first] > 1 or apart) and all(count == 1 for index, count in counts.items() if index != first):
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
            settled = not (equal[-1].right or best == STATED) or self._settled(alike)
            return None if equal[-1].option is None or not settled else self._span(equal[-1].option, [equal[-1].at])
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
            if self._said(place) in phrases_of("words") and self._at_an_end(place):
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
