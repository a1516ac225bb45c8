"""What a perturbed copy changed, word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.text import visible
from assay.web.trials.passages import Piece
from assay.web.trials.word_diff import MOST_WORDS, word_diff


def test_changed_words_stand_beside_each_other() -> None:
    found = word_diff("You took my payment twice.", "you took my pqyment twice!")
    assert found == (
        Piece("You", "gone"),
        Piece("you", "come"),
        Piece(" took my "),
        Piece("payment", "gone"),
        Piece("pqyment", "come"),
        Piece(" twice"),
        Piece(".", "gone"),
        Piece("!", "come"),
    )


words = st.lists(st.sampled_from(["a", "bee", ",", "\n", "\u202e", "long word"]), max_size=12).map(" ".join)


@given(words, words)
def test_either_text_can_be_put_together_again(before: str, after: str) -> None:
    found = word_diff(before, after)
    assert found is not None
    hidden = [piece.text for piece in found if piece.kind == "control"]
    assert all(text == "\\u{202e}" * (len(text) // 8) for text in hidden)
    if "\u202e" not in before + after:
        assert "".join(piece.text for piece in found if piece.kind != "come") == visible(before)
        assert "".join(piece.text for piece in found if piece.kind != "gone") == visible(after)


def test_texts_that_would_take_long_are_not_compared() -> None:
    assert word_diff("a " * MOST_WORDS, "b") is None
