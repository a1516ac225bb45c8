"""Pipelines of filters that read an answer out of completions, as tasks of lm-evaluation-harness declare them.

A pipeline takes the completions of one request and ends in one text. Until `take_first` has picked one, every filter works on
all of them, so that `majority_vote` can compare what they answer. The names and the meaning of the filters are that
harness's (documentation of its `filter_list`), down to what a pattern without a match gives.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal

from assay.once import warn_once
from assay.patterns import TooSlow, found, replaced
from assay.records import Record, Reference

Function = Literal[
    "regex", "multi_choice_regex", "remove_whitespace", "lowercase", "uppercase", "map", "take_first", "take_first_k",
    "majority_vote",
]  # fmt: skip


class Step(Record, forbid_unknown_fields=True):
    """One filter with its settings."""

    function: Function
    regex_pattern: str = r"#### (\-?[0-9\.\,]+)"
    group_select: int = 0
    """Which of the matches counts; -1 is the last."""
    fallback: str = "[invalid]"
    """What stands for a completion without a match."""
    ignore_case: bool = False
    """Of options, in `multi_choice_regex`."""
    ignore_punctuation: bool = False
    regexes_to_ignore: tuple[str, ...] = ()
    mapping: tuple[tuple[str, str], ...] = ()
    default_value: str | None = None
    """What `map` gives for a text that it does not know."""
    k: int = 1
    """How many completions `take_first_k` keeps."""

    def __post_init__(self) -> None:
        for pattern in (self.regex_pattern, *self.regexes_to_ignore):
            check_pattern(pattern)

    @property
    def extracts(self) -> bool:
        """It looks for an answer in the text and can fail to find one."""
        return self.function in ("regex", "multi_choice_regex")


def check_pattern(pattern: str) -> None:
    """Refuse what is no regular expression.

    Raises:
        ValueError: the message says what is wrong with it.
    """
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{pattern[:80]!r} is no regular expression: {error}") from None


def apply(steps: Sequence[Step], completions: Sequence[str], references: Sequence[Reference]) -> tuple[str, bool]:
    """The text a pipeline ends in, and whether its patterns found something in that one.

    Args:
        steps: the filters in order.
        completions: at least one text.
        references: those with the role `choice` are the options that `multi_choice_regex` knows by letter.
    """
    texts: Sequence[str | None] = list(completions)
    missed = {step.fallback for step in steps if step.extracts}
    options = [reference.text for reference in references if reference.role == "choice"]
    for step in steps:
        texts = texts or [""]
        if step.function == "take_first":
            texts = texts[0] or ""  # what follows works on its characters, as there
        elif step.function == "take_first_k":
            texts = texts[: step.k]
        elif step.function == "majority_vote":
            texts = [Counter(texts).most_common(1)[0][0]]
        else:
            texts = [_changed(step, text or "", options) for text in texts]
    first = texts if isinstance(texts, str) else (texts[0] if texts else "") or ""
    return first, first not in missed


def _changed(step: Step, text: str, options: list[str]) -> str | None:
    simple: dict[str, Callable[[str], str]] = {
        "remove_whitespace": str.strip,
        "lowercase": str.lower,
        "uppercase": str.upper,
    }
    if step.function in simple:
        return simple[step.function](text)
    if step.function == "map":
        return dict(step.mapping).get(text, step.default_value)
    if step.function == "multi_choice_regex":
        return _option_letter(step, text, options)
    chosen = _selected(_matches(step.regex_pattern, text), step.group_select)
    return step.fallback if chosen is None else chosen


def _matches(pattern: str, text: str) -> Sequence[str | tuple[str, ...]]:
    """What a pattern finds; nothing where that takes too long, since a completion is anybody's text."""
    try:
        return found(pattern, text)
    except TooSlow as error:
        warn_once(f"{error.message}: read as a text without a match")
        return ()


def without(pattern: str, text: str) -> str:
    """A text without what a pattern finds; as it is where that takes too long."""
    try:
        return replaced(pattern, "", text)
    except TooSlow as error:
        warn_once(f"{error.message}: nothing is left out of it")
        return text


def _selected(matches: Sequence[str | tuple[str, ...]], which: int) -> str | None:
    """The chosen match without surrounding white space: the first group of it that matched anything."""
    if not matches or not -len(matches) <= which < len(matches):
        return None
    match: str | tuple[str, ...] | None = matches[which]
    if isinstance(match, tuple):
        match = next((group for group in match if group), None)
    return None if match is None else str(match).strip()


def _option_letter(step: Step, text: str, options: list[str]) -> str:
    """The answer as the pattern finds it, else the option that the text names, else the letter after a colon: as "(A)"."""
    if chosen := _selected(_matches(step.regex_pattern, text), step.group_select):
        return chosen
    letters = {_plain(step, option.strip()): f"({chr(ord('A') + index)})" for index, option in enumerate(options)}
    if not letters:
        return step.fallback
    named = "|".join(re.escape(option) for option in sorted(letters, key=len, reverse=True))
    if chosen := _selected(re.findall(named, _plain(step, text)), step.group_select):
        return letters.get(chosen, chosen)
    known = "|".join(chr(ord("A") + index) for index in range(len(options)))
    chosen = _selected(_matches(rf":[\s]*({known})", text), step.group_select)
    return f"({chosen})" if chosen else step.fallback


def _plain(step: Step, text: str) -> str:
    for pattern in step.regexes_to_ignore:
        text = without(pattern, text)
    text = text.lower() if step.ignore_case else text
    return text.translate(_punctuation()) if step.ignore_punctuation else text


@lru_cache(maxsize=1)
def _punctuation() -> dict[int, None]:
    return {code: None for code in range(sys.maxunicode) if unicodedata.category(chr(code)).startswith("P")}
