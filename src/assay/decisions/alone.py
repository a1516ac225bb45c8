"""Changing a record by one process at a time: what two people do to it at once is done in turn, and nothing is lost."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError

LONGEST = 200
"""Bytes of a name that still leave room for more; file systems take 255."""


@contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """Hold the right to change a record, waiting for whoever holds it; it is given back when the process ends, however it ends.

    Read what is to be changed inside the block. A hidden file beside the record stands for the right, and is gone afterwards.

    Raises:
        AssayError: no file can be made in the record's folder.
    """
    import fcntl

    place = path.resolve()
    lock = hidden_beside(place, "lock")
    while True:
        try:
            held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise AssayError(f"{path} cannot be written: {error.strerror}", "make room, or write elsewhere") from error
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            if not _is(held, lock):  # whoever had it has removed it: others may hold a new one
                continue
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)
            return
        finally:
            os.close(held)


def hidden_beside(path: Path, ending: str) -> Path:
    """A hidden file's path beside a file, its name made of that file's, however long that is."""
    name = path.name
    if len(os.fsencode(name)) > LONGEST:
        name = hashlib.sha256(os.fsencode(name)).hexdigest()[:32]
    return path.with_name(f".{name}.{ending}")


def _is(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
