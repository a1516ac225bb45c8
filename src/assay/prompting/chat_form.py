"""How a chat model is asked: what a scenario declares for a base model, put as one puts it to somebody who talks.

A base model goes on after a pattern of examples: a letter, a few tokens, and a line break ends the answer. A chat model may
think first, speak in sentences or in Markdown. So it is told in one line what form the answer is to have, it has room to
speak, and no stop sequence cuts it off. Question, instructions and examples stay as the scenario declares them. The form is
the same for every chat model and part of the prompting, so a run's spec records it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from assay.prompting.base import Prompting, lists_options
from assay.prompting.generation import Chat, Generation, RankingBinary
from assay.prompting.multiple_choice import MultipleChoiceJoint, MultipleChoiceJointChainOfThought, SeparateMethod
from assay.prompting.reading import MOST_LETTERED
from assay.records import Instance

ROOM = 2048
"""Tokens that an answer may have, at least. A chain of thought fits; more would cost rate limits that count what is allowed."""
SHORT = 100
"""Tokens up to which a scenario with a stop sequence expects a few words only, as does one that stops at a line's end."""
WORDING = frozenset(
    ("method", "instructions", "global_prefix", "global_suffix", "instance_prefix", "input_prefix", "input_suffix",
     "output_prefix", "output_suffix", "form", "substitutions", "system", "reference_prefix", "reference_suffix",
     "chain_of_thought_prefix", "chain_of_thought_suffix", "yes", "no", "answer")
)  # fmt: skip
"""Settings that word the prompt or say what is read out of the answer: who sets one of them gets no form."""

LETTER = "Answer with the letter of the correct option."
LETTERS = "Answer with the letters of all correct options."
LIKELIEST = "Which of these is the most likely? Answer with its letter."
REASONED = 'Think step by step, then end with "Answer: " and the letter of the correct option.'
ONE_OF = "Answer with one of these: {options}."
RESULT = 'End with "Answer: " and the {what}.'
FEW_WORDS = 'End with "Answer: " and the answer alone.'
MISSING = 'Complete the text: end with "Answer: " and the missing words alone.'
VERDICT = "Answer {yes} or {no}."


def for_chat(prompting: Prompting, asked: Sequence[Instance], explicit: Collection[str] = ()) -> Prompting:
    """The prompting as it is put to a chat model.

    Args:
        prompting: as the scenario declares it, with the user's changes.
        asked: the instances to be asked.
        explicit: the settings that the user gave, which stay as they are.
    """
    if not isinstance(prompting, (Generation, Chat, MultipleChoiceJoint, RankingBinary)):
        return prompting
    form = {} if WORDING & set(explicit) else _form(prompting, asked)
    changes: dict[str, Any] = {"stop": (), **form}
    if "max_tokens" not in explicit:
        changes["room_to_think"] = True
        if form or prompting.stop or prompting.chat != "auto" or not isinstance(prompting, Generation):
            changes["max_tokens"] = max(prompting.max_tokens, ROOM)  # else the scenario asks for a text of that length
    return msgspec.structs.replace(prompting, **{name: value for name, value in changes.items() if name not in explicit})


def helm_form(prompting: Prompting, explicit: Collection[str]) -> Prompting:
    """The prompting as HELM asks and reads it: as text where the model takes text, and the raw text as the answer."""
    changes: dict[str, Any] = {"chat": "auto"} if prompting.chat == "preferred" else {}
    if isinstance(prompting, (Generation, Chat)) and prompting.answer in ("auto", "number"):
        changes["answer"] = "text"
    return msgspec.structs.replace(prompting, **{name: value for name, value in changes.items() if name not in explicit})


def by_letter(prompting: Prompting, asked: Sequence[Instance]) -> Prompting | None:
    """A prompting that scores options as one that asks for the letter of the likeliest; `None` where letters do not suffice."""
    most = max((len(instance.references) for instance in asked), default=0)
    if not isinstance(prompting, SeparateMethod) or most > MOST_LETTERED:
        return None
    same = {name: getattr(prompting, name) for name in ("shots", "instructions", "sample_train", "chat", "system")}
    return MultipleChoiceJoint(form=LIKELIEST, input_prefix=prompting.input_prefix, **same)


def _form(prompting: Prompting, asked: Sequence[Instance]) -> dict[str, Any]:
    """The line that says what form the answer is to have, where nothing at the end of the prompt says so already."""
    if prompting.form or prompting.global_suffix.strip() or isinstance(prompting, Chat):
        return {}
    if isinstance(prompting, MultipleChoiceJointChainOfThought):
        return {"form": REASONED}
    if isinstance(prompting, MultipleChoiceJoint):
        return {"form": LETTERS if prompting.multi_label else LETTER}
    if isinstance(prompting, RankingBinary):
        return {"form": VERDICT.format(yes=prompting.yes, no=prompting.no)}
    assert isinstance(prompting, Generation)
    if prompting.answer in ("number", "date"):
        return {"form": RESULT.format(what=prompting.answer)}
    if prompting.answer in ("auto", "option") and lists_options(asked[0]):
        return {"form": ONE_OF}
    brief = "\n" in prompting.stop or (prompting.stop and prompting.max_tokens <= SHORT)
    before = prompting.output_prefix
    asks = before.strip() and not before.rstrip().endswith(":")  # the prompt ends with a request of its own
    if asks or not brief or prompting.answer not in ("auto", "final"):
        return {}
    return {"form": MISSING if before.isspace() else FEW_WORDS, "answer": "short"}
