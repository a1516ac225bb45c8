"""How a declaration reads one row: as a draft, or as an error that names file, row and column."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

import msgspec

from assay.errors import AssayError
from assay.prompting.base import as_text
from assay.prompting.reading import MOST_LETTERED, letter_for
from assay.records import Contrast, Message, Reference, Text
from assay.scenarios.base import Draft, Row
from assay.scenarios.checks import wrong_turns
from assay.scenarios.own.cells import SHOWN, Cells
from assay.scenarios.own.declaration import AnswerDeclaration, Declaration, Role, Turn
from assay.scenarios.own.templates import Template, template
from assay.yaml_files import at_line

MESSAGES = '[{"role": "user", "content": "…"}]'
Steps = tuple[str | int, ...]
"""The keys and positions that lead to a place in a YAML file."""


@dataclass(frozen=True)
class Layout:
    """Which columns make a case: the templates of a declaration, parsed once."""

    input: Template | None
    turns: tuple[tuple[Role, Template] | str, ...]
    """Messages: a role and its content, or a column that holds messages."""
    options: tuple[Template, ...] | str
    answer: AnswerDeclaration | None
    separator: str
    id: str | None
    group: str | None
    worked: Template | None
    contrasts: str | None
    subgroups: Mapping[str, str]
    """Axis to column."""

    path: Path
    """The declaration's file."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it reads, each once."""
        return tuple(self.places)

    @functools.cached_property
    def places(self) -> Mapping[str, Steps]:
        """Every column that it reads, and the key that names it first."""
        named: list[tuple[Steps, Iterable[str]]] = [(("input",), self.input.columns if self.input else ())]
        for index, turn in enumerate(self.turns):
            named.append((("messages", index), (turn,) if isinstance(turn, str) else turn[1].columns))
        listed = self.options if isinstance(self.options, tuple) else ()
        named += [(("options", index), option.columns) for index, option in enumerate(listed)]
        single = {"options": "" if listed else str(self.options or ""), "answer": self.answer.column if self.answer else ""}
        single |= {"id": self.id or "", "group": self.group or "", "contrasts": self.contrasts or ""}
        named += [((key,), [column]) for key, column in single.items() if column]
        named.append((("worked",), self.worked.columns if self.worked else ()))
        for index, (axis, column) in enumerate(self.subgroups.items()):
            named.append((("subgroups", index if axis == column else axis), (column,)))
        return {column: steps for steps, columns in reversed(named) for column in columns}

    def draft(self, cells: Cells) -> Draft:
        """The case of one row.

        Raises:
            CaseError: something is missing, no text, or contradicts the rest.
        """
        groups = {axis: cells.label(column) for axis, column in self.subgroups.items()}
        return Draft(
            input=self._input(cells),
            references=self._references(cells),
            id=(cells.label(self.id) or None) if self.id else None,
            group=(cells.label(self.group) or None) if self.group else None,
            worked=self.worked.fill(cells) if self.worked else "",
            subgroups={axis: group for axis, group in groups.items() if group},
            contrasts=self._contrasts(cells),
        )

    def group_of(self, cells: Cells) -> str:
        """The group that a row names, or else its input.

        Raises:
            CaseError: either is missing or no text.
        """
        named = cells.label(self.group) if self.group else ""
        return named or as_text(self._input(cells))

    def groups_of(self, rows: Sequence[Row], file: str, before: int) -> list[str]:
        """`group_of` of rows that follow each other, `before` of them being before these in the file.

        Raises:
            CaseError: as there.
        """
        found = self.input.fill_many(rows) if self.input and not self.group else None
        return found or [self.group_of(Cells(row, file, number)) for number, row in enumerate(rows, before + 1)]

    def _input(self, cells: Cells) -> Text:
        if self.input is not None:
            text = self.input.fill(cells)
            filled = any(cells.text(column).strip() for column in self.input.columns)
            if not text.strip() or (self.input.columns and not filled):
                blank = [column for column in self.input.columns if not cells.text(column).strip()]
                raise cells.wrong(", ".join(blank), "the input is empty", "fill it in or leave the row out")
            return text
        messages: list[Message] = []
        for turn in self.turns:
            if isinstance(turn, str):
                found = enumerate(cells.objects(turn, MESSAGES), start=1)
                messages += [_message(cells, turn, number, message) for number, message in found]
            else:
                messages.append(Message(role=turn[0], content=turn[1].fill(cells)))
        self._check_turns(cells, messages)
        return tuple(messages)

    def _check_turns(self, cells: Cells, messages: Sequence[Message]) -> None:
        """Refuse a conversation in which it is not the model's turn to speak."""
        if wrong := wrong_turns(messages):
            raise cells.wrong(", ".join(turn for turn in self.turns if isinstance(turn, str)), *wrong)

    def _references(self, cells: Cells) -> tuple[Reference, ...]:
        if self.answer is None:
            return ()
        column = self.answer.column
        answers = cells.texts(column, self.separator)
        if not answers or not all(answers):
            raise cells.wrong(column, "the answer is missing", "fill it in or leave the row out")
        options = self._options(cells)
        if not options:
            return tuple(Reference(text=answer, correct=True) for answer in dict.fromkeys(answers))
        right = {self._place(cells, answer, options) for answer in answers}
        return tuple(Reference(text=text, correct=place in right) for place, text in enumerate(options))

    def _options(self, cells: Cells) -> list[str]:
        if isinstance(self.options, tuple):
            options = [option.fill(cells).strip() for option in self.options]
            column = ", ".join(dict.fromkeys(name for option in self.options for name in option.columns))
        else:
            column = self.options
            options = cells.texts(column, self.separator) if column else []
        if not column and not options:
            return []
        if len(options) < 2 or not all(options):
            problem = "an option is empty" if options else "there are no options"
            raise cells.wrong(column, problem if len(options) != 1 else "one option is no choice", "give at least two")
        twice = next((option for option, times in Counter(options).items() if times > 1), None)
        if twice is not None:
            raise cells.wrong(column, f"the option {twice[:SHOWN]!r} appears twice", "leave one out")
        return options

    def _place(self, cells: Cells, answer: str, options: list[str]) -> int:
        """Which option an answer names."""
        assert self.answer is not None
        written, column = self.answer.written, self.answer.column
        if written == "letter" and len(options) > MOST_LETTERED:
            raise cells.wrong(column, f"there are {len(options)} options and {MOST_LETTERED} letters", "name them as: number")
        called: Mapping[str, Callable[[int], str]] = {"letter": letter_for, "number": lambda at: str(at + 1), "position": str}
        names = options if written == "text" else list(map(called[written], range(len(options))))
        meant = answer.strip("().").upper() if written == "letter" else answer
        if meant in names:
            return names.index(meant)
        near = [name for name in names if name.casefold() == answer.casefold()]
        known = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        hint = f"write {near[0]!r}: upper and lower case count" if near else f"it must be one of {known[:400]}"
        raise cells.wrong(column, f"the answer {answer[:SHOWN]!r} is not among the options", hint)

    def _contrasts(self, cells: Cells) -> tuple[Contrast, ...]:
        """A contrast is an object with the columns that differ; the others are those of its row."""
        if self.contrasts is None:
            return ()
        found = cells.objects(self.contrasts, '[{"question": "…", "answer": "…"}], with the columns that differ')
        others = [Cells({**cells.row, **other}, cells.file, cells.number) for other in found]
        return tuple(Contrast(input=self._input(other), references=self._references(other)) for other in others)


def _message(cells: Cells, column: str, number: int, message: Mapping[str, Any]) -> Message:
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or role not in get_args(Role):
        raise cells.wrong(column, f"message {number} has the role {str(role)[:SHOWN]!r}", "it is system, user or assistant")
    if not isinstance(content, str):
        raise cells.wrong(column, f"message {number} has no text as its content", f"write {MESSAGES}")
    return Message(role=cast("Role", role), content=content)


def layout_of(declaration: Declaration, path: Path) -> Layout:
    """The layout that a declaration describes; white space around the name of a column does not count.

    Raises:
        AssayError: a template is malformed; names file and line.
    """

    def parsed(text: str, *steps: str | int) -> Template:
        try:
            return template(text)
        except AssayError as error:
            raise AssayError(f"{at_line(path, *steps)}: {error.message}", error.hint) from None

    def turn(index: int, given: Turn) -> tuple[Role, Template] | str:
        if given.column is not None:
            return given.column.strip()
        return given.role or "user", parsed(given.content or "", "messages", index, "content")

    messages, options, answer = declaration.messages, declaration.options, declaration.answer
    if isinstance(answer, str):
        answer = AnswerDeclaration(column=answer)
    named = declaration.subgroups
    subgroups = named if isinstance(named, dict) else {name.strip(): name for name in named}
    return Layout(
        input=None if declaration.input is None else parsed(declaration.input, "input"),
        turns=(messages.strip(),) if isinstance(messages, str) else tuple(turn(*item) for item in enumerate(messages or ())),
        options=(options or "").strip()
        if not isinstance(options, list)
        else tuple(parsed(str(option), "options", index) for index, option in enumerate(options)),
        answer=None if answer is None else msgspec.structs.replace(answer, column=answer.column.strip()),
        separator=declaration.separator,
        id=(declaration.id or "").strip() or None,
        group=(declaration.group or "").strip() or None,
        worked=None if declaration.worked is None else parsed(declaration.worked, "worked"),
        contrasts=(declaration.contrasts or "").strip() or None,
        subgroups={axis: column.strip() for axis, column in subgroups.items()},
        path=path,
    )


def told(options: Iterable[str]) -> str:
    """A fixed set of options in words, as a model is told them."""
    return f"Answer with one of: {', '.join(options)}."
