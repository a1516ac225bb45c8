"""Dates as people write them."""

from __future__ import annotations

import time
from datetime import date as calendar_date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.prompting.dates import date, date_of
from assay.prompting.samples import read_free
from assay.records import Completion, Reference

MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905
MESES = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()  # noqa: SIM905


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2024-03-05", "2024-03-05"),
        ("2024-03-05T10:00:00Z", "2024-03-05"),
        ("2024/3/5", "2024-03-05"),
        ("5 March 2024", "2024-03-05"),
        ("The 5th of March 2024", "2024-03-05"),
        ("March 5th, 2024", "2024-03-05"),
        ("Mar. 5, 2024", "2024-03-05"),
        ("Tuesday, 5 March 2024.", "2024-03-05"),
        ("05.03.2024", "2024-03-05"),
        ("5. 3. 2024", "2024-03-05"),
        ("25/3/2024", "2024-03-25"),
        ("3/25/2024", "2024-03-25"),
        ("5/5/2024", "2024-05-05"),
        ("5/3/2024", None),
        ("25/12/2023 or rather 5/3/2024", "2024-03-05"),
        ("05.03.98", "1998-03-05"),
        ("2024年3月5日", "2024-03-05"),
        ("2024년 3월 5일", "2024-03-05"),
        ("5 de marzo de 2024", "2024-03-05"),
        ("Dienstag, der 5. März 2024", "2024-03-05"),
        ("le 1er août 2024", "2024-08-01"),
        ("5 marzo 2024", "2024-03-05"),
        ("5 de março de 2024", "2024-03-05"),
        ("5 maart 2024", "2024-03-05"),
        ("5 марта 2024 года", "2024-03-05"),
        ("5 marca 2024", "2024-03-05"),
        ("5 mars 2024", "2024-03-05"),
        ("5 Mart 2024", "2024-03-05"),
        ("٥ مارس ٢٠٢٤", "2024-03-05"),
        ("5 मार्च 2024", "2024-03-05"),
        ("5 Maret 2024", "2024-03-05"),
        ("March 2024", "2024-03"),
        ("marzo de 2024", "2024-03"),
        ("2024-03", "2024-03"),
        ("In 1969.", "1969"),
        ("2024年", "2024"),
        ("31 February 2024", None),
        ("It opened on 1 May 1990. The answer is **5 March 2024**, not 6 March 2024.", "2024-03-05"),
        ("From 1 May 1990 to 5 March 2024", None),
        ("On 5 March 2024, which was the best day of 2024.", "2024-03-05"),
        ('{"answer": "2024-03-05", "confidence": 0.9}', "2024-03-05"),
        ("The date is not 5 March 2024. It is 6 March 2024.", "2024-03-06"),
        ("5 March 2024 or 6 March 2024", None),
        ("{\"date\": \"2024-03-05\", \"extracted_on\": \"2025-01-01\"}", "2024-03-05"),
        ("{\"extracted_on\": \"2025-01-01\", \"due_date\": \"2024-03-05\", \"created\": \"2023-01-01\"}", "2024-03-05"),
        ("It starts on 2024-03-05 and ends on 2024-03-09.", None),
        ("2024-03-05 to 2024-03-09", None),
        ("March 4 or 5, 2024", None),
        ("March 4-5, 2024", None),
        ("between 5 March 2024 and 9 March 2024", None),
        ("4 or 5 March 2024", None),
        ("4./5. März 2024", None),
        ("The answer is 2024-03-05. It was signed on 2024-01-01.", "2024-03-05"),
        ("2024-03-05 (five days after 2024-02-29)", "2024-03-05"),
        ("It was in March 2024.", "2024-03"),
        ("in early March 2024", "2024-03"),
        ("On the fifth of March 2024", "2024-03-05"),
        ("The deadline is 2024-03-05. The contract was signed on 2024-01-01.", "2024-03-05"),
        ("It was moved from 2024-01-01 to 2024-03-05.", None),
        ("am fünften März 2024", "2024-03-05"),
        ("I may know it", None),
        ("12345", None),
        ("", None),
    ],
)
def test_a_date_is_read_as_a_person_reads_it(text: str, read: str | None) -> None:
    assert date(text).value == read


def test_the_references_say_which_comes_first_and_how_exact_a_date_is() -> None:
    assert date("5/3/2024", ["25/12/2023"]).value == "2024-03-05"
    assert date("5/3/2024", ["12/25/2023"]).value == "2024-05-03"
    assert date("5/3/2024", ["2023-12-25"]).value is None
    assert date("Born on 5 March 1960, married in 1985.", ["1985"]).value == "1985"
    assert date("Born on 5 March 1960, married in 1985.", ["1960-03-05"]).value == "1960-03-05"


@given(st.dates(min_value=calendar_date(1800, 1, 1), max_value=calendar_date(2199, 12, 31)))
def test_a_date_reads_back_from_every_format(day: calendar_date) -> None:
    forms = [
        day.isoformat(),
        f"{day.day} {MONTHS[day.month - 1]} {day.year}",
        f"{MONTHS[day.month - 1][:3]} {day.day}, {day.year}",
        f"{day.day}.{day.month}.{day.year}",
        f"{day.day} de {MESES[day.month - 1]} de {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day:%d/%m/%Y}",
    ]
    for form in forms:
        assert date(f"The answer is {form}.", ["31/12/2000"]).value == day.isoformat()
        assert date_of(form, ["31/12/2000"]) == day.isoformat()


def test_a_whole_text_is_a_date_or_not() -> None:
    assert date_of("Tuesday, 5 March 2024") == "2024-03-05"
    assert date_of("1969") == "1969"
    assert date_of("5/3/2024") is None
    assert [date_of(text) for text in ("on 5 March 2024 or later", "March", "12", "", "2024-13-01")] == [None] * 5


def test_the_setting_gives_an_iso_date() -> None:
    references = (Reference(text="2024-03-05", correct=True),)
    sample = read_free(Completion(text="<think>1999</think>It was March 5, 2024."), references, "date")
    assert (sample.outcome, sample.prediction) == ("answered", "2024-03-05")
    assert read_free(Completion(text="Nobody knows."), references, "date").outcome == "unparsed"


@pytest.mark.parametrize("piece", ["1.", "1/", "March ", "2024-", "5 March 2024 ", "1.1.2024, ", "2024年", "9" * 50, "de "])
def test_a_hostile_text_is_read_in_linear_time(piece: str) -> None:
    started = time.process_time()
    date((piece * 100_000)[:100_000])
    assert time.process_time() - started < 4
