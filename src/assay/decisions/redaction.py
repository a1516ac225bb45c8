"""Transcripts without some of their texts, so that evidence can be shown without what it is about.

Nothing takes the place of a text but a mark that it was there: a digest would tell whoever can guess a short text that they
are right, and one with a secret in it would not be the same in every pack.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from assay.decisions.measured import Measured
from assay.decisions.pointing import pointing_at
from assay.decisions.profile import Profile
from assay.errors import AssayError, unknown
from assay.records import Record
from assay.store.columns import ColumnDigests, salts_of
from assay.store.folders import TRANSCRIPTS
from assay.store.transcripts import join_parts, write_part
from assay.store.writer import TRANSCRIPTS_IN_GROUP

if TYPE_CHECKING:
    import polars as pl

MARK = "[redacted]"
"""What stands where a text was. Numbers are left out."""
ANYWHERE = ("error", "judge_prompt", "judge_response")
"""What may repeat anything: an error what was sent, a judge what it was shown."""
NUMBERS = ("choice", "choice_probabilities", "confidence")
"""What an answer was read as, in numbers."""
INPUT = ("input", "group", "worked", "references", "prompts", "continuations", *ANYWHERE)
REFERENCES = ("references", "worked", "prompts", "continuations", "responses", "completion", "prediction", *ANYWHERE)
COMPLETION = ("responses", "completion", "prediction", *NUMBERS, *ANYWHERE)
FIELDS = {"input": INPUT, "completion": COMPLETION, "references": REFERENCES, "subgroups": ("subgroups",)}
"""What can be redacted, and the columns that it stands in. Options are asked, so they are input; a group may be a passage."""
ECHOES = ("responses", "completion", "prediction")
"""Where texts that were scored, rather than generated, come back."""
FAILED = r'"failure"\s*:\s*\{'
"""What stands in a response, which is JSON, that failed; within a completion the quotation marks would be escaped."""
STAYS = (
    "ids of instances, which references are right, scores by instance, outcomes, counts, times, estimates; "
    "the record with its profile, and how each scenario was declared and prompted"
)


class RedactedFile(Record):
    """A file of a pack that is not as the run's manifest says."""

    original: str
    """SHA-256 of the file as it was; the manifest has it too."""
    redacted: str
    """SHA-256 of the file in the pack."""
    values: int
    """How many texts were replaced, and numbers left out."""
    salts: dict[str, str] = {}
    """Of the columns, and parts of columns, that are as they were: with its salt each has the seal that the run's manifest has
    of it; see `store.columns`."""


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


def check_fields(fields: Sequence[str], transcripts: Iterable[Path]) -> None:
    """Refuse to redact what is not there, so that a misspelt field is not given away.

    Args:
        fields: what is to be redacted.
        transcripts: what it is to be redacted from.

    Raises:
        AssayError: a field is neither one of `FIELDS` nor an axis of subgroups.
    """
    others = [name for name in fields if name not in FIELDS]
    axes = set().union(*map(axes_of, transcripts)) if others else set()
    for name in others:
        if name not in axes:
            raise unknown("field to redact", name, [*FIELDS, *sorted(axes)])


def check_redactable(profile: Profile, measured: Measured) -> None:
    """Refuse a profile whose `redact` names what its runs do not have: no evidence could be packed of a decision by it.

    Raises:
        PointedError: there is no such field or axis.
    """
    for number, name in enumerate(profile.redact):
        with pointing_at("redact", number):
            check_fields((name,), (Path(source.folder) / TRANSCRIPTS for source in measured.sources))


def stays(fields: Sequence[str]) -> list[str]:
    """What a pack still tells after some fields were redacted, an item each."""
    told = [STAYS]
    if any(field == "subgroups" or field not in FIELDS for field in fields):
        told.append("names of groups in the estimates and in the record")
    if "completion" in fields:
        told.append("whether an answer was right: who knows the references can tell from its scores what many answers were")
    elif "input" in fields:
        told.append("completions: one that repeats its input shows it")
    return told


def redact(transcripts: Path, fields: Sequence[str], target: Path) -> int:
    """Write transcripts without the values of some fields; return how many there were.

    Args:
        transcripts: the file of a run.
        fields: of `FIELDS`, or axes of subgroups.
        target: the file to write; the same texts give the same bytes.

    Raises:
        AssayError: the file cannot be read or written.
    """
    import polars as pl

    columns = {column for field in fields for column in FIELDS.get(field, ())}
    axes = [field for field in fields if field not in FIELDS]
    count = 0
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        parts: list[Path] = []
        try:
            schema = dict(pl.scan_parquet(transcripts).collect_schema())
            columns |= set(_echoing(transcripts)) if "input" in fields else set()
            for table in tables_of(transcripts):
                made, replaced = _redacted(table, columns, axes)
                parts.append(Path(folder) / f"{len(parts):06d}.parquet")
                write_part(parts[-1], made)
                count += replaced
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise AssayError(f"{transcripts} cannot be read: {error}", "run `assay verify` on the run") from None
        join_parts(parts, target, schema, TRANSCRIPTS_IN_GROUP)
    return count


def salts_left(original: Path, redacted: Path) -> dict[str, str]:
    """The salts of the columns, and parts of columns, that redacting transcripts left as they were."""
    before, after = digests_of(original), digests_of(redacted)
    return {name: salt for name, salt in salts_of(before).items() if after.get(name) == before[name]}


def digests_of(transcripts: Path) -> dict[str, str]:
    """The digests of the columns of transcripts."""
    found = ColumnDigests()
    for table in tables_of(transcripts):
        found.add(table)
    return found.digests


def tables_of(transcripts: Path) -> Iterator[pl.DataFrame]:
    """The rows of transcripts in order, some thousand in memory at a time."""
    import polars as pl

    start, scan = 0, pl.scan_parquet(transcripts)
    while (table := scan.slice(start, TRANSCRIPTS_IN_GROUP).collect()).height:
        yield table
        start += table.height


def _redacted(table: pl.DataFrame, columns: Collection[str], axes: Sequence[str]) -> tuple[pl.DataFrame, int]:
    import polars as pl

    marker = _Marker()
    made = []
    for column in table.columns:
        change: Callable[[Any], Any] = marker.drop if column in NUMBERS else marker.mark
        if column == "subgroups" and (axes or column in columns):
            change = marker.subgroups if column in columns else marker.of_axes(axes)
        elif column not in columns:
            continue
        made.append(pl.Series(column, [change(value) for value in table[column].to_list()], dtype=table.schema[column]))
    return table.with_columns(made), marker.count


def _echoing(transcripts: Path) -> tuple[str, ...]:
    """The columns of what came back that repeat what was asked because of how that was asked, be it in some trials only.

    A text that was scored comes back as it is; a letter is read as the text of its option; whoever refuses a request often says
    what it was. A column is hidden in all trials or in none, so that the digest of the column still shows that one which is not
    hidden is as it was.
    """
    import polars as pl

    wanted = {
        "continuations": pl.col("continuations").list.drop_nulls().list.len() > 0,
        "choice": pl.col("choice").is_not_null(),
        "responses": pl.col("responses").list.eval(pl.element().str.contains(FAILED)).list.any(),
    }
    scan = pl.scan_parquet(transcripts)
    there = {name: found.any() for name, found in wanted.items() if name in scan.collect_schema()}
    some = scan.select(**there).collect().row(0, named=True)
    if some.get("continuations"):
        return ECHOES
    return (*(("responses",) if some.get("responses") else ()), *(("prediction",) if some.get("choice") else ()))


class _Marker:
    """Replaces texts, in lists and references too, and leaves out numbers; counts both."""

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
        return MARK

    def drop(self, value: Any) -> None:
        self.count += value is not None

    def subgroups(self, value: str) -> str:
        return self.of_axes(list(_groups(value)))(value)

    def of_axes(self, axes: Sequence[str]) -> Callable[[str], str]:
        def change(value: str) -> str:
            groups = {axis: self.mark(name) if axis in axes else name for axis, name in _groups(value).items()}
            return msgspec.json.encode(groups, order="deterministic").decode()

        return change


def _groups(kind: str) -> dict[str, str]:
    return msgspec.json.decode(kind, type=dict[str, str])
