"""Decision records on disk: JSON that is a function of the record alone, and a page in Markdown beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from assay.decisions.alone import hidden_beside
from assay.decisions.measured import Measured, Source
from assay.decisions.pages import markdown
from assay.decisions.profile import Profile
from assay.decisions.record import Choice, DecisionRecord, EvidenceRun
from assay.decisions.record_page import record_page
from assay.decisions.results import Decision
from assay.errors import AssayError
from assay.identity import digest
from assay.runs import environment
from assay.store.folders import encode_json
from assay.store.manifest import UNREADABLE

SCHEMA = 2
LARGEST = 64 << 20
"""Bytes that a record may have."""
MARKS = (b'"profile_file"', b'"evidence"', b'"decision"', b'"signatures"', b'"deployment"')
"""What every record holds; a file with most of them was one."""


def make_record(
    profile: Profile,
    profile_text: str,
    measured: Measured,
    decision: Decision,
    place: Path,
    choice: Choice | None = None,
) -> DecisionRecord:
    """What was decided, over which evidence, ready to be written and signed.

    Args:
        profile: what mattered.
        profile_text: the profile's file, as it was written.
        measured: what the decision was made of.
        decision: what `decide` said of them.
        place: the file that the record will be written to; the runs are named from its folder.
        choice: what people made of it.
    """
    home = place.resolve().parent
    return sealed(
        DecisionRecord(
            name=profile.name,
            profile=profile,
            profile_file=profile_text,
            evidence=tuple(_evidence(source, home) for source in measured.sources),
            decision=decision,
            choice=choice,
            created=now(),
            review=profile.deployment.review,
            expires=profile.deployment.expires,
            environment=environment(),
            schema=SCHEMA,
        )
    )


def now() -> str:
    """This moment in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _evidence(source: Source, home: Path) -> EvidenceRun:
    folder = Path(source.folder).resolve()
    near = Path(os.path.relpath(folder, home))
    return EvidenceRun(
        candidate=source.candidate,
        scenario=source.scenario,
        folder=(folder if near.parts[:2] == ("..", "..") else near).as_posix(),
        run=folder.name,
        manifest=source.manifest,
    )


def digest_of(record: DecisionRecord) -> str:
    """SHA-256 of the record without its digest and its signatures, in canonical JSON: what a signature signs."""
    return digest(msgspec.structs.replace(record, digest="", signatures=()))


def sealed(record: DecisionRecord) -> DecisionRecord:
    """The record with its digest, as it will be read back.

    Raises:
        AssayError: it holds what cannot be stored: half a character, or a number that is not finite.
    """
    try:
        plain = msgspec.json.decode(msgspec.json.encode(record, order="deterministic"), type=DecisionRecord)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise AssayError(f"the decision cannot be recorded: {error}", "give names and texts in UTF-8") from None
    return msgspec.structs.replace(plain, digest=digest_of(plain))


def write_record(record: DecisionRecord, path: Path) -> DecisionRecord:
    """Write a record, sealed, and its page beside it (`.md` for `.json`), through links; return what was written.

    Raises:
        AssayError: the name does not end in .json, the record was changed after it was signed, is larger than what is read
            again, or cannot be stored; then neither file is changed.
    """
    if {path.suffix, path.resolve().suffix} != {".json"}:
        raise AssayError(f"{path} is no name for a record", "let it end in .json; the page in Markdown goes beside it")
    made = sealed(record)
    if record.signatures and made.digest != record.digest:
        raise AssayError(f"{path}: the record was changed after it was signed", "a changed decision is a new record")
    place = path.resolve() if path.is_symlink() else path
    contents = {page_of(place): page_bytes(made), place: encode_json(made)}
    if len(contents[place]) > LARGEST:
        problem = f"the record would have {len(contents[path]) >> 20:,} MB, and none has more than {LARGEST >> 20}"
        raise AssayError(problem, "decide between fewer candidates, or by fewer constraints")
    drafts = {file: hidden_beside(file, str(os.getpid())) for file in contents}
    try:
        for file, draft in drafts.items():
            draft.write_bytes(contents[file])
        for file, draft in drafts.items():
            os.replace(draft, file)
    except OSError as error:
        hint = "make room, or write elsewhere with --out"
        raise AssayError(f"{file} cannot be written: {error.strerror}", hint) from error
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
    return made


def page_of(path: Path) -> Path:
    """Where the page of a record lies; of a link, that of the record itself."""
    return (path.resolve() if path.is_symlink() else path).with_suffix(".md")


def page_bytes(record: DecisionRecord) -> bytes:
    """The page beside a record."""
    return markdown(record_page(record)).encode()


def read_record(path: Path) -> DecisionRecord:
    """A record that is as it was written. Its signatures are not checked; `assay.decisions.signing` does.

    Raises:
        AssayError: the file cannot be read, is no record, or was changed.
    """
    raw = read_bytes(path)
    record = decode_record(raw, path)
    for problem in changes(record, raw, path):
        raise AssayError(problem, "restore it; a changed decision is a new record")
    return record


def read_bytes(path: Path) -> bytes:
    """The bytes of a file that may be a record.

    Raises:
        AssayError: there is none, or it is too large for one.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or a device might never end
            raise AssayError(f"{path} cannot be read: it is no file", "give the file that `assay decide` wrote")
        if path.is_file() and path.stat().st_size > LARGEST:
            raise AssayError(f"{path} is too large for a decision record", "give the file that `assay decide` wrote")
        return path.read_bytes()
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror}", "give the file that `assay decide` wrote") from None


def decode_record(raw: bytes, path: Path) -> DecisionRecord:
    """The record in some bytes, whether or not they are as they were written; `path` names it in errors.

    Raises:
        AssayError: they hold none.
    """
    try:
        record = msgspec.json.decode(raw, type=DecisionRecord)
    except UNREADABLE as error:
        if path.suffix in (".yaml", ".yml"):
            beside = path.with_name(f"{path.stem}.decision.json")
            meant = f"did you mean {beside}?" if beside.is_file() else f"`assay decide {path}` makes one of a profile"
            raise AssayError(f"{path} is no decision record, but YAML as profiles are", meant) from None
        raise AssayError(f"{path} is no decision record: {error}", "give the file that `assay decide` wrote") from None
    if record.schema != SCHEMA:
        problem = f"{path} is a decision record of form {record.schema}, and this version reads form {SCHEMA}"
        raise AssayError(problem, "use the version of assay that wrote it")
    return record


def changes(record: DecisionRecord, raw: bytes, path: Path) -> Iterator[str]:
    """What shows that a record is not as it was written, a line each: its digest, and the form of its very bytes."""
    try:
        if digest_of(record) != record.digest:
            yield f"{path}: changed (its digest does not fit its content)"
        elif encode_json(record) != raw:
            yield f"{path}: changed (it says the same, but not byte for byte as it was written)"
    except UnicodeEncodeError:
        yield f"{path}: changed (it holds half a character)"


def looks_like_record(path: Path, raw: bytes) -> bool:
    """Whether a file is, or was before somebody changed it, a decision record."""
    return path.name.endswith(".decision.json") or sum(mark in raw for mark in MARKS) >= len(MARKS) - 1
