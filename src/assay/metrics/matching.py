"""Comparing a prediction with the correct references: what every metric of accuracy has in common."""

from __future__ import annotations

from collections.abc import Callable

from assay.records import Answer


def best_match(answer: Answer, match: Callable[[str, str], float | bool]) -> float | None:
    """Whether the answer is right: by the place of the chosen option where one was chosen, else by `match`.

    What was chosen by its place is right where that option is, or a correct one reads exactly the same: no way of normalising
    texts can make a wrong option right. Everything else is as in `best_likeness`.
    """
    chosen = by_choice(answer)
    return best_likeness(answer, match) if chosen is None else chosen


def by_choice(answer: Answer) -> float | None:
    """How right the chosen option is: 1 or 0, a share where several tied; `None` where none was chosen, or none is right."""
    if answer.choice is None or not (0 <= answer.choice < len(answer.references) and (gold := answer.gold)):
        return None
    if answer.choice_credit is not None and 0 < answer.choice_credit < 1:
        return answer.choice_credit
    chosen = answer.references[answer.choice]
    return float(chosen.correct or chosen.text in gold)


def best_likeness(answer: Answer, match: Callable[[str, str], float | bool]) -> float | None:
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
