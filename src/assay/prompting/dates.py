"""Dates as people write them, as ISO dates, or as a year and month or a year alone where no more is said.

Read are dates in digits (2024-03-05, 05.03.2024, 2024年3月5日) and with the months' names in fourteen languages. Where day and
month can be told apart neither by their values, nor by another date of the text, nor by the references (5/3/2024), nothing is
read; with points the day comes first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date as calendar_date
from typing import NamedTuple

from assay.prompting.extractors import Found, found, nothing
from assay.prompting.numerals import WORDS, either, plain, valued
from assay.prompting.picking import Picker

EXTRACTOR, VERSION = "date", 1
_MONTHS = valued(WORDS["months"])
_NAME, _OF, _TH = rf"\b(?:{either(_MONTHS)})\b\.?", r"(?:(?:de|del|of|di|d')\s)?", r"(?:st|nd|rd|th|er|\.|º|ª)?"
_DATE = re.compile(
    rf"""(?<![\d.,/-])(?:
        (?P<y>\d{{4}})(?:(?:[-/.]|\s?[年년]\s?)(?P<m>\d{{1,2}})(?:(?:[-/.]|\s?[月월]\s?)(?P<d>\d{{1,2}}))?)?(?!\d|[./,-]\d)
      | (?P<a>\d{{1,2}})(?P<s>[./-])\s?(?P<b>\d{{1,2}})(?P=s)\s?(?P<c>\d{{4}}|\d\d)(?!\d|[./,-]\d)
      | (?:(?P<before>\d{{1,2}}){_TH}[\s-]{_OF})?(?P<name>{_NAME})[\s,-]
        \s?(?:(?P<after>\d{{1,2}}){_TH},?\s)?{_OF}(?P<year>\d{{4}})(?!\d))""",
    re.VERBOSE | re.IGNORECASE,
)
_DAY = re.compile(rf"\d{{1,2}}{_TH}\s{_OF}{_NAME}|{_NAME}\s\d{{1,2}}{_TH}(?!\d)", re.IGNORECASE)
_AROUND = re.compile(r"\s*(?:[^\W\d]{2,14},?)?\s*(?:T?\d\d:\d\d(?::\d\d)?Z?)?[\s.年년月월日号號일]*")


class Date(NamedTuple):
    """A date and its place in a text; 0 for a month or a day that is not said."""

    start: int
    end: int
    year: int
    month: int
    day: int
    open: bool = False
    """Day and month may be exchanged; the day is taken to come first."""
    day_first: bool | None = None
    """The order of day and month between strokes, where it is plain."""

    @property
    def iso(self) -> str:
        return f"{self.year:04}-{self.month:02}-{self.day:02}".removesuffix("-00").removesuffix("-00")

    @property
    def exactness(self) -> int:
        return (self.month > 0) + (self.day > 0)


def dates_in(text: str) -> list[Date]:
    """The dates in a plain text (see `assay.prompting.numerals.plain`), in order."""
    return [date for match in _DATE.finditer(text) if (date := _read(match))]


def day_spans(text: str) -> list[tuple[int, int]]:
    """Where a plain text names days, with a year or without."""
    spans = [(date.start, date.end) for date in dates_in(text) if date.day] + [match.span() for match in _DAY.finditer(text)]
    return sorted(spans)


def _read(match: re.Match[str]) -> Date | None:
    is_open, day_first = False, None
    if match["a"]:
        day, month, year = int(match["a"]), int(match["b"]), int(match["c"])
        year += 0 if len(match["c"]) == 4 else 2000 if year < 69 else 1900
        if match["s"] != ".":
            is_open = max(day, month) <= 12 and day != month
            day_first = day > 12 if max(day, month) > 12 else None
            day, month = (month, day) if month > 12 else (day, month)
    else:
        year, day = int(match["y"] or match["year"]), int(match["d"] or match["before"] or match["after"] or 0)
        month = _MONTHS[match["name"].rstrip(".").lower()] if match["name"] else int(match["m"] or 0)
    try:
        calendar_date(year, month or 1, day or 1)
    except ValueError:
        return None
    return Date(*match.span(), year, month, day, is_open, day_first) if month or 1000 <= year < 2200 else None


def date(text: str, references: Sequence[str] = ()) -> Found[str]:
    """The date that a text gives as its answer, as `2024-03-05`, `2024-03` or `2024`; see the head of this module.

    Args:
        text: what the model wrote.
        references: right answers, which say whether the day or the month comes first, and how exact a date has to be.
    """
    read = plain(text)
    dates, gold = dates_in(read), [date for reference in references for date in dates_in(plain(reference))]
    exact = max((date.exactness for date in gold), default=2)
    ranks = [3 if date.exactness >= exact else 1 + date.exactness for date in dates]
    picker = Picker(text, read, [(date.start, date.end) for date in dates], ranks, lambda a, b: dates[a].iso == dates[b].iso)
    if (index := picker.pick()) is None:
        return nothing(EXTRACTOR, VERSION)
    value = _settled(dates[index], [*dates, *gold]) or (dates[index].iso if any(one.open for one in gold) else None)
    return found(EXTRACTOR, value, dates[index].start, dates[index].end, VERSION) if value else nothing(EXTRACTOR, VERSION)


def readings(text: str) -> tuple[str, ...]:
    """What the date of a reference can be: two dates for 5/3/2024, none where it has none."""
    one = max(dates_in(plain(text)), key=lambda date: date.exactness, default=None)
    if one is None:
        return ()
    return (one.iso, one._replace(month=one.day, day=one.month).iso) if one.open else (one.iso,)


def _settled(date: Date, others: Sequence[Date]) -> str | None:
    """The date with day and month in the order that others show; `None` where they show none or both."""
    orders = {other.day_first for other in others} - {None}
    if not date.open or orders == {True}:
        return date.iso
    return date._replace(month=date.day, day=date.month).iso if orders == {False} else None


def date_of(text: str, others: Sequence[str] = ()) -> str | None:
    """The date that a whole text is, with a weekday at most; others, as of the same column, say what order 5/3/2024 has."""
    read = plain(text)
    dates = dates_in(read)
    if len(dates) != 1 or len(text) > 100 or not _AROUND.fullmatch(read[: dates[0].start] + read[dates[0].end :]):
        return None
    return _settled(dates[0], [date for other in others for date in dates_in(plain(other))])
