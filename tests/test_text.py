"""Foreign text made fit to show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text import folded, one_line, same_text, visible


@given(st.text(), st.integers(2, 200))
def test_what_is_shown_is_never_longer_for_being_cut(text: str, longest: int) -> None:
    harmless = "".join(character for character in text if character.isalnum())
    assert len(visible(harmless, longest)) <= len(harmless)


@pytest.mark.parametrize("length", [60, 62, 90])
def test_a_text_is_cut_only_where_that_saves_room(length: int) -> None:
    assert one_line("x" * length, 60) == "x" * length


def test_a_long_text_is_cut_in_the_middle() -> None:
    assert one_line("a" * 500 + "b" * 500, 60) == "a" * 30 + " [… 940 characters not shown …] " + "b" * 30


def test_what_could_command_a_terminal_is_written_out() -> None:
    assert one_line("a\x1b[31m\u202eb\tc\n") == "a\\x1b[31m\\u{202e}b c"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("“Straße”", '"STRASSE"'),
        ("a–b", "a-b"),
        ("Ｐａｒｉｓ", "paris"),
        ("e\u0301", "é"),
        ("x\u200by", "xy"),
        ("What  is it？ ", "what is it"),
    ],
)
def test_ways_to_set_a_text_do_not_count_where_it_is_compared(one: str, other: str) -> None:
    assert same_text(one) == same_text(other)


def test_superscripts_and_fractions_are_no_digits() -> None:
    assert folded("X² + ½") == "x² + ½"
