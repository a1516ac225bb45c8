"""Does the model know when it is right? Its confidence against the correctness of its answers.

Correctness is the scenario's main metric; the confidence is the one the prompting found (see `Answer.confidence_source`).
The expected calibration error is HELM's (Liang et al. 2022, arXiv 2211.09110; Kumar et al. 2019, arXiv 1909.10155): bins of
equal mass, whose edges lie midway between neighbouring confidences, so equal confidences share a bin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.base import summary
from assay.metrics.columns import Columns
from assay.metrics.weighted import mean

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

BINS = 10


def equal_mass_cuts(confidence: Floats, bins: int, counts: Integers | None = None) -> Integers:
    """Where the bins begin in ascending confidences, and where the last one ends; bins emptied by ties are left out.

    Args:
        confidence: ascending, shape (n,).
        bins: how many, at most the number of answers.
        counts: running totals of how often each answer counts, shape (n,); each counts once where not given.
    """
    import numpy as np

    size = len(confidence)
    answers = size if counts is None else int(counts[-1])
    each, over = divmod(answers, min(bins, answers))
    starts = np.arange(1, min(bins, answers))
    starts = starts * each + np.minimum(starts, over)
    after, before = starts, starts - 1
    if counts is not None:
        after, before = np.searchsorted(counts, after, side="right"), np.searchsorted(counts, before, side="right")
    edges = (confidence[before] + confidence[after]) / 2
    return np.unique(np.concatenate(([0], np.searchsorted(confidence, edges, side="right"), [size])))


def _sorted(columns: Columns) -> tuple[Columns, Integers]:
    import numpy as np

    order = np.lexsort((columns.score, columns.confidence))
    return columns.take(order), order


def calibration_error(columns: Columns, bins: int) -> float:
    """Sum over the bins of |mean confidence - mean correctness|, each weighted by its share of the answers."""
    import numpy as np

    ascending, _ = _sorted(columns)
    gaps = np.add.reduceat(ascending.confidence - ascending.score, equal_mass_cuts(ascending.confidence, bins)[:-1])
    return float(np.abs(gaps).sum() / len(columns))


def _resampled_error(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    ascending, order = _sorted(columns)
    gap = ascending.confidence - ascending.score
    values = np.empty(len(weights))
    for row, drawn in enumerate(weights[:, order]):
        counts = np.cumsum(drawn).astype(np.int64)
        cuts = equal_mass_cuts(ascending.confidence, BINS, counts)
        values[row] = np.abs(np.add.reduceat(gap * drawn, cuts[:-1])).sum() / counts[-1]
    return values


def _noise_of_error(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    ascending, order = _sorted(columns)
    gap = ascending.confidence - ascending.score
    starts = equal_mass_cuts(ascending.confidence, BINS)[:-1]
    drawn = weights[:, order]
    share = np.add.reduceat(drawn * gap, starts, axis=1) / drawn.sum(axis=1, keepdims=True)
    return np.asarray(np.abs(share - np.add.reduceat(gap, starts) / len(gap)).sum(axis=1))


@summary(
    family="calibration",
    needs=("confidence", "score"),
    better="lower",
    everywhere=True,
    source="https://arxiv.org/abs/1909.10155",
    resampled=_resampled_error,
    noise=_noise_of_error,
)
def ece_10_bin(columns: Columns) -> float | None:
    """Expected calibration error over ten bins with equally many answers."""
    return calibration_error(columns, BINS)


def _resampled_gap(columns: Columns, weights: Floats) -> Floats:
    return abs(mean(columns.confidence - columns.score, weights))


def _noise_of_gap(columns: Columns, weights: Floats) -> Floats:
    gap = columns.confidence - columns.score
    return abs(mean(gap, weights) - gap.mean())


@summary(
    family="calibration",
    needs=("confidence", "score"),
    better="lower",
    everywhere=True,
    resampled=_resampled_gap,
    noise=_noise_of_gap,
)
def ece_1_bin(columns: Columns) -> float | None:
    """|mean confidence - accuracy|: over- or underconfidence on the whole."""
    return float(abs((columns.confidence - columns.score).mean()))


def _resampled_brier(columns: Columns, weights: Floats) -> Floats:
    return mean((columns.confidence - columns.score) ** 2, weights)


@summary(
    family="calibration",
    needs=("confidence", "score"),
    better="lower",
    everywhere=True,
    source="https://doi.org/10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2",
    resampled=_resampled_brier,
)
def brier_score(columns: Columns) -> float | None:
    """Mean squared difference between confidence and correctness: calibration and discrimination in one number."""
    return float(((columns.confidence - columns.score) ** 2).mean())


def _resampled_confidence(columns: Columns, weights: Floats) -> Floats:
    return mean(columns.confidence, weights)


@summary(family="calibration", needs=("confidence",), better="neither", everywhere=True, resampled=_resampled_confidence)
def mean_confidence(columns: Columns) -> float | None:
    """Mean of the model's confidence in its answers."""
    return float(columns.confidence.mean())
