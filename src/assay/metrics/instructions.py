"""The 25 kinds of instructions whose fulfilment a program can verify (Zhou et al. 2023, IFEval, arXiv 2311.07911).

Each is a function of a response and of the instruction's settings (named as in the data) that says whether the response
follows it. `None` means that it cannot be told here. Responses are anybody's text: nothing in them is evaluated, and every
pattern is linear in their length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from assay.metrics.languages import is_written_in
from assay.metrics.words import words_of_sentences

Settings = Mapping[str, Any]
Check = Callable[[str, Settings], bool | None]

VERDICTS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_word = re.compile(r"\w+")
_sentence_end = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]*_]*+(?=\s)|[。！？।]++")
_next_letter = re.compile(r"\s*(\S?)")
_title_or_initial = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|[A-HJ-Z])|(?:^|\n)\s*\d+)\.$")
_abbreviation = re.compile(r"(?:\b(?:etc|Co|Inc|Ltd|Jr|Sr)|\b[a-z]\.[a-z])\.$", re.IGNORECASE)
_placeholder = re.compile(r"\[[^\n\[\]]*\]")
_bullet = re.compile(r"^[^\S\n]*(?:\*(?!\*)[^\n]|-)", re.MULTILINE)
_emphasis = re.compile(r"\*\*([^\n*]+)\*\*|\*([^\n*]+)\*")
_title = re.compile(r"<<([^\n<>]+)>>")
_fence = re.compile(r"^```(?:json)?|```$", re.IGNORECASE)
_first_mark = re.compile(r"[.,?!'\"]")


def follows(kind: str, settings: Settings, response: str) -> bool | None:
    """Whether a response follows an instruction; an empty response follows none.

    Raises:
        KeyError: there is no such kind, or a setting is missing.
    """
    check = CHECKS[kind]
    return check(response, settings) if response.strip() else False


def compared(count: int, relation: str, bound: int) -> bool:
    """`less than` or `at least` a bound."""
    return count < bound if relation == "less than" else count >= bound


def sentences(text: str) -> list[str]:
    """The sentences of a text: they end at `.`, `!` or `?` before white space, and what stands after the last end is one too.

    A title, an initial or a list's number ends none, another abbreviation only before a capital letter; nor does a line break.
    """
    found, start = [], 0
    for end in _sentence_end.finditer(text):
        if not _goes_on(text[max(start, end.end() - 24) : end.end()], text, end.end()):
            found.append(text[start : end.end()])
            start = end.end()
    return [piece.strip() for piece in (*found, text[start:]) if _word.search(piece)]


def _goes_on(last: str, text: str, place: int) -> bool:
    """Whether the full stop at the end of `last` stands within a sentence, given what follows at `place`."""
    if _title_or_initial.search(last):
        return True
    following = _next_letter.match(text, place)
    return bool(_abbreviation.search(last)) and not (following and following[1].isupper())


def _occurrences(text: str, wanted: str) -> int:
    return text.lower().count(wanted.lower())


def _has_word(text: str, wanted: str) -> bool:
    return re.search(rf"\b{re.escape(wanted)}\b", text, re.IGNORECASE) is not None


def _keywords(response: str, settings: Settings) -> bool:
    return all(_occurrences(response, keyword) for keyword in settings["keywords"])


def _keyword_frequency(response: str, settings: Settings) -> bool:
    return compared(_occurrences(response, settings["keyword"]), settings["relation"], settings["frequency"])


def _forbidden_words(response: str, settings: Settings) -> bool:
    return not any(_has_word(response, word) for word in settings["forbidden_words"])


def _letter_frequency(response: str, settings: Settings) -> bool:
    return compared(_occurrences(response, settings["letter"]), settings["let_relation"], settings["let_frequency"])


def _number_of_sentences(response: str, settings: Settings) -> bool:
    return compared(len(sentences(response)), settings["relation"], settings["num_sentences"])


def _number_of_words(response: str, settings: Settings) -> bool:
    return compared(len(_word.findall(response)), settings["relation"], settings["num_words"])


def _number_of_paragraphs(response: str, settings: Settings) -> bool:
    """Paragraphs stand between `***`; only the first and the last piece may be empty."""
    pieces = [piece.strip() for piece in response.split("***")]
    return all(pieces[1:-1]) and sum(map(bool, pieces)) == int(settings["num_paragraphs"])


def _first_word_of_paragraph(response: str, settings: Settings) -> bool:
    """Paragraphs stand between empty lines, and there must be as many as were asked for."""
    paragraphs = [piece.strip() for piece in response.split("\n\n") if piece.strip()]
    place = settings["nth_paragraph"]
    if len(paragraphs) != settings["num_paragraphs"] or place > len(paragraphs):
        return False
    first = paragraphs[place - 1].split()[0].lstrip("'\"")
    return _first_mark.split(first, maxsplit=1)[0].lower() == str(settings["first_word"]).lower()


def _placeholders(response: str, settings: Settings) -> bool:
    return len(_placeholder.findall(response)) >= int(settings["num_placeholders"])


def _postscript(response: str, settings: Settings) -> bool:
    """The marker in any case, its letters apart or not (`P.P.S`, `p. p. s`)."""
    wanted = str(settings["postscript_marker"]).lower()
    letters = re.sub(r"[^a-z]", "", wanted)
    if set(letters) != {"p", "s"}:
        return wanted in response.lower()
    marker = r"\.\s?".join(letters) + (r"\." if letters == "ps" else "")
    return re.search(rf"(?<!\w){marker}", response, re.IGNORECASE) is not None


def _bullets(response: str, settings: Settings) -> bool:
    return len(_bullet.findall(response)) == int(settings["num_bullets"])


def _highlights(response: str, settings: Settings) -> bool:
    parts = (double or single for double, single in _emphasis.findall(response))
    return sum(bool(part.strip()) for part in parts) >= int(settings["num_highlights"])


def _sections(response: str, settings: Settings) -> bool:
    """Sections begin with the given word and a number (`SECTION 2`)."""
    marker = rf"{re.escape(settings['section_spliter'])}\s?\d+"
    return len(re.findall(marker, response)) >= int(settings["num_sections"])


def _is_json(response: str, settings: Settings) -> bool:
    try:
        json.loads(_fence.sub("", response.strip()).strip())
    except (ValueError, RecursionError):
        return False
    return True


def _two_responses(response: str, settings: Settings) -> bool:
    """Two different answers with six asterisks between them."""
    pieces = [piece.strip() for piece in response.split("******")]
    given = [piece for piece in pieces if piece]
    return all(pieces[1:-1]) and len(given) == 2 and given[0] != given[1]


def _repeats_prompt(response: str, settings: Settings) -> bool:
    return response.strip().lower().startswith(settings["prompt_to_repeat"].strip().lower())


def _ends_with(response: str, settings: Settings) -> bool:
    return response.strip().strip('"').lower().endswith(settings["end_phrase"].strip().lower())


def _is_quoted(response: str, settings: Settings) -> bool:
    text = response.strip()
    return len(text) > 1 and text.startswith('"') and text.endswith('"')


def _capital_words(response: str, settings: Settings) -> bool:
    count = sum(word.isupper() for word in words_of_sentences(response))
    return compared(count, settings["capital_relation"], settings["capital_frequency"])


def _all_capitals(response: str, settings: Settings) -> bool | None:
    return response.isupper() and is_written_in(response.lower(), "en")


def _all_lowercase(response: str, settings: Settings) -> bool | None:
    return response.islower() and is_written_in(response, "en")


CHECKS: Mapping[str, Check] = {
    "change_case:capital_word_frequency": _capital_words,
    "change_case:english_capital": _all_capitals,
    "change_case:english_lowercase": _all_lowercase,
    "combination:repeat_prompt": _repeats_prompt,
    "combination:two_responses": _two_responses,
    "detectable_content:number_placeholders": _placeholders,
    "detectable_content:postscript": _postscript,
    "detectable_format:constrained_response": lambda response, _: any(verdict in response for verdict in VERDICTS),
    "detectable_format:json_format": _is_json,
    "detectable_format:multiple_sections": _sections,
    "detectable_format:number_bullet_lists": _bullets,
    "detectable_format:number_highlighted_sections": _highlights,
    "detectable_format:title": lambda response, _: any(title.strip() for title in _title.findall(response)),
    "keywords:existence": _keywords,
    "keywords:forbidden_words": _forbidden_words,
    "keywords:frequency": _keyword_frequency,
    "keywords:letter_frequency": _letter_frequency,
    "language:response_language": lambda response, settings: is_written_in(response, settings["language"]),
    "length_constraints:nth_paragraph_first_word": _first_word_of_paragraph,
    "length_constraints:number_paragraphs": _number_of_paragraphs,
    "length_constraints:number_sentences": _number_of_sentences,
    "length_constraints:number_words": _number_of_words,
    "punctuation:no_comma": lambda response, _: "," not in response,
    "startend:end_checker": _ends_with,
    "startend:quotation": _is_quoted,
}
"""Every kind of instruction by its name in the data."""
