"""What in a table looks like a mistake of whoever exported it: no header, answers in several spellings, words for nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from assay.scenarios.own.names import is_usual
from assay.text import one_line

ERRORS = ("#REF!", "#VALUE!", "#N/A", "#NAME?", "#DIV/0!", "#NULL!", "#NUM!")
"""What spreadsheets write where a formula failed."""
NOTHING = ("nan", "null", "none", "n/a", "na", "undefined", "todo", "tbd", "???", "-")
"""What programs and people write where there is nothing."""
LONGEST_NAME = 60
"""Characters from which on a text is hardly the name of a column."""
SHOWN = 60
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*%?")


def is_placeholder(text: str) -> bool:
    """Whether a cell holds an error of a spreadsheet or a word for nothing."""
    return text.strip() in ERRORS or text.strip().lower() in NOTHING


def spellings(answers: Iterable[str]) -> list[tuple[str, ...]]:
    """Answers that differ in upper and lower case or in white space only: each group in the order of the alphabet."""
    ways: dict[str, set[str]] = defaultdict(set)
    for answer in answers:
        ways[" ".join(answer.casefold().split())].add(answer)
    return [tuple(sorted(group)) for group in ways.values() if len(group) > 1]


def no_header(columns: Mapping[str, Iterable[str]]) -> str:
    """A name that looks like a cell of the first case rather than like a name; empty where none does.

    It is a number, a question or a long text; or it stands in its own column again and is none of the usual names.

    Args:
        columns: the texts of each column by its name.
    """
    for name, texts in columns.items():
        if _NUMBER.fullmatch(name) or len(name) > LONGEST_NAME or name.endswith("?"):
            return name
        if name in texts and not is_usual(name):
            return name
    return ""


def header_doubt(name: str) -> str:
    """What to say of a table without a header."""
    return f"the first row may be a case and no header: one column is called {shown(name)}"


def label_doubts(labels: Iterable[str]) -> list[str]:
    """What to say of a set of answers in which some are hardly meant."""
    found = list(labels)
    said = [f"one answer is written in several ways: {', '.join(map(shown, group))}" for group in spellings(found)]
    return said + [f"the answer {shown(label)} stands for nothing" for label in found if is_placeholder(label)]


def shown(text: str) -> str:
    """A text in quotes, short and harmless."""
    return repr(one_line(text, SHOWN))
