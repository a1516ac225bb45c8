"""How many edits separate the prediction from a correct reference: similarities of one answer, error rates of many."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.metrics.base import additive, metric
from assay.metrics.distances import edit_distance, similarity
from assay.metrics.matching import best_likeness
from assay.metrics.normalization import squeeze, without_punctuation
from assay.metrics.scoring import is_unanswered
from assay.records import Answer

LEVENSHTEIN = "Levenshtein 1966"
WORD_ERRORS = "Jurafsky and Martin, Speech and Language Processing, chapter on speech recognition"


@metric(family="accuracy", source=LEVENSHTEIN)
def levenshtein_similarity(answer: Answer) -> float | None:
    """1 - (insertions + deletions + substitutions of characters) / length of the longer text, of the nearest reference."""
    return best_likeness(answer, similarity)


@metric(family="accuracy", source=LEVENSHTEIN)
def word_edit_similarity(answer: Answer) -> float | None:
    """1 - (insertions + deletions + substitutions of words) / words of the longer text; case and punctuation forgiven."""
    return best_likeness(answer, lambda reference, prediction: similarity(_words(reference), _words(prediction)))


def error_rate(totals: Mapping[str, float]) -> float | None:
    """Edits for each item of the references; `None` where the references are empty."""
    return totals.get("errors", 0.0) / totals["wanted"] if totals.get("wanted") else None


@additive(value=error_rate, family="accuracy", range=(0, None), better="lower", source=WORD_ERRORS)
def wer(answer: Answer) -> dict[str, float] | None:
    """Word error rate: edits from prediction to reference / words of the reference, summed over answers.

    Case and punctuation are forgiven. An empty prediction has deleted every word: 1. Above 1 where much was added.
    """
    return _errors(answer, _words)


@additive(value=error_rate, family="accuracy", range=(0, None), better="lower", source=WORD_ERRORS)
def cer(answer: Answer) -> dict[str, float] | None:
    """Character error rate: edits / characters of the reference, summed over answers; white space squeezed."""
    return _errors(answer, lambda text: list(squeeze(text)))


def _errors(answer: Answer, items: Callable[[str], list[str]]) -> dict[str, float] | None:
    """The edits to the reference with the lowest rate, and the size of that reference."""
    references = [found for text in answer.gold if (found := items(text))]
    if not references:
        return None
    given = [] if is_unanswered(answer) else items(answer.prediction)
    counted = [(edit_distance(reference, given), len(reference)) for reference in references]
    errors, wanted = min(counted, key=lambda pair: pair[0] / pair[1])
    return {"errors": float(errors), "wanted": float(wanted)}


def _words(text: str) -> list[str]:
    return without_punctuation(text.lower()).split()
