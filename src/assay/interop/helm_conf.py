"""HELM's files of run entries (`run_entries*.conf`), as they are.

    entries: [
      # comments, and commas that may be left out
      {description: "mmlu:subject=anatomy,model=text", priority: 1, groups: ["knowledge"]}
    ]

They are written in HOCON (https://github.com/lightbend/config/blob/main/HOCON.md). Read is the part of it that they use:
objects, arrays, texts in quotes, plain words and numbers, comments (`#`, `//`), `=` for `:`, a new line for a comma.
Substitutions, includes and joined texts are refused with their line.
"""

from __future__ import annotations

import json
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from assay.errors import AssayError, unknown

KEYS = ("description", "priority", "groups")
DEEPEST = 20
"""Objects and arrays within each other; HELM's files have four."""
LARGEST = 10_000_000
"""Characters of a file; HELM's largest has 100,000."""
MOST_ENTRIES = 20_000
"""Members of an array; HELM's files have some hundred entries."""


@dataclass(frozen=True)
class HelmEntry:
    """One entry: what HELM would run, its urgency from 1 (always) to 5, and the groups it counts to."""

    description: str
    priority: int = 1
    groups: tuple[str, ...] = ()
    line: int = 0


def read_helm_conf(path: Path) -> list[HelmEntry]:
    """The entries of a file, in its order.

    Raises:
        AssayError: it cannot be read, is not of the form above (with its line), or has no entries.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise AssayError(f"{path} is no file", "give the path of one of HELM's run_entries*.conf")
        if status.st_size > 4 * LARGEST:  # bytes; a character has at most four
            raise AssayError(f"{path} has more than {LARGEST:,} characters", "split it")
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise AssayError(f"{path} does not exist", "give the path of one of HELM's run_entries*.conf") from None
    except UnicodeDecodeError:
        raise AssayError(f"{path} is not UTF-8 text", "save it as UTF-8") from None
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror}", "check what it is and its permissions") from None
    except ValueError as error:
        raise AssayError(f"{str(path)!r} is no path: {error}", "give the path of one of HELM's run_entries*.conf") from None
    return parse_helm_conf(text.removeprefix("\ufeff"), str(path))


def parse_helm_conf(text: str, where: str) -> list[HelmEntry]:
    """As `read_helm_conf`, from text; `where` names it in errors."""
    if len(text) > LARGEST:
        raise AssayError(f"{where} has more than {LARGEST:,} characters", "split it")
    root = _Parser(text, where).document()
    for key, node in root.items():
        if key != "entries":
            raise unknown(f"key in {where}, line {node.line}:", key, ("entries",))
    if "entries" not in root:
        raise AssayError(f"{where} has no entries", "it must have the form entries: [{description: …, priority: 1}]")
    listed = root["entries"]
    if not isinstance(listed.value, list):
        raise _wrong(where, listed.line, "entries must be an array", "write entries: [ … ]")
    if not listed.value:
        raise AssayError(f"{where} has no entries", "write at least one {description: …, priority: 1}")
    return [_entry(node, where) for node in listed.value]


class Node(NamedTuple):
    """A value and the line where it begins."""

    value: object
    line: int


def _entry(node: Node, where: str) -> HelmEntry:
    """An object as an entry."""
    if not isinstance(node.value, dict):
        raise _wrong(where, node.line, "an entry must be an object", 'write {description: "…", priority: 1}')
    fields: dict[str, Node] = node.value
    for key, field in fields.items():
        if key not in KEYS:
            raise unknown(f"key in {where}, line {field.line}:", key, KEYS)
    description = fields.get("description", Node(None, node.line))
    if not isinstance(description.value, str) or not description.value.strip():
        raise _wrong(where, description.line, "the entry has no description", 'write description: "boolq:model=text"')
    priority = fields.get("priority", Node(1, node.line))
    if not isinstance(priority.value, int) or not 1 <= priority.value <= MOST:
        raise _wrong(where, priority.line, f"priority must be a whole number from 1 to {MOST}", "HELM uses 1 to 5")
    groups = fields.get("groups", Node([], node.line))
    names = [group.value for group in groups.value] if isinstance(groups.value, list) else [None]
    if not all(isinstance(name, str) for name in names):
        raise _wrong(where, groups.line, "groups must be an array of texts", 'write groups: ["…"]')
    return HelmEntry(description.value.strip(), priority.value, tuple(map(str, names)), node.line)


MOST = 1000
"""The greatest priority."""


class _Token(NamedTuple):
    kind: str
    """`end`, `newline`, `text`, `word` or the mark itself."""
    text: str
    line: int


_TOKEN = re.compile(
    r"""
      (?P<space>[ \t\r\f\v\u00a0]+ | (?:\#|//)[^\n]*)
    | (?P<newline>\n)
    | (?P<text>"(?:[^"\\\n]|\\.)*")
    | (?P<mark>[{}\[\],:=])
    | (?P<word>(?:(?!//)[^\s{}\[\],:="$+\#`^?!@*&\\])+)
    """,
    re.VERBOSE,
)


def _tokens(text: str, where: str) -> list[_Token]:
    """The file in words; white space and comments left out, new lines kept."""
    tokens: list[_Token] = []
    line, place = 1, 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise _wrong(where, line, f"{text[place : place + 20].splitlines()[0]!r} is not understood", _hint(text, place))
        kind, said = str(found.lastgroup), found[0]
        if kind == "text":
            try:
                said = json.loads(said, strict=False)
            except ValueError:
                raise _wrong(where, line, f"{said[:60]} has an escape that is none", "write \\\\ for a backslash") from None
        if kind != "space":
            tokens.append(_Token(said if kind == "mark" else kind, said, line))
        line += kind == "newline"
        place = found.end()
    return [*tokens, _Token("end", "", line)]


def _hint(text: str, place: int) -> str:
    if text.startswith('"', place):
        return "close the text with a quotation mark on the same line"
    return "put texts into quotation marks; substitutions and += are not read"


class _Parser:
    """Reads values by descent, one level a call."""

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self.tokens = _tokens(text, where)
        self.at = 0

    def document(self) -> dict[str, Node]:
        """The whole file: an object, whose braces may be left out."""
        self.blank()
        if self.peek().kind == "{":
            self.take()
            fields = self.fields("}", 1)
            self.blank()
            if self.peek().kind != "end":
                raise self.wrong("something stands after the closing brace", "remove it")
            return fields
        return self.fields("end", 1)

    def value(self, depth: int) -> Node:
        """An object, an array, a text, a number or words."""
        token = self.take()
        if depth > DEEPEST:
            raise _wrong(self.where, token.line, f"values are nested more than {DEEPEST} deep", "HELM's have four levels")
        if token.kind == "{":
            return Node(self.fields("}", depth + 1), token.line)
        if token.kind == "[":
            return Node(self.items(depth + 1), token.line)
        if token.kind == "text":
            return Node(token.text, token.line)
        if token.kind == "word":
            words = [token.text]
            while self.peek().kind == "word":
                words.append(self.take().text)
            text = " ".join(words)
            return Node(int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else text, token.line)
        self.at -= 1
        raise self.wrong("a value is missing", "write a text in quotation marks, a number, […] or {…}")

    def fields(self, end: str, depth: int) -> dict[str, Node]:
        """Pairs of key and value up to the end, which is taken."""
        found: dict[str, Node] = {}
        while self.another(end, first=not found):
            key = self.take()
            if key.kind not in ("text", "word"):
                self.at -= 1
                raise self.wrong("a key is missing", "write key: value")
            self.blank()
            if self.peek().kind in (":", "="):
                self.take()
            elif self.peek().kind != "{":
                raise self.wrong(f"the key {key.text[:60]!r} has no value", "write key: value")
            self.blank()
            if key.text in found:
                raise _wrong(self.where, key.line, f"{key.text[:60]!r} stands twice", "leave one out")
            found[key.text] = self.value(depth)
        return found

    def items(self, depth: int) -> list[Node]:
        """Values up to the closing bracket, which is taken."""
        found: list[Node] = []
        while self.another("]", first=not found):
            if len(found) == MOST_ENTRIES:
                raise self.wrong(f"the array has more than {MOST_ENTRIES:,} members", "split the file")
            found.append(self.value(depth))
        return found

    def another(self, end: str, *, first: bool) -> bool:
        """Whether another member follows before the end; what separates it, or the end, is taken."""
        newlines = self.blank()
        comma = self.peek().kind == "," and not first
        if comma:
            self.take()
            self.blank()
        if self.peek().kind == end:
            self.take()
            return False
        if self.peek().kind == "end":
            raise self.wrong(f"the file ends before {end!r}", "close what is open")
        if not (first or comma or newlines):
            raise self.wrong("a comma or a new line is missing", "write one between two members")
        return True

    def blank(self) -> int:
        """New lines passed over; how many."""
        start = self.at
        while self.peek().kind == "newline":
            self.at += 1
        return self.at - start

    def peek(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def wrong(self, problem: str, hint: str) -> AssayError:
        token = self.peek()
        near = f" before {token.text[:40]!r}" if token.text.strip() else ""
        return _wrong(self.where, token.line, problem + near, hint)


def _wrong(where: str, line: int, problem: str, hint: str) -> AssayError:
    return AssayError(f"{where}, line {line}: {problem}", hint)
