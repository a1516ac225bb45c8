"""Which requests this process is asking right now, told to other processes that share its response cache.

A claim is a lock of the operating system on one byte of an empty file beside the cache; the key says which byte. The system
itself takes the locks of a process back when it ends, however it ends, so there is nothing to renew and nothing to clean up.
Nobody ever waits for a lock: who does not get a claim looks for the answer in the cache now and then. Where locks cannot be
had, everybody gets every claim: a request may then be asked twice, and the first answer counts.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from assay.errors import AssayError

OPENING_S = 60.0
"""Longest wait for another process that holds the whole cache, seconds."""
ALONE_S = 0.005
"""How long a process that found itself alone takes it for granted, seconds. A newcomer answers hardly anything meanwhile."""
_PRESENCE = 0
"""The byte that every process holds a shared lock on while it uses the cache."""


class Claims:
    """Claims on the keys of one cache file.

    Args:
        path: the cache file.
        alone: use the cache only while no other process does.

    Raises:
        AssayError: another process uses the cache and `alone` is set, or holds it alone for longer than a minute.
    """

    def __init__(self, path: Path, *, alone: bool = False) -> None:
        self.shared = False
        """Another process was seen using the cache; stays true from then on."""
        self._alone_until = 0.0
        self._file: int | None = None
        try:
            self._file = os.open(path.with_name(path.name + ".claims"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError:
            return
        deadline = time.monotonic() + (0 if alone else OPENING_S)
        while not self._lock(_PRESENCE, exclusive=alone):
            if time.monotonic() >= deadline:
                self.close()
                raise AssayError(f"another process uses the response cache {path}", "try again when it has ended")
            time.sleep(0.05)

    def take(self, key: str) -> bool:
        """Claim a key; false where another process is asking that request now."""
        if not self._lock(_byte(key), exclusive=True):
            self.shared = True
            return False
        if not self.shared and (now := time.monotonic()) > self._alone_until:
            # To be alone is to be able to hold the presence byte alone. Trying costs less than looking into the cache.
            self.shared = not self._lock(_PRESENCE, exclusive=True)
            if not self.shared:
                self._lock(_PRESENCE, exclusive=False)
                self._alone_until = now + ALONE_S
        return True

    def release(self, key: str) -> None:
        """Give a claim back: the answer is in the cache, or there is none."""
        if self._file is not None:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _byte(key))

    def close(self) -> None:
        """Give everything back. Closing twice is fine."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _lock(self, byte: int, *, exclusive: bool) -> bool:
        """Lock a byte if no other process has; true also where the file system knows no locks."""
        if self._file is None:
            return True
        try:
            fcntl.lockf(self._file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB, 1, byte)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            return True
        return True


def _byte(key: str) -> int:
    """The byte that stands for a key, never that of presence: two keys in 2^60 share one, and then one waits a little."""
    return int(key[:15], 16) + 1
