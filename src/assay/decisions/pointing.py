"""Errors that point at a key of the profile, and the name of its file and the line put before them.

What measures and gates knows a profile, but not the file that it came from; whoever read the file does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError
from assay.yaml_files import at_line

Steps = tuple[str | int, ...]


class PointedError(AssayError):
    """Something is wrong with what stands at one place of a profile."""

    def __init__(self, error: AssayError, steps: Steps) -> None:
        super().__init__(error.message, error.hint)
        self.steps = steps


@contextmanager
def pointing_at(*steps: str | int) -> Iterator[None]:
    """Errors of the block point at these keys and positions, from the outside in; those that point already stay."""
    try:
        yield
    except PointedError:
        raise
    except AssayError as error:
        raise PointedError(error, steps) from error


@contextmanager
def in_file(path: Path) -> Iterator[None]:
    """Errors of the block that point name the file and the line: `profile.yaml, line 7: unknown scenario 'x'`.

    Raises:
        AssayError: in place of a `PointedError`.
    """
    try:
        yield
    except PointedError as error:
        raise AssayError(f"{at_line(path, *error.steps)}: {error.message}", error.hint) from error
