"""Language modelling: how likely the model finds a text, every byte of it predicted exactly once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from assay.prompting.base import Prompting, Rendered, as_text
from assay.prompting.fewshot import Examples
from assay.prompting.reading import failed, measured
from assay.prompting.samples import finite
from assay.prompting.target import Target
from assay.records import Answer, Instance, Request, Response


class LanguageModeling(Prompting, tag="language_modeling"):
    """The text is scored in windows: the first after the prefix alone, each later one after as much text as fits.

    A window ends at white space where there is some, so that no token spans two windows; each later window predicts half a
    window of new text after half a window of context. Every byte is predicted once.
    """

    shots: int = 0
    input_prefix: str = ""
    input_suffix: str = ""
    output_prefix: str = ""
    output_suffix: str = ""
    instance_prefix: str = ""
    max_tokens: int = 0
    prefix: str = ""
    """Text of the token that starts a document, for endpoints that need it written out (`<|endoftext|>`)."""

    scores: ClassVar[bool] = True

    def render(self, instance: Instance, examples: Examples, target: Target) -> Rendered:
        text = as_text(instance.input)
        room = (target.window or 1 << 62) - target.count(self.prefix, remember=True) - 2
        requests = [
            Request(prompt=self.prefix + context, continuation=window, max_tokens=0)
            for context, window in windows(text, target, room)
        ]
        return Rendered(requests=tuple(requests))

    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        if missing := failed(responses, instance.references):
            return missing
        scored = [token for response in responses for token in response.completions[0].tokens]
        text = as_text(instance.input)
        answer = Answer(
            outcome="answered" if scored else "empty",
            references=instance.references,
            logprob=sum(finite(token.logprob) for token in scored),
            scored_tokens=len(scored),
            scored_bytes=len(text.encode("utf-8", "replace")),
        )
        return measured(answer, responses)


def windows(text: str, target: Target, room: int) -> Iterator[tuple[str, str]]:
    """(context, window) pairs whose windows join to the text, each pair at most `room` tokens long."""
    if not text:
        return
    if target.count(text) <= room:
        yield "", text
        return
    half = max(1, room // 2)
    start = 0
    while start < len(text):
        context = _last(text[:start], target, half) if start else ""
        window = _first(text[start:], target, half if start else room)
        yield context, window
        start += len(window)


def _first(text: str, target: Target, room: int) -> str:
    """The longest start of a text that has at most `room` tokens, ending before white space where it can."""
    size = min(len(text), room * 8)
    while size > 1 and (counted := target.count(text[:size])) > room:
        size = min(size - 1, max(1, size * room // counted))
    if size < len(text):
        space = max(text.rfind(" ", 1, size), text.rfind("\n", 1, size))
        size = space if space > 0 else size
    return text[:size]


def _last(text: str, target: Target, room: int) -> str:
    size = min(len(text), room * 8)
    while size > 1 and (counted := target.count(text[len(text) - size :])) > room:
        size = min(size - 1, max(1, size * room // counted))
    return text[len(text) - size :]
