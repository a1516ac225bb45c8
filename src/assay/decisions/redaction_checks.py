"""Whether redacted transcripts are those of the run but for what was redacted: no text in them is anybody's invention.

What a column that was not redacted holds must have the seal that the run's manifest has of it, which a signed record vouches
for. In one that was redacted nothing may stand but marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from assay.decisions.redaction import ECHOES, FIELDS, MARK, NUMBERS, RedactedFile, tables_of
from assay.errors import AssayError
from assay.store.columns import GROUPS, TEXT, ColumnDigests, groups_of, seal
from assay.store.folders import Manifest
from assay.text import one_line

if TYPE_CHECKING:
    import polars as pl


def redaction_problems(transcripts: Path, redacted: RedactedFile, fields: Sequence[str], manifest: Manifest) -> Iterator[str]:
    """What in redacted transcripts is neither a mark nor as it was, a line each.

    Args:
        transcripts: the redacted file.
        redacted: what the pack says of it.
        fields: what the pack says was redacted.
        manifest: of the run, with the seals of the columns as they were.
    """
    import polars as pl

    if manifest.columns is msgspec.UNSET:
        yield f"{transcripts}: nothing shows that what is left in it is as it was: the run's manifest has no seals of columns"
        return
    digests, marks = ColumnDigests(), _Marks(fields)
    try:
        for table in tables_of(transcripts):
            digests.add(table)
            marks.look(table)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, AssayError):
        yield f"{transcripts}: changed (it cannot be read)"
        return
    found, salts = digests.digests, redacted.salts
    whole = {name for name, digest in found.items() if seal(salts.get(name, ""), digest) == manifest.columns.get(name)}
    changed = (manifest.columns.keys() | found.keys()) - whole
    for name in sorted(changed):
        if name not in found:
            yield f"{transcripts}: {one_line(name, 80)}: missing"
        elif name not in marks.may_differ:
            yield f"{transcripts}: {one_line(name, 80)}: not as in the run, and it is not said to be redacted"
        elif name in marks.texts:
            yield f"{transcripts}: {one_line(name, 80)}: holds {marks.texts[name]}, and it is said to be redacted"
    held, exactly = marks.count(changed), not marks.numbers & set(changed)
    if held != redacted.values if exactly else held > redacted.values:
        yield f"{transcripts}: holds {held:,} marks, and {redacted.values:,} values are said to be redacted"


class _Marks:
    """What stands in columns that may have been redacted."""

    def __init__(self, fields: Sequence[str]) -> None:
        self.surely = {column for field in fields for column in FIELDS.get(field, ())}
        self.numbers = self.surely & set(NUMBERS)
        self.named = self.surely | (set(ECHOES) if "input" in fields else set())
        axes = [field for field in fields if field not in FIELDS]
        self.axes = None if GROUPS in self.named else set(axes)
        """Of the groups, which are hidden; `None`: all."""
        self.texts: dict[str, str] = {}
        """By column or part of one that may have been redacted, what else than a mark stands there."""
        self._counts: Counter[str] = Counter()
        self.may_differ = self.named | {f"{GROUPS}.{axis}" for axis in axes} | ({GROUPS} if axes else set())

    def look(self, table: pl.DataFrame) -> None:
        """Look through the next rows."""
        for name in table.columns:
            if name == GROUPS:
                self._groups(table[name].to_list())
            elif name in self.named:
                self._note(name, None if name in NUMBERS else MARK, table[name].to_list())

    def count(self, changed: Collection[str]) -> int:
        """How many marks stand where something was redacted."""
        return sum(count for name, count in self._counts.items() if name in changed or name in self.surely)

    def _groups(self, kinds: list[Any]) -> None:
        for kind, times in Counter(kinds).items():
            groups = groups_of(kind)
            if msgspec.json.encode(groups, order="deterministic").decode() != kind:
                self.texts.setdefault(GROUPS, "what is no groups by axis")
            for axis, group in groups.items():
                if self.axes is None or axis in self.axes:
                    self.may_differ.add(f"{GROUPS}.{axis}")
                    self._note(f"{GROUPS}.{axis}", MARK, [group] * times)

    def _note(self, name: str, mark: str | None, values: list[Any]) -> None:
        self._counts[name] += sum(map(_marks_in, values)) if mark else 0
        if name not in self.texts and not all(_only(value, mark) for value in values):
            self.texts[name] = "a number" if mark is None else "a text"


def _marks_in(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(_marks_in, value))
    return int((value.get(TEXT) if isinstance(value, dict) else value) == MARK)


def _only(value: Any, mark: str | None) -> bool:
    """Whether nothing stands in a value but marks, or what was empty."""
    if mark is None:
        return value is None
    if isinstance(value, list):
        return all(_only(part, mark) for part in value)
    if isinstance(value, dict):
        return _only(value.get(TEXT), mark)
    return not value or value == mark
