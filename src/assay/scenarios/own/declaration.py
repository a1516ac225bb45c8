"""A scenario as a user writes it in YAML, checked: what is wrong is told with its line.

    scenario: billing
    source: {file: billing.csv, split_column: split}
    input: "{message}"
    options: [refund, explain, human]
    answer: action
    subgroups: [region]
    prompting: {method: generation, shots: 5}

`input`, the contents of `messages`, `worked` and the items of an `options` list are texts in which columns stand in braces;
everywhere else a column is named as it is. docs/own_cases.md explains every key.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import msgspec

from assay.errors import AssayError, unknown
from assay.records import Taxonomy
from assay.yaml_files import at_line, place_of, read_yaml_file

Role = Literal["system", "user", "assistant"]


class SourceDeclaration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the rows are: one file, a file for each split, or a repository on the hub (then splits are patterns)."""

    file: str = ""
    train: str = ""
    valid: str = ""
    test: str = ""
    split_column: str = ""
    held_out: float | None = None
    """Share of the cases, 0 to 0.5, that become examples and are not asked."""
    hub: str = ""
    revision: str = ""


class Turn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message, or a column that holds messages."""

    role: Role | None = None
    content: str | None = None
    column: str | None = None


class AnswerDeclaration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column with the answer, and how it is written there: the text of an option, its letter, or its place."""

    column: str
    written: Literal["text", "letter", "number", "position"] = msgspec.field(name="as", default="text")
    """`number` counts options from 1, `position` from 0."""


class JudgeDeclaration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a judge model marks answers."""

    rubric: str
    scale: tuple[int, int] = (1, 5)
    """The worst mark and the best."""
    model: str = ""
    """`provider/name`; empty: whom the suite or `--judge` names."""


class Declaration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scenario of one's own."""

    scenario: str
    source: str | SourceDeclaration
    about: str = ""
    input: str | None = None
    messages: str | list[Turn] | None = None
    options: str | list[str | int] | None = None
    answer: str | AnswerDeclaration | None = None
    separator: str = "|"
    """Stands between several answers or options in one cell; empty: a cell is one."""
    id: str | None = None
    group: str | None = None
    worked: str | None = None
    contrasts: str | None = None
    subgroups: list[str] | dict[str, str] = []
    prompting: dict[str, Any] = {}
    metric: str = ""
    metrics: list[str] = []
    judge: JudgeDeclaration | None = None
    taxonomy: Taxonomy | None = None
    licence: str = ""
    paper: str = ""
    notes: str = ""
    version: int = 1


PARTS: dict[str, type[msgspec.Struct]] = {
    "source": SourceDeclaration,
    "answer": AnswerDeclaration,
    "judge": JudgeDeclaration,
    "taxonomy": Taxonomy,
}
"""The keys whose values are mappings with known keys."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
QUOTES = 'put a text with braces into quotes: "{column}"'
TRUTH = "YAML reads yes, no, on and off as truth values: put quotes around it"


def is_scenario(plain: object) -> bool:
    """Whether the content of a YAML file is meant as a scenario rather than as a suite."""
    return isinstance(plain, dict) and bool({"scenario", "source"} & set(plain)) and "scenarios" not in plain


def read_declaration(path: Path) -> Declaration:
    """The scenario that a YAML file declares.

    Raises:
        AssayError: the file cannot be read, is no YAML or no scenario, has an unknown key, or a value of the wrong kind.
    """
    plain = read_yaml_file(path)
    if not isinstance(plain, dict):
        raise AssayError(f"{path} is no scenario", "it must be a mapping with the keys scenario, source, input and answer")
    if not is_scenario(plain):
        raise AssayError(f"{path} is no scenario: it has no key `source`", "a suite is run as it is: assay run FILE")
    _check_keys(plain, Declaration, path, ())
    for key, part in PARTS.items():
        if isinstance(plain.get(key), dict):
            _check_keys(plain[key], part, path, (key,))
    try:
        declaration = msgspec.convert(plain, Declaration)
    except (msgspec.ValidationError, OverflowError, RecursionError) as error:
        raise _wrong_value(str(error), path) from None
    _check(declaration, path)
    return declaration


def _check_keys(plain: dict[Any, Any], kind: type[msgspec.Struct], path: Path, steps: tuple[str, ...]) -> None:
    known = kind.__struct_encode_fields__
    for key in plain:
        if key not in known:
            raise unknown(f"key at {at_line(path, *steps, key)}:", str(key), known)


def _wrong_value(message: str, path: Path) -> AssayError:
    """What msgspec says, with the line of the value instead of its path."""
    problem, place, steps = place_of(message, path)
    hint = "correct that value; docs/own_cases.md explains every key"
    if "got `bool`" in problem:
        hint = TRUTH
    elif "`str" in problem and "got `object`" in problem:
        hint = QUOTES
    named = f" {steps[0]}:" if steps else ""
    return AssayError(f"{place}:{named} {problem}", hint)


Problem = tuple[bool, tuple[str | int, ...], str, str]
"""Whether it is there, the keys that lead to it, what it is, and how to put it right."""


def _check(declaration: Declaration, path: Path) -> None:
    """Refuse what cannot be meant.

    Raises:
        AssayError: names the line.
    """
    for wrong, steps, problem, hint in (*_of_source(declaration.source), *_of_cases(declaration)):
        if wrong:
            raise AssayError(f"{at_line(path, *steps)}: {problem}", hint)


def _of_source(given: str | SourceDeclaration) -> list[Problem]:
    source = given if isinstance(given, SourceDeclaration) else SourceDeclaration(file=given)
    files = bool(source.train or source.valid or source.test)
    ways = sum((bool(source.file), bool(source.hub), files and not source.hub))
    held_out = source.held_out
    share = held_out is None or 0 < held_out <= 0.5
    place = ("source", "held_out")
    return [
        (ways != 1, ("source",), "the cases come from one place", "give file, or train and test, or hub and revision"),
        (bool(source.hub) and not (source.revision and files), ("source",), "a hub source needs revision and test", "add them"),
        (files and bool(source.split_column), ("source", "split_column"), "each split has its own file", "leave it out"),
        (not share, place, f"held_out is {held_out}", "give a share above 0 and up to 0.5"),
        (held_out is not None and bool(source.split_column or source.train), place, "there are examples already", "remove it"),
    ]


def _of_cases(declaration: Declaration) -> list[Problem]:
    name, options, answer, judge = declaration.scenario, declaration.options, declaration.answer, declaration.judge
    rising = judge is None or judge.scale[0] < judge.scale[1]
    by_place = isinstance(answer, AnswerDeclaration) and answer.written != "text"
    both = (declaration.input is None) == (declaration.messages is None)
    turns = declaration.messages if isinstance(declaration.messages, list) else []
    last = (turns[-1].role if turns else None) or "user"
    return [
        (not NAME.fullmatch(name), ("scenario",), f"{name[:80]!r} cannot be a name", "use letters, digits and - _ ."),
        (both, ("messages",), "a scenario has either input or messages", 'write input: "{column}"'),
        (
            last != "user",
            ("messages", len(turns) - 1),
            f"the conversation ends with what the {last} says",
            "let it end with what the user says, or with a column of messages",
        ),
        (isinstance(options, list) and len(options) < 2, ("options",), "one option is no choice", "list at least two"),
        (by_place and options is None, ("answer", "as"), "letters and numbers stand for options", "add options"),
        (options is not None and answer is None, ("options",), "options need an answer", "name its column: answer: column"),
        (not rising, ("judge", "scale"), "the scale has no marks between", "write the worst and the best: [1, 5]"),
        (declaration.version < 1, ("version",), "the version is below 1", "count from 1"),
        *(
            (
                (turn.column is None) == (turn.role is None or turn.content is None),
                ("messages", index),
                "a message has a role and a content, or a column",
                "write one of them",
            )
            for index, turn in enumerate(turns)
        ),
    ]
