r"""Dates as people write them, as ISO dates, or as a year and month or a year alone where no more is said.

2024-03-05, 5 March 2024, March 5th, 2024, 05.03.2024, 2024年3月5日, 5 de marzo de 2024 and the like, with the months' names in
fourteen languages. Where day and month can be told apart neither by their values, nor by another date of the text, nor by the
references (5/3/2024), nothing is read; with points the day comes first.
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
_NAME, _OF, _TH = rf"\b({either(_MONTHS)})\b\.?", r"(?:(?:de|del|of|di|d')\s)?", r"(?:st|nd|rd|th|er|\.|º|ª)?"
_DATE = re.compile(
    rf"""(?<![\d.,/-])(?:
      (?P<y1>\d{{4}})(?:\s?[年년]\s?(?P<m1>\d{{1,2}})\s?[月월](?:\s?(?P<d1>\d{{1,2}})\s?[日号號일])?)
      | (?P<y2>\d{{4}})(?P<s2>[-/.])(?P<m2>\d{{1,2}})(?:(?P=s2)(?P<d2>\d{{1,2}}))?(?![\d/-]|[.,]\d)
      | (?P<a>\d{{1,2}})(?P<s>[./-]\s?)(?P<b>\d{{1,2}})(?P=s)(?P<y3>\d{{4}}|\d\d)(?![\d/-]|[.,]\d)
      | (?P<d4>\d{{1,2}}){_TH}[\s-]{_OF}(?P<m4>{_NAME})[\s,-]\s?{_OF}(?P<y4>\d{{4}})(?!\d)
      | (?P<m5>{_NAME})\s(?P<d5>\d{{1,2}}){_TH},?\s{_OF}(?P<y5>\d{{4}})(?!\d)
      | (?P<m6>{_NAME})[\s,]\s?{_OF}(?P<y6>\d{{4}})(?!\d)
      | (?P<y7>\d{{4}})\s?[年년]?(?!\d|[./,-]\d))""",
    re.VERBOSE | re.IGNORECASE,
)
_DAY = re.compile(rf"\d{{1,2}}{_TH}\s{_OF}{_NAME}|{_NAME}\s\d{{1,2}}{_TH}(?!\d)", re.IGNORECASE)


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
    """The order in which it is written, where it is written in digits and its order is plain."""

    @property
    def iso(self) -> str:
        return "-".join(part for part in (f"{self.year:04}", f"{self.month:02}", f"{self.day:02}") if part not in ("00",))


def dates_in(text: str) -> list[Date]:
    """The dates in a plain text (see `assay.prompting.numerals.plain`), in order."""
    dates = []
    for match in _DATE.finditer(text):
        if date := _read(match):
            dates.append(date)
    return dates


def day_spans(text: str) -> list[tuple[int, int]]:
    """Where a plain text names days, with a year or without."""
    spans = [(date.start, date.end) for date in dates_in(text) if date.day] + [match.span() for match in _DAY.finditer(text)]
    return sorted(spans)


def _read(match: re.Match[str]) -> Date | None:
    if match["a"]:
        first, second, year = int(match["a"]), int(match["b"]), int(match["y3"])
        year += 0 if len(match["y3"]) == 4 else 2000 if year < 69 else 1900
        points = match["s"][0] == "."
        day_first = points or first > 12
        day, month = (first, second) if day_first or second <= 12 else (second, first)
        plainly = points or max(first, second) > 12
        read = Date(
            *match.span(), year, month, day, not plainly and first != second, day_first if plainly and not points else None
        )
    else:
        group = next(number for number in "124567" if match[f"y{number}"])
        parts = {part: match.groupdict().get(part + group) or "0" for part in "md"}
        month = _MONTHS.get(parts["m"].rstrip(".").lower()) or int(parts["m"])
        read = Date(*match.span(), int(match[f"y{group}"]), month, int(parts["d"]))
    return read if _exists(read) else None


def _exists(date: Date) -> bool:
    try:
        return bool(calendar_date(date.year, date.month or 1, date.day or 1)) and (date.month > 0 or 1000 <= date.year < 2200)
    except ValueError:
        return False


def date(text: str, references: Sequence[str] = ()) -> Found[str]:
    """The date that a text gives as its answer, as `2024-03-05`, `2024-03` or `2024`; see the head of this module.

    Args:
        text: what the model wrote.
        references: right answers, which say whether the day or the month comes first, and whether a year is enough.
    """
    read = plain(text)
    dates = dates_in(read)
    gold = [date for reference in references for date in dates_in(plain(reference))]
    exact = max((bool(date.month) + bool(date.day) for date in gold), default=2)
    ranks = [3 if bool(date.month) + bool(date.day) >= exact else 1 + bool(date.month) for date in dates]
    picker = Picker(text, read, [(date.start, date.end) for date in dates], ranks, lambda a, b: dates[a].iso == dates[b].iso)
    if (index := picker.pick()) is None:
        return nothing(EXTRACTOR, VERSION)
    value = _settled(dates[index], [*dates, *gold]) or (dates[index].iso if any(one.open for one in gold) else None)
    return found(EXTRACTOR, value, dates[index].start, dates[index].end, VERSION) if value else nothing(EXTRACTOR, VERSION)


def readings(text: str) -> tuple[str, ...]:
    """What the date of a reference can be: two dates for 5/3/2024, none where it has none."""
    dates = dates_in(plain(text))
    one = next((date for date in reversed(dates) if date.day), dates[-1]) if dates else None
    if one is None or not one.open:
        return () if one is None else (one.iso,)
    return one.iso, one._replace(month=one.day, day=one.month).iso


def _settled(date: Date, others: Sequence[Date]) -> str | None:
    """The date with day and month in the order that others show; `None` where they show none or both."""
    if not date.open:
        return date.iso
    orders = {other.day_first for other in others if other.day_first is not None}
    if len(orders) != 1:
        return None
    return date.iso if orders.pop() else date._replace(month=date.day, day=date.month).iso


def date_of(text: str, others: Sequence[str] = ()) -> str | None:
    """The date that a whole text is, with a weekday at most; others, as of the same column, say what order 5/3/2024 has."""
    read = plain(text)
    dates = dates_in(read)
    if len(dates) != 1 or len(text) > 100 or not _DRESS.fullmatch(read[: dates[0].start] + read[dates[0].end :]):
        return None
    return _settled(dates[0], [date for other in others for date in dates_in(plain(other))])


_DRESS = re.compile(r"\s*(?:[^\W\d]{2,14},?)?\s*(?:T?\d\d:\d\d(?::\d\d)?Z?)?[\s.]*")
