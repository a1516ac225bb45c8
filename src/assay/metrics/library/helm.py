"""HELM's own definitions, where they differ from the right ones, so that published numbers can be reproduced.

They are those of HELM 0.5 (Liang et al. 2022, arXiv 2211.09110). The metrics without the prefix are the ones to use.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable

import msgspec

from assay.metrics.base import metric
from assay.metrics.matching import best_likeness
from assay.metrics.ngrams import precision_with_brevity
from assay.metrics.normalization import squeeze
from assay.metrics.words import words_of_sentences
from assay.records import Answer

_articles = re.compile(r"\b(?:a|an|the)\b")
_punctuation = str.maketrans("", "", string.punctuation)
_number = re.compile(r"-?[\d,]+(?:.\d+)?")


def normalized(text: str) -> str:
    """Lower case, without ASCII punctuation (signs and decimal points included), articles and surplus white space."""
    return squeeze(_articles.sub(" ", text.lower().translate(_punctuation)))


@metric(family="accuracy")
def helm_quasi_exact_match(answer: Answer) -> float | None:
    """Quasi-exact match in which "-5" equals "5", "3.14" equals "314", and every option called "A" is empty."""
    return _best(answer, lambda reference, prediction: normalized(reference) == normalized(prediction))


@metric(family="accuracy")
def helm_quasi_prefix_exact_match(answer: Answer) -> float | None:
    """Quasi-prefix match in which a reference that normalises to nothing is matched by everything."""
    return _best(answer, lambda reference, prediction: normalized(prediction).startswith(normalized(reference)))


@metric(family="accuracy")
def helm_f1_score(answer: Answer) -> float | None:
    """F1 over the sets of words, so that repeating a word costs nothing."""

    def set_f1(reference: str, prediction: str) -> float:
        wanted, given = set(normalized(reference).split()), set(normalized(prediction).split())
        common = len(wanted & given)
        return 2 * common / (len(wanted) + len(given)) if common else 0.0

    return _best(answer, set_f1)


@metric(family="accuracy")
def helm_final_number_exact_match(answer: Answer) -> float | None:
    """Last numbers compared as text, where any character may stand for the decimal point: "5 10" is one number."""

    def last(text: str) -> str:
        found = _number.findall(text)
        return found[-1].replace(",", "") if found else text

    return _best(answer, lambda reference, prediction: last(reference).strip() == last(prediction).strip())


@metric(family="accuracy")
def helm_bleu_1(answer: Answer) -> float | None:
    """Share of the prediction's words that the reference has, times exp(1 - |reference| / |prediction|) where it is shorter."""
    return _best(answer, lambda reference, prediction: _precision(reference, prediction, 1))


@metric(family="accuracy")
def helm_bleu_4(answer: Answer) -> float | None:
    """The precision of word 4-grams alone, times the penalty for brevity: not BLEU-4, which averages orders 1 to 4."""
    return _best(answer, lambda reference, prediction: _precision(reference, prediction, 4))


def _best(answer: Answer, match: Callable[[str, str], float | bool]) -> float | None:
    """The best match with what was said, also where an option was read out of it: HELM reads none in free text."""
    if answer.text:
        answer = msgspec.structs.replace(answer, prediction=answer.text, choice=None, choice_credit=None)
    return best_likeness(answer, match)


def _precision(reference: str, prediction: str, n: int) -> float:
    return precision_with_brevity(words_of_sentences(reference), words_of_sentences(prediction), n)
