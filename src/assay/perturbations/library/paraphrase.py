"""The same question in other words, written by a model."""

from __future__ import annotations

import re

import msgspec

from assay.perturbations.base import perturbation
from assay.records import Instance, Message, Request

INSTRUCTION = (
    "Rewrite the text below in other words. Keep its meaning, its language, every number and every name. "
    "Do not answer it and add nothing. Write only the rewritten text.\n\nText: {text}"
)
LONGEST_GROWTH = 3.0
"""A rewriting longer than this many times the original, or shorter than its inverse, is not one."""


def _request(instance: Instance, *, model: str = "", temperature: float = 0.0) -> Request:
    """The request for a rewriting of what the user says last."""
    text = _asked(instance)
    return Request(
        prompt=(Message(role="user", content=INSTRUCTION.format(text=text)),),
        max_tokens=max(32, 2 * len(text) // 3),
        temperature=temperature,
    )


@perturbation(kind="robustness", asks=_request)
def paraphrase(instance: Instance, completion: str) -> Instance:
    """The question rewritten by the model that the parameter `model` names, which must take messages.

    What the model writes is used as it is, but for quotation marks around it. There is no copy where it wrote nothing, repeated
    the question, wrote something of quite another length, or gave the answer away. Look at the copies all the same: a weak
    model changes the meaning.
    """
    original = _asked(instance)
    text = completion.strip().removeprefix("Text:").strip().strip('"').strip()
    if not text or not 1 / LONGEST_GROWTH <= len(text) / max(len(original), 1) <= LONGEST_GROWTH:
        return instance
    if any(_says(text, answer) and not _says(original, answer) for answer in instance.gold):
        return instance
    if isinstance(instance.input, str):
        return msgspec.structs.replace(instance, input=text)
    place = _last_of_user(instance.input)
    messages = (*instance.input[:place], Message(role="user", content=text), *instance.input[place + 1 :])
    return msgspec.structs.replace(instance, input=messages)


def _says(text: str, answer: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(answer.strip().lower())}(?!\w)", text.lower())) if answer.strip() else False


def _asked(instance: Instance) -> str:
    return instance.input if isinstance(instance.input, str) else instance.input[_last_of_user(instance.input)].content


def _last_of_user(messages: tuple[Message, ...]) -> int:
    users = [index for index, message in enumerate(messages) if message.role == "user"]
    return users[-1] if users else len(messages) - 1
