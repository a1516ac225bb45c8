"""Recorded responses, from wherever they were recorded: runs, a response cache, or lines of a user's own."""

from __future__ import annotations

import functools
import hashlib
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.models.in_process.fingerprint import file_digest
from assay.models.wording import one_line
from assay.records import Completion, FinishReason, Message, ModelIdentity, Request, Response, Text, Token
from assay.stored_text import stored_text

TABLE, SPEC = "transcripts.parquet", "spec.json"
"""Names of files in a run folder."""
BATCH = 2000
"""Rows of a table in memory at once."""
LARGEST = 64 * 1024 * 1024
"""Bytes of one line, request or response, unpacked."""
SMALLEST_ROW = 8
"""Bytes that a row takes at least in a database; a damaged one can seem to have rows without end."""


class Recording(msgspec.Struct, frozen=True):
    """A response and the request it answered."""

    model: str
    """Who answered, `name` or `name@revision`; empty where that was not recorded."""
    request: Request
    settled: bool
    """Whether all settings of the request were recorded, or only its prompt, continuation and repeat."""
    response: bytes
    """JSON of a `Response` without a failure."""


def recordings(path: Path) -> Iterator[Recording]:
    """Everything recorded in a place: a run folder or a folder of them, a transcripts table, a response cache, a JSONL file.

    Failures are left out: they are no answers.

    Raises:
        AssayError: there is nothing recorded there, or it cannot be read; the message names the line or row.
    """
    if not path.is_dir() and not path.is_file():
        raise AssayError(f"{path} is no file and no folder", "write replay/FILE with the path of a run, cache or JSONL file")
    if path.is_dir() or path.suffix == ".parquet":
        for table in _tables(path):
            yield from _of_table(table)
    elif _is_database(path):
        yield from _of_cache(path)
    else:
        yield from _of_lines(path)


def content_digest(path: Path) -> str:
    """SHA-256 over what is recorded in a place, 64 hexadecimal digits; of a cache over its rows, not over SQLite's pages."""
    total = hashlib.sha256()
    if path.is_dir() or path.suffix == ".parquet":
        for digest in sorted(file_digest(table) for table in _tables(path)):
            total.update(digest.encode())
        return total.hexdigest()
    if not _is_database(path):
        return file_digest(path)
    for key, _, response in sorted(_rows(path)):
        total.update(key + hashlib.sha256(response).digest())
    return total.hexdigest()


def _tables(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    own = path / TABLE
    found = [own] if own.is_file() else sorted(path.glob(f"*/{TABLE}"))
    if not found:
        raise AssayError(f"{path} holds no run", f"name a folder with {TABLE} in it, or one of such folders")
    return found


def _of_table(path: Path) -> Iterator[Recording]:
    import polars as pl

    model = _model_of(path.parent / SPEC)
    columns = ["instance_id", "repeat", "prompts", "continuations", "responses"]
    try:
        table, start = pl.scan_parquet(path).select(columns), 0
        while (rows := table.slice(start, BATCH).collect()).height:
            for number, row in enumerate(rows.iter_rows(named=True), start):
                yield from _of_row(path, number, row, model)
            start += BATCH
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise AssayError(f"{path} cannot be read: {one_line(str(error))[:300]}", "it must be a run's transcripts") from None


def _of_row(path: Path, number: int, row: dict[str, Any], model: str) -> Iterator[Recording]:
    try:
        for prompt, continuation, response in zip(row["prompts"], row["continuations"], row["responses"], strict=True):
            request = Request(prompt=stored_text(prompt), continuation=continuation, repeat=row["repeat"])
            if msgspec.json.decode(response, type=Response).failure is None:
                yield Recording(model, request, settled=False, response=response.encode())
    except (msgspec.MsgspecError, ValueError, TypeError, AttributeError) as error:
        problem = f"{path}: row {number + 1} is not what assay writes: {one_line(str(error))[:300]}"
        raise AssayError(problem, "run `assay verify` on the run") from None


class _Spec(msgspec.Struct):
    model: ModelIdentity


class _SpecFile(msgspec.Struct):
    """What is needed of a run's spec.json."""

    spec: _Spec


def _model_of(spec: Path) -> str:
    """The model of the run whose spec that is; empty where there is none."""
    if not spec.is_file():
        return ""
    try:
        return _label(msgspec.json.decode(spec.read_bytes(), type=_SpecFile).spec.model)
    except (OSError, msgspec.MsgspecError):
        return ""


def _label(model: ModelIdentity) -> str:
    return f"{model.name}@{model.revision}" if model.revision else model.name


class _Preimage(msgspec.Struct):
    """What a cache keeps of a request; fields at their defaults are left out."""

    model: ModelIdentity
    request: Request


_decode_preimage = msgspec.json.Decoder(_Preimage).decode


def _of_cache(path: Path) -> Iterator[Recording]:
    for key, packed, response in _rows(path):
        try:
            asked = _decode_preimage(_unpacked(packed))
        except (zlib.error, msgspec.MsgspecError) as error:
            raise AssayError(f"{path}: the request {key.hex()[:16]}… is damaged: {error}", "remove it from the cache") from None
        yield Recording(_label(asked.model), asked.request, settled=True, response=response)


def _rows(path: Path) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Key, compressed request and response as JSON of each row of a response cache, which is only read."""
    hint = "it must be a response cache of assay"
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
            if not _is_plain_table(connection):
                raise AssayError(f"{path} has no table of responses", hint)
            most = _size(path) // SMALLEST_ROW
            rows = connection.execute("SELECT key, preimage, response FROM responses ORDER BY rowid")
            for number, row in enumerate(rows, 1):
                if number > most:
                    raise AssayError(f"{path} is damaged: it seems to have more rows than it has room for", hint)
                if not all(isinstance(value, bytes) for value in row):
                    raise AssayError(f"{path}: row {number} is not what assay writes", "remove it, or record again")
                key, packed, response = row
                yield key, packed, response if response[:1] == b"{" else _unpacked(response)
        finally:
            connection.close()
    except (sqlite3.Error, zlib.error) as error:
        raise AssayError(f"{path} cannot be read: {error}", hint) from None


def _is_plain_table(connection: sqlite3.Connection) -> bool:
    """The responses are stored rows: a view or a virtual table computes them, maybe without end, by the file's word."""
    found = connection.execute("SELECT type, sql FROM sqlite_master WHERE lower(name) = 'responses'").fetchall()
    return len(found) == 1 and found[0][0] == "table" and " virtual " not in f" {found[0][1]} ".lower()[:40]


def _size(path: Path) -> int:
    """Bytes of a database and of what was written beside it."""
    log = path.with_name(f"{path.name}-wal")
    return path.stat().st_size + (log.stat().st_size if log.is_file() else 0)


def _unpacked(packed: bytes) -> bytes:
    """Raises zlib.error where it is damaged or larger than anybody records."""
    unpacking = zlib.decompressobj()
    data = unpacking.decompress(packed, LARGEST)
    if not unpacking.eof:
        raise zlib.error("incomplete" if not unpacking.unconsumed_tail else f"more than {LARGEST:,} bytes")
    return data


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror}", "write replay/FILE with the path of a recording") from None


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """A line of a user's own making."""

    prompt: str | None = None
    messages: tuple[Message, ...] | None = None
    continuation: str | None = None
    completion: str | None = None
    logprob: float | None = None
    """Natural-log probability of the continuation, or of the completion."""
    response: Response | None = None
    """Instead of a completion: everything that came back."""


def _of_lines(path: Path) -> Iterator[Recording]:
    decode = msgspec.json.Decoder(_Line).decode
    seen: dict[tuple[Text, str | None], int] = {}
    with path.open("rb") as file:
        for number, line in enumerate(iter(functools.partial(file.readline, LARGEST + 1), b""), 1):
            if len(line) > LARGEST:
                raise AssayError(
                    f"{path}, line {number}: it is longer than {LARGEST:,} bytes", "a recording has a response a line"
                )
            if not line.strip():
                continue
            try:
                request, response = _asked_and_answered(decode(line))
            except (msgspec.MsgspecError, ValueError) as error:
                hint = 'a line is {"prompt": "…", "completion": "…"}, or has messages, continuation, logprob or response'
                raise AssayError(f"{path}, line {number}: {one_line(str(error))[:300]}", hint) from None
            # What was asked several times was sampled several times.
            question = (request.prompt, request.continuation)
            repeat = seen[question] = seen.get(question, -1) + 1
            if response.failure is None:
                request = msgspec.structs.replace(request, repeat=repeat)
                yield Recording("", request, settled=False, response=msgspec.json.encode(response))


def _asked_and_answered(line: _Line) -> tuple[Request, Response]:
    """The request and response of a line. Raises ValueError where it does not say one of them, or says it twice."""
    prompt = line.prompt if line.messages is None else line.messages
    if prompt is None or (line.prompt is not None and line.messages is not None):
        raise ValueError("it must have either a prompt or messages")
    request = Request(prompt=prompt, continuation=line.continuation)
    if line.response is not None:
        if line.completion is not None or line.logprob is not None:
            raise ValueError("beside a response it must have no completion and no logprob")
        return request, line.response
    text = line.completion if line.continuation is None else line.continuation
    if text is None or (line.continuation is not None and line.logprob is None):
        raise ValueError("it must have a completion, or a continuation with its logprob, or a response")
    tokens = () if line.logprob is None else (Token(text=text, logprob=line.logprob),)
    reason: FinishReason = "stop" if line.continuation is None else "scored"
    return request, Response(completions=(Completion(text=text, tokens=tokens, finish_reason=reason),))
