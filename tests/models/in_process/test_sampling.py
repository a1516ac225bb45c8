from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from assay.models.in_process.sampling import Row, Sample, draw, rows_of
from assay.models.local.tokenizer import Tokenizer
from assay.records import Request

LOGITS = np.log(np.array([[0.5, 0.25, 0.15, 0.1]], np.float32)) + 3


def forced(words: Tokenizer, request: Request, tokens: list[int]) -> Sample:
    """A sample whose model is certain of the given tokens."""
    sample = Sample(request, words, 0)
    for token in tokens:
        if sample.finish:
            break
        logits = np.zeros((1, 49152), np.float32)
        logits[0, token] = 30
        assert sample.step(rows_of(logits)[0]) == token
    return sample


def test_logprobs_are_those_of_the_softmax() -> None:
    (row,) = rows_of(LOGITS)
    assert [row.logprob(token) for token in range(4)] == pytest.approx(np.log([0.5, 0.25, 0.15, 0.1]), abs=1e-6)


def test_the_likeliest_come_first_and_ties_by_number() -> None:
    row = Row(np.array([1, 5, 3, 5, 0], np.float32), 0.0)
    assert row.likeliest(3) == [1, 3, 2]
    assert row.likeliest(0) == []
    assert row.likeliest(99) == [1, 3, 2, 0, 4]


@pytest.mark.parametrize(
    ("temperature", "top_p", "expected"),
    [
        (1.0, 1.0, [0.5, 0.25, 0.15, 0.1]),
        (0.5, 1.0, [0.25 / 0.345, 0.0625 / 0.345, 0.0225 / 0.345, 0.01 / 0.345]),
        (1.0, 0.7, [2 / 3, 1 / 3, 0, 0]),
        (1.0, 0.01, [1, 0, 0, 0]),
    ],
)
def test_draws_follow_temperature_and_nucleus(temperature: float, top_p: float, expected: list[float]) -> None:
    (row,), chance = rows_of(LOGITS), np.random.default_rng(8)
    counts = Counter(draw(row, temperature, top_p, chance) for _ in range(4000))
    assert [counts[token] / 4000 for token in range(4)] == pytest.approx(expected, abs=0.03)


def test_a_nucleus_wider_than_the_first_guess_is_complete() -> None:
    (row,), chance = rows_of(np.zeros((1, 6000), np.float32)), np.random.default_rng(9)
    drawn = {draw(row, 1.0, 0.9, chance) for _ in range(300)}
    assert max(drawn) > 4000
    assert max(drawn) < 5401


def test_a_stop_sequence_within_tokens_cuts_text_and_tokens(words: Tokenizer) -> None:
    tokens = words.encode("one two\n\nthree")
    sample = forced(words, Request(prompt="", stop=("wo\n", "never"), max_tokens=50), tokens)
    completion = sample.completion()
    assert (completion.text, completion.finish_reason) == ("one t", "stop")
    assert "".join(token.text for token in completion.tokens) == completion.text


def test_the_earliest_of_several_stops_counts(words: Tokenizer) -> None:
    sample = forced(words, Request(prompt="", stop=("c", "b"), max_tokens=50), words.encode("abc"))
    assert sample.completion().text == "a"


def test_a_stop_at_the_very_beginning_leaves_nothing(words: Tokenizer) -> None:
    completion = forced(words, Request(prompt="", stop=("Q:",), max_tokens=50), words.encode("Q: A")).completion()
    assert (completion.text, completion.tokens, completion.finish_reason) == ("", (), "stop")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("\nOslo\nQuestion", "\nOslo"),
        (" \n\n Oslo\nQuestion", " \n\n Oslo"),
        ("<think>\nNorway?\nOslo.\n</think>\n\nOslo\nQuestion", "<think>\nNorway?\nOslo.\n</think>\n\nOslo"),
    ],
)
def test_a_line_break_ends_no_answer_that_has_not_begun(words: Tokenizer, written: str, kept: str) -> None:
    completion = forced(words, Request(prompt="", stop=("\n",), max_tokens=50), words.encode(written)).completion()
    assert (completion.text, completion.finish_reason) == (kept, "stop")


def test_no_stop_sequence_ends_a_thought(words: Tokenizer) -> None:
    written = "<think>Q: which? Oslo</think>Oslo Q: next"
    completion = forced(words, Request(prompt="", stop=("Q:",), max_tokens=50), words.encode(written)).completion()
    assert completion.text == "<think>Q: which? Oslo</think>Oslo "


def test_a_text_ends_at_an_end_token(words: Tokenizer) -> None:
    sample = forced(words, Request(prompt="", max_tokens=50), [*words.encode("Yes."), min(words.ends), *words.encode(" more")])
    assert (sample.completion().text, sample.finish, sample.read) == ("Yes.", "stop", len(words.encode("Yes.")))


def test_a_text_cut_within_a_character_ends_with_a_replacement(words: Tokenizer) -> None:
    tokens = words.encode("a𓀀")
    completion = forced(words, Request(prompt="", max_tokens=len(tokens) - 1), tokens).completion()
    assert (completion.text, completion.finish_reason) == ("a�", "length")
    assert "".join(token.text for token in completion.tokens) == completion.text
    assert forced(words, Request(prompt="", max_tokens=len(tokens)), tokens).completion().text == "a𓀀"


def test_other_special_tokens_add_no_text(words: Tokenizer) -> None:
    sample = forced(
        words, Request(prompt="", max_tokens=3), [*words.encode("a"), *words.encode("<|im_start|>"), *words.encode("b")]
    )
    assert sample.completion().text == "ab"
