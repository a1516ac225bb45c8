"""Dates as people write them, as ISO dates, or as a year and month or a year alone where no more is said.

Read are dates in digits (2024-03-05, 05.03.2024, 2024年3月5日) and with the months' names in fourteen languages. Where day and
month can be told apart neither by their values, nor by another date of the text, nor by the references (5/3/2024), nothing is
read; with points the day comes first. Nor is anything read of a range, or of several dates none of which is told as the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date as calendar_date
from typing import NamedTuple

from assay.prompting.extractors import Found, found, nothing
from assay.prompting.numerals import WORDS, either, plain, valued
from assay.prompting.picking import Picker

EXTRACTOR, VERSION = "date", 2
_MONTHS, _DAYS = valued(WORDS["months"]), valued(WORDS["days"])
_DAY = rf"\d{{1,2}}|\b(?:{either(_DAYS)})\b"
_NAME, _OF, _TH = rf"\b(?:{either(_MONTHS)})\b\.?", r"(?:(?:de|del|of|di|d')\s)?", r"(?:st|nd|rd|th|er|\.|º|ª)?"
_JOINTS = "|".join(("and|und|et|y|e", *(either(WORDS["phrases"][name].split("|")) for name in ("or", "ranges"))))
_DATE = re.compile(
    rf"""(?<![\d.,/-])(?:
        (?P<y>\d{{4}})(?:(?:[-/.]|\s?[年년]\s?)(?P<m>\d{{1,2}})(?:(?:[-/.]|\s?[月월]\s?)(?P<d>\d{{1,2}}))?)?(?!\d|[./,-]\d)
      | (?P<a>\d{{1,2}})(?P<s>[./-])\s?(?P<b>\d{{1,2}})(?P=s)\s?(?P<c>\d{{4}}|\d\d)(?!\d|[./,-]\d)
      | (?:(?P<before>{_DAY}){_TH}[\s-]{_OF})?(?P<name>{_NAME})[\s,-]
        \s?(?:(?P<after>{_DAY}){_TH},?\s)?{_OF}(?P<year>\d{{4}})(?!\d))""",
    re.VERBOSE | re.IGNORECASE,
)
_TORN = re.compile(
    rf"(?<![\d/.-])(?:{_DAY}){_TH}(?:\s{_OF}{_NAME})?\s?(?:\b(?:{_JOINTS})\b|[-/&])\s?(?:(?:{_NAME}\s)?(?:{_DAY}){_TH},?\s{_OF})?\Z",
    re.IGNORECASE,
)
"""Before what is read of the second of two dates: March 4 or 5, 2024."""
_AROUND = re.compile(r"\s*(?:[^\W\d]{2,14},?)?\s*(?:T?\d\d:\d\d(?::\d\d)?Z?)?[\s.年년月월日号號일]*")


class Date(NamedTuple):
    """A date and its place in a text."""

    start: int
    end: int
    values: tuple[str, ...]
    """What it may be, the day before the month first."""
    day_first: bool | None = None
    """The order of day and month between strokes, where it is plain."""


def dates_in(text: str) -> list[Date]:
    """The dates in a plain text (see `assay.prompting.numerals.plain`), in order."""
    whole = (match for match in _DATE.finditer(text) if not _TORN.search(text, max(0, match.start() - 40), match.start()))
    return [date for match in whole if (date := _read(match))]


def _read(match: re.Match[str]) -> Date | None:
    if not match["a"]:
        month = _MONTHS[match["name"].rstrip(".").lower()] if match["name"] else int(match["m"] or 0)
        day = match["d"] or match["before"] or match["after"] or "0"
        value = _iso(int(match["y"] or match["year"]), month, _DAYS.get(day.lower()) or int(day))
        return Date(*match.span(), (value,)) if value else None
    one, other, year = map(int, match.group("a", "b", "c"))
    year += 0 if len(match["c"]) == 4 else 2000 if year < 69 else 1900
    day_first, month_first = _iso(year, other, one), _iso(year, one, other) if match["s"] != "." else None
    values = tuple(dict.fromkeys(value for value in (day_first, month_first) if value))
    plain_order = match["s"] != "." and one != other and len(values) == 1
    return Date(*match.span(), values, bool(day_first) if plain_order else None) if values else None


def _iso(year: int, month: int, day: int) -> str | None:
    """A date, with 0 for a month or a day that is not said; `None` for one that there is not."""
    try:
        calendar_date(year, month or 1, day or 1)
    except ValueError:
        return None
    iso = f"{year:04}-{month:02}-{day:02}".removesuffix("-00").removesuffix("-00")
    return iso if month or 1000 <= year < 2200 else None


def date(text: str, references: Sequence[str] = ()) -> Found[str]:
    """The date that a text gives as its answer, as `2024-03-05`, `2024-03` or `2024`; see the head of this module.

    References, right answers, say whether the day or the month comes first, and how exact a date has to be.
    """
    read = plain(text)
    dates, gold = dates_in(read), [date for reference in references for date in dates_in(plain(reference))]
    said, exact = [len(date.values[0]) for date in dates], max((len(date.values[0]) for date in gold), default=10)
    ranks = [3 - (length > exact < 10) if length >= exact else length // 3 for length in said]  # 3 for 2024-03-05, 1 for 2024
    index = Picker(text, read, dates, ranks, lambda one, other: dates[one].values == dates[other].values, lone=True).pick()
    if index is None:
        return nothing(EXTRACTOR, VERSION)
    one = dates[index]
    value = _settled(one, [*dates, *gold]) or (one.values[0] if any(len(date.values) > 1 for date in gold) else None)
    return found(EXTRACTOR, value, one.start, one.end, VERSION) if value else nothing(EXTRACTOR, VERSION)


def readings(text: str) -> tuple[str, ...]:
    """What the date of a reference can be: two dates for 5/3/2024, none where it has none."""
    return max(dates_in(plain(text)), key=lambda date: len(date.values[0]), default=Date(0, 0, ())).values


def _settled(date: Date, others: Sequence[Date]) -> str | None:
    """The date with day and month in the order that others show; `None` where they show none or both."""
    orders = {other.day_first for other in others} - {None}
    return date.values[0 if orders == {True} else -1] if len(date.values) == 1 or len(orders) == 1 else None


def date_of(text: str, others: Sequence[str] = ()) -> str | None:
    """The date that a whole text is, with a weekday at most; others, as of the same column, say what order 5/3/2024 has."""
    read = plain(text)
    dates = dates_in(read)
    if len(dates) != 1 or len(text) > 100 or not _AROUND.fullmatch(read[: dates[0].start] + read[dates[0].end :]):
        return None
    return _settled(dates[0], [date for other in others for date in dates_in(plain(other))])
