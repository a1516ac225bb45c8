"""A sentence that has nothing to do with the question (Shi et al. 2023, arXiv 2302.00093)."""

from __future__ import annotations

import functools
import re
from random import Random
from typing import Literal

import msgspec

from assay.perturbations.base import perturbation
from assay.perturbations.words import PLAIN, data
from assay.records import Instance, Message

Position = Literal["start", "middle", "end"]
_LATIN = re.compile("[a-zA-Z]")
_SENTENCE_ENDS = re.compile(r"[.!?]['\"”’)]* (?=\S)")


@perturbation(kind="robustness", whole=True)
def irrelevant_context(instance: Instance, rng: Random, position: Position = "start") -> Instance:
    """An unrelated sentence of the list `data/irrelevant.json` is put into what the user asks last.

    `middle` is the end of the sentence nearest to the middle, or the start where there is only one sentence. No sentence is
    taken that holds the words of a reference. Nothing is put into a text without Latin letters.
    """
    sentences = _sentences()
    told = [words for reference in instance.references if (words := _words(reference.text)).strip()]
    first = rng.randrange(len(sentences))
    for sentence, words in (*sentences[first:], *sentences[:first]):
        if not any(answer in words for answer in told):
            return _with(instance, sentence, position)
    return instance


@functools.cache
def _sentences() -> tuple[tuple[str, str], ...]:
    return tuple((sentence, _words(sentence)) for sentence in data("irrelevant"))


def _words(text: str) -> str:
    """The words of a text in lower case with one space around each, so that whole words are found in it."""
    return f" {' '.join(PLAIN.findall(text.lower()))} "


def _with(instance: Instance, sentence: str, position: Position) -> Instance:
    if isinstance(instance.input, str):
        return msgspec.structs.replace(instance, input=_put(instance.input, sentence, position))
    messages = list(instance.input)
    for place in reversed(range(len(messages))):
        if messages[place].role == "user":
            messages[place] = Message(role="user", content=_put(messages[place].content, sentence, position))
            break
    return msgspec.structs.replace(instance, input=tuple(messages))


def _put(text: str, sentence: str, position: Position) -> str:
    if not _LATIN.search(text):
        return text
    if position == "end":
        return f"{text} {sentence}"
    ends = [found.end() for found in _SENTENCE_ENDS.finditer(text)] if position == "middle" else []
    place = min(ends, key=lambda end: abs(2 * end - len(text)), default=0)
    return f"{text[:place]}{sentence} {text[place:]}"
