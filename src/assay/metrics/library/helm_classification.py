"""HELM's F1 over classes, where it differs from the right one: see `assay.metrics.library.classification`.

HELM 0.5 takes every option text for a class of its own, and of generated answers only the labels that occur as right ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.metrics.base import additive
from assay.metrics.library.classification import counts_by_class, f1_of, prediction_of
from assay.metrics.normalization import words
from assay.records import Answer


def helm_macro_f1(totals: Mapping[str, float]) -> float | None:
    """Mean F1 over every label that occurs as the right one or, where options were offered, as a prediction."""
    classes = {name.partition(" ")[2] for name, count in totals.items() if count and name.startswith("right ")}
    if totals.get("choices"):
        classes |= {name.partition(" ")[2] for name, count in totals.items() if count and name.startswith("given ")}
    return sum(f1_of(totals, label) for label in sorted(classes)) / len(classes) if classes else None


def helm_micro_f1(totals: Mapping[str, float]) -> float | None:
    """F1 over the same labels together: what is not among them is no prediction."""
    classes = {name.partition(" ")[2] for name, count in totals.items() if count and name.startswith("right ")}
    choices = bool(totals.get("choices"))
    both = hits = 0.0
    for name, count in totals.items():
        what, _, label = name.partition(" ")
        both += count if what == "right" or (what == "given" and (choices or label in classes)) else 0.0
        hits += count if what == "hits" else 0.0
    return 2 * hits / both if both else None


def _normalized(label: str) -> str:
    return next((form for form in words(label) if form), "")


def _helm_counts(answer: Answer) -> dict[str, float] | None:
    choices = any(not reference.correct for reference in answer.references)
    written: Callable[[str], str] = str.strip if choices else _normalized
    if not answer.gold:
        return None
    given = written(answer.text or prediction_of(answer))
    counts = counts_by_class({written(answer.gold[0])}, {given} if given or choices else set(), set())
    return counts | {"choices": float(choices)}


@additive(value=helm_macro_f1, family="accuracy", source="https://arxiv.org/abs/2211.09110")
def helm_classification_macro_f1(answer: Answer) -> dict[str, float] | None:
    """Macro F1 over option texts, each of which is a class, or over the labels that occur as the right ones."""
    return _helm_counts(answer)


@additive(value=helm_micro_f1, family="accuracy", source="https://arxiv.org/abs/2211.09110")
def helm_classification_micro_f1(answer: Answer) -> dict[str, float] | None:
    """Micro F1 over the same classes; a prediction that is no class costs only recall, so that silence is cheap."""
    return _helm_counts(answer)
