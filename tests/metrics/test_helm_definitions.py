from __future__ import annotations

import pytest

from assay.metrics.library import accuracy, helm
from assay.records import Answer, Reference


def answer(prediction: str, gold: str) -> Answer:
    return Answer(outcome="answered", prediction=prediction, references=(Reference(text=gold, correct=True),))


@pytest.mark.parametrize(
    ("name", "prediction", "gold", "right", "published"),
    [
        ("quasi_exact_match", "5", "-5", 0.0, 1.0),
        ("quasi_exact_match", "the", "A", 0.0, 1.0),
        ("quasi_prefix_exact_match", "London", "A", 0.0, 1.0),
        ("f1_score", "cat cat cat", "cat dog", 0.4, 2 / 3),
        ("quasi_exact_match", "The Paris.", "paris", 1.0, 1.0),
    ],
)
def test_the_published_definition_stands_beside_the_right_one(
    name: str, prediction: str, gold: str, right: float, published: float
) -> None:
    assert getattr(accuracy, name)(answer(prediction, gold)) == pytest.approx(right)
    assert getattr(helm, f"helm_{name}")(answer(prediction, gold)) == pytest.approx(published)


def test_the_last_number_is_compared_as_text() -> None:
    assert helm.helm_final_number_exact_match(answer("5 10", "10")) == 0.0
    assert helm.helm_final_number_exact_match(answer("so 1,234", "1234")) == 1.0
    assert helm.helm_final_number_exact_match(answer("The answer is 7. See chapter 3", "7")) == 0.0
