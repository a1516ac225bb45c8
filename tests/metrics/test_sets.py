from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics.library.sets import exact_set_match, f1_set_match, iou_set_match, things
from assay.records import Answer, Reference


def answer(prediction: str, gold: str) -> Answer:
    return Answer(outcome="answered", prediction=prediction, references=(Reference(text=gold, correct=True),))


@pytest.mark.parametrize(
    ("prediction", "gold", "exact", "iou", "f1"),
    [
        ("The dog is green and furry.", "The dog is furry and green.", 1, 1, 1),
        ("The dog is furry.", "The dog is furry and green.", 0, 1 / 2, 2 / 3),
        ("The dog is furry, big and green", "The dog is furry and green.", 0, 2 / 3, 4 / 5),
        ("The dog is blue.", "The dog is furry and green.", 0, 0, 0),
        ("Nothing.", "Nothing.", 1, 1, 1),
        ("The dog is nothing", "Nothing.", 1, 1, 1),
        ("The dog is blue.", "Nothing.", 0, 0, 0),
        ("The dog is furry.\nThe cat is blue.", "The dog is furry.", 1, 1, 1),
        ("", "Nothing.", 0, 0, 0),
        (" \n", "The dog is furry.", 0, 0, 0),
    ],
)
def test_things_are_compared_as_sets(prediction: str, gold: str, exact: float, iou: float, f1: float) -> None:
    given = answer(prediction, gold)
    assert [exact_set_match(given), iou_set_match(given), f1_set_match(given)] == pytest.approx([exact, iou, f1])


def test_separators_take_the_white_space_around_them() -> None:
    assert things("It is red ,  blue,and green \t and\n white") == {"red", "blue", "green", "white"}
    assert things("It is red and and blue, , grey") == {"red", "and blue", "grey"}


@settings(deadline=None)
@given(st.text(alphabet=" \n,andx", max_size=30))
def test_things_are_split_as_by_the_plain_pattern(text: str) -> None:
    plain = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", text.strip())
    assert things(text) == {thing.strip() for thing in plain if thing.strip()}
