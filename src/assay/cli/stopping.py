"""Stopping from outside: Ctrl-C, or SIGTERM from a scheduler. The first ends in order, the second at once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from assay.errors import AssayError

CODE = 130
"""Exit code of a stopped program."""
STOPPING = "stopping: every answer so far is kept, and the same command goes on from here (once more to stop at once)"
AT_ONCE = b"stopped at once; the answers so far are kept, and the same command goes on from here\n"
STOPPED = "stopped; every answer so far is kept, and the same command goes on from here"
_SHOW_CURSOR = b"\x1b[?25h"


class StopSignals:
    """While it is entered, the first signal cancels the work under way, and the second ends the process.

    Args:
        say: tells the user that it stops.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.requested = False
        self._say = say
        self._task: asyncio.Task[Any] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> StopSignals:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._handle) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def began(self) -> None:
        """The current task carries the work out from here on: it is what a signal cancels."""
        self._task, self._loop = asyncio.current_task(), asyncio.get_running_loop()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            # Answers are on the disk before they count, so nothing is lost. A thread that still computes must not delay it.
            with suppress(OSError):
                if sys.stderr.isatty():
                    os.write(2, _SHOW_CURSOR + b"\n")
                os.write(2, AT_ONCE)
            os._exit(CODE)
        self.requested = True
        if self._loop is None or self._loop.is_closed():
            raise KeyboardInterrupt
        self._loop.call_soon_threadsafe(self._cancel)

    def _cancel(self) -> None:
        assert self._task is not None
        self._say(STOPPING)
        self._task.cancel()


STOPS = (KeyboardInterrupt, asyncio.CancelledError, AssayError)
"""How work ends that was stopped: what it was about to do may fail while it is cancelled."""
