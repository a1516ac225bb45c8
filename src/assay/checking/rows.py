"""Checks of single cases and of pairs: what a reader of the file would stumble over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median

import msgspec

from assay.checking.findings import Finding, Severity
from assay.checking.items import Item
from assay.checking.near import near_pairs, normal
from assay.text import one_line

LONG = 24_000
"""Characters of a case that many models cannot read: about 6,000 tokens."""
LONGER = 10
"""Times the median length from which on a case is unlike the others; at least MUCH characters."""
MUCH = 2_000
ERRORS = ("#REF!", "#VALUE!", "#N/A", "#NAME?", "#DIV/0!")
NOTHING = ("nan", "null", "none", "n/a", "na", "undefined", "todo", "tbd", "???", "-")
"""What programs and people write where there is nothing."""
_HIDDEN = re.compile(r"[\u00a0\u00ad\u200b-\u200f\u2028\u2029\u202a-\u202e\u2060\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_MOJIBAKE = re.compile(r"\ufffd|[ÃÂ][\u0080-\u00bf]|â€[\u0080-\u2122™œž“”]?|Ã[\u0192ƒ‚„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œžŸ]")
SHOWN = 60


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
        "placeholder": lambda text: text.strip() in ERRORS or text.strip().lower() in NOTHING,
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


def repetition_findings(items: Sequence[Item]) -> Iterator[Finding]:
    """The same case twice, with one answer or with two, and cases that are nearly the same."""
    first: dict[tuple[str, tuple[str, ...]], Item] = {}
    different: list[Item] = []
    for item in items:
        key = (normal(item.text), tuple(sorted(item.options)) if len(item.gold) != len(item.options) else ())
        before = first.setdefault(key, item)
        if before is item:
            different.append(item)
        elif (before.split == "train") != (item.split == "train"):
            yield _leak(before, item, "asks what an example shows", "it is left out of the examples; remove one")
        elif set(before.gold) != set(item.gold):
            message = f"asks the same and accepts {_said(item.gold)} instead of {_said(before.gold)}"
            yield _pair(
                ("error", "contradiction"), before, item, message, "one of the two is wrong, or both are right for both"
            )
        else:
            yield _pair(("warning", "duplicate"), before, item, "asks the same", "the second tells nothing new; remove it")
    yield from _near(different)


def _near(items: Sequence[Item]) -> Iterator[Finding]:
    """Near duplicates with one answer: with two, the small difference is what is asked."""
    for one, other, alike in near_pairs([item.text for item in items]):
        before, item = items[one], items[other]
        if set(before.gold) != set(item.gold):
            continue
        if (before.split == "train") != (item.split == "train"):
            yield _leak(before, item, f"is nearly an example ({alike:.0%} the same)", "put both into one split, or change one")
        else:
            message = f"is nearly the same ({alike:.0%})"
            yield _pair(("warning", "near duplicate"), before, item, message, "give both one `group`, or remove one")


def _leak(before: Item, item: Item, message: str, hint: str) -> Finding:
    asked, example = (item, before) if before.split == "train" else (before, item)
    return _pair(("warning", "leak"), example, asked, message, hint)


def _pair(kind: tuple[Severity, str], before: Item, item: Item, message: str, hint: str) -> Finding:
    """The rows are those of the second and of the first, which is named where it lies in another file."""
    severity, check = kind
    rows: tuple[int, ...] = (item.row, before.row)
    if before.file != item.file:
        rows, message = (item.row,), f"{message}, in row {before.row} of {before.file}"
    return Finding(severity=severity, check=check, message=message, hint=hint, file=item.file, rows=rows)


def _said(texts: Iterable[str]) -> str:
    return one_line(" or ".join(repr(text) for text in texts), SHOWN) or "nothing"
