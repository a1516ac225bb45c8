"""The manifest of a run folder: a digest of every file, and of itself, so that any changed byte is found and named."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from assay.plain_files import may_be_there, regular
from assay.store.folders import CONTENT, MANIFEST, SPEC, Manifest, SpecFile, encode_json, run_name


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


UNREADABLE = (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError, OverflowError, OSError)
"""What reading a file of a run can raise where the file is not what assay wrote."""
NEVER_FINISHED = "missing (the run was never finished, or the file was removed)"


def verify(folder: Path) -> Iterator[str]:
    """Everything that is wrong with a run folder, a line for each; nothing where all is as it was written."""
    yield from damage(folder)
    if regular(folder / MANIFEST):
        yield from _extras(folder)


def misnamed(folder: Path) -> Iterator[str]:
    """What casts doubt on whose run it is and when it was asked: anything wrong with its manifest, its spec or its name."""
    yield from damage(folder, (SPEC,))


def damage(folder: Path, files: Collection[str] = CONTENT) -> Iterator[str]:
    """What is wrong with the files that make up a run, or with some of them; files that were added do no harm."""
    path = folder / MANIFEST
    if not regular(path):
        why = "no file, or out of reach" if may_be_there(path) else NEVER_FINISHED
        yield f"{path}: {why}"
        return
    try:
        raw = path.read_bytes()
        manifest = msgspec.json.decode(raw, type=Manifest)
    except OSError as error:
        yield f"{path}: cannot be read: {error.strerror}"
        return
    except UNREADABLE as error:
        yield f"{path}: changed: {error}"
        return
    if encode_json(manifest) != raw or manifest.sealed().seal != manifest.seal:
        yield f"{path}: changed (its seal does not fit its content)"
    if path.is_symlink():
        yield f"{path}: replaced by a link"
    for name in CONTENT:
        if name not in manifest.files:
            yield f"{path}: does not list {name}"
    for name, wanted in sorted(manifest.files.items()):
        if Path(name).name != name or "\0" in name:
            yield f"{path}: lists {name!r}, which is not in this folder"
        elif name in files or name not in CONTENT:
            yield from changed(folder / name, wanted)
    yield from _named_rightly(folder, manifest)


def changed(file: Path, wanted: str) -> Iterator[str]:
    """What is wrong with a file that should have that digest."""
    try:
        if file.is_symlink():
            yield f"{file}: replaced by a link"
        elif not file.is_file():
            yield f"{file}: {'replaced by what is no file' if file.exists() else 'missing'}"
        elif file_digest(file) != wanted:
            yield f"{file}: changed"
    except OSError as error:
        yield f"{file}: cannot be read: {error.strerror}"


def _extras(folder: Path) -> Iterator[str]:
    try:
        files = sorted(folder.iterdir())
    except OSError as error:
        yield f"{folder}: cannot be looked into: {error.strerror}"
        return
    for file in files:
        if file.name not in CONTENT and file.name != MANIFEST:
            yield f"{file}: not part of the run"


def _named_rightly(folder: Path, manifest: Manifest) -> Iterator[str]:
    file = folder / SPEC
    if manifest.run != folder.name:
        yield f"{folder}: the folder was renamed: its manifest is that of {manifest.run}"
    if not regular(file):
        return
    try:
        name = run_name(msgspec.json.decode(file.read_bytes(), type=SpecFile).spec)
    except (*UNREADABLE, UnicodeEncodeError):
        return  # its digest has told already
    if name != manifest.run:
        yield f"{file}: describes the run {name}, not {manifest.run}"
