"""Which classes the predictions hit: F1 by class, averaged over classes (macro) and over all predictions (micro).

The label of an answer is its correct reference; where several are correct, the one predicted, else the first. Labels are
compared apart from case, punctuation and articles, unless that makes two options of an item the same: then as they are written.
A class is a label that occurs as the right one, or that was offered and
predicted. A prediction that is no class misses its right class and, in the micro average, is a false positive; an empty
one is a miss alone. All are functions of sums over answers, and their F1 is 2 * hits / (right + predicted).

The `multilabel_` metrics take every correct reference as a label and split the prediction at commas, semicolons and new lines.
`classification_f1:LABEL` is the F1 of one class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from assay.metrics.base import Metric, additive
from assay.metrics.normalization import forms
from assay.metrics.scoring import is_unanswered
from assay.records import Answer

SOURCE = "https://doi.org/10.1016/j.ipm.2009.03.002"
LONGEST_LABEL = 100
"""Characters: a longer prediction that no option equals is taken for no label, so that free text makes no classes."""
BY_CLASS = "classification_f1:"

_delimiter = re.compile(r"[,;|\n]")


def macro_f1(totals: Mapping[str, float]) -> float | None:
    """The mean F1 over classes; `None` where there is no class."""
    found = 0.0
    classes = 0
    for name, right in totals.items():  # once a class and resample: no more look-ups than it takes
        if not name.startswith("right "):
            continue
        label = name[6:]
        given = totals.get("given " + label, 0.0)
        if right or (given and totals.get("offered " + label)):
            classes += 1
            found += 2 * totals.get("hits " + label, 0.0) / (right + given)
    return found / classes if classes else None


def micro_f1(totals: Mapping[str, float]) -> float | None:
    """F1 over all classes together; `None` where there is no label."""
    both = totals.get("right", 0.0) + totals.get("given", 0.0)
    return 2 * totals.get("hits", 0.0) / both if totals.get("right") else None


def f1_of(totals: Mapping[str, float], label: str) -> float:
    """The F1 of one class, 0 where it was never hit."""
    both = _of(totals, "right", label) + _of(totals, "given", label)
    return 2 * _of(totals, "hits", label) / both if both else 0.0


def _of(totals: Mapping[str, float], what: str, label: str) -> float:
    return totals.get(f"{what} {label}", 0.0)


@additive(value=macro_f1, family="accuracy", source=SOURCE, version=3)
def classification_macro_f1(answer: Answer) -> dict[str, float] | None:
    """Mean over classes of 2 * hits / (answers of the class + predictions of it): every class weighs the same."""
    found = labels(answer)
    return None if found is None else counts_by_class(*found, offered(answer))


@additive(value=micro_f1, family="accuracy", source=SOURCE, version=2)
def classification_micro_f1(answer: Answer) -> dict[str, float] | None:
    """2 * hits / (answers + predictions) over all classes together; equals accuracy where every answer is a label."""
    found = labels(answer)
    return None if found is None else _together(*found)


@additive(value=macro_f1, family="accuracy", source=SOURCE, version=3)
def multilabel_macro_f1(answer: Answer) -> dict[str, float] | None:
    """Mean F1 over classes where an answer may have several labels."""
    found = label_sets(answer)
    return None if found is None else counts_by_class(*found, offered(answer))


@additive(value=micro_f1, family="accuracy", source=SOURCE, version=2)
def multilabel_micro_f1(answer: Answer) -> dict[str, float] | None:
    """2 * labels hit / (right labels + predicted labels) where an answer may have several labels."""
    found = label_sets(answer)
    return None if found is None else _together(*found)


def f1_of_class(label: str) -> Metric:
    """The metric `classification_f1:LABEL`: the F1 of one class, undefined where it is neither right nor predicted."""
    normal = normalized(label)

    def value(totals: Mapping[str, float]) -> float | None:
        return f1_of(totals, normal) if _of(totals, "right", normal) + _of(totals, "given", normal) else None

    def counts(answer: Answer) -> dict[str, float] | None:
        found = labels(answer)
        if found is None:
            return None
        mine = {normal}
        return counts_by_class(found[0] & mine, found[1] & mine, set())

    about = f"F1 of the class {label}: 2 * hits / (answers of the class + predictions of it)."
    hits_of_all = (lambda f1: f1 / (2 - f1), lambda share: 2 * share / (1 + share))
    """F1 as hits / (answers of the class or predictions of it), of which each answer is one: arXiv 2309.14621."""
    made = Metric(
        BY_CLASS + label, "accuracy", (0, 1), "higher", about, version=2, source=SOURCE, of_counts=counts, value=value
    )
    return replace(made, as_share=hits_of_all)


def labels(answer: Answer) -> tuple[set[str], set[str]] | None:
    """The right label and the predicted one (or none), each as a set; `None` where no reference is correct."""
    name = _naming(answer)
    right = [label for text in answer.gold if (label := name(text))]
    if not right:
        return None
    given = _given([prediction_of(answer)], answer)
    return ({*given} & {*right} or {right[0]}), given


def label_sets(answer: Answer) -> tuple[set[str], set[str]] | None:
    """All right labels and all predicted ones; `None` where no reference is correct."""
    name = _naming(answer)
    right = {label for text in answer.gold if (label := name(text))}
    return (right, _given(_delimiter.split(prediction_of(answer)), answer)) if right else None


def offered(answer: Answer) -> set[str]:
    """Every label that the references of an answer name, the wrong ones included."""
    name = _naming(answer)
    return {label for reference in answer.references if (label := name(reference.text))}


def _naming(answer: Answer) -> Callable[[str], str]:
    """How the labels of an item are compared: normalised, unless that makes two of its options the same."""
    texts = {reference.text for reference in answer.references}
    return normalized if len({normalized(text) for text in texts}) == len(texts) else str.strip


@lru_cache(maxsize=4096)
def normalized(label: str) -> str:
    """A label without case, punctuation and articles, or with them where nothing else is left ("A")."""
    return next((form for form in forms(label) if form), "")


def prediction_of(answer: Answer) -> str:
    """The prediction, empty where the response gave none."""
    return "" if is_unanswered(answer) else answer.prediction


def _given(predictions: Iterable[str], answer: Answer) -> set[str]:
    """The predicted labels; what cannot be one is `?`, which no label equals."""
    options = offered(answer) if any(not reference.correct for reference in answer.references) else None
    name = _naming(answer)
    found = {label for text in predictions if (label := name(text))}
    return {label if (label in options if options else len(label) <= LONGEST_LABEL) else "?" for label in found}


def counts_by_class(right: set[str], given: set[str], known: set[str]) -> dict[str, float]:
    """One answer's counts for each class: `right`, `given`, `hits` and `offered`, each before the label."""
    counts = {f"right {label}": 0.0 for label in known}
    counts |= {f"right {label}": 1.0 for label in right}
    counts |= {f"given {label}": 1.0 for label in given}
    counts |= {f"hits {label}": 1.0 for label in right & given}
    return counts | {f"offered {label}": 1.0 for label in known}


def _together(right: set[str], given: set[str]) -> dict[str, float]:
    return {"right": float(len(right)), "given": float(len(given)), "hits": float(len(right & given))}
