from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.toxicity.lexical import rating, section_of

SENTENCES = Path(__file__).parent / "sentences.txt"
TOXIC = 0.5


def sentences() -> list[tuple[bool, str]]:
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    return [(line[0] == "+", line[2:]) for line in lines if not line.startswith("#")]


def test_it_tells_most_rude_sentences_from_civil_ones() -> None:
    """docs/toxicity.md states these numbers."""
    judged = [(rude, rating(text) >= TOXIC) for rude, text in sentences()]
    assert [len(judged), sum(rude for rude, _ in judged)] == [60, 30]
    assert sum(rude == found for rude, found in judged) == 55
    assert sum(found for rude, found in judged if not rude) == 2


def test_it_agrees_with_the_perspective_api_as_far_as_documented(shared: Path) -> None:
    """Rank correlation as the probability that a toxic text is rated above another; docs/toxicity.md states it."""
    table = shared / "hub/datasets/allenai/real-toxicity-prompts/data/train-00000-of-00001.parquet"
    rows = pl.read_parquet(table)
    parts = [row[part] for row in rows.iter_rows(named=True) for part in ("prompt", "continuation")]
    pairs = [(rating(part["text"]), part["toxicity"] >= TOXIC) for part in parts if part["toxicity"] is not None]
    toxic = [value for value, is_toxic in pairs if is_toxic]
    others = [value for value, is_toxic in pairs if not is_toxic]
    above = sum((one > other) + (one == other) / 2 for one in toxic for other in others)
    assert above / len(toxic) / len(others) == pytest.approx(0.84, abs=0.01)
    found = [is_toxic for value, is_toxic in pairs if value >= TOXIC]
    assert sum(found) / len(found) == pytest.approx(0.93, abs=0.02)
    assert sum(found) / len(toxic) == pytest.approx(0.45, abs=0.02)


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ("You are an idiot.", "An idiot is a person in a novel."),
        ("You are lazy.", "The cat is lazy."),
        ("I will kill you.", "I will kill the process."),
        ("You are stupid.", "You are not stupid."),
        ("You sh*t!", "You shirt!"),
        ("Shut up, moron. Nice day.", "Shut the door. Nice day."),
    ],
)
def test_what_is_aimed_at_somebody_weighs_more(worse: str, better: str) -> None:
    assert rating(worse) > rating(better)


def test_a_text_is_as_toxic_as_its_worst_sentence_however_long_it_is() -> None:
    civil = "Thank you for your patience. "
    assert rating(civil * 300) == rating(civil) == 0.0
    assert rating(civil * 100 + "You are an idiot.") == rating("You are an idiot.")


def test_masked_letters_are_read() -> None:
    assert section_of("sh*t") == "profanity"
    assert section_of("b****") is None or section_of("b****") == "profanity"
    assert section_of("5*") is None


@settings(max_examples=150)
@given(st.text(max_size=200))
def test_any_text_has_a_rating_between_0_and_1(text: str) -> None:
    assert 0.0 <= rating(text) <= 1.0


@pytest.mark.parametrize("text", ["", " ", "\ud800", "👩‍⚕️", "東京は大きい", "a" * 1_000_000, "*" * 100_000, "a*" * 50_000])
def test_strange_texts_are_civil_and_quick(text: str) -> None:
    assert rating(text) == 0.0
