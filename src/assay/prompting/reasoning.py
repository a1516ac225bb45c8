"""Telling what a model answered from what it thought aloud: the text behind its reasoning block.

The marks are those of today's reasoning models: tags such as `<think>`, `[THINK]` and `◁think▷`, and the channels of the
harmony format. Chat templates often open the block themselves, so a completion may hold nothing but its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_READ = 100_000
"""Characters of a completion that are searched for an answer, from its end."""

_NAMES = "think|thinking|thought|reasoning|scratchpad|reflection"
_OPENED = re.compile(
    rf"<(?:{_NAMES})>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|>(?:analysis|commentary)[^<]{{0,80}}<\|message\|>",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    rf"</(?:{_NAMES})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final[^<]{{0,80}}<\|message\|>", re.IGNORECASE
)
_BLANK = re.compile(r"\s*")
_ENDS = ("<|end|>", "<|return|>", "<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|start|>assistant", "</s>")


@dataclass(frozen=True)
class Spoken:
    """The part of a completion that is its answer: `text` begins at character `start` of the completion."""

    text: str
    start: int
    unfinished: bool
    """A reasoning block was opened and never closed."""


def spoken(completion: str) -> Spoken:
    """What stands behind the last reasoning block, or before it where nothing follows.

    Of a block that was never closed only what stands before it is spoken: what a model had not finished thinking, it did not
    answer.
    """
    offset = max(0, len(completion) - LONGEST_READ)
    text = completion[offset:] if offset else completion
    if "<" not in text and "[" not in text and "◁" not in text:
        return Spoken(text, offset, False)
    closings = list(_CLOSED.finditer(text))
    start = closings[-1].end() if closings else 0
    opened = _OPENED.search(text, start)
    end, unfinished = (opened.start(), True) if opened else (len(text), False)
    if not unfinished and closings and not _without_marks(text[start:]).strip():
        before = _OPENED.search(text)
        start, end = 0, before.start() if before else 0
    return Spoken(_without_marks(text[start:end]), offset + start, unfinished)


def thoughts_end(text: str) -> int:
    """Where the reasoning block ends that a completion begins with: 0 where there is none, the text's end where it goes on."""
    begun = _BLANK.match(text)
    opened = _OPENED.match(text, begun.end() if begun else 0)
    if opened is None:
        return 0
    closed = _CLOSED.search(text, opened.end())
    return closed.end() if closed else len(text)


def _without_marks(text: str) -> str:
    """The text without the marks that end a turn, which some servers leave in."""
    end = last = len(text)
    while True:
        while last and text[last - 1].isspace():
            last -= 1
        mark = next((mark for mark in _ENDS if text.endswith(mark, 0, last)), None)
        if mark is None:
            return text if end == len(text) else text[:last]
        last -= len(mark)
        end = last


def without_reasoning(text: str) -> tuple[str, bool]:
    """What the completion answers (see `spoken`), and whether a reasoning block was opened and never closed."""
    found = spoken(text)
    return found.text, found.unfinished
