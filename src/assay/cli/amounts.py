"""Amounts as people write them: spans of time and sizes of files."""

from __future__ import annotations

import re

SECONDS = {"h": 3600.0, "d": 86_400.0, "w": 604_800.0}
BYTES = {"": 1.0, "B": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


def span_s(text: str, option: str) -> float:
    """`30d`, `12h` or `2w` in seconds.

    Raises:
        AssayError: it is no such span.
    """
    return _amount(text, SECONDS, f"{option} must be a span of time such as 12h, 30d or 4w, not {text!r}")


def file_size(text: str, option: str) -> int:
    """`2GB`, `500 MB` or `1000000` in bytes.

    Raises:
        AssayError: it is no such size.
    """
    return int(_amount(text, BYTES, f"{option} must be a size such as 500MB or 2GB, not {text!r}"))


def shown_size(size: float) -> str:
    """`1.2 GB`."""
    for unit in ("TB", "GB", "MB", "kB"):
        if size >= BYTES[unit]:
            return f"{size / BYTES[unit]:.3g} {unit}" if size < 999.5 * BYTES[unit] else f"{size / BYTES[unit]:,.0f} {unit}"
    return f"{size:.0f} bytes"


def _amount(text: str, units: dict[str, float], problem: str) -> float:
    from assay.errors import AssayError

    found = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([A-Za-z]*)", text.strip())
    if found is None or found[2] not in units:
        raise AssayError(problem)
    return float(found[1]) * units[found[2]]


def shown_span(seconds: float) -> str:
    """`8 s`, `3 min 20 s`, `5 h 12 min` or `3 d 4 h`."""
    whole = max(0, round(seconds))
    for unit, size, part, fraction in (("d", 86_400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= size:
            rest = whole % size // fraction
            return f"{whole // size:,} {unit}" + (f" {rest} {part}" if rest else "")
    return f"{whole} s" if whole else "under 1 s"
