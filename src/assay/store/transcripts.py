"""The two tables of a run: transcripts, one row a trial, from which everything else can be recomputed; and scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import AssayError
from assay.records import Answer, Judging, Record, Response, Trial
from assay.store.opening import reading
from assay.stored_text import stored_text, to_stored

if TYPE_CHECKING:
    import polars as pl


class Transcript(Record):
    """A trial, what came back for it, and how that was read."""

    trial: Trial
    responses: tuple[Response, ...]
    answer: Answer
    judging: Judging | None = None
    """What a judge said of the answer; `None` where none was asked."""


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
        "judged": pl.Float64(),
        "judge": text,
        "judge_prompt": text,
        "judge_response": text,
    }


def added_later() -> dict[str, Any]:
    """Columns that runs of earlier versions lack: nothing was measured for them."""
    schema = transcript_schema()
    return {name: schema[name] for name in ("judged", *JUDGING)}


JUDGING = ("judge", "judge_prompt", "judge_response")
"""Who marked the answer, what it was shown, and its response as it came."""
SCORE_COLUMNS = ("instance_id", "split", "perturbation", "draw", "format", "repeat", "metric", "value")


def score_schema() -> dict[str, Any]:
    """Column names and types of scores.parquet, which is long: a row for each trial and metric."""
    import polars as pl

    types = (*[pl.String()] * 3, *[pl.Int32()] * 3, pl.String(), pl.Float64())
    return dict(zip(SCORE_COLUMNS, types, strict=True))


def to_row(transcript: Transcript) -> dict[str, Any]:
    """A transcript as a row of the table. Messages and responses are JSON; everything else is plain columns."""
    trial, answer, judging = transcript.trial, transcript.answer, transcript.judging
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
        "input": to_stored(instance.input),
        "references": [msgspec.to_builtins(reference) for reference in instance.references],
        "worked": instance.worked,
        "shots": list(trial.shots),
        "truncated": trial.truncated,
        "prompts": [to_stored(request.prompt) for request in trial.requests],
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
        "judged": answer.judged,
        "judge": judging and judging.judge,
        "judge_prompt": judging and to_stored(judging.prompt),
        "judge_response": judging and _json(judging.response),
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
    held: dict[str, Any] = {name: row[name] for name in ("draw", "format", "repeat", "shots", "truncated")}
    held["instance"] = {
        "id": row["instance_id"],
        "input": _plain(row["input"]),
        "subgroups": msgspec.json.decode(row["subgroups"]),
        **{name: row[name] for name in ("references", "split", "group", "worked", "perturbation")},
    }
    held["requests"] = [
        {"prompt": _plain(prompt), "continuation": continuation}
        for prompt, continuation in zip(row["prompts"], row["continuations"], strict=True)
    ]
    return msgspec.convert(held, Trial), tuple(map(_response, row["responses"]))


def judging_of(row: dict[str, Any]) -> Judging | None:
    """What a judge said of the trial that a row holds; `None` where none was asked, or its reply was not kept yet.

    Raises:
        AssayError: the row holds what assay does not write.
    """
    if row["judge_response"] is None:
        return None
    with reading_row(row):
        prompt, response = stored_text(row["judge_prompt"]), _response(row["judge_response"])
        return Judging(judge=msgspec.convert(row["judge"], str), prompt=prompt, response=response)


_response = msgspec.json.Decoder(Response).decode


def _plain(stored: str) -> Any:
    text = stored_text(stored)
    return text if isinstance(text, str) else msgspec.to_builtins(text)


EVIDENCE = (
    "instance_id", "split", "perturbation", "draw", "format", "repeat", "group", "subgroups", "input", "references", "worked",
    "shots", "truncated", "prompts", "continuations", "responses", "cost", "toxicity", *JUDGING,
)  # fmt: skip
"""The columns that a trial can be scored from again; the others follow from them."""


def read_transcripts(path: Path, columns: Sequence[str] | None = None, batch: int = 2000) -> Iterator[dict[str, Any]]:
    """The rows of a transcripts file, in order, a batch in memory at a time; all columns or those named.

    Raises:
        AssayError: the file is missing or not a transcripts file.
    """
    import polars as pl

    with reading([path]):
        table = pl.scan_parquet(path)
        there = set(table.collect_schema().names())
        table = table.with_columns(pl.lit(None, kind).alias(name) for name, kind in added_later().items() if name not in there)
        missing = set(transcript_schema()) - there - set(added_later())
        if missing:
            raise AssayError(f"{path} lacks the columns {', '.join(sorted(missing))}", "it is not a transcripts file")
        table = table.select(list(columns or transcript_schema()))
        start = 0
        while (rows := table.slice(start, batch).collect()).height:
            yield from rows.iter_rows(named=True)
            start += batch


class Marks(Record):
    """How far a run's judge gave marks."""

    judge: str
    asked: int
    """Answers that were put to it."""
    failed: int
    """Answers for which the request to it failed."""
    unread: int
    """Answers for which its reply holds no mark."""


def marks(path: Path) -> Marks | None:
    """How the judge's marks of a run came out; `None` where none was asked, or its replies were not kept yet.

    Raises:
        AssayError: the file is missing or not a transcripts file.
    """
    import polars as pl

    with reading([path]):
        if set(JUDGING) - set(pl.scan_parquet(path).collect_schema().names()):
            return None
        asked = pl.scan_parquet(path).select("judged", *JUDGING).filter(pl.col("judge_response").is_not_null())
        failed = pl.col("judge_response").str.json_path_match("$.failure.kind").is_not_null()
        counted = asked.select(
            judge=pl.col("judge").first(),
            asked=pl.len(),
            failed=failed.sum(),
            unread=(pl.col("judged").is_null() & ~failed).sum(),
        ).collect()
    found = counted.row(0, named=True)
    return Marks(**found) if found["asked"] else None


def table_of(rows: Sequence[dict[str, Any]], schema: dict[str, Any]) -> pl.DataFrame:
    """Rows as a table. Lists go through JSON, which polars takes several times faster than Python's lists."""
    import polars as pl

    columns = []
    for name, kind in schema.items():
        values = [row[name] for row in rows]
        if isinstance(kind, pl.List):
            texts = [None if value is None else msgspec.json.encode(value).decode() for value in values]
            columns.append(pl.Series(name, texts, dtype=pl.String).str.json_decode(kind))
        else:
            columns.append(pl.Series(name, values, dtype=kind))
    return pl.DataFrame(columns)


def long_scores(transcripts: pl.DataFrame, scores: Sequence[Mapping[str, float | None]]) -> pl.DataFrame:
    """The scores of each row of transcripts, by metric, as `score_schema` says."""
    import numpy as np
    import polars as pl

    *asked, metric, value = score_schema().items()
    rows = np.repeat(np.arange(len(scores)), [len(of_trial) for of_trial in scores])
    names = [name for of_trial in scores for name in of_trial]
    values = [found for of_trial in scores for found in of_trial.values()]
    ends = [pl.Series(*metric[:1], names, dtype=metric[1]), pl.Series(*value[:1], values, dtype=value[1])]
    return transcripts.select(name for name, _ in asked)[rows].with_columns(ends)


def write_part(path: Path, table: pl.DataFrame) -> None:
    """Write a table as a Parquet file of its own. Raises AssayError where it cannot be written."""
    with _saying(path):
        table.write_parquet(path, compression="zstd")


def join_parts(parts: Sequence[Path], path: Path, schema: dict[str, Any], group: int) -> None:
    """Write the rows of some Parquet files, in their order, as one file, without holding them all. As `write_part`.

    `group` is how many rows are compressed together: what is held and read at once. The parts are read one after the other,
    which takes less memory than polars' own scan of many files.
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    def read(*_: object) -> Iterator[pl.DataFrame]:
        return (pl.read_parquet(part, parallel="none") for part in parts)

    with _saying(path):
        register_io_source(read, schema=schema).sink_parquet(
            path, compression="zstd", row_group_size=group, maintain_order=True
        )


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
