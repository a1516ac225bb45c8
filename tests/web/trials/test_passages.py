"""Texts in parts, with what was found in them and what cannot be seen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.text import visible
from assay.web.trials.passages import LONGEST_RUN, Piece, passage


def test_what_was_read_as_the_answer_is_marked() -> None:
    found = passage("completion", "The answer is 42, I think.", match=(14, 16))
    assert found.pieces == (Piece("The answer is "), Piece("42", "match"), Piece(", I think."))
    assert (found.before, found.after, found.match) == (None, None, None)


def test_a_long_text_is_shown_in_parts_that_lead_to_one_another() -> None:
    text = "".join(chr(97 + i % 26) for i in range(1000))
    shown, start = "", 0
    while True:
        part = passage("input", text, start, most=300)
        shown += "".join(piece.text for piece in part.pieces)
        if part.after is None:
            break
        start = part.after
    assert shown == text
    assert (part.start, part.before, part.length) == (900, 800, 1000)
    assert passage("input", text, 10_000, most=300).start == 0


def test_a_match_outside_of_what_is_shown_says_where_it_is() -> None:
    found = passage("completion", "x" * 500 + "42", most=100, match=(500, 502))
    assert found.match == 500
    assert [piece.kind for piece in found.pieces] == [""]
    there = passage("completion", "x" * 500 + "42", 500, most=100, match=(500, 502))
    assert there.pieces == (Piece("42", "match"),)


def test_a_match_that_reaches_over_the_edge_is_marked_as_far_as_it_is_shown() -> None:
    found = passage("completion", "abcdef", most=3, match=(2, 5))
    assert found.pieces == (Piece("ab"), Piece("c", "match"))


@given(st.text(), st.integers(0, 40), st.integers(1, 30), st.tuples(st.integers(0, 40), st.integers(0, 40)))
def test_nothing_is_lost_or_left_hidden(text: str, start: int, most: int, match: tuple[int, int]) -> None:
    found = passage("any", text, start, match, most)
    assert "".join(piece.text for piece in found.pieces) == visible(text[found.start : found.end])
    assert found.end - found.start <= most
    assert all(piece.kind == "control" or visible(piece.text) == piece.text for piece in found.pieces)


def test_hidden_characters_are_told_from_the_same_letters_written_out() -> None:
    assert passage("any", "\\x00 \x00").pieces == (Piece("\\x00 "), Piece("\\x00", "control"))


def test_very_many_hidden_characters_stand_in_pieces_of_bounded_length() -> None:
    found = passage("any", "\u202e" * 5000)
    assert len(found.pieces) == 5
    assert all(len(piece.text) == LONGEST_RUN * len("\\u{202e}") for piece in found.pieces)
