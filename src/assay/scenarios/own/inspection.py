"""Guessing from the columns of a file which is the question, the answer, the options and the groups."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from assay.errors import AssayError, unknown
from assay.prompting.reading import MOST_LETTERED, letter_for
from assay.scenarios.own.cells import Cells, decoded
from assay.scenarios.own.doubts import header_doubt, label_doubts, no_header
from assay.scenarios.own.names import called
from assay.scenarios.own.shapes import shape_of
from assay.scenarios.rows import Row
from assay.scenarios.sources.local import SPLIT_WORDS
from assay.scenarios.sources.tables import read_rows

Given = Mapping[str, str | tuple[str, ...]]
"""What a user says of columns: `input`, `answer`, `options`, `id`, `group` are one column, `subgroups` several; `-` is none."""
NONE = "-"
LOOKED_AT = 20_000
"""Rows that are looked at."""
MOST_CHARACTERS = 1 << 26
"""Characters after which no more rows are looked at."""
MOST_LABELS = 12
"""Different answers up to which they are taken as a fixed set of options, wherever they stand."""
MOST_LISTED = 200
"""The same, where nearly all of them repeat and they are no numbers."""
ROWS_OF_LISTED = 4
"""Rows that each of so many answers must have on average."""
LONGEST_LABEL = 40
MOST_GROUPS = 20
"""Groups that an axis may have: more of them are too small to compare."""
FEWEST_OF_GROUP = 3
"""Rows that a group of an axis must have on average."""
FEWEST_WITH_EXAMPLES = 40
"""Cases from which on a part is set aside as examples."""
SEPARATOR = "|"

_LETTERED = re.compile(
    r"(?:option|choice|answer|antwort|auswahl|r[ée]ponse|choix|respuesta|opci[óo]n)?[_ -]?(?:[a-h]|[1-8])", re.IGNORECASE
)
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*%?")


@dataclass(frozen=True)
class Column:
    """What the cells of a column look like."""

    name: str
    values: tuple[Any, ...]
    file: str = ""
    """Where it stands, for messages."""

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
        filled = ((row, value) for row, value in enumerate(self.values, start=1) if value is not None and value != "")
        cells = (Cells({self.name: value}, self.file, row) for row, value in filled)
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
    unused: Mapping[str, str] = field(default_factory=dict)
    """Columns that are not used, and why they are no groups, where that is not plain to see."""
    columns: tuple[str, ...] = ()
    cases: int = 0
    """Cases that can be asked, those that belong together counted once."""
    train: int = 0
    """Rows that the split column makes examples."""
    doubts: tuple[str, ...] = ()
    """What looks like a mistake, in sentences."""


def columns_of(path: Path) -> list[Column]:
    """The columns of a file, by its first 20,000 rows, fewer where their texts are long.

    Raises:
        AssayError: it cannot be read, or a column's name is empty or holds a brace.
    """
    rows = list(_first(read_rows(path, str(path))))
    names = dict.fromkeys(name for row in rows for name in row)
    for position, name in enumerate(names, start=1):
        if not name or "{" in name or "}" in name:
            raise AssayError(f"{path}, column {position} is called {name!r}", "give it a name without braces")
    return [Column(name, tuple(row.get(name) for row in rows), str(path)) for name in names]


def _first(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows that are looked at, the names of their columns without white space around them."""
    size = 0
    for row in islice(rows, LOOKED_AT):
        found = {name.strip(): cell for name, cell in row.items()}
        yield found
        size += sum(len(cell) for cell in found.values() if isinstance(cell, str))
        if size > MOST_CHARACTERS:
            return


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
            written = _written(self.known[answer], len(several) or _most(self.known[options]))
        labels = self.labels or (() if several or options else _labels(self.known[answer], self.rows))
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
            unused={name: self._no_groups(column) for name, column in self.left.items()},
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
        either = f"no column is called like an answer, and several could be it: {' or '.join(self.unsure)} (--answer COLUMN)"
        return [*([header_doubt(name)] if name else []), *([either] if self.unsure else []), *label_doubts(labels)]

    def _messages(self) -> str:
        """The column with conversations, which the user may call the question."""
        given = self.said.get("input", NONE)
        if isinstance(given, str) and given != NONE:
            return given if self.known[given].filled and _holds_messages(self.known[given]) else ""
        return self._take("messages", _holds_messages)

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
        lists = [name for name, column in self.left.items() if _lists(column)]
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
        repeating = {name: _labels(column, self.rows) for name, column in self.left.items() if not shape_of(column.texts)}
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


def _nothing(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _holds_messages(column: Column) -> bool:
    return all(_is_conversation(decoded(value) if isinstance(value, str) else value) for value in column.filled)


def _is_conversation(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(part, Mapping) and "role" in part for part in value)


def _separated(column: Column) -> bool:
    return any(isinstance(value, str) and SEPARATOR in value for value in column.filled)


def _lists(column: Column) -> bool:
    """Whether each of its cells holds several texts."""
    listed = all(
        isinstance(v, str) or (isinstance(v, (list, tuple)) and all(isinstance(p, str) for p in v)) for v in column.filled
    )
    return bool(column.filled) and listed and all(len(parts) > 1 for parts in column.parts(SEPARATOR))


def _labels(column: Column, rows: int) -> tuple[str, ...]:
    """The different answers in the order of the alphabet, where they are few, short and repeat.

    More than twelve must repeat more clearly, and be no numbers or dates: those are results rather than classes.
    """
    if any(isinstance(value, (Mapping, bytes)) for value in column.filled):
        return ()
    counts = Counter(label for labels in column.parts(SEPARATOR) for label in labels)
    few = 2 <= len(counts) <= min(MOST_LABELS, rows / 3)
    if MOST_LABELS < len(counts) <= min(MOST_LISTED, rows / ROWS_OF_LISTED):
        repeated = sum(count > 1 for count in counts.values())
        few = repeated >= 0.9 * len(counts) and not all(map(_NUMBER.fullmatch, counts)) and not shape_of(counts)
    return tuple(sorted(counts)) if few and _short(counts) else ()


def _short(labels: Iterable[str]) -> bool:
    return all(0 < len(label) <= LONGEST_LABEL for label in labels)


def _most(options: Column) -> int:
    return max((len(parts) for parts in options.parts(SEPARATOR)), default=0)


def _written(answer: Column, options: int) -> str:
    """Whether answers name options by letter, by number, by position or by their text."""
    said = {text.strip("() ").upper() for text in answer.texts}
    ways = {
        "letter": {letter_for(place) for place in range(min(max(options, 1), MOST_LETTERED))},
        "position": {str(place) for place in range(options)},
        "number": {str(place + 1) for place in range(options)},
    }
    fitting = [way for way, names in ways.items() if said and said <= names]
    if fitting == ["position", "number"]:
        return "position" if "0" in said else "number"
    return fitting[0] if fitting else "text"
