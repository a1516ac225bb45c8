"""Notes of what candidates were asked otherwise: written as sentences that stand in records, and read back for tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.comparison.results import Difference
from assay.text import one_line

SHOWN = 4
"""Candidates whose differing values a note shows."""
MORE = "; …"
FORM = re.compile(r"Runs of (?P<scenario>.+) differ in (?P<key>\S+) \((?P<values>.*)\)\.", re.DOTALL)


def note_of(difference: Difference) -> str:
    """One of them as a sentence, with the values of the first candidates."""
    values = list(difference.values.items())
    shown = "; ".join(f"{candidate}: {value}" for candidate, value in values[:SHOWN])
    return f"Runs of {difference.scenario} differ in {difference.key} ({shown}{MORE if len(values) > SHOWN else ''})."


def differences_in(notes: Sequence[str], candidates: Sequence[str]) -> tuple[list[Difference], list[str]]:
    """What such sentences say, and the other notes; a sentence that does not read back as it stands is one of the others.

    Args:
        notes: of a decision, or of what was measured.
        candidates: all of its candidates.
    """
    found, others = [], []
    for note in notes:
        read = _read(note, candidates)
        if read is None:
            others.append(note)
        else:
            found.append(read)
    return found, others


def _read(note: str, candidates: Sequence[str]) -> Difference | None:
    form = FORM.fullmatch(note)
    if form is None:
        return None
    told = form["values"].removesuffix(MORE)
    begins = sorted(
        (at.start(), at.end(), name)
        for name in candidates
        for at in re.finditer(rf"(?:^|(?<=; )){re.escape(name)}: ", told)
    )  # fmt: skip
    ends = [start - len("; ") for start, _, _ in begins[1:]] + [len(told)]
    values = {name: told[after:end] for (_, after, name), end in zip(begins, ends, strict=True)}
    read = Difference(scenario=form["scenario"], key=form["key"], values=values)
    more = {f"\0{number}": "" for number in range(SHOWN)} if form["values"].endswith(MORE) else {}
    said = note_of(Difference(scenario=read.scenario, key=read.key, values=values | more))
    return read if len(begins) == len(values) > 1 and said == note else None


def in_short(notes: Sequence[str], candidates: Sequence[str], most: int) -> list[str]:
    """Up to `most` of these sentences as they are; of more, the keys of each scenario on one line."""
    if len(notes) <= most:
        return list(notes)
    found, others = differences_in(notes, candidates)
    keys: dict[str, list[str]] = {}
    for each in found:
        keys.setdefault(each.scenario, []).append(each.key)
    return [f"{one_line(scenario, 80)}: {', '.join(dict.fromkeys(named))}" for scenario, named in keys.items()] + others
