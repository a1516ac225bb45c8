"""Cases of your own in a file: a scenario without writing any Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.errors import AssayError
from assay.prompting import Generation
from assay.records import Contrast, Message, Taxonomy, Text
from assay.scenarios.base import Draft, Row, Scenario, choice, question, scenario
from assay.scenarios.sources import File

AXIS = "subgroup."


@scenario
def local_file(path: str, metric: str = "quasi_exact_match", split_column: str = "") -> Scenario:
    """The cases of a Parquet, JSON lines, JSON or CSV file.

    A row has `input` (or `messages`, a list of role and content), `answer` (a text, or a list of accepted ones) and, where it
    is a question with options, `options` (a list, or in CSV one text with | between). It may have `id`, `group`, `worked`,
    `subgroups` (an object), columns named `subgroup.<axis>`, and `contrasts`: a list of objects with an `input` (or `messages`)
    that differs a little and the `answer` that is right for it, among the same `options`. Without a split column all rows
    are test cases.

        {"input": "Capital of Norway?", "answer": "Oslo", "subgroups": {"region": "north"}}

        Input: Capital of Norway?
        Output: Oslo
    """
    return Scenario(
        source=File(path, split_column=split_column or None),
        instance=_reader(path),
        prompting=Generation(max_tokens=100, stop=("\n",)),
        main_metric=metric,
        taxonomy=Taxonomy(task="user-defined", language="any"),
        notes="Cases from a file of the user's own; nothing is known about their quality.",
    )


def _reader(path: str) -> Callable[[Row], Draft]:
    def instance(row: Row) -> Draft:
        if row.get("input") is None and row.get("messages") is None:
            raise AssayError(f"{path}: a row has neither input nor messages", "its fields are " + ", ".join(row))
        more = {name: str(row[name]) for name in ("id", "group") if row.get(name) not in (None, "")}
        subgroups = {str(axis): str(value) for axis, value in (row.get("subgroups") or {}).items()}
        subgroups |= {name.removeprefix(AXIS): str(value) for name, value in row.items() if name.startswith(AXIS)}
        options = _texts(row.get("options"), separator="|")
        return _draft(
            row, options, subgroups=subgroups, worked=str(row.get("worked") or ""), contrasts=_contrasts(row, options), **more
        )

    return instance


def _draft(row: Row, options: list[str], **more: Any) -> Draft:
    """The question a row asks, open or with options."""
    answers = _texts(row.get("answer"))
    if not options:
        return question(_input(row), *answers, **more)
    missing = [answer for answer in answers if answer not in options]
    if missing or not answers:
        raise ValueError(f"the answer {missing[0] if missing else ''!r} is not among the options {options}")
    return choice(_input(row), options, correct=[options.index(answer) for answer in answers], **more)


def _contrasts(row: Row, options: list[str]) -> tuple[Contrast, ...]:
    drafts = [_draft(other, options) for other in row.get("contrasts") or ()]
    return tuple(Contrast(input=draft.input, references=draft.references) for draft in drafts)


def _input(row: Row) -> Text:
    if row.get("messages"):
        return tuple(Message(role=message["role"], content=str(message["content"])) for message in row["messages"])
    return str(row["input"])


def _texts(value: object, separator: str | None = None) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, (list, tuple)):
        return [str(item) for item in value]
    return [part.strip() for part in str(value).split(separator)] if separator else [str(value)]
