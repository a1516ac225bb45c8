"""The two tables of a run: transcripts, one row a trial, from which everything else can be recomputed; and scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import AssayError
from assay.records import Answer, Instance, Message, Record, Reference, Request, Response, Text, Trial

if TYPE_CHECKING:
    import polars as pl


class Transcript(Record):
    """A trial, what came back for it, and how that was read."""

    trial: Trial
    responses: tuple[Response, ...]
    answer: Answer


def transcript_schema() -> dict[str, Any]:
    """Column names and types of transcripts.parquet."""
    import polars as pl

    text, texts = pl.String(), pl.List(pl.String())
    return {
        "instance_id": text,
        "split": text,
        "perturbation": text,
        "draw": pl.Int32(),
        "format": pl.Int32(),
        "repeat": pl.Int32(),
        "group": text,
        "subgroups": text,
        "input": text,
        "references": pl.List(pl.Struct({"text": pl.String(), "correct": pl.Boolean(), "role": pl.String()})),
        "worked": text,
        "shots": texts,
        "truncated": pl.Boolean(),
        "prompts": texts,
        "continuations": texts,
        "responses": texts,
        "completion": text,
        "prediction": text,
        "choice": pl.Int32(),
        "choice_probabilities": pl.List(pl.Float64()),
        "confidence": pl.Float64(),
        "confidence_source": text,
        "outcome": text,
        "error": text,
        "prompt_tokens": pl.Int64(),
        "completion_tokens": pl.Int64(),
        "usage_source": text,
        "cost": pl.Float64(),
        "latency_s": pl.Float64(),
        "toxicity": pl.List(pl.Float64()),
    }


SCORE_COLUMNS = ("instance_id", "split", "perturbation", "draw", "format", "repeat", "metric", "value")


def score_schema() -> dict[str, Any]:
    """Column names and types of scores.parquet, which is long: a row for each trial and metric."""
    import polars as pl

    types = (*[pl.String()] * 3, *[pl.Int32()] * 3, pl.String(), pl.Float64())
    return dict(zip(SCORE_COLUMNS, types, strict=True))


def to_row(transcript: Transcript) -> dict[str, Any]:
    """A transcript as a row of the table. Messages and responses are JSON; everything else is plain columns."""
    trial, answer = transcript.trial, transcript.answer
    instance = trial.instance
    first = transcript.responses[0].completions if transcript.responses else ()
    return {
        "instance_id": instance.id,
        "split": instance.split,
        "perturbation": instance.perturbation,
        "draw": trial.draw,
        "format": trial.format,
        "repeat": trial.repeat,
        "group": instance.group,
        "subgroups": _json(instance.subgroups),
        "input": _text(instance.input),
        "references": [msgspec.to_builtins(reference) for reference in instance.references],
        "worked": instance.worked,
        "shots": list(trial.shots),
        "truncated": trial.truncated,
        "prompts": [_text(request.prompt) for request in trial.requests],
        "continuations": [request.continuation for request in trial.requests],
        "responses": [_json(response) for response in transcript.responses],
        "completion": first[0].text if first else None,
        "prediction": answer.prediction,
        "choice": answer.choice,
        "choice_probabilities": answer.choice_probabilities,
        "confidence": answer.confidence,
        "confidence_source": answer.confidence_source,
        "outcome": answer.outcome,
        "error": f"{answer.failure.kind}: {answer.failure.message}" if answer.failure else None,
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "usage_source": answer.usage_source,
        "cost": answer.cost,
        "latency_s": answer.latency_s,
        "toxicity": answer.toxicity,
    }


def from_row(row: dict[str, Any]) -> tuple[Trial, tuple[Response, ...]]:
    """The trial and its responses that a row holds, enough to read and score it again.

    Raises:
        AssayError: the row holds what assay does not write.
    """
    with reading_row(row):
        return _from_row(row)


@contextmanager
def reading_row(row: dict[str, Any]) -> Iterator[None]:
    """Whoever reads a row's JSON and columns gets an error that names the trial where they are not what assay writes."""
    try:
        yield
    except (msgspec.DecodeError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        which = str(row.get("instance_id"))[:80]
        problem = f"the stored trial {which!r} is not what assay writes: {error}"
        raise AssayError(problem, "run `assay verify` on the run") from None


def _from_row(row: dict[str, Any]) -> tuple[Trial, tuple[Response, ...]]:
    instance = Instance(
        id=row["instance_id"],
        input=stored_text(row["input"]),
        references=tuple(Reference(**reference) for reference in row["references"]),
        split=row["split"],
        subgroups=msgspec.json.decode(row["subgroups"]),
        group=row["group"],
        worked=row["worked"],
        perturbation=row["perturbation"],
    )
    requests = tuple(
        Request(prompt=stored_text(prompt), continuation=continuation)
        for prompt, continuation in zip(row["prompts"], row["continuations"], strict=True)
    )
    made = Trial(
        instance=instance,
        requests=requests,
        draw=row["draw"],
        format=row["format"],
        repeat=row["repeat"],
        shots=tuple(row["shots"]),
        truncated=row["truncated"],
    )
    trial = msgspec.convert(msgspec.to_builtins(made), Trial)  # a record does not check its own types
    return trial, tuple(msgspec.json.decode(response, type=Response) for response in row["responses"])


def read_transcripts(path: Path, batch: int = 2000) -> Iterator[dict[str, Any]]:
    """The rows of a transcripts file, in order, a batch in memory at a time.

    Raises:
        AssayError: the file is missing or not a transcripts file.
    """
    import polars as pl

    try:
        table = pl.scan_parquet(path)
        missing = set(transcript_schema()) - set(table.collect_schema().names())
        if missing:
            raise AssayError(f"{path} lacks the columns {', '.join(sorted(missing))}", "it is not a transcripts file")
        start = 0
        while (rows := table.slice(start, batch).collect()).height:
            yield from rows.iter_rows(named=True)
            start += batch
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise AssayError(f"{path} cannot be read: {_first_line(error)}", "run `assay verify` on the run") from None


def write_part(path: Path, data: Sequence[dict[str, Any]] | Mapping[str, Sequence[Any]], schema: dict[str, Any]) -> None:
    """Write some rows as a Parquet file of their own. Raises AssayError where it cannot be written.

    Nested columns are quicker to take from rows, many plain values from columns; either may be given.
    """
    import polars as pl

    with _saying(path):
        pl.DataFrame(data, schema=schema).write_parquet(path, compression="zstd")


def join_parts(parts: Iterable[Path], path: Path, schema: dict[str, Any]) -> None:
    """Write the rows of some Parquet files, in their order, as one file, without holding them all. As `write_part`."""
    import polars as pl

    listed = list(parts)
    with _saying(path):
        table: pl.LazyFrame = pl.scan_parquet(listed) if listed else pl.DataFrame(schema=schema).lazy()
        table.sink_parquet(path, compression="zstd", row_group_size=2000, maintain_order=True)


@contextmanager
def _saying(path: Path) -> Iterator[None]:
    """Polars raises errors of its own where a file cannot be written, or even panics."""
    import polars as pl

    try:
        yield
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        hint = "every answer so far is kept, and the same command goes on once that is put right"
        raise AssayError(f"{path} cannot be written: {_first_line(error)}", hint) from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]


def _json(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def _text(text: Text) -> str:
    return text if isinstance(text, str) else MESSAGES + _json(text)


def stored_text(stored: str) -> Text:
    """A prompt or input as it was before it was stored: plain text or messages."""
    if stored.startswith(MESSAGES):
        return msgspec.json.decode(stored[len(MESSAGES) :], type=tuple[Message, ...])
    return stored


MESSAGES = "\x1emessages:"
"""Marks a stored text that is the JSON of messages; the control character keeps it apart from any plain prompt."""
