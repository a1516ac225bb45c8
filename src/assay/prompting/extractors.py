"""Finding an answer in what a model wrote: pure functions from a text to a value and the place where it stood.

An extractor has a name and a version, which are stored with every answer it read; a change that can read a text otherwise
raises the version. All follow the same rules. The last answer wins, because models think aloud before they decide. An answer
that is announced ("the answer is …", `\\boxed{…}`, "#### …") counts more than one that merely occurs. Nothing found is
`None`, never a default. Any text of any length is read in linear time and without an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Generic, TypeVar

from assay.prompting.reasoning import LONGEST_READ
from assay.records import Reading

T = TypeVar("T")


@dataclass(frozen=True)
class Found(Generic[T]):
    """What an extractor found: a value, or `None`; and how and where (`start` and `end` are `None` where nothing was found)."""

    value: T | None
    reading: Reading


@dataclass(frozen=True)
class Announced:
    """A place where an answer is announced: the text behind the announcement begins at `start` and reaches to `end`."""

    start: int
    end: int


LONGEST_ANSWER = 2000
"""Characters that are read behind an announcement, at most; with LONGEST_BOX it keeps hostile texts cheap."""
LONGEST_BOX = 1000
VERSION = 2
"""Of the extractors that read what is announced."""
MOST_READ = 50
"""Announcements that are looked at, from the last one back."""

NOUN = (
    r"(?:answer|choice|solution|result|conclusion|antwort|lösung|respuesta|solución|réponse|resposta|risposta|antwoord|svar"
    r"|odpowiedź|cevap|jawaban|ответ|відповідь|答案|答え|正解|정답|답|उत्तर|الجواب|الإجابة)"
)
_VERB = (
    r"(?:(?:would|must|should|has\sto|will)\sbe|comes\s(?:out\s)?to|equals|is|are|ist|lautet|es|est|é|è|jest|är|adalah)(?!\w)"
    r"|(?:應為|应为|應該是|应该是|应是|是|为|為|は|은|는)"
)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{")
_BRACE = re.compile(r"[{}]")
_TAGGED = re.compile(r"<(?:final_)?answer>|\"(?:final_)?answer\"\s{0,5}:", re.IGNORECASE)
_TAG_END = re.compile(r"</")
_VALUE = re.compile(r"\s{0,20}(?:\"(?P<text>(?>(?:[^\"\\\n]|\\.){0,2000}))\"|(?P<plain>(?:[^,}\n]|,(?=\d)){0,2000}))")
"""What stands behind a key of JSON: a string, or anything else up to a comma or the end."""
_HASHES = re.compile(r"^#{4}(?!#)", re.MULTILINE)
_SAID = re.compile(
    rf"(?<![A-Za-z]){NOUN}[*_`]{{0,4}}(?:"
    r"\s?[:：=]"  # Answer:
    rf"|(?:\s(?!not\b|isn)[^\W\d]{{1,9}}){{0,3}}?\s?(?:{_VERB})(?:\sthat\b)?\s?[*_`]{{0,3}}[:：=]?"  # the answer to this is
    r"|(?<=final\sanswer)[*_`]{0,4}\s{1,3}(?=\S))"  # a heading
    r"|(?<=final\sanswer\*\*)\s{1,3}(?=\S)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:\b(?:not|never|isn['’]t)\b[^.\n]{0,12}|\b(?:wrong|incorrect|false)\s)\Z", re.IGNORECASE)
_EMPTY = re.compile(r"[\s*_`#>:：]{0,200}")


def announcements(text: str) -> list[Announced]:
    """Every place where an answer is announced, in the order of the text."""
    places = [Announced(start, end) for start, end in _boxes(text)]
    for match in _TAGGED.finditer(text):
        furthest = min(len(text), match.end() + LONGEST_ANSWER)
        if match[0].startswith("<"):
            end = _TAG_END.search(text, match.end(), furthest)
            places.append(Announced(match.end(), end.start() if end else furthest))
        elif value := _VALUE.match(text, match.end(), furthest):
            places.append(Announced(*value.span("text" if value["text"] is not None else "plain")))
    for pattern in (_HASHES, _SAID):
        for match in pattern.finditer(text):
            if pattern is _SAID and _DENIED.search(text, max(0, match.start() - 24), match.start()):
                continue
            begin = _EMPTY.match(text, match.end())
            start = begin.end() if begin else match.end()
            places.append(Announced(start, _line_end(text, start)))
    return sorted(places, key=lambda place: (place.start, place.end))


def _boxes(text: str) -> list[tuple[int, int]]:
    """Where each box begins and ends: at its closing brace, or at the end of its line where that is too far away."""
    starts = [match.end() for match in _BOXED.finditer(text)]
    if not starts:
        return []
    closed: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACE.finditer(text, starts[0] - 1):
        if brace[0] == "{":
            opened.append(brace.end())
        elif opened:
            closed[opened.pop()] = brace.start()
    ends = ((start, closed.get(start, len(text))) for start in starts)
    return [(start, end if end < start + LONGEST_BOX and start in closed else _line_end(text, start)) for start, end in ends]


def _line_end(text: str, start: int) -> int:
    furthest = min(len(text), start + LONGEST_ANSWER)
    line = text.find("\n", start, furthest)
    return furthest if line < 0 else line


def nothing(extractor: str, version: int = 1) -> Found[T]:
    """The extractor found nothing."""
    return Found(None, Reading(extractor=extractor, version=version))


def found(extractor: str, value: T, start: int, end: int, version: int = 1) -> Found[T]:
    """The extractor found a value between two characters of the text."""
    return Found(value, Reading(extractor=extractor, version=version, start=start, end=end))


def whole_text(text: str) -> Found[str]:
    """All of it, white space at both ends left out."""
    return _trimmed("text", text, 0, len(text))


def first_line(text: str) -> Found[str]:
    """The first line that is not blank: what a base model answers before it goes on."""
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    return _trimmed("first_line", text, start, len(text) if end < 0 else end)


def boxed(text: str) -> Found[str]:
    """What stands in the last `\\boxed{…}`, braces in it balanced."""
    boxes = _boxes(text)
    return _trimmed("boxed", text, *boxes[-1]) if boxes else nothing("boxed")


def final_answer(text: str) -> Found[str]:
    """What was announced last: in a box, a tag, behind "####", "answer:" or "the answer is", to the end of its line.

    Marks of emphasis, quotes, dollars and a full stop around it are left out.
    """
    for place in reversed(announcements(text)[-MOST_READ:]):
        trimmed = _trimmed("final", text, place.start, place.end, " \t\r\n*_`$\"'“”.。:：", VERSION)
        if trimmed.value:
            return trimmed
    return nothing("final", VERSION)


def _trimmed(extractor: str, text: str, start: int, end: int, marks: str | None = None, version: int = 1) -> Found[str]:
    kept = text[start:end]
    first = start + len(kept) - len(kept.lstrip(marks))
    inner = kept.strip(marks)
    return found(extractor, inner, first, first + len(inner), version) if inner else nothing(extractor, version)


__all__ = [
    "LONGEST_READ", "Announced", "Found", "announcements", "boxed", "final_answer", "first_line", "found", "nothing",
    "whole_text",
]  # fmt: skip
