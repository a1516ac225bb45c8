"""What a model's confidence is worth to one who may abstain: answer where it is sure, pass on the rest.

Answers are taken in falling order of confidence. Equal confidences cannot be told apart, so they count as their mean: no number
here depends on the order in which tied answers came. Source: El-Yaniv and Wiener 2010; Geifman, Uziel and El-Yaniv 2019
(arXiv 1805.08206).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.metrics.base import summary
from assay.metrics.columns import Columns

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

PAPER = "https://arxiv.org/abs/1805.08206"


def ranked(columns: Columns, weights: Floats) -> tuple[Floats, Floats]:
    """How many answers, and how many errors among them, each threshold admits.

    Args:
        columns: confidence, and score: how right each answer is, 0 to 1.
        weights: how often each answer counts, shape (resamples, answers).

    Returns:
        (admitted, errors), each of shape (resamples, 1 + distinct confidences), from admitting none to admitting all.
    """
    import numpy as np

    drawn, right = (parts[:, ::-1] for parts in _by_confidence(columns, weights))
    admitted, errors = np.zeros((2, len(drawn), drawn.shape[1] + 1))
    np.cumsum(drawn, axis=1, out=admitted[:, 1:])
    np.cumsum(drawn - right, axis=1, out=errors[:, 1:])
    return admitted, errors


def _by_confidence(columns: Columns, weights: Floats) -> tuple[Floats, Floats]:
    """How many answers, and how many right ones among them, have each confidence, in rising order."""
    import numpy as np

    order = columns.by_confidence
    rising = columns.confidence[order]
    starts = np.append(0, np.flatnonzero(np.diff(rising)) + 1)
    drawn = weights.take(order, axis=1)
    right = drawn * columns.score[order]
    if len(starts) == len(order):
        return drawn, right
    return np.add.reduceat(drawn, starts, axis=1), np.add.reduceat(right, starts, axis=1)


def area(columns: Columns, weights: Floats) -> Floats:
    """The mean over all coverages 1/n, 2/n, … of the share of errors among the answers admitted.

    Within a group of m equal confidences the k-th admitted adds the group's mean error, so that the group contributes
    e + (E - K e/m) (H(K + m) - H(K)): E errors among the K answers before it, e in it, H the harmonic numbers.
    """
    import numpy as np

    admitted, errors = ranked(columns, weights)
    most = int(admitted[:, -1].max())
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, most + 1))))[admitted.astype(np.int64)]
    before, here = admitted[:, :-1], np.diff(admitted, axis=1)
    wrong = np.diff(errors, axis=1)
    rate = wrong / np.maximum(here, 1)
    parts = wrong + (errors[:, :-1] - before * rate) * np.diff(harmonic, axis=1)
    return np.asarray(parts.sum(axis=1) / admitted[:, -1])


def _aurc(columns: Columns, weights: Floats) -> Floats:
    return area(columns, weights)


def _excess(columns: Columns, weights: Floats) -> Floats:
    ideal = replace(columns, confidence=columns.score)
    return area(columns, weights) - area(ideal, weights)


def _selective_area(columns: Columns, weights: Floats) -> Floats:
    return 1 - area(columns, weights)


def _auroc(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    drawn, right = _by_confidence(columns, weights)
    wrong = drawn
    wrong -= right
    below = np.cumsum(wrong, axis=1)
    pairs = below[:, -1] * right.sum(axis=1)
    wrong /= 2
    below -= wrong
    below *= right
    return np.asarray(np.where(pairs > 0, below.sum(axis=1) / np.where(pairs > 0, pairs, 1), np.nan))


def once(function: Callable[[Columns, Floats], Floats], columns: Columns) -> float | None:
    """A function of resamples, for the answers as they are; `None` where it is not a number."""
    import numpy as np

    value = float(function(columns, np.ones((1, len(columns))))[0])
    return value if math.isfinite(value) else None


@summary(
    family="calibration",
    needs=("confidence", "score"),
    everywhere=True,
    source="https://doi.org/10.1148/radiology.143.1.7063747",
    resampled=_auroc,
)
def auroc(columns: Columns) -> float | None:
    """Probability that a right answer has more confidence than a wrong one; ties count half. 0.5 is worthless."""
    return once(_auroc, columns)


@summary(family="calibration", needs=("confidence", "score"), better="lower", source=PAPER, resampled=_aurc)
def aurc(columns: Columns) -> float | None:
    """Area under the risk-coverage curve: the error rate of the answers admitted, averaged over all coverages."""
    return once(_aurc, columns)


@summary(family="calibration", needs=("confidence", "score"), better="lower", source=PAPER, resampled=_excess)
def e_aurc(columns: Columns) -> float | None:
    """Excess of `aurc` over that of a confidence which puts all right answers before all wrong ones."""
    value = once(_excess, columns)
    return None if value is None else max(0.0, value)


@summary(
    family="calibration",
    needs=("confidence", "score"),
    source="https://arxiv.org/abs/2211.09110",
    resampled=_selective_area,
)
def selective_cov_acc_area(columns: Columns) -> float | None:
    """Accuracy of the answers admitted, averaged over all coverages: 1 - `aurc`."""
    return once(_selective_area, columns)


def _accuracy_at(share: float) -> Callable[[Columns, Floats], Floats]:
    def accuracy(columns: Columns, weights: Floats) -> Floats:
        import numpy as np

        admitted, errors = ranked(columns, weights)
        wanted = np.maximum(np.ceil(share * admitted[:, -1] - 1e-9), 1)
        last = (admitted < wanted[:, None]).sum(axis=1)
        rows = np.arange(len(weights))
        before, wrong = admitted[rows, last - 1], errors[rows, last - 1]
        rate = (errors[rows, last] - wrong) / (admitted[rows, last] - before)
        return np.asarray(1 - (wrong + rate * (wanted - before)) / wanted)

    return accuracy


def _coverage_at(risk: float) -> Callable[[Columns, Floats], Floats]:
    def coverage(columns: Columns, weights: Floats) -> Floats:
        import numpy as np

        admitted, errors = ranked(columns, weights)
        safe = errors <= risk * admitted + 1e-9
        return np.asarray(np.where(safe, admitted, 0).max(axis=1) / admitted[:, -1])

    return coverage


def _register(name: str, about: str, function: Callable[[Columns, Floats], Floats]) -> None:
    def value(columns: Columns) -> float | None:
        return once(function, columns)

    value.__name__, value.__doc__ = name, about
    needs = ("confidence", "score")
    summary(family="calibration", needs=needs, source=PAPER, resampled=function)(value)


for percent in (10, 50, 80, 90):
    _register(
        f"selective_acc@{percent}",
        f"Accuracy of the {percent} % of the answers that the model is surest of (rounded up).",
        _accuracy_at(percent / 100),
    )
for percent in (5, 10, 20):
    _register(
        f"coverage_at_risk@{percent}",
        f"Largest share of the answers, surest first, of which at most {percent} % are wrong.",
        _coverage_at(percent / 100),
    )
