from __future__ import annotations

import pytest

from assay.metrics.library.sets import exact_set_match, f1_set_match, iou_set_match
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
