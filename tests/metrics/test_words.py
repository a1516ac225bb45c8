from __future__ import annotations

import pytest
from nltk.tokenize.treebank import TreebankWordTokenizer

from assay.metrics.words import words, words_of_sentences

SENTENCES = [
    "Good muffins cost $3.88 in New York.",
    "They'll save and invest more, won't they?",
    'She said "hello, world" and (quietly) left.',
    "I can't go; it's 10:30 already -- really...",
    "We cannot do it: the dogs' bowls are empty!",
    "A 1,000-page book isn't light.",
    "John's brother's car",
    "You're gonna love it, I'm sure.",
    "100% of [these] {things} @ home & away #1",
    "",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_words_are_the_treebanks(sentence: str) -> None:
    assert words(sentence) == TreebankWordTokenizer().tokenize(sentence)


def test_each_sentence_loses_its_full_stop() -> None:
    assert words_of_sentences("He left. She stayed.") == ["He", "left", ".", "She", "stayed", "."]
    assert words("He left. She stayed.") == ["He", "left.", "She", "stayed", "."]


def test_abbreviations_and_initials_end_no_sentence() -> None:
    assert words_of_sentences("Dr. J. Smith came.") == ["Dr.", "J.", "Smith", "came", "."]
