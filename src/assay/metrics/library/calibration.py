"""Does the model know when it is right? Its confidence against the correctness of its answers, in bins.

Correctness is the scenario's main metric; the confidence is the one the prompting found (see `Answer.confidence_source`).
The expected calibration error is HELM's (Liang et al. 2022, arXiv 2211.09110; Kumar et al. 2019, arXiv 1909.10155): bins of
equal mass, whose edges lie midway between neighbouring confidences, so equal confidences share a bin.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.metrics.base import metric, summary
from assay.metrics.columns import Columns
from assay.metrics.weighted import drawn_at, mean
from assay.records import Answer

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


def ascending(columns: Columns) -> tuple[Columns, Integers]:
    """The answers in the order of their confidence, and where each stood."""
    return columns.take(columns.by_confidence), columns.by_confidence


def calibration_error(columns: Columns, bins: int) -> float:
    """Sum over the bins of |mean confidence - mean correctness|, each weighted by its share of the answers."""
    import numpy as np

    by_confidence, _ = ascending(columns)
    gaps = np.add.reduceat(by_confidence.confidence - by_confidence.score, equal_mass_cuts(by_confidence.confidence, bins)[:-1])
    return float(np.abs(gaps).sum() / len(columns))


def _resampled_error(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    order = columns.by_confidence
    confidence, drawn, answers = columns.confidence[order], weights.take(order, axis=1), weights.sum(axis=1).astype(np.int64)
    starts = _bins_of_resamples(confidence, drawn, answers[:, None])
    drawn *= confidence - columns.score[order]
    gaps = np.abs(np.add.reduceat(drawn.ravel(), starts))
    return np.asarray(np.bincount(starts // len(columns), gaps) / answers)


def _bins_of_resamples(confidence: Floats, drawn: Floats, answers: Integers) -> Integers:
    """Where bins begin that hold answers, as `equal_mass_cuts` finds them, in all resamples written one after the other.

    Args:
        confidence: ascending, shape (n,).
        drawn: how often each answer was, shape (resamples, n).
        answers: how many answers each resample has, shape (resamples, 1).
    """
    import numpy as np

    bins = np.minimum(BINS, answers)
    each, over = np.divmod(answers, bins)
    numbers = np.minimum(np.arange(1, BINS), bins - 1)  # of fewer bins the last one is named several times
    firsts = numbers * each + np.minimum(numbers, over)
    around = confidence[drawn_at(drawn, np.concatenate((firsts - 1, firsts), axis=1))]
    cuts = np.searchsorted(confidence, (around[:, : BINS - 1] + around[:, BINS - 1 :]) / 2, side="right")
    rows = np.arange(len(drawn))[:, None]
    starts = (np.concatenate((np.zeros_like(rows), cuts), axis=1) + rows * len(confidence)).ravel()
    return starts[np.append(True, starts[1:] > starts[:-1]) & (starts < drawn.size)]


def _gaps_of_bins(columns: Columns) -> tuple[Floats, Integers]:
    import numpy as np

    by_confidence, order = ascending(columns)
    cuts = equal_mass_cuts(by_confidence.confidence, BINS)
    gaps, bins = np.empty(len(columns)), np.empty(len(columns), dtype=np.int64)
    gaps[order] = by_confidence.confidence - by_confidence.score
    bins[order] = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    return gaps, bins


@summary(
    family="calibration",
    needs=("confidence", "score"),
    better="lower",
    everywhere=True,
    source="https://arxiv.org/abs/1909.10155",
    resampled=_resampled_error,
    gaps=_gaps_of_bins,
)
def ece_10_bin(columns: Columns) -> float | None:
    """Expected calibration error over ten bins with equally many answers."""
    return calibration_error(columns, BINS)


def _debiased(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    by_confidence, order = ascending(columns)
    score, gap = by_confidence.score, by_confidence.confidence - by_confidence.score
    values = np.empty(len(weights))
    for row, drawn in enumerate(weights[:, order]):
        counts = np.cumsum(drawn).astype(np.int64)
        starts = equal_mass_cuts(by_confidence.confidence, BINS, counts)[:-1]
        sizes, gaps, right, squares = (np.add.reduceat(drawn * part, starts) for part in (1.0, gap, score, score * score))
        filled = sizes > 0
        sizes, gaps, right, squares = sizes[filled], gaps[filled], right[filled], squares[filled]
        noise = np.sqrt(np.maximum(squares / sizes - (right / sizes) ** 2, 0) / sizes)
        terms = zip((sizes / counts[-1]).tolist(), np.abs(gaps / sizes).tolist(), noise.tolist(), strict=True)
        values[row] = max(0.0, math.fsum(share * (2 * size - _mean_absolute(size, spread)) for share, size, spread in terms))
    return values


def _mean_absolute(mean_value: float, spread: float) -> float:
    """The mean of |X| for a normal X with this mean and standard deviation (the folded normal distribution)."""
    if spread == 0:
        return mean_value
    scaled = mean_value / spread
    return spread * math.sqrt(2 / math.pi) * math.exp(-scaled * scaled / 2) + mean_value * math.erf(scaled / math.sqrt(2))


@summary(
    family="calibration",
    needs=("confidence", "score"),
    better="lower",
    source="https://arxiv.org/abs/1909.10155",
    resampled=_debiased,
    gaps=_gaps_of_bins,
)
def ece_debiased(columns: Columns) -> float | None:
    """Expected calibration error over ten equal bins, less what chance alone adds to it.

    The error of a bin is the size of a mean of n noisy labels, which is positive even where the model is calibrated. Each bin's
    surplus is estimated as E|N(gap, variance of the labels / n)| - |gap| and taken away; never below 0.
    """
    import numpy as np

    return float(_debiased(columns, np.ones((1, len(columns))))[0])


def _resampled_gap(columns: Columns, weights: Floats) -> Floats:
    return abs(mean(columns.confidence - columns.score, weights))


def _gap_of_all(columns: Columns) -> tuple[Floats, Integers]:
    import numpy as np

    return columns.confidence - columns.score, np.zeros(len(columns), dtype=np.int64)


@summary(
    family="calibration",
    needs=("confidence", "score"),
    better="lower",
    everywhere=True,
    resampled=_resampled_gap,
    gaps=_gap_of_all,
)
def ece_1_bin(columns: Columns) -> float | None:
    """|mean confidence - accuracy|: over- or underconfidence on the whole."""
    return float(abs((columns.confidence - columns.score).mean()))


def _resampled_confidence(columns: Columns, weights: Floats) -> Floats:
    return mean(columns.confidence, weights)


@summary(
    family="calibration",
    needs=("confidence",),
    better="neither",
    everywhere=True,
    resampled=_resampled_confidence,
    each=lambda columns: columns.confidence,
)
def mean_confidence(columns: Columns) -> float | None:
    """Mean of the model's confidence in its answers."""
    return float(columns.confidence.mean())


@metric(family="calibration", better="neither")
def max_prob(answer: Answer) -> float | None:
    """The model's confidence in its answer; HELM's name for it."""
    return answer.confidence


@metric(family="calibration", better="neither", everywhere=True)
def confidence_known(answer: Answer) -> float | None:
    """1 if the model's confidence in the answer is known from any source, else 0: the share that calibration rests on."""
    return float(answer.confidence is not None)


@metric(family="calibration", better="neither", everywhere=True)
def confidence_from_choice_probability(answer: Answer) -> float | None:
    """1 where the confidence is the probability of the chosen option among the options; absent for other sources."""
    return 1.0 if answer.confidence_source == "choice_probability" else None


@metric(family="calibration", better="neither", everywhere=True)
def confidence_from_sequence_logprob(answer: Answer) -> float | None:
    """1 where the confidence is the probability of the whole completion; absent for other sources."""
    return 1.0 if answer.confidence_source == "sequence_logprob" else None


@metric(family="calibration", better="neither", everywhere=True)
def confidence_from_statement(answer: Answer) -> float | None:
    """1 where the confidence is what the model stated; absent for other sources."""
    return 1.0 if answer.confidence_source == "stated" else None


@metric(family="calibration", better="neither", everywhere=True)
def confidence_from_agreement(answer: Answer) -> float | None:
    """1 where the confidence is the share of samples that agree with the prediction; absent for other sources."""
    return 1.0 if answer.confidence_source == "agreement" else None
