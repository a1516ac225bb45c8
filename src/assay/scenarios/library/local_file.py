"""Cases of your own in a file: a scenario without writing any Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast, get_args

import msgspec

from assay.errors import AssayError
from assay.prompting import Generation, MultipleChoiceJoint, Prompting
from assay.records import Contrast, Message, Taxonomy, Text
from assay.scenarios.base import Draft, Row, Scenario, choice, question, scenario
from assay.scenarios.checks import wrong_turns
from assay.scenarios.sources import File
from assay.scenarios.sources.tables import read_rows

AXIS = "subgroup."
MESSAGES = 'write [{"role": "user", "content": "…"}]'
Role = Literal["system", "user", "assistant"]


@scenario
def local_file(path: str, metric: str = "quasi_exact_match", split_column: str = "") -> Scenario:
    """The cases of a Parquet, JSON lines, JSON or CSV file.

    A row has `input` (or `messages`, a list of role and content that ends with what the user says), `answer` (a text, or a
    list of accepted ones) and, where it is a question with options, `options` (a list, or in CSV one text with | between). It
    may have `id`, `group`, `worked`, `subgroups` (an object), columns named `subgroup.<axis>`, and `contrasts`: a list of
    objects with an `input` (or `messages`) that differs a little and the `answer` that is right for it, among the same
    `options`. Without a split column all rows are test cases. Where the first row has options the question is asked as
    multiple choice, which shows them to the model; otherwise the model writes its answer (`method=` asks either way).

        {"input": "Capital of Norway?", "answer": "Oslo", "subgroups": {"region": "north"}}

        Input: Capital of Norway?
        Output: Oslo
    """
    return Scenario(
        source=File(path, split_column=split_column or None),
        instance=_instance,
        id_of=_id,
        prompting=_prompting(path),
        main_metric=metric,
        taxonomy=Taxonomy(task="user-defined", language="any"),
        version=2,
        notes="Cases from a file of the user's own; nothing is known about their quality.",
    )


def _prompting(path: str) -> Prompting:
    """Multiple choice where the first row has options. A file that cannot be read is reported when its rows are wanted."""
    try:
        first = next(read_rows(Path(path), path), {})
    except AssayError:
        first = {}
    if first.get("options"):
        return MultipleChoiceJoint()
    return Generation(max_tokens=100, stop=("\n",))


def _instance(row: Row) -> Draft:
    if row.get("input") is None and not row.get("messages"):
        raise AssayError("it has neither input nor messages", "its fields are " + ", ".join(row))
    more = {"group": _scalar(row["group"], "group")} if row.get("group") not in (None, "") else {}
    subgroups = _subgroups(row)
    options = _options(row)
    worked = _scalar(row["worked"], "worked") if row.get("worked") else ""
    return _draft(row, options, id=_id(row), subgroups=subgroups, worked=worked, contrasts=_contrasts(row, options), **more)


def _id(row: Row) -> str | None:
    given = row.get("id")
    return None if given is None or given == "" else _scalar(given, "id")


def _subgroups(row: Row) -> dict[str, str]:
    """The groups of a row; an axis without a value is left out."""
    given = row.get("subgroups") or {}
    if isinstance(given, str) and given.lstrip().startswith("{"):
        given = _decoded(given)
    if not isinstance(given, Mapping):
        raise AssayError(f"subgroups is a {_kind(given)}", 'write {"axis": "group"}, or a column subgroup.axis')
    named = {str(axis): value for axis, value in given.items()}
    named |= {name.removeprefix(AXIS): value for name, value in row.items() if name.startswith(AXIS)}
    return {axis: _scalar(value, f"subgroup {axis}") for axis, value in named.items() if value is not None}


def _draft(row: Row, options: list[str], **more: Any) -> Draft:
    """The question a row asks, open or with options."""
    answers = _texts(row.get("answer"), "answer")
    if not options:
        return question(_input(row), *answers, **more)
    missing = [answer for answer in answers if answer not in options]
    if missing or not answers:
        raise AssayError(
            f"the answer {missing[0] if missing else ''!r} is not among the options {options}", "the answer must be one of them"
        )
    return choice(_input(row), options, correct=[options.index(answer) for answer in answers], **more)


def _contrasts(row: Row, options: list[str]) -> tuple[Contrast, ...]:
    given = row.get("contrasts") or ()
    if not isinstance(given, (list, tuple)) or not all(isinstance(other, Mapping) for other in given):
        raise AssayError("contrasts is not a list of objects", 'write [{"input": "…", "answer": "…"}]')
    for other in given:
        if other.get("input") is None and not other.get("messages"):
            raise AssayError("a contrast has neither input nor messages", "its fields are " + ", ".join(map(str, other)))
    drafts = [_draft(other, options) for other in given]
    return tuple(Contrast(input=draft.input, references=draft.references) for draft in drafts)


def _input(row: Row) -> Text:
    messages = row.get("messages")
    if not messages:
        return _scalar(row["input"], "input")
    if not isinstance(messages, (list, tuple)):
        raise AssayError(f"messages is a {_kind(messages)}", MESSAGES)
    found = tuple(_message(message, number) for number, message in enumerate(messages, 1))
    if wrong := wrong_turns(found):
        raise AssayError(*wrong)
    return found


def _message(message: object, number: int) -> Message:
    if not isinstance(message, Mapping):
        raise AssayError(f"message {number} is a {_kind(message)}", MESSAGES)
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or role not in get_args(Role):
        raise AssayError(f"message {number} has the role {role!r}", "it must be system, user or assistant")
    if not isinstance(content, str):
        raise AssayError(f"the content of message {number} is a {_kind(content)}", "it must be one text; parts are not read")
    return Message(role=cast("Role", role), content=content)


def _options(row: Row) -> list[str]:
    """The options: a list, or in CSV a text with | between them or a list written as JSON."""
    given = row.get("options")
    if not isinstance(given, str):
        return _texts(given, "options")
    if given.lstrip().startswith("["):
        found = _decoded(given)
        if isinstance(found, list):
            return _texts(found, "options")
    return [part.strip() for part in given.split("|")] if given else []


def _decoded(text: str) -> object:
    """The JSON that a cell holds, or the text itself."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _texts(value: object, what: str) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, (list, tuple)):
        return [_scalar(item, what) for item in value]
    return [_scalar(value, what)]


def _scalar(value: object, what: str) -> str:
    """A text or a number as text: a list or nothing at all must not be asked as Python would write it."""
    if value is None or isinstance(value, (Mapping, list, tuple, bytes)):
        raise AssayError(f"{what} is a {_kind(value)} where a text is needed", "write a text or a number")
    return str(value)


def _kind(value: object) -> str:
    names = {
        "dict": "JSON object",
        "NoneType": "missing value",
        "tuple": "list",
        "str": "text",
        "int": "number",
        "float": "number",
    }
    return names.get(type(value).__name__, type(value).__name__)
