"""What the values of a column are, where they are neither groups nor answers: times, addresses, ids."""

from __future__ import annotations

import re
from collections.abc import Collection

_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?"
_ZONE = r"(?: ?(?:z|utc|gmt|[+-]\d{2}:?\d{2}))?"
_DAY = "|".join(
    [
        r"\d{4}([-/.])\d{1,2}\1\d{1,2}",
        r"\d{1,2}([-/.])\d{1,2}\2\d{2,4}",
        rf"\d{{1,2}}\.?[ -]{_MONTH}\.?,?[ -]\d{{2,4}}",
        rf"{_MONTH}\.? \d{{1,2}},? \d{{4}}",
        r"(?:19|20)\d{6}",
    ]
)
_SHAPES: dict[str, re.Pattern[str]] = {
    "dates or times": re.compile(rf"(?:{_DAY})(?:[ t],? ?{_CLOCK}{_ZONE})?|{_CLOCK}{_ZONE}", re.IGNORECASE),
    "addresses": re.compile(
        r"[a-z][a-z0-9+.-]*://\S+|www\.\S+|[^\s@]+@[^\s@]+\.[^\s@]+|(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?", re.IGNORECASE
    ),
    "ids": re.compile(
        r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?|(?=[a-f]*\d)[0-9a-f]{12,}"
        r"|[a-z]{0,8}[-_#:./ ]?\d{5,}|[a-z]{1,8}[-_#]\d{3,}",
        re.IGNORECASE,
    ),
}


def shape_of(texts: Collection[str]) -> str:
    """What all of some texts are: `dates or times`, `addresses` or `ids`; empty where they are none of these, or there is none.

    A year alone is none of them: cases may well be compared by it.
    """
    found = {text.strip() for text in texts}
    for name, shape in _SHAPES.items():
        if found and all(shape.fullmatch(text) for text in found):
            return name
    return ""
