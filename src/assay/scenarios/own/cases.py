"""Rows as a declaration reads them: each becomes a draft, or an error that names file, row and column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from assay.errors import AssayError
from assay.prompting.reading import letter_for
from assay.records import Contrast, Message, Reference, Split, Text
from assay.scenarios.base import Draft, Row, Rows, Source
from assay.scenarios.own.cells import CaseError, Cells
from assay.scenarios.own.declaration import AnswerDeclaration, Declaration, Role, Turn
from assay.scenarios.own.templates import Template, template
from assay.scenarios.sources.local import SPLIT_WORDS, SPLITS
from assay.yaml_files import at_line

MESSAGES = '[{"role": "user", "content": "…"}]'
SHOWN = 60
"""Characters of a wrong value that a message shows."""


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

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it reads, each once."""
        options = self.options if isinstance(self.options, tuple) else ()
        contents = [turn[1] for turn in self.turns if not isinstance(turn, str)]
        shown = [column for part in (self.input, *contents, *options, self.worked) if part for column in part.columns]
        named = [turn for turn in self.turns if isinstance(turn, str)]
        named += [self.options] if isinstance(self.options, str) and self.options else []
        named += [column for column in (self.answer and self.answer.column, self.id, self.group, self.contrasts) if column]
        return tuple(dict.fromkeys([*shown, *named, *self.subgroups.values()]))

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

    def _input(self, cells: Cells) -> Text:
        if self.input is not None:
            text = self.input.fill(cells)
            blank = [column for column in self.input.columns if not cells.text(column).strip()]
            if not text.strip() or (blank and len(blank) == len(self.input.columns)):
                raise cells.wrong(", ".join(blank), "the input is empty", "fill it in or leave the row out")
            return text
        messages: list[Message] = []
        for turn in self.turns:
            if isinstance(turn, str):
                found = enumerate(cells.objects(turn, MESSAGES), start=1)
                messages += [_message(cells, turn, number, message) for number, message in found]
            else:
                messages.append(Message(role=turn[0], content=turn[1].fill(cells)))
        if not any(message.role != "system" and message.content.strip() for message in messages):
            named = ", ".join(turn for turn in self.turns if isinstance(turn, str))
            raise cells.wrong(named, "the conversation is empty", f"write {MESSAGES} or leave the row out")
        return tuple(messages)

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
        twice = next((option for option in options if options.count(option) > 1), None)
        if twice is not None:
            raise cells.wrong(column, f"the option {twice[:SHOWN]!r} appears twice", "leave one out")
        return options

    def _place(self, cells: Cells, answer: str, options: list[str]) -> int:
        """Which option an answer names."""
        assert self.answer is not None
        written, column = self.answer.written, self.answer.column
        letters = [letter_for(place) for place in range(len(options))]
        names = {
            "text": options,
            "letter": letters,
            "number": [str(place + 1) for place in range(len(options))],
            "position": [str(place) for place in range(len(options))],
        }[written]
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
    """The layout that a declaration describes.

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
            return given.column
        return given.role or "user", parsed(given.content or "", "messages", index, "content")

    messages, options, answer = declaration.messages, declaration.options, declaration.answer
    return Layout(
        input=None if declaration.input is None else parsed(declaration.input, "input"),
        turns=(messages,) if isinstance(messages, str) else tuple(turn(*item) for item in enumerate(messages or ())),
        options=options or ""
        if not isinstance(options, list)
        else tuple(parsed(str(option), "options", index) for index, option in enumerate(options)),
        answer=AnswerDeclaration(column=answer) if isinstance(answer, str) else answer,
        separator=declaration.separator,
        id=declaration.id,
        group=declaration.group,
        worked=None if declaration.worked is None else parsed(declaration.worked, "worked"),
        contrasts=declaration.contrasts,
        subgroups={name: name for name in declaration.subgroups}
        if isinstance(declaration.subgroups, list)
        else declaration.subgroups,
    )


@dataclass(frozen=True)
class Cases:
    """A source of cases: the rows of another source, each with the draft it becomes under the key `case`.

    Rows are numbered as they stand in their file, whatever their split, so that a message names the row a user sees.
    """

    source: Source
    layout: Layout
    split_column: str = ""

    @property
    def identity(self) -> str:
        """The identity of the other source."""
        return self.source.identity

    def splits(self) -> tuple[Split, ...]:
        """The splits that have rows; with a split column this reads the file once.

        Raises:
            AssayError: the file cannot be read, or a row names no split.
        """
        if not self.split_column:
            return self.source.splits()
        rows = self.source.read("test").rows
        found = {split_of(Cells(row, self._file, number), self.split_column) for number, row in enumerate(rows, start=1)}
        return tuple(split for split in SPLITS if split in found)

    def read(self, split: Split) -> Rows:
        """The cases of a split, lazily, in the order of the source.

        Raises:
            AssayError: the source cannot be read.
            CaseError: a row is no case, or its id was there before.
        """
        whole = self.source.read("test" if self.split_column else split)
        return Rows(self._cases(whole.rows, split), whole.files)

    @property
    def _file(self) -> str:
        return self.identity.partition(":")[2]

    def _cases(self, rows: Iterable[Row], split: Split) -> Iterator[Row]:
        ids: dict[str, int] = {}
        for number, row in enumerate(rows, start=1):
            cells = Cells(row, self._file, number)
            if self.split_column and split_of(cells, self.split_column) != split:
                continue
            draft = self.layout.draft(cells)
            if draft.id is not None:
                check_id(cells, self.layout.id or "", draft.id, ids)
            yield {"case": draft, "number": number}


def split_of(cells: Cells, column: str) -> Split:
    """The split that a row says it belongs to.

    Raises:
        CaseError: it says none.
    """
    word = cells.label(column)
    split = SPLIT_WORDS.get(word.lower())
    if split is None:
        raise cells.wrong(column, f"{word[:SHOWN]!r} is no split", "it must be train, valid (validation, dev) or test")
    return split


def check_id(cells: Cells, column: str, name: str, seen: dict[str, int]) -> None:
    """Note an id and the row it stands in.

    Raises:
        CaseError: another row has it.
    """
    before = seen.setdefault(name, cells.number)
    if before != cells.number:
        raise cells.wrong(column, f"the id {name[:SHOWN]!r} is also that of row {before}", "ids must be unique")


__all__ = ["CaseError", "Cases", "Layout", "check_id", "layout_of", "split_of"]
