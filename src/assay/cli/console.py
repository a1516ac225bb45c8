"""The terminal tables and progress are drawn on."""

from __future__ import annotations

from shutil import get_terminal_size

from rich.console import Console

PLAIN_WIDTH = 190
"""Columns where the output goes to a file or pipe, unless COLUMNS says how many."""


def make_console(stderr: bool = False) -> Console:
    """A console as wide as the terminal or as COLUMNS says; wide enough for most tables where there is neither."""
    console = Console(stderr=stderr)
    if console.is_terminal:
        return console
    return Console(stderr=stderr, width=get_terminal_size((PLAIN_WIDTH, 0)).columns)
