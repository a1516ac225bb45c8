"""Digests of files, computed once as long as a file stays the same."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes as 64 hexadecimal digits; remembered while its size and time of change stay the same."""
    target = path.resolve()
    status = target.stat()
    return _sha256(target, status.st_size, status.st_mtime_ns)


def git_sha1(path: Path) -> str:
    """The digest by which git names a file's content, as 40 hexadecimal digits; remembered as that of `file_sha256` is."""
    target = path.resolve()
    status = target.stat()
    return _git_sha1(target, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=4096)
def _sha256(path: Path, size: int, changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@functools.lru_cache(maxsize=4096)
def _git_sha1(path: Path, size: int, changed_ns: int) -> str:
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
