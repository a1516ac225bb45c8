"""Comparing a prediction with the correct references: what every metric of accuracy has in common."""

from __future__ import annotations

from collections.abc import Callable

from assay.records import Answer


def best_match(answer: Answer, match: Callable[[str, str], float | bool]) -> float | None:
    """The best `match(reference, prediction)` over the correct references, surrounding white space removed.

    An empty prediction scores 0 and an empty reference is matched by nothing. Where several options tied for the best score
    the prediction is only the first of them, so the value is the share of them that is right. `None` where the answer has no
    correct reference with text: there is nothing to compare with.
    """
    if answer.choice_credit is not None and 0 < answer.choice_credit < 1:
        return answer.choice_credit
    references = [stripped for text in answer.gold if (stripped := text.strip())]
    if not references:
        return None
    prediction = answer.prediction.strip()
    if not prediction:
        return 0.0
    return float(max(match(reference, prediction) for reference in references))
