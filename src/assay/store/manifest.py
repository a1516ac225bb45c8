"""The manifest of a run folder: a digest of every file, and of itself, so that any changed byte is found and named."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from assay.store.folders import CONTENT, MANIFEST, SPEC, Manifest, SpecFile, encode_json, run_name


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(folder: Path) -> Iterator[str]:
    """Everything that is wrong with a run folder, a line for each; nothing where all is as it was written."""
    path = folder / MANIFEST
    if not path.is_file():
        yield f"{path}: missing (the run was never finished, or the file was removed)"
        return
    raw = path.read_bytes()
    try:
        manifest = msgspec.json.decode(raw, type=Manifest)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        yield f"{path}: changed: {error}"
        return
    if encode_json(manifest) != raw or manifest.sealed().seal != manifest.seal:
        yield f"{path}: changed (its seal does not fit its content)"
    for name in CONTENT:
        if name not in manifest.files:
            yield f"{path}: does not list {name}"
    for name, wanted in sorted(manifest.files.items()):
        file = folder / name
        if Path(name).name != name:
            yield f"{path}: lists {name!r}, which is not in this folder"
        elif not file.is_file():
            yield f"{file}: missing"
        elif file_digest(file) != wanted:
            yield f"{file}: changed"
    for extra in sorted(folder.iterdir()):
        if extra.name not in manifest.files and extra.name != MANIFEST:
            yield f"{extra}: not part of the run"
    yield from _named_rightly(folder, manifest)


def _named_rightly(folder: Path, manifest: Manifest) -> Iterator[str]:
    file = folder / SPEC
    if manifest.run != folder.name:
        yield f"{folder}: the folder was renamed: its manifest is that of {manifest.run}"
    if not file.is_file():
        return
    try:
        spec = msgspec.json.decode(file.read_bytes(), type=SpecFile)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError):
        return  # its digest has told already
    if run_name(spec.spec) != manifest.run:
        yield f"{file}: describes the run {run_name(spec.spec)}, not {manifest.run}"
