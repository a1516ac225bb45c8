"""Which weights a file holds: its SHA-256, computed once as long as the file does not change."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.settings import cache_folder


class _Seen(msgspec.Struct, frozen=True):
    """What a file looked like when its digest was computed."""

    path: str
    size: int
    changed_ns: int
    sha256: str = ""


def file_digest(path: Path, note: Path | None = None) -> str:
    """SHA-256 of a file's bytes, 64 hexadecimal digits.

    A note saves reading a file again whose size and time of change are the same.

    Args:
        path: the file.
        note: where the note lies; by default in the cache folder, under a name of its own.

    Raises:
        AssayError: it cannot be read.
    """
    try:
        state = path.stat()
        seen = _Seen(str(path.resolve()), state.st_size, state.st_mtime_ns)
        note = note or _place(seen.path)
        noted = _read(note)
        if noted is not None and msgspec.structs.replace(noted, sha256="") == seen:
            return noted.sha256
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror or error}", "check its name and rights") from None
    _write(note, msgspec.structs.replace(seen, sha256=found))
    return found


def files_digest(paths: Iterable[Path]) -> str:
    """SHA-256 over the names and digests of several files, 64 hexadecimal digits.

    Raises:
        AssayError: one of them cannot be read.
    """
    total = hashlib.sha256()
    for path in sorted(paths, key=lambda path: path.name):
        total.update(f"{path.name} {file_digest(path)}\n".encode())
    return total.hexdigest()


def _place(path: str) -> Path:
    return cache_folder() / "models" / "digests" / f"{hashlib.sha256(path.encode()).hexdigest()[:32]}.json"


def _read(note: Path) -> _Seen | None:
    try:
        return msgspec.json.decode(note.read_bytes(), type=_Seen)
    except (OSError, msgspec.MsgspecError):
        return None


def _write(note: Path, seen: _Seen) -> None:
    """Write the note beside its place and rename it. A folder that cannot be written only means reading again."""
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=note.parent, prefix=".note-", delete=False) as file:
            file.write(msgspec.json.encode(seen))
        Path(file.name).replace(note)
    except OSError:
        return
