"""Where two values that should be the same differ, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.decisions.recomputing import alike
from assay.text import one_line


def differences(path: str, old: Any, new: Any, exact: bool) -> Iterator[str]:
    """Where two plain values differ, a line each, by path; numbers as `alike` says."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from differences(f"{path}.{key}", old.get(key), new.get(key), exact)
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        for place, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(f"{path}[{place}]", one, other, exact)
    elif not alike(old, new, exact):
        yield f"{one_line(path, 300)} is {short(old)}, recomputed {short(new)}"


def short(value: object) -> str:
    """A value as a message names it."""
    return one_line(repr(value) if isinstance(value, str) else str(value), 120)
