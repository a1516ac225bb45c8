"""A prompt in its parts: what stands before the few-shot examples, the examples, and the question that is asked."""

from __future__ import annotations

from dataclasses import dataclass

from assay.prompting.base import Prompting, as_text
from assay.records import Text, Trial


@dataclass(frozen=True)
class Turn:
    """A message of a prompt, or all of a plain one."""

    role: str
    """Empty for a plain prompt."""
    head: str
    """Instructions and whatever else stands before the examples; empty where there are no examples."""
    examples: str
    """The few-shot examples as they stood; empty where none were shown or they cannot be told from the rest."""
    question: str


def turns(prompt: Text, trial: Trial, prompting: Prompting | None) -> list[Turn]:
    """The messages of a prompt; the one that asks the question in its parts.

    Args:
        prompt: as it was sent.
        trial: whose prompt it is.
        prompting: what made it; `None` where that is not known here, so that nothing is taken apart.
    """
    if isinstance(prompt, str):
        return [_taken_apart("", prompt, trial, prompting)]
    last = max((place for place, message in enumerate(prompt) if message.role == "user"), default=-1)
    return [
        _taken_apart(message.role, message.content, trial, prompting)
        if place == last
        else Turn(message.role, "", "", message.content)
        for place, message in enumerate(prompt)
    ]


def _taken_apart(role: str, text: str, trial: Trial, prompting: Prompting | None) -> Turn:
    asked = as_text(trial.instance.input)
    place = text.rfind(asked) if asked and trial.shots and prompting is not None else -1
    if place < 0 or prompting is None:
        return Turn(role, "", "", text)
    prefix = prompting.input_prefix
    begin = place - len(prefix) if prefix and text.endswith(prefix, 0, place) else text.rfind("\n", 0, place) + 1
    head = _head(text[:begin], prompting)
    return Turn(role, text[:head], text[head:begin], text[begin:]) if head < begin else Turn(role, "", "", text)


def _head(text: str, prompting: Prompting) -> int:
    """Where the instructions end."""
    place = 0
    for part in (prompting.system and f"{prompting.system}\n\n", prompting.global_prefix, prompting.instructions):
        if part and text.startswith(part, place):
            place += len(part)
    after = prompting.instance_prefix
    return place + len(after) if place and after and text.startswith(after, place) else place
