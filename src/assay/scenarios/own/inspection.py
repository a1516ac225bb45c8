"""Guessing from the columns of a file which is the question, the answer, the options and the groups."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from assay.errors import AssayError, unknown
from assay.prompting.reading import letter_for
from assay.scenarios.own.cells import Cells, decoded
from assay.scenarios.own.doubts import header_doubt, label_doubts, no_header
from assay.scenarios.own.names import called
from assay.scenarios.sources.local import SPLIT_WORDS
from assay.scenarios.sources.tables import read_rows

Given = Mapping[str, str | tuple[str, ...]]
"""What a user says of columns: `input`, `answer`, `options`, `id`, `group` are one column, `subgroups` several; `-` is none."""
NONE = "-"
LOOKED_AT = 20_000
"""Rows that are looked at."""
MOST_LABELS = 12
"""Different answers up to which they are taken as a fixed set of options."""
LONGEST_LABEL = 40
MOST_GROUPS = 20
"""Groups that an axis may have: more of them are too small to compare."""
FEWEST_WITH_EXAMPLES = 40
"""Cases from which on a part is set aside as examples."""
SEPARATOR = "|"

_LETTERED = re.compile(r"(?:option|choice|answer)?[_ -]?(?:[a-h]|[1-8])", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """What the cells of a column look like."""

    name: str
    values: tuple[Any, ...]

    @property
    def filled(self) -> list[Any]:
        """The cells with something in them."""
        return [value for value in self.values if value is not None and value != ""]

    @property
    def texts(self) -> list[str]:
        """The filled cells that are texts or numbers, as texts."""
        return [str(value) for value in self.filled if not isinstance(value, (list, tuple, Mapping, bytes))]

    @property
    def length(self) -> float:
        """Mean length of its texts, characters."""
        return sum(map(len, self.texts)) / len(self.texts) if self.texts else 0.0

    def parts(self, separator: str) -> list[list[str]]:
        """Each filled cell as the texts in it."""
        cells = (Cells({self.name: value}, "", 0) for value in self.filled)
        return [cell.texts(self.name, separator) for cell in cells]


@dataclass(frozen=True)
class Guess:
    """Which column is what. Empty: none."""

    rows: int
    input: tuple[str, ...] = ()
    """Context first, question last."""
    messages: str = ""
    answer: str = ""
    written: str = "text"
    """How an answer names an option: as in the declaration."""
    options: tuple[str, ...] | str = ()
    """Columns with one option each, or a column with all."""
    labels: tuple[str, ...] = ()
    """The fixed set of answers, where there is one."""
    separator: str = ""
    """What stands between several answers or options in one cell; empty where nothing does."""
    id: str = ""
    group: str = ""
    worked: str = ""
    split: str = ""
    subgroups: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    cases: int = 0
    """Cases that can be asked, those that belong together counted once."""
    train: int = 0
    """Rows that the split column makes examples."""
    doubts: tuple[str, ...] = ()
    """What looks like a mistake, in sentences."""


def columns_of(path: Path) -> list[Column]:
    """The columns of a file, by its first 20,000 rows.

    Raises:
        AssayError: it cannot be read, or a column's name is empty or holds a brace.
    """
    rows = list(islice(read_rows(path, str(path)), LOOKED_AT))
    names = dict.fromkeys(name for row in rows for name in row)
    for position, name in enumerate(names, start=1):
        if not str(name).strip() or "{" in name or "}" in name:
            raise AssayError(f"{path}, column {position} is called {name!r}", "give it a name without braces")
    return [Column(name, tuple(row.get(name) for row in rows)) for name in names]


def guess(columns: list[Column], given: Given | None = None) -> Guess:
    """Which column is what, by names first and by what the cells hold second.

    Args:
        columns: of the file.
        given: what the user says; empty values say nothing.

    Raises:
        AssayError: a given column does not exist, or nothing can be the question or the answer.
    """
    said = {name: value for name, value in (given or {}).items() if value}
    known = {column.name: column for column in columns}
    for value in said.values():
        for name in (value,) if isinstance(value, str) else value:
            if name not in known and name != NONE:
                raise unknown("column", name, known)
    return _Guesser(known, said).made()


class _Guesser:
    """Takes columns out of those that are left, one role after the other."""

    def __init__(self, known: Mapping[str, Column], said: Given) -> None:
        self.known = known
        self.said = said
        taken = {name for value in said.values() for name in ((value,) if isinstance(value, str) else value)}
        self.left = {name: column for name, column in known.items() if name not in taken}
        self.rows = max(len(column.values) for column in known.values())

    def made(self) -> Guess:
        split = self._take("split", lambda column: all(text.strip().lower() in SPLIT_WORDS for text in column.texts))
        name = self._take("id", lambda column: len(set(column.texts)) == self.rows and column.length <= LONGEST_LABEL)
        messages = "" if self.said.get("input", NONE) != NONE else self._take("messages", _holds_messages)
        several = self._several_options()
        options = "" if several else self._take("options", lambda column: any(len(p) > 1 for p in column.parts(SEPARATOR)))
        answer = self._take("answer", lambda column: len(column.filled) > self.rows / 2) or self._by_labels()
        worked = self._take("worked", lambda column: column.length > 20)
        asked = () if messages else self._asked()
        self._check(messages, asked, answer)
        group = self._take("group", lambda column: 1 < len(set(column.texts)) < len(column.texts))
        subgroups = self._subgroups()
        written = "text"
        if several or options:
            written = _written(self.known[answer], len(several) or _most(self.known[options]))
        labels = () if several or options else _labels(self.known[answer], self.rows)
        cells = [self.known[answer], *([self.known[options]] if options else [])]
        return Guess(
            rows=self.rows,
            input=asked,
            messages=messages,
            answer=answer,
            written=written,
            options=several or options,
            labels=labels,
            separator=SEPARATOR if any(_separated(column) for column in cells) and (options or labels) else "",
            id=name,
            group=group,
            worked=worked,
            split=split,
            subgroups=subgroups,
            unused=tuple(self.left),
            columns=tuple(self.known),
            cases=self._independent(messages or asked[-1], answer, group),
            train=sum(SPLIT_WORDS[text.strip().lower()] == "train" for text in self.known[split].texts) if split else 0,
            doubts=tuple(self._doubts(labels)),
        )

    def _independent(self, question: str, answer: str, group: str) -> int:
        """Cases that can be asked, those that belong together counted once."""
        rows = zip(*(self.known[name].values for name in (question, answer, group or question)), strict=True)
        return len({str(together) for asked, right, together in rows if not _nothing(asked) and not _nothing(right)})

    def _doubts(self, labels: tuple[str, ...]) -> list[str]:
        name = no_header({name: column.texts for name, column in self.known.items()})
        return [*([header_doubt(name)] if name else []), *label_doubts(labels)]

    def _take(self, role: str, fits: Any) -> str:
        """The given column of a role; else the left one with the likeliest name that fits; else none."""
        given = self.said.get(role)
        if isinstance(given, str):
            return "" if given == NONE else given
        found = next((name for name in called(role, self.left) if self.left[name].filled and fits(self.left[name])), "")
        self.left.pop(found, None)
        return found

    def _several_options(self) -> tuple[str, ...]:
        """Columns such as A, B, C, D or option_1, option_2."""
        if "options" in self.said:
            return ()
        found = tuple(name for name in self.left if _LETTERED.fullmatch(name))
        if len(found) < 2:
            return ()
        for name in found:
            self.left.pop(name)
        return found

    def _by_labels(self) -> str:
        """Without a telling name: the last column whose short texts repeat."""
        if "answer" in self.said:
            return ""
        fits = [name for name, column in self.left.items() if 2 <= len(_labels(column, self.rows)) <= MOST_LABELS]
        found = fits[-1] if fits else ""
        self.left.pop(found, None)
        return found

    def _asked(self) -> tuple[str, ...]:
        """The question, and what it is about before it."""
        question = self._take("input", lambda column: bool(column.texts))
        if not question and "input" not in self.said:
            long = [column for column in self.left.values() if column.length > 15]
            question = max(long, key=lambda column: column.length).name if long else ""
            self.left.pop(question, None)
        if not question or self.said.get("input") == question:
            return (question,) if question else ()
        context = self._take("context", lambda column: column.length > LONGEST_LABEL)
        return (context, question) if context else (question,)

    def _subgroups(self) -> tuple[str, ...]:
        given = self.said.get("subgroups")
        if isinstance(given, tuple):
            return tuple(name for name in given if name != NONE)
        found = []
        for name, column in self.left.items():
            counts = Counter(column.texts)
            if 2 <= len(counts) <= min(MOST_GROUPS, self.rows / 2) and max(map(len, counts)) <= LONGEST_LABEL:
                found.append(name)
        for name in found:
            self.left.pop(name)
        return tuple(found)

    def _check(self, messages: str, asked: tuple[str, ...], answer: str) -> None:
        name = no_header({name: column.texts for name, column in self.known.items()})
        columns = (f"{header_doubt(name)}; " if name else "") + "its columns are " + ", ".join(self.known)
        if not messages and not asked:
            raise AssayError("no column looks like a question", f"name it: --input COLUMN; {columns}")
        if not answer:
            raise AssayError("no column looks like the right answer", f"name it: --answer COLUMN; {columns}")


def _nothing(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _holds_messages(column: Column) -> bool:
    return all(_is_conversation(decoded(value) if isinstance(value, str) else value) for value in column.filled)


def _is_conversation(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(part, Mapping) and "role" in part for part in value)


def _separated(column: Column) -> bool:
    return any(isinstance(value, str) and SEPARATOR in value for value in column.filled)


def _labels(column: Column, rows: int) -> tuple[str, ...]:
    """The different answers in the order of the alphabet, where they are few, short and repeat."""
    if any(isinstance(value, (Mapping, bytes)) for value in column.filled):
        return ()
    counts = Counter(label for labels in column.parts(SEPARATOR) for label in labels)
    few = 2 <= len(counts) <= min(MOST_LABELS, rows / 3)
    return tuple(sorted(counts)) if few and _short(counts) else ()


def _short(labels: Iterable[str]) -> bool:
    return all(0 < len(label) <= LONGEST_LABEL for label in labels)


def _most(options: Column) -> int:
    return max((len(parts) for parts in options.parts(SEPARATOR)), default=0)


def _written(answer: Column, options: int) -> str:
    """Whether answers name options by letter, by number, by position or by their text."""
    said = {text.strip("() ").upper() for text in answer.texts}
    ways = {
        "letter": {letter_for(place) for place in range(max(options, 1))},
        "position": {str(place) for place in range(options)},
        "number": {str(place + 1) for place in range(options)},
    }
    fitting = [way for way, names in ways.items() if said and said <= names]
    if fitting == ["position", "number"]:
        return "position" if "0" in said else "number"
    return fitting[0] if fitting else "text"
