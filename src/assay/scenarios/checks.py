"""What a scenario declares and what its rows become, checked: the message says which scenario and which row is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import AssayError
from assay.prompting import Prompting
from assay.records import Contrast, Message, Rubric, Taxonomy

if TYPE_CHECKING:
    from assay.scenarios.base import Draft, Scenario

TEXTS = ("main_metric", "licence", "paper", "about", "notes", "judge")


def check_fields(scenario: Scenario, name: str) -> None:
    """Refuse a declaration whose fields have the wrong types.

    Raises:
        AssayError: names the scenario and the field.
    """
    expected: dict[str, tuple[bool, str]] = {
        "source": (callable(getattr(scenario.source, "read", None)), "a source of rows"),
        "instance": (callable(scenario.instance), "a function of a row"),
        "prompting": (isinstance(scenario.prompting, Prompting), "a prompting, such as Generation()"),
        "metrics": (_are_texts(scenario.metrics), "a tuple of metrics' names"),
        "suites": (_are_texts(scenario.suites), "a tuple of texts"),
        "requires": (
            _are_texts(scenario.requires) and {*scenario.requires} <= {"judge", "sandbox"},
            'of "judge" and "sandbox"',
        ),
        "rubric": (scenario.rubric is None or isinstance(scenario.rubric, Rubric), "a Rubric"),
        "taxonomy": (isinstance(scenario.taxonomy, Taxonomy), "a Taxonomy"),
        "version": (type(scenario.version) is int, "a whole number"),
        **{field: (isinstance(getattr(scenario, field), str), "a text") for field in TEXTS},
    }
    for field, (fits, wanted) in expected.items():
        if not fits:
            kind = type(getattr(scenario, field)).__name__
            raise AssayError(f"scenario {name} declares {field} as a value of type {kind}", f"it must be {wanted}")


def check_draft(draft: Draft, where: str) -> None:
    """Refuse a draft that is none, or whose texts are no texts: a missing value must not become the question `None`.

    Raises:
        AssayError: names the row.
    """
    kind = type(draft)
    if kind.__name__ != "Draft" or not isinstance(draft, msgspec.Struct):
        raise AssayError(f"{where} gives a value of type {kind.__name__}", "return question(…), choice(…), a Draft or None")
    everything: tuple[Draft | Contrast, ...] = (draft, *draft.contrasts) if isinstance(draft.contrasts, tuple) else (draft,)
    for asked in everything:
        for part in _texts(asked):
            if not isinstance(part, str):
                raise AssayError(
                    f"{where} gives {_shown(part)} where a text is needed", "fill the missing value or drop the row"
                )
    if not draft.input and isinstance(draft.input, tuple):
        raise AssayError(f"{where} gives a conversation without messages", "give at least one message or drop the row")
    try:
        msgspec.json.decode(msgspec.json.encode(draft), type=kind)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise AssayError(f"{where} gives what cannot be asked: {error}", "repair the row or the scenario") from error


def wrong_turns(messages: Sequence[Message]) -> tuple[str, str] | None:
    """Why a conversation cannot be asked, and what to do: it is empty, or it is not the model's turn to speak.

    Providers differ in what they do with a reply that has been begun, so none is sent.
    """
    if not any(message.role != "system" and message.content.strip() for message in messages):
        return "the conversation is empty", 'write [{"role": "user", "content": "…"}] or leave the row out'
    last = messages[-1]
    if last.role != "user":
        hint = "let it end with what the user says; the right reply stands in a column of its own"
        return f"the conversation ends with what the {last.role} says", hint
    return None if last.content.strip() else ("the last message is empty", "fill it in or leave the row out")


def _texts(asked: Draft | Contrast) -> list[Any]:
    """The parts of a draft that are shown to a model."""
    messages = asked.input if isinstance(asked.input, tuple) else ()
    parts: list[Any] = [getattr(message, "content", message) for message in messages]
    parts += [] if isinstance(asked.input, tuple) else [asked.input]
    references = asked.references if isinstance(asked.references, tuple) else ()
    return parts + [getattr(reference, "text", reference) for reference in references]


def _are_texts(value: object) -> bool:
    return isinstance(value, (tuple, list)) and all(isinstance(item, str) for item in value)


def _shown(value: object) -> str:
    return repr(value) if value is None or type(value) in (int, float, bool) else f"a value of type {type(value).__name__}"
