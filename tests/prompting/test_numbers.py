"""Numbers as people write them."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.prompting.numbers import number, number_of
from assay.prompting.reasoning import spoken

ROWS = [json.loads(line) for line in (Path(__file__).parent / "numbers.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['style']}-{row['text'][:24]!r}")
def test_a_number_is_read_as_a_person_reads_it(row: dict[str, str | None]) -> None:
    text, reference, value = row["text"], row["reference"], row["value"]
    assert text is not None
    assert reference is not None
    assert number(spoken(text).text, [reference]).value == (None if value is None else Fraction(value))


def test_the_corpus_has_all_styles() -> None:
    assert len(ROWS) >= 150
    assert {row["style"] for row in ROWS} >= {"json", "xml", "table", "markdown", "latex", "words", "language", "negated"}


def _german(value: Fraction) -> str:
    return f"{float(value):,.2f}".replace(",", "#").replace(".", ",").replace("#", ".")


def _indian(value: Fraction) -> str:
    whole, _, decimals = f"{abs(float(value)):.2f}".partition(".")
    head, tail = whole[:-3], whole[-3:]
    pairs = [head[max(0, place - 2) : place] for place in range(len(head), 0, -2)][::-1]
    return ("-" if value < 0 else "") + ",".join([*pairs, tail]) + "." + decimals


FORMATS = {
    "plain": lambda value: f"{float(value):.2f}",
    "English": lambda value: f"{float(value):,.2f}",
    "German": _german,
    "Swiss": lambda value: f"{float(value):,.2f}".replace(",", "’"),
    "SI": lambda value: f"{float(value):,.2f}".replace(",", "\u202f").replace(".", ","),
    "spaces": lambda value: f"{float(value):,.2f}".replace(",", " "),
    "Indian": _indian,
    "LaTeX": lambda value: f"{float(value):,.2f}".replace(",", "{,}"),
    "Arabic": lambda value: f"{float(value):.2f}".translate(
        {ord("0") + d: chr(0x660 + d) for d in range(10)} | {ord("."): "٫"}
    ),
    "full width": lambda value: f"{float(value):.2f}".translate({ord("0") + d: chr(0xFF10 + d) for d in range(10)}),
    "minus sign": lambda value: f"{float(value):,.2f}".replace("-", "−"),
}
FRAMES = [
    "{}", "The answer is {}.", "So it costs {} €", "{{\"answer\": \"{}\"}}", "**{}**", "$\\boxed{{{}}}$", "= {}", "答案是{}。",
]  # fmt: skip


@given(
    st.integers(-(10**9) * 100, 10**9 * 100).map(lambda cents: Fraction(cents, 100)),
    st.sampled_from(sorted(FORMATS)),
    st.sampled_from(FRAMES),
)
def test_a_number_in_any_format_reads_back_as_its_value(value: Fraction, form: str, frame: str) -> None:
    assert number(frame.format(FORMATS[form](value))).value == value


@given(st.integers(0, 999_999))
def test_number_words_read_back_as_their_value(value: int) -> None:
    assert number(_english(value)).value == value
    assert number(f"Die Antwort lautet {_deutsch(value)}.").value == value


SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
KLEIN = (
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn "
    "neunzehn"
)
ZEHNER = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"


def _english(value: int) -> str:
    if value < 20:
        return SMALL.split()[value]
    if value < 100:
        return TENS.split()[value // 10 - 2] + (f"-{_english(value % 10)}" if value % 10 else "")
    size, name, link = (1000, "thousand", " ") if value >= 1000 else (100, "hundred", " and ")
    return f"{_english(value // size)} {name}" + (f"{link}{_english(value % size)}" if value % size else "")


def _deutsch(value: int) -> str:
    if value < 20:
        return "eins" if value == 1 else KLEIN.split()[value]
    if value < 100:
        return (KLEIN.split()[value % 10] + "und" if value % 10 else "") + ZEHNER.split()[value // 10 - 2]
    size, name = (1000, "tausend") if value >= 1000 else (100, "hundert")
    head = _deutsch(value // size).removesuffix("s") if value // size == 1 else _deutsch(value // size)
    return head + name + (_deutsch(value % size) if value % size else "")


def test_the_text_decides_what_a_point_means_then_the_references_then_english_usage() -> None:
    assert number("1,5 × 800 = 1.200").value == 1200
    assert number("1.5 × 0.8 = 1.200").value == Fraction("1.2")
    assert number("1.200", ["3,5"]).value == 1200
    assert number("1.200", ["3.5"]).value == Fraction("1.2")
    assert number("1.200", ["1250"]).value == 1200
    assert number("1.200", ["1"]).value == Fraction("1.2")
    assert number("1.200").value == Fraction("1.2")
    assert number("1,200").value == 1200
    assert number("1,200", ["1"]).value == 1200


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("They travelled a total of 200 + 150 + 175 = 525 miles in 3 days.", 525),
        ("He earns $20 + $10 = $30 from baking 8 cakes and 10 cupcakes.", 30),
        ("Since there are 60 minutes in an hour, Erin will spend 300 / 60 = 5 hours.", 5),
        ("He needs 5 a day because 80 / 16 = 5.", 5),
        ("1250 - 540 = 710\n710/2 = 355\nThere are 355 pairs left.", 355),
        ("We divide both sides: 100/5 = 5A/5 or 20.", 20),
        ("That means she saved $210 / $350 = 0.60 or 60% on the dress.", 60),
        ("She moved ahead one place, which is 7-1=6th place.", 6),
    ],
)
def test_worked_solutions_end_with_their_result(text: str, value: int) -> None:
    assert number(text).value == value


def test_a_percentage_is_read_on_the_scale_of_the_references() -> None:
    assert number("45 %").value == 45
    assert number("45 %", ["0.5"]).value == Fraction("0.45")
    assert number("0.45", ["50 %"]).value == 45
    assert number("45", ["50 %"]).value == 45


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.234,50 €", "1234.5"), ("$1,234", "1234"), ("-5", "-5"), ("45 %", "45"), ("¾", "3/4"), ("1 234 567", "1234567"),
        ("3 × 10^5", "300000"), (" 12 ", "12"), ("2.5 million", "2500000"), ("٤٢", "42"),
        ("12 kg", None), ("007", None), ("twelve", None), ("12 or 13", None), ("", None), ("A4", None), ("1.2.3", None),
        ("2024-03-05", None), ("10:30", None), ("12 apples", None),
    ],
)  # fmt: skip
def test_a_whole_text_is_a_number_or_not(text: str, value: str | None) -> None:
    assert number_of(text) == (None if value is None else Fraction(value))


PIECES = [
    "1,", "1.", "5 ", "1" + ",111", "the answer is 5. ", "not 5 ", "Step 5 ", "(", "(1)", "**5", "**5** ", "twenty", "twenty ",
    "und", "一二三", "万", "hundred ", "hundert", "\\frac{1}{2}", "\\frac{", "= 5 ", "answer: 1=1", "1e5", "9^999 ", "-", "$",
    "USD ", ", because 5", "note\n", "5 million", "venti", "1. a\n", "5⁵", "½", "minus ", "5 or 6 ", "\\boxed{5}",
    "answer: 5 wait ", "5k", '"steps": [', "'1", "5\u00a0", "{,}1", "x^5",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
def test_a_hostile_text_is_read_in_linear_time(piece: str) -> None:
    started = time.process_time()
    number((piece * 100_000)[:100_000], ["1.234"])
    assert time.process_time() - started < 6  # a second or two on a busy machine; a quadratic reader would take minutes


@given(st.text(max_size=200))
def test_any_text_is_read_or_not_and_its_place_is_in_it(text: str) -> None:
    read = number(text)
    if read.value is not None:
        assert read.reading.start is not None
        assert read.reading.end is not None
        assert 0 <= read.reading.start < read.reading.end <= len(text)


def test_thousands_of_another_language_than_the_references_are_read_by_what_is_near() -> None:
    worked = "He pays $12.50 for each of 5,600 parts: 5600 * 12.5 = 70000. #### 70,000"
    assert number("Insgesamt sind es 70.000.", [worked]).value == 70_000
    assert number("Insgesamt sind es 70.000.", ["70.0"]).value == 70
    assert number("It weighs 1.500 kg.", ["1.5"]).value == Fraction(3, 2)
