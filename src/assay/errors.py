"""The errors a user can meet, each with one line that says what is wrong and how to put it right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AssayError(Exception):
    """What the user asked for cannot be done as asked: wrong usage, configuration, data or environment (exit code 2)."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.message = message
        self.hint = hint


class MissingExtra(AssayError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed", f"pip install 'assay[{extra}]'")


def unknown(kind: str, name: str, known: Iterable[str]) -> AssayError:
    """An error for a name nobody knows, with the nearest known names."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        return AssayError(f"unknown {kind} {name!r}", "did you mean " + " or ".join(near) + "?")
    listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return AssayError(f"unknown {kind} {name!r}", f"known: {listed}" if names else "none are known")
