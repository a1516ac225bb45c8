"""The terminal tables and progress are drawn on."""

from __future__ import annotations

from rich.console import Console

PLAIN_WIDTH = 190
"""Columns where the output goes to a file or pipe."""


def make_console(stderr: bool = False) -> Console:
    """A console as wide as the terminal, or wide enough for any table where there is none."""
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=PLAIN_WIDTH)
