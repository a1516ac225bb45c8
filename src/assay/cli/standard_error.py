"""Standard error that never fails: what cannot be written there is no reason to end the work it tells of."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STDERR = 2
"""Its file descriptor."""


class _Forgiving(io.FileIO):
    """Drops what cannot be written, say to a full disk or to a pipe nobody reads fast enough."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            written = super().write(data)
        except OSError:
            written = None
        return memoryview(data).nbytes if written is None else written


def keep_going() -> None:
    """Make `sys.stderr` drop what cannot be written, and open it where the process was begun without one.

    Leaves alone what somebody has put in its place.
    """
    if sys.stderr is not sys.__stderr__:
        return
    if sys.stderr is None:
        # A file that is opened next must not become standard error's: whatever a library writes there would go into it.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere < STDERR:
            os.dup2(nowhere, STDERR)
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
        return
    raw = io.BufferedWriter(_Forgiving(sys.stderr.fileno(), "w", closefd=False))
    sys.stderr = io.TextIOWrapper(raw, sys.stderr.encoding, errors="backslashreplace", line_buffering=True)
