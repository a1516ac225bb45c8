"""Checks of single cases: what a reader of the file, or the model, would stumble over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from statistics import median

import msgspec

from assay.checking.findings import Finding, Severity
from assay.checking.items import Item
from assay.prompting import Prompting
from assay.scenarios.own.doubts import header_doubt, is_placeholder, no_header

LONG = 24_000
"""Characters of a case that many models cannot read: about 6,000 tokens."""
LONGER = 10
"""Times the median length from which on a case is unlike the others; at least MUCH characters."""
MUCH = 2_000
_HIDDEN = re.compile(r"[\u00a0\u00ad\u200b-\u200f\u2028\u2029\u202a-\u202e\u2060\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_MOJIBAKE = re.compile(r"\ufffd|[ÃÂ][\u0080-\u00bf]|â€[\u0080-\u2122™œž“”]?|Ã[\u0192ƒ‚„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œžŸ]")


def text_findings(items: Sequence[Item]) -> Iterator[Finding]:
    """White space, hidden and broken characters, words for nothing, and lengths, column by column."""
    checks: list[tuple[str, Severity, str, str]] = [
        ("whitespace", "warning", "white space at an end", "remove it: some models answer otherwise"),
        ("hidden", "warning", "a character that nobody sees", "remove it or write a plain space"),
        ("mojibake", "warning", "characters that were decoded wrongly", "export the file again as UTF-8"),
        ("placeholder", "warning", "a word that stands for nothing", "fill the cell in or leave it empty"),
    ]
    tests: dict[str, Callable[[str], bool]] = {
        "whitespace": lambda text: text != text.strip() and bool(text.strip()),
        "hidden": lambda text: _HIDDEN.search(text) is not None,
        "mojibake": lambda text: _MOJIBAKE.search(text) is not None,
        "placeholder": is_placeholder,
    }
    for check, severity, message, hint in checks:
        for column in dict.fromkeys(column for item in items for column in item.texts):
            rows: dict[str, list[int]] = {}
            for item in items:
                if tests[check](item.texts.get(column, "")):
                    rows.setdefault(item.file, []).append(item.row)
            for file, found in rows.items():
                told = Finding(severity=severity, check=check, message=message, hint=hint)
                yield msgspec.structs.replace(told, file=file, rows=tuple(found), column=column)


def length_findings(items: Sequence[Item]) -> Iterator[Finding]:
    """Cases that a window may not hold, and those much longer than the others."""
    usual = median(len(item.text) for item in items)
    for item in items:
        length = len(item.text)
        if length > LONG or length > max(MUCH, LONGER * usual):
            message = f"the case has {length:,} characters, the usual one {usual:,.0f}"
            hint = "its middle is cut where a model's window is smaller; shorten it if that matters"
            yield Finding(severity="warning", check="long", message=message, hint=hint, file=item.file, rows=(item.row,))


def header_findings(items: Sequence[Item]) -> Iterator[Finding]:
    """Tables whose first row is a case, taken for the names of the columns."""
    files: dict[str, list[Item]] = {}
    for item in items:
        if item.file.lower().removesuffix(".gz").endswith((".csv", ".tsv")):
            files.setdefault(item.file, []).append(item)
    for file, found in files.items():
        columns = {name: [item.texts.get(name, "") for item in found] for name in found[0].texts}
        if name := no_header(columns):
            hint = "if so, write a line with the names of the columns above it"
            yield Finding(severity="warning", check="header", message=header_doubt(name), hint=hint, file=file)


def told_findings(items: Sequence[Item], prompting: Prompting, shots: int) -> Iterator[Finding]:
    """Options that neither the prompt nor an example names, where the model is to write one of them."""
    if prompting.chooses or prompting.scores or (shots and any(item.split == "train" for item in items)):
        return
    frame = "\n".join([prompting.system, prompting.instructions if prompting.method != "chat" else "", prompting.global_prefix])
    rows: dict[str, list[int]] = {}
    for item in items:
        text = f"{frame}\n{item.text}".casefold()
        if item.split != "train" and any(option.casefold() not in text for option in item.options if option not in item.gold):
            rows.setdefault(item.file, []).append(item.row)
    for file, found in rows.items():
        where = "system" if prompting.method == "chat" else "instructions"
        hint = f"name them in `prompting: {where}`, or ask by letter: method: multiple_choice_joint"
        told = Finding(severity="warning", check="options", message="the model is not told all options", hint=hint, file=file)
        yield msgspec.structs.replace(told, rows=tuple(found))
