r"""Is the answer of a mathematics problem right, however it is written? See `assay.metrics.mathematics`."""

from __future__ import annotations

from assay.metrics.base import metric
from assay.metrics.library.numbers import number_in
from assay.metrics.matching import best_match
from assay.metrics.mathematics import equivalent, last_box
from assay.prompting import numbers
from assay.records import Answer

SOURCE = "https://arxiv.org/abs/2103.03874"


@metric(family="accuracy", version=2, source=SOURCE)
def math_equiv(answer: Answer) -> float | None:
    r"""1 if the prediction equals a correct reference in value or in form, else 0; a \boxed answer within either counts."""

    def match(reference: str, prediction: str) -> bool:
        boxed_reference, boxed_prediction = last_box(reference), last_box(prediction)
        wanted = reference if boxed_reference is None else boxed_reference
        return equivalent(wanted, prediction if boxed_prediction is None else boxed_prediction)

    return best_match(answer, match)


@metric(family="accuracy", version=2, source=SOURCE)
def math_equiv_chain_of_thought(answer: Answer) -> float | None:
    r"""1 if what stands in the last \boxed of the prediction equals that of a correct reference, else 0.

    A prediction without a box is wrong, also where the reference has none; such a reference is compared as a whole.
    """

    def match(reference: str, prediction: str) -> bool:
        boxed_reference, boxed_prediction = last_box(reference), last_box(prediction)
        if boxed_prediction is None:
            return False
        return equivalent(reference if boxed_reference is None else boxed_reference, boxed_prediction)

    return best_match(answer, match)


@metric(family="accuracy", range=(0, None), better="lower", version=2)
def absolute_value_difference(answer: Answer) -> float | None:
    """Distance between the number that the prediction gives as its answer and that of the nearest correct reference.

    It has no worst value, so a prediction without a number has none: read it together with `answered`.
    """
    wanted = [(text, number) for text in answer.gold if (number := numbers.number(text).value) is not None]
    given = [(number_in(answer, answer.prediction, [text]), number) for text, number in wanted]
    return min((abs(float(one) - float(number)) for one, number in given if one is not None), default=None)
