"""The SHA-256 of files, computed once as long as a file stays the same."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes as 64 hexadecimal digits; remembered while its size and time of change stay the same."""
    target = path.resolve()
    status = target.stat()
    return _sha256(target, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=4096)
def _sha256(path: Path, size: int, changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
