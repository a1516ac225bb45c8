"""Guessing from the columns of a file which is the question, the answer, the options and the groups."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.errors import AssayError, unknown
from assay.scenarios.own.columns import (
    LONGEST_LABEL,
    MOST_LABELS,
    SEPARATOR,
    Column,
    Kind,
    holds_lists,
    holds_messages,
    is_nothing,
    is_separated,
    kind_of,
    labels_of,
    most_in,
    written_as,
)
from assay.scenarios.own.doubts import header_doubt, label_doubts, no_header
from assay.scenarios.own.names import called
from assay.scenarios.own.shapes import shape_of
from assay.scenarios.sources.local import SPLIT_WORDS

Given = Mapping[str, str | tuple[str, ...]]
"""What a user says of columns: `input`, `answer`, `options`, `id`, `group` are one column, `subgroups` several; `-` is none."""
NONE = "-"
MOST_GROUPS = 20
"""Groups that an axis may have: more of them are too small to compare."""
FEWEST_OF_GROUP = 3
"""Rows that a group of an axis must have on average."""
FEWEST_WITH_EXAMPLES = 40
"""Cases from which on a part is set aside as examples."""

_LETTERED = re.compile(
    r"(?:option|choice|answer|antwort|auswahl|r[ée]ponse|choix|respuesta|opci[óo]n)?[_ -]?(?:[a-h]|[1-8])", re.IGNORECASE
)


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
    kind: Kind = "short"
    """What the answers are, where there are no options."""
    separator: str = ""
    """What stands between several answers or options in one cell; empty where nothing does."""
    id: str = ""
    group: str = ""
    worked: str = ""
    split: str = ""
    subgroups: tuple[str, ...] = ()
    unused: Mapping[str, str] = field(default_factory=dict)
    """Columns that are not used, and why they are no groups, where that is not plain to see."""
    columns: tuple[str, ...] = ()
    cases: int = 0
    """Cases that can be asked, those that belong together counted once."""
    train: int = 0
    """Rows that the split column makes examples."""
    doubts: tuple[str, ...] = ()
    """What looks like a mistake, in sentences."""


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
    labels = _listed(said.get("options", ""), known)
    said = {name: value for name, value in said.items() if not (labels and name == "options")}
    for value in said.values():
        for name in (value,) if isinstance(value, str) else value:
            if name not in known and name != NONE:
                raise unknown(f"column of {columns[0].file}:", name, known)
    return _Guesser(known, said, labels).made()


def _listed(options: str | tuple[str, ...], known: Mapping[str, Column]) -> tuple[str, ...]:
    """The options themselves, where they are given with commas between instead of a column."""
    if not isinstance(options, str) or options in known or "," not in options:
        return ()
    return tuple(dict.fromkeys(label for part in options.split(",") if (label := part.strip())))


class _Guesser:
    """Takes columns out of those that are left, one role after the other."""

    def __init__(self, known: Mapping[str, Column], said: Given, labels: tuple[str, ...] = ()) -> None:
        self.known = known
        self.said = said
        self.labels = labels
        self.unsure: tuple[str, ...] = ()
        """Columns that could be the answer as well as the one that was taken."""
        taken = {name for value in said.values() for name in ((value,) if isinstance(value, str) else value)}
        self.left = {name: column for name, column in known.items() if name not in taken}
        self.rows = max(len(column.values) for column in known.values())

    def made(self) -> Guess:
        split = self._take("split", lambda column: all(text.strip().lower() in SPLIT_WORDS for text in column.texts))
        name = self._take("id", lambda column: len(set(column.texts)) == self.rows and column.length <= LONGEST_LABEL)
        messages = self._messages()
        several, options = self._options()
        answer = (
            self._take("answer", lambda column: len(column.filled) > self.rows / 2)
            or (self._by_options(options) if options else "")
            or self._by_labels()
        )
        worked = self._take("worked", lambda column: column.length > 20)
        asked = () if messages else self._asked()
        self._check(messages, asked, answer)
        group = self._take("group", lambda column: 1 < len(set(column.texts)) < len(column.texts))
        subgroups = self._subgroups()
        written = "text"
        if several or options:
            written = written_as(self.known[answer], len(several) or most_in(self.known[options]))
        labels = self.labels or (() if several or options else labels_of(self.known[answer], self.rows))
        cells = [self.known[answer], *([self.known[options]] if options else [])]
        return Guess(
            rows=self.rows,
            input=asked,
            messages=messages,
            answer=answer,
            written=written,
            options=several or options,
            labels=labels,
            kind="short" if several or options or labels else kind_of(self.known[answer]),
            separator=SEPARATOR if any(is_separated(column) for column in cells) and (options or labels) else "",
            id=name,
            group=group,
            worked=worked,
            split=split,
            subgroups=subgroups,
            unused={name: self._no_groups(column) for name, column in self.left.items()},
            columns=tuple(self.known),
            cases=self._independent(messages or asked[-1], answer, group),
            train=sum(SPLIT_WORDS[text.strip().lower()] == "train" for text in self.known[split].texts) if split else 0,
            doubts=tuple(self._doubts(labels)),
        )

    def _independent(self, question: str, answer: str, group: str) -> int:
        """Cases that can be asked, those that belong together counted once."""
        rows = zip(*(self.known[name].values for name in (question, answer, group or question)), strict=True)
        return len({str(together) for asked, right, together in rows if not is_nothing(asked) and not is_nothing(right)})

    def _doubts(self, labels: tuple[str, ...]) -> list[str]:
        name = no_header({name: column.texts for name, column in self.known.items()})
        either = f"no column is called like an answer, and several could be it: {' or '.join(self.unsure)} (--answer COLUMN)"
        return [*([header_doubt(name)] if name else []), *([either] if self.unsure else []), *label_doubts(labels)]

    def _messages(self) -> str:
        """The column with conversations, which the user may call the question."""
        given = self.said.get("input", NONE)
        if isinstance(given, str) and given != NONE:
            return given if self.known[given].filled and holds_messages(self.known[given]) else ""
        return self._take("messages", holds_messages)

    def _take(self, role: str, fits: Any) -> str:
        """The given column of a role; else the left one with the likeliest name that fits; else none."""
        given = self.said.get(role)
        if isinstance(given, str):
            return "" if given == NONE else given
        found = next((name for name in called(role, self.left) if self.left[name].filled and fits(self.left[name])), "")
        self.left.pop(found, None)
        return found

    def _options(self) -> tuple[tuple[str, ...], str]:
        """Columns with an option each, or the one with all: it is called so, or its cells hold the values of another one."""
        if self.labels:
            return (), ""
        if several := self._several_options():
            return several, ""
        named = self._take("options", lambda column: any(len(p) > 1 for p in column.parts(SEPARATOR)))
        if named or "options" in self.said:
            return (), named
        answers = [str(self.said["answer"])] if self.said.get("answer", NONE) != NONE else list(self.left)
        lists = [name for name, column in self.left.items() if holds_lists(column)]
        found = next((name for name in lists for other in answers if other != name and self._chosen_from(other, name)), "")
        self.left.pop(found, None)
        return (), found

    def _by_options(self, options: str) -> str:
        """Without a telling name: the column whose values are among the options of their rows."""
        if "answer" in self.said:
            return ""
        found = next((name for name in self.left if self._chosen_from(name, options)), "")
        self.left.pop(found, None)
        return found

    def _chosen_from(self, answer: str, options: str) -> bool:
        """Whether each value of a column is among those that another column lists in the same row."""
        pairs = [(a, o) for a, o in zip(self.known[answer].values, self.known[options].values, strict=True) if a and o]
        lists = Column(options, tuple(o for _, o in pairs)).parts(SEPARATOR)
        return len(pairs) > self.rows / 2 and all(str(a).strip() in parts for (a, _), parts in zip(pairs, lists, strict=True))

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
        repeating = {name: labels_of(column, self.rows) for name, column in self.left.items() if not shape_of(column.texts)}
        few = [name for name, labels in repeating.items() if 0 < len(labels) <= MOST_LABELS]
        asked = called("input", self.left)
        fits = few or [name for name, labels in repeating.items() if labels and name not in asked]
        found = fits[-1] if fits else ""
        self.unsure = tuple(fits) if len(fits) > 1 else ()
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
            different = set(column.texts)
            if len(different) >= 2 and max(map(len, different)) <= LONGEST_LABEL and not self._no_groups(column):
                found.append(name)
        for name in found:
            self.left.pop(name)
        return tuple(found)

    def _no_groups(self, column: Column) -> str:
        """Why the values of a column are no groups; empty where they may be."""
        different = set(column.texts)
        if shape := shape_of(different):
            return shape
        if len(different) > min(MOST_GROUPS, self.rows / FEWEST_OF_GROUP):
            return "its own value in nearly every row" if len(different) > self.rows / 2 else f"{len(different):,} values"
        return ""

    def _check(self, messages: str, asked: tuple[str, ...], answer: str) -> None:
        name = no_header({name: column.texts for name, column in self.known.items()})
        columns = (f"{header_doubt(name)}; " if name else "") + "its columns are " + ", ".join(self.known)
        if not messages and not asked:
            raise AssayError("no column looks like a question", f"name it: --input COLUMN; {columns}")
        if not answer:
            raise AssayError("no column looks like the right answer", f"name it: --answer COLUMN; {columns}")
