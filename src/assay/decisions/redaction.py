"""Transcripts with some of their texts replaced by digests, so that evidence can be shown without what it is about.

A digest shows whoever has the original that it is the same. It also tells whoever can guess a short text that they are right.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import AssayError, unknown
from assay.records import Record
from assay.store.transcripts import join_parts, write_part
from assay.store.writer import TRANSCRIPTS_IN_GROUP

if TYPE_CHECKING:
    import polars as pl

JUDGED = ("judge_prompt", "judge_response")
ANYWHERE = ("error", "judge_prompt", "judge_response")
"""What may repeat anything: an error what was sent, a judge what it was shown."""
INPUT = ("input", "worked", "prompts", "continuations", *ANYWHERE)
REFERENCES = ("references", "worked", "prompts", "continuations", "responses", "completion", "prediction", *ANYWHERE)
COMPLETION = ("responses", "completion", "prediction", *ANYWHERE)
FIELDS = {"input": INPUT, "completion": COMPLETION, "references": REFERENCES, "subgroups": ("subgroups",)}
"""What can be redacted, and the columns that it stands in. Prompts hold inputs and options, a chosen option is a prediction."""
ANSWERS = ("responses", "completion", "prediction")
"""Where texts that were scored, rather than generated, come back."""


class RedactedFile(Record):
    """A file of a pack that is not as the run's manifest says."""

    original: str
    """SHA-256 of the file as it was; the manifest has it too."""
    redacted: str
    """SHA-256 of the file in the pack."""
    values: int
    """How many texts were replaced."""


class Redactions(Record):
    """What redactions.json holds."""

    fields: tuple[str, ...]
    files: dict[str, RedactedFile]
    """By their path in the pack."""


def axes_of(transcripts: Path) -> set[str]:
    """The axes of subgroups among some transcripts."""
    import polars as pl

    kinds = pl.scan_parquet(transcripts).select(pl.col("subgroups").unique()).collect()["subgroups"]
    return {axis for kind in kinds if kind for axis in _groups(kind)}


def check_fields(fields: Sequence[str], axes: set[str]) -> None:
    """Refuse to redact what is not there, so that a misspelt field is not given away.

    Raises:
        AssayError: a field is neither one of `FIELDS` nor an axis of subgroups.
    """
    for name in fields:
        if name not in FIELDS and name not in axes:
            raise unknown("field to redact", name, [*FIELDS, *sorted(axes)])


def redact(transcripts: Path, fields: Sequence[str], target: Path) -> int:
    """Write transcripts with the values of some fields replaced by their digests; return how many were.

    Args:
        transcripts: the file of a run.
        fields: of `FIELDS`, or axes of subgroups.
        target: the file to write; the same texts give the same bytes.

    Raises:
        AssayError: the file cannot be read or written.
    """
    import polars as pl

    count = 0
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        parts: list[Path] = []
        try:
            schema = dict(pl.scan_parquet(transcripts).collect_schema())
            for table in _tables(transcripts):
                made, replaced = _redacted(table, fields)
                parts.append(Path(folder) / f"{len(parts):06d}.parquet")
                write_part(parts[-1], made)
                count += replaced
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise AssayError(f"{transcripts} cannot be read: {error}", "run `assay verify` on the run") from None
        join_parts(parts, target, schema, TRANSCRIPTS_IN_GROUP)
    return count


def _tables(transcripts: Path) -> Iterator[pl.DataFrame]:
    import polars as pl

    start, scan = 0, pl.scan_parquet(transcripts)
    while (table := scan.slice(start, TRANSCRIPTS_IN_GROUP).collect()).height:
        yield table
        start += table.height


def _redacted(table: pl.DataFrame, fields: Sequence[str]) -> tuple[pl.DataFrame, int]:
    import polars as pl

    named = {column for field in fields for column in FIELDS.get(field, ())}
    axes = [field for field in fields if field not in FIELDS]
    marker = _Marker()
    echoes = {"input", "references"} & set(fields)
    scored = [any(text is not None for text in texts or ()) for texts in table["continuations"].to_list()]
    made = []
    for column in table.columns:
        change: Callable[[Any], Any] = marker.subgroups if column == "subgroups" else marker.mark
        if column == "subgroups" and axes and column not in named:
            change = marker.of_axes(axes)
        elif column not in named and not (column in ANSWERS and echoes):
            continue
        rows = table[column].to_list()
        whole = column in named or column == "subgroups"
        values = [change(value) if whole or hides else value for value, hides in zip(rows, scored, strict=True)]
        made.append(pl.Series(column, values, dtype=table.schema[column]))
    return table.with_columns(made), marker.count


class _Marker:
    """Replaces texts, in lists and references too, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def mark(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.mark(part) for part in value]
        if isinstance(value, dict):
            return {**value, "text": self.mark(value["text"])}
        if not value:
            return value
        self.count += 1
        return f"[redacted: sha256 {hashlib.sha256(value.encode()).hexdigest()}]"

    def subgroups(self, value: str) -> str:
        return self.of_axes(list(_groups(value)))(value)

    def of_axes(self, axes: Sequence[str]) -> Callable[[str], str]:
        def change(value: str) -> str:
            groups = {axis: self.mark(name) if axis in axes else name for axis, name in _groups(value).items()}
            return msgspec.json.encode(groups, order="deterministic").decode()

        return change


def _groups(kind: str) -> dict[str, str]:
    return msgspec.json.decode(kind, type=dict[str, str])
