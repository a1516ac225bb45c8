"""The errors a user can meet, each with one line that says what is wrong and how to put it right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class AssayError(Exception):
    """What the user asked for cannot be done as asked: wrong usage, configuration, data or environment (exit code 2)."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.message = message
        self.hint = hint


class Impossible(AssayError):
    """One run of a suite cannot be carried out as things stand (its data cannot be had, its model cannot answer that way).

    The others can: whoever wants those alone leaves it out.
    """


class MissingExtra(AssayError):
    """A feature needs a package that is not installed: the extra of assay that brings it is named, or the package itself."""

    def __init__(self, package: str, extra: str = "") -> None:
        super().__init__(f"{package} is not installed", how_to_install(extra) if extra else f"pip install {package}")


def how_to_install(extra: str) -> str:
    """What to type for an extra of assay: from its folder where assay was installed from one, else from the package index."""
    import importlib.metadata

    try:
        origin = importlib.metadata.distribution("assay").read_text("direct_url.json") or ""
    except importlib.metadata.PackageNotFoundError:
        return f"pip install '.[{extra}]'"
    return f"pip install '.[{extra}]'" if '"dir_info"' in origin else f"pip install 'assay[{extra}]'"


class UnknownName(AssayError):
    """Nobody knows a name."""

    def __init__(self, name: str, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.name = name


def unknown(kind: str, name: str, known: Iterable[str], otherwise: str = "") -> UnknownName:
    """An error for a name nobody knows, with the nearest known names; without any near, the first known.

    Args:
        kind: what it would have been a name of.
        name: the name.
        known: all names; those that are listed first come first.
        otherwise: what else the user can do where no known name is near.
    """
    names = list(dict.fromkeys(sorted(known) if isinstance(known, set | frozenset) else known))
    shown = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…"
    near = difflib.get_close_matches(name[:LONGEST_NAME], names, n=3, cutoff=0.6)
    if near:
        return UnknownName(name, f"unknown {kind} {shown!r}", "did you mean " + " or ".join(near) + "?")
    listed = "known: " + ", ".join(names[:12]) + (", …" if len(names) > 12 else "") if names else "none are known"
    return UnknownName(name, f"unknown {kind} {shown!r}", "; ".join(filter(None, (listed, otherwise))))


LONGEST_NAME = 200
"""Characters of an unknown name that are compared and shown."""


@contextmanager
def no_exit(what: str) -> Iterator[None]:
    """Other people's code must not end the program: `sys.exit` in it becomes an error that names it.

    Raises:
        AssayError: the block raised SystemExit.
    """
    try:
        yield
    except SystemExit as stop:
        raise AssayError(f"{what} called sys.exit({stop.code!r})", "remove that call") from stop
