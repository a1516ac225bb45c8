"""Checks of single cases: what the model would stumble over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import msgspec

from assay.checking.findings import Finding
from assay.checking.items import Item
from assay.prompting import MultipleChoiceJoint, Prompting
from assay.prompting.reading import MOST_LETTERED

LONG = 24_000
"""Characters of a case that many models cannot read: about 6,000 tokens."""
LONGER = 10
"""Times the median length from which on a case is unlike the others; at least MUCH characters."""
MUCH = 2_000


def length_findings(items: Sequence[Item]) -> Iterator[Finding]:
    """Cases that a window may not hold, and those much longer than the others."""
    usual = median(item.length for item in items)
    for item in items:
        length = item.length
        if length > LONG or length > max(MUCH, LONGER * usual):
            message = f"the case has {length:,} characters, the usual one {usual:,.0f}"
            hint = "its middle is cut where a model's window is smaller; shorten it if that matters"
            yield Finding(severity="warning", check="long", message=message, hint=hint, file=item.file, rows=(item.row,))


def letter_findings(items: Sequence[Item], prompting: Prompting) -> Iterator[Finding]:
    """Cases with more options than there are letters, where the model is to name one by its letter."""
    if not isinstance(prompting, MultipleChoiceJoint):
        return
    rows: dict[str, list[int]] = {}
    for item in items:
        if len(item.options) > MOST_LETTERED:
            rows.setdefault(item.file, []).append(item.row)
    for file, found in rows.items():
        message = f"at most {MOST_LETTERED} options can be lettered"
        hint = "use method: generation"
        yield Finding(severity="error", check="options", message=message, hint=hint, file=file, rows=tuple(found))


def told_findings(items: Sequence[Item], prompting: Prompting, shots: int) -> Iterator[Finding]:
    """Options that neither the prompt nor an example names, where the model is to write one of them."""
    if prompting.chooses or prompting.scores or (shots and any(item.split == "train" for item in items)):
        return
    rows: dict[str, list[int]] = {}
    for item in items:
        if item.split != "train" and not item.told:
            rows.setdefault(item.file, []).append(item.row)
    for file, found in rows.items():
        where = "system" if prompting.method == "chat" else "instructions"
        hint = f"name them in `prompting: {where}`, or ask by letter: method: multiple_choice_joint"
        told = Finding(severity="warning", check="options", message="the model is not told all options", hint=hint, file=file)
        yield msgspec.structs.replace(told, rows=tuple(found))
