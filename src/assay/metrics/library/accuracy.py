"""Is the prediction right? Comparisons with the correct references, the best of them counting.

An empty prediction never scores, and `None` says that there is no correct reference to compare with. An option that was chosen
is judged by its place, whatever its text (`assay.metrics.matching`). Other predictions are compared as in HELM (exact and
quasi-exact match: Liang et al. 2022, arXiv 2211.09110, appendix C) and SQuAD (F1: Rajpurkar et al. 2016, arXiv 1606.05250).
"""

from __future__ import annotations

import string
from collections import Counter

from assay.metrics.base import metric
from assay.metrics.matching import best_likeness, best_match
from assay.metrics.normalization import comparable, words
from assay.metrics.scoring import is_unanswered
from assay.records import Answer


@metric(family="accuracy", version=2)
def exact_match(answer: Answer) -> float | None:
    """1 if the prediction equals a correct reference apart from surrounding white space, else 0."""
    return best_match(answer, lambda reference, prediction: reference == prediction)


@metric(family="accuracy", version=2)
def quasi_exact_match(answer: Answer) -> float | None:
    """1 if the prediction equals a correct reference apart from case, articles, white space and idle punctuation, else 0."""

    def match(reference: str, prediction: str) -> bool:
        wanted, given = comparable(reference, prediction)
        return wanted == given

    return best_match(answer, match)


@metric(family="accuracy", version=2)
def prefix_exact_match(answer: Answer) -> float | None:
    """1 if the prediction starts with a correct reference, else 0."""
    return best_match(answer, lambda reference, prediction: prediction.startswith(reference))


@metric(family="accuracy", version=2)
def quasi_prefix_exact_match(answer: Answer) -> float | None:
    """1 if the prediction starts with a correct reference, compared as in `quasi_exact_match`, else 0."""

    def match(reference: str, prediction: str) -> bool:
        wanted, given = comparable(reference, prediction)
        return bool(wanted) and given.startswith(wanted)

    return best_match(answer, match)


@metric(family="accuracy", version=2, source="https://arxiv.org/abs/1606.06031")
def first_word_match(answer: Answer) -> float | None:
    """1 if the prediction's first word is the first word of a correct reference, apart from punctuation around it, else 0."""

    def match(reference: str, prediction: str) -> bool:
        wanted = _first_word(reference)
        return bool(wanted) and wanted == _first_word(prediction)

    return best_match(answer, match)


def _first_word(text: str) -> str:
    return text.split(maxsplit=1)[0].strip(string.punctuation + "“”‘’…—–")


@metric(family="accuracy", source="https://arxiv.org/abs/1606.05250")
def f1_score(answer: Answer) -> float | None:
    """Harmonic mean of precision and recall over the words of prediction and reference, each as often as it occurs."""
    return best_likeness(answer, word_f1)


def word_f1(reference: str, prediction: str) -> float:
    """F1 over the multisets of normalised words, 0 to 1."""
    wanted, given = (text.split() for text in comparable(reference, prediction, words))
    common = (Counter(wanted) & Counter(given)).total()
    return 2 * common / (len(wanted) + len(given)) if common else 0.0


@metric(family="accuracy", version=2)
def exact_match_indicator(answer: Answer) -> float | None:
    """1 if what stands after the last space equals what stands there in a correct reference, else 0."""
    return best_match(answer, lambda reference, prediction: reference.split(" ")[-1] == prediction.split(" ")[-1])


@metric(family="accuracy")
def choice_accuracy(answer: Answer) -> float | None:
    """Credit for the chosen option: 1 if it is correct, 0 if not, and a share where options tie for the best score."""
    if answer.choice_credit is not None:
        return answer.choice_credit
    if answer.choice is not None:
        return float(answer.references[answer.choice].correct)
    asked_to_choose = any(not reference.correct for reference in answer.references)
    return 0.0 if asked_to_choose and is_unanswered(answer) else None
