"""Which option of a closed question a text gives as its answer, however it says so.

A text is drawn as a sketch (see `option_names`), in which each rule here finds verdicts: places where an option is *announced*
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
from collections.abc import Sequence
from typing import NamedTuple

from assay.prompting.extractors import Found, found, nothing
from assay.prompting.option_names import Names, Sketch, names_of, simplified, sketch, tables, tokens, undressed
from assay.prompting.reasoning import spoken

OPTION, LETTER = ("option", 1), ("letter", 2)
"""Name and version of the reader: of options by their texts, and by their letters too."""

_NEXT_QUESTION = re.compile(
    r"\n\s{0,5}(?:#{1,3}\s|\*\*)?(?:question|q|input|passage|problem|user|human|review|text|tweet|sentence|premise|article|message|query|instruction)\s?\d{0,4}\s?[:：]",
    re.I,
)
ANNOUNCED, JUDGED, GIVEN, STATED, LEFT, MENTIONED = range(6)
_M = r"(M(?:,M){0,25}(?:,?&M){0,4})"
_END = r"(?=[.,;:\n?|Bb~(]|$)"
_HERE = r"(?![DI]{0,2}[XD])"


class Rule(NamedTuple):
    """A pattern on sketches, which can match where one of some characters occurs, and what kind of verdict it finds."""

    needs: frozenset[str]
    pattern: re.Pattern[str]
    kind: int


def _rules(*rules: tuple[str, str] | tuple[str, str, int]) -> tuple[Rule, ...]:
    return tuple(Rule(frozenset(rule[0]), re.compile(rule[1]), rule[2] if len(rule) > 2 else MENTIONED) for rule in rules)


def _places(match: re.Match[str], options: dict[int, int]) -> list[int]:
    """The places of the group of options that a rule matched."""
    start, end = next(span for span in match.regs[1:] if span[0] >= 0)
    return [place for place in range(start, end) if place in options]


_DENIED = _rules(
    ("DEO", rf"[DEO]I?[AwRHCS]{{0,2}}{_M}"),  # not B; rule out A and C
    ("XE", rf"{_M}[,:|]?I?(?:X|E(?!M))"),  # B is wrong
    ("D", rf"{_M}I?DI?(?![XMI])"),  # B does not
    ("X", rf"X[AwR]{{0,3}}[I:]{{1,3}}{_M}"),  # the wrong answer is B
    ("?", rf"{_M}\?{{1,3}}[.,]?[OD]"),  # B? No
    ("O", rf"{_M}[:|]?O(?=[.\n,|IR]|$)"),  # | B | no |
    ("x", rf"{_M}(?:[:|.]{{0,2}}w?){{0,3}}x|(?:^|[\n|,])x[:|]?{_M}"),  # a cross behind or before
    ("~", rf"~{_M}[.:]?w{{0,9}}~"),  # crossed out
)
_VERDICTS = _rules(
    (
        "I:\n-",
        rf"(?<![IM])(?:[AR][AwRC&S]{{0,4}}[I:]{{1,3}}|A\n{{1,3}}(?=M(?:[.\n,:?]|$)))[\n.:AIRS]{{0,5}}w?{_M}(?!w?D)",
        ANNOUNCED,
    ),
    ("AR", rf"[AR]{{1,3}}{_M}I?(?=[.\n]|$)", ANNOUNCED),  # answer B
    (":", rf"(?:^|[\n,.])[wASR]{{1,4}}:{_M}(?=[,\n.]|$)", JUDGED),  # "label": "B"
    ("C", rf"C[AwSI]{{0,3}}{_M}(?!D)|{_M}I?C(?=[.\n,]|$)", JUDGED),  # I choose B
    ("Z", rf"Z[,:ZI]{{0,3}}[SIA,]{{0,4}}{_M}{_HERE}(?=[.,;:\nBb&SIRZ]|$)|{_M}I?Z(?=[.\n]|$)", JUDGED),  # so B
    ("RX", rf"{_M}[AS]?I{{0,2}}(?:DX|A?R)(?![A]?[I:]{{1,2}}M)(?!H)", JUDGED),  # B is right
    ("YR", rf"{_M}(?:\?{{1,3}}[.,]?[YR]|[:|]?Y(?=[.\n,|]|$)|:w?R(?=[.\n,]|$))", JUDGED),  # B? Yes
    ("M", rf"(?:(?<=[.\n?;:])|^)[WZbYO,CS]{{0,4}}{_M}(?=[.\n]|$)", GIVEN),  # a sentence of its own
    ("W", rf"W[,.:]?Z?{_M}(?=[.,:;\nBb]|$)", GIVEN),  # wait, B
    ("M", rf"^:?{_M}(?:[.,:;\nB|b]|$)", GIVEN),  # B, because
    ("I", rf"Iw?{_M}(?!D)", STATED),  # it is B
    (":", rf"[Sw]I?:{_M}(?=[.\n]|$)", STATED),
)
_RIGHT = next(rule for rule in _VERDICTS if "(?:DX|" in rule.pattern.pattern)
_SUPPOSED = re.compile(rf"H[^.;\n?MbZ:,]{{0,8}}{_M}(?:[^.;\n?,:Mb]{{0,5}}M){{0,3}}")
_ASKED = re.compile(rf"{_M}[^.;\n?:]{{0,12}}\?(?![.,]?[YOR])")
_ANSWERED = re.compile(r"\?[.,]?[YR]")
_MARKS = frozenset("VxYROX")
_CONDITION = re.compile(r"M[^.\n?!]{0,20}H")
_LINE = re.compile(r"[^\n]+")
_TRUTH = re.compile(r"(?:(?<=[.\n])|^)(?P<alone>[RX])(?=[.,\n]|$)|[SwA]I(?P<not>D?)(?P<said>[RX])(?=[.,;\nBb]|$)")


class Verdict(NamedTuple):
    """What a text says of an option at one place."""

    kind: int
    at: int
    """Where in the sketch."""
    option: int | None
    """`None` where several are named at once."""
    right: bool = False
    """It was called right."""


def read_option(text: str, options: Sequence[str], *, lettered: bool = True, mention: bool = True) -> Found[int]:
    """The option a completion gives, as an index, or `None` where it gives none; see the head of this module.

    Args:
        text: the completion; its reasoning blocks are not read. Nor is a next question that a base model puts to itself.
        options: the texts of the options.
        lettered: the model saw them in this order behind the letters A, B, …, so that it may name them by letter or place.
        mention: an option may be taken for chosen because no other is mentioned.
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
            span = _whole(before, names) or _read(before, names, mention=False)
        span = span or _read(part.text, names, mention)
    if span is None:
        return nothing(extractor, version)
    index, start, end = span
    return found(extractor, index, part.start + start, part.start + end, version)


def named_options(text: str, options: Sequence[str]) -> set[int]:
    """The options that a text names and does not deny, suppose or ask for."""
    drawn = sketch(text, names := names_of(tuple(options), False))
    return {drawn.options[place] for place in _verdicts(drawn, names)[2]}


Span = tuple[int, int, int]
"""An option's index, and the first and the last character (exclusive) of the place that names it."""


def _whole(text: str, names: Names) -> Span | None:
    """The option that a text is, where it is nothing else."""
    bare = text.strip()
    if names.lettered and len(bare) == 1 and bare.upper() in names.letters:
        index: int | None = names.letters[bare.upper()]
    else:
        forms = (names.exact.get(bare), names.exact.get(undressed(text)), names.simple.get(simplified(text)))
        index = next((form for form in forms if form is not None), None)
    start = len(text) - len(text.lstrip())
    return None if index is None else (index, start, start + len(bare))


def _read(text: str, names: Names, mention: bool) -> Span | None:
    if (index := _rated(text, names)) is not None:
        return index, 0, len(text)
    drawn = sketch(text, names)
    if not drawn.options:
        return _truth(drawn, names.verdicts) if names.verdicts else None
    verdicts, denied, open_to_mention = _verdicts(drawn, names)
    chosen = _decided(drawn, verdicts, denied, names)
    if chosen is None and names.verdicts:
        chosen = _truth(drawn, names.verdicts)
    if chosen is None and mention and not any(verdict.kind < LEFT for verdict in verdicts):
        chosen = _mentioned(drawn, open_to_mention, len(text))
    return chosen


def _rated(text: str, names: Names) -> int | None:
    """The option that an object marks as true, or rates highest: `{"spam": 0.9, "ham": 0.1}`."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end - start > 4000 or end < start:
        return None
    try:
        given = json.loads(text[start : end + 1])
    except ValueError:
        return None
    if not isinstance(given, dict) or len(given) < 2:
        return None
    rated = {names.letters.get(key, names.simple.get(simplified(key))): value for key, value in given.items()}
    if None in rated or len(rated) < len(given) or not all(isinstance(value, (bool, int, float)) for value in rated.values()):
        return None
    best = [index for index, value in rated.items() if value == max(rated.values())]
    return best[0] if len(best) == 1 else None


def _verdicts(drawn: Sketch, names: Names) -> tuple[list[Verdict], dict[int, int], list[int]]:
    """The verdicts of a sketch in order; the options denied and where; and the places that are free to be mere mentions."""
    shape, options = drawn.shape, drawn.options
    verdicts: list[Verdict] = []
    no: set[int] = set()
    there = set(shape)
    for rule in _DENIED:
        if not rule.needs.isdisjoint(there):
            for match in rule.pattern.finditer(shape):
                no.update(_places(match, options))
    for line in _LINE.finditer(shape) if there & _MARKS else ():
        if marked := _marked(line[0], line.start(), options):
            if marked[1] and marked[0] not in no:
                verdicts.append(Verdict(JUDGED, marked[0], options[marked[0]]))
            elif not marked[1]:
                no.add(marked[0])
    denied = {options[place]: place for place in sorted(no)}
    supposed = {place for match in _SUPPOSED.finditer(shape) for place in range(*match.span())} if "H" in there else set()
    asked = {place for match in _ASKED.finditer(shape) for place in range(*match.span())} if "?" in there else set()
    listed = _listed(shape, options)
    for rule in _VERDICTS:
        for match in rule.pattern.finditer(shape) if not rule.needs.isdisjoint(there) else ():
            places = _places(match, options)
            if any(place in no or place in supposed for place in places) or (places[0] in listed and rule.kind >= GIVEN):
                continue
            if asked.intersection(places) and not _ANSWERED.match(shape, places[-1] + 1):
                continue
            named = {options[place] for place in places}
            if len(named) == len(names.options) > 2:
                continue  # the question once more
            if rule.kind == STATED and len(drawn.text) > LONG and not _at_an_end(shape, places[-1]):
                continue
            verdicts.append(Verdict(rule.kind, places[-1], named.pop() if len(named) == 1 else None, rule is _RIGHT))
    for index, place in denied.items():
        fits = len(drawn.text) <= LONG or _at_an_end(shape, place)
        if index in names.opposites and names.opposites[index] not in denied and fits:
            verdicts.append(Verdict(STATED, place, names.opposites[index]))
    verdicts.sort(key=lambda verdict: (verdict.at, -verdict.kind))
    free = [place for place in options if place not in no and place not in supposed and place not in asked]
    free = [place for place in free if not _CONDITION.match(shape, place)]
    return verdicts, denied, free


def _listed(shape: str, options: dict[int, int]) -> set[int]:
    """Places that open a line or sentence as members of a list that goes through several options."""
    if shape.count("M") < 2:
        return set()
    opening = [match.end() - 1 for match in re.finditer(r"(?:(?<=[\n.])|^)[:u|xV]{0,2}M(?=[:.\n|,]|$)", shape)]
    counts: dict[int, int] = {}
    for place in opening:
        counts[options[place]] = counts.get(options[place], 0) + 1
    if len(counts) < 2:
        return set()
    last = opening[-1]
    if not shape[last + 1 :].strip(".\n") and (counts[options[last]] > 1 or not _adjoining(shape, opening)):
        opening = opening[:-1]  # a last line of its own
    if counts[options[opening[0]]] > 1 and all(count == 1 for index, count in counts.items() if index != options[opening[0]]):
        opening = opening[1:]  # the answer, and then the list
    return set(opening) if len({options[place] for place in opening}) > 1 else set()


def _adjoining(shape: str, opening: Sequence[int]) -> bool:
    """Whether the last of some openings continues a list: the one before it is on the line before."""
    between = shape[opening[-2] : opening[-1]]
    return between.count("\n") == 1 or (between.count("\n") == 0 and len(between) < 3)


_CELL = re.compile(r"V|(?<=[|:])[YR](?=\||$)|(?<=[.,:])(?<!D)[YR](?=[.]?$)")
_NO_CELL = re.compile(r"x|\|[OX](?=\||$)|[.,:](?:[OX]|D[YR])[.]?$")


def _marked(line: str, offset: int, options: dict[int, int]) -> tuple[int, bool] | None:
    """The option a line is about, and whether it is right: by a tick or cross, a table's cell, or a last word."""
    named = {options[offset + place]: offset + place for place, symbol in enumerate(line) if symbol == "M"}
    right, wrong = _CELL.findall(line), _NO_CELL.findall(line)
    if len(named) != 1 or len(right) + len(wrong) != 1:
        return None
    return next(iter(named.values())), bool(right)


def _decided(drawn: Sketch, verdicts: list[Verdict], denied: dict[int, int], names: Names) -> Span | None:
    """The verdict that counts."""
    corrections = [place for place, symbol in enumerate(drawn.shape) if symbol == "W"]
    if corrections and verdicts:
        fresh = [verdict for verdict in verdicts if verdict.kind <= STATED]
        if fresh:
            last = bisect_right(corrections, fresh[-1].at) - 1
            if last >= 0:
                verdicts = [verdict for verdict in verdicts if verdict.at > corrections[last]]
    best = min((verdict.kind for verdict in verdicts), default=MENTIONED)
    if best <= STATED:
        equal = [verdict for verdict in verdicts if verdict.kind == best]
        last_one: Verdict | None = equal[-1]
        right = [verdict for verdict in equal if verdict.right]
        if equal[-1].right and len({verdict.option for verdict in right}) > 1:
            last_one = _settled(drawn, right)
        if best == STATED and len({verdict.option for verdict in equal}) > 1:
            last_one = _settled(drawn, equal)
        return None if last_one is None or last_one.option is None else _span(drawn, last_one)
    left = [index for index in range(len(names.options)) if index not in denied]
    if len(left) == 1 and len(denied) > 1:
        own = [place for place, index in drawn.options.items() if index == left[0]] or list(denied.values())
        return left[0], drawn.starts[min(own)], drawn.ends[max(own)]
    return None


def _settled(drawn: Sketch, equal: Sequence[Verdict]) -> Verdict | None:
    """Of statements that differ the last one, where the text turns before it."""
    before = max(verdict.at for verdict in equal if verdict.option != equal[-1].option)
    return equal[-1] if set(drawn.shape[before : equal[-1].at]) & set("bZW") else None


def _span(drawn: Sketch, verdict: Verdict) -> Span:
    assert verdict.option is not None
    return verdict.option, drawn.starts[verdict.at], drawn.ends[verdict.at]


def _truth(drawn: Sketch, verdicts: tuple[int, int]) -> Span | None:
    """A verdict on the statement itself: "That is correct", "The claim is not true"."""
    for match in reversed(list(_TRUTH.finditer(drawn.shape))):
        said = match["alone"] or match["said"]
        place = match.end() - 1
        word = tokens(drawn.text[drawn.starts[place] : drawn.ends[place]])
        if not any(word in side for side in tables()["words"].values()) or not (
            len(drawn.text) <= LONG or _at_an_end(drawn.shape, place)
        ):
            continue
        return verdicts[(said == "X") != bool(match["not"])], drawn.starts[place], drawn.ends[place]
    return None


def _at_an_end(shape: str, place: int) -> bool:
    """Whether a place is in the first sentence of a text, or in one of the last two."""
    return not re.search(r"[.?\n]", shape[:place]) or len(re.findall(r"[.?\n]", shape[place:].rstrip(".?\n"))) < 2


LONG = 400
"""Characters from which on what is stated in the midst of a text is taken for an argument."""
LONGEST_MENTION, LONGEST_NUMBER = 240, 80
"""Characters of a text up to which an option may be taken for chosen because no other is mentioned."""


def _mentioned(drawn: Sketch, free: Sequence[int], length: int) -> Span | None:
    """The only option that is named, by its text if by any."""
    for places in ([place for place in free if place not in drawn.bare], free):
        named = {drawn.options[place] for place in places}
        if len(named) == 1 and not {drawn.options[place] for place in free} - named:
            place = places[-1]
            if length > (LONGEST_NUMBER if drawn.text[drawn.starts[place]].isdigit() else LONGEST_MENTION):
                return None
            return drawn.options[place], drawn.starts[place], drawn.ends[place]
    return None
