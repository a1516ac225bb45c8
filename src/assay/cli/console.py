"""The terminal tables and progress are drawn on."""

from __future__ import annotations

import os
import sys
from shutil import get_terminal_size

from rich.console import Console

PLAIN_WIDTH = 190
"""Columns where the output goes to a file or pipe, unless COLUMNS says how many."""


class PipedConsole(Console):
    """A console whose reader may go away, as `head` does, when it has seen enough: no error of ours."""

    def on_broken_pipe(self) -> None:
        """End quietly; what the interpreter still flushes goes nowhere."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def make_console(stderr: bool = False) -> Console:
    """A console as wide as the terminal or as COLUMNS says; wide enough for most tables where there is neither."""
    console = PipedConsole(stderr=stderr)
    if console.is_terminal:
        return console
    return PipedConsole(stderr=stderr, width=get_terminal_size((PLAIN_WIDTH, 0)).columns)
