"""How well calibrated a model could be: its error after Platt scaling, a logistic curve from its confidence to correctness.

The scaling is fitted on one half of the answers and judged on the other, and the reverse, so that it cannot flatter itself. The
halves alternate in the order of confidence. The fit is Platt's own (1999), whose softened targets keep it finite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.metrics.base import summary
from assay.metrics.columns import Columns
from assay.metrics.library.calibration import BINS, ascending, equal_mass_cuts
from assay.metrics.library.selective import once

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

PAPER = "Platt 1999, Probabilistic Outputs for Support Vector Machines"
CLIP = 1e-12
"""Confidences are brought within this distance of 0 and 1 before their log odds are taken."""
RIDGE = 1e-6
"""Penalty on the squared slope: decides it where all confidences are equal."""
LONGEST_STEP = 4.0
MOST_STEPS = 60


def log_odds(confidence: Floats) -> Floats:
    """ln(p / (1 - p)), within about 27.6 of 0."""
    import numpy as np

    clipped = np.clip(confidence, CLIP, 1 - CLIP)
    return np.asarray(np.log(clipped / (1 - clipped)))


def _sigmoid(values: Floats) -> Floats:
    import numpy as np
    from scipy.special import expit

    return np.asarray(expit(values))


def fit(odds: Floats, score: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Slope and intercept of each resample, shapes (resamples,), by Newton's method.

    Args:
        odds: log odds of the confidences, shape (answers,).
        score: how right each answer is.
        weights: how often each counts, shape (resamples, answers).
    """
    import numpy as np

    size = np.maximum(weights.sum(axis=1), 1)
    right = (weights * score).sum(axis=1)
    high, low = (right + 1) / (right + 2), 1 / (size - right + 2)
    target = low[:, None] + (high - low)[:, None] * score
    centre = (weights * odds).sum(axis=1) / size
    centred = odds - centre[:, None]
    slope, level = np.zeros(len(weights)), np.zeros(len(weights))
    for _ in range(MOST_STEPS):
        chance = _sigmoid(slope[:, None] * centred + level[:, None])
        off = weights * (chance - target)
        curve = weights * chance * (1 - chance)
        bend = curve * centred
        across, down = (off * centred).sum(axis=1) + RIDGE * slope, off.sum(axis=1)
        xx, x1, one = (bend * centred).sum(axis=1) + RIDGE, bend.sum(axis=1), curve.sum(axis=1) + 1e-12
        determinant = xx * one - x1 * x1
        steps = (one * across - x1 * down) / determinant, (xx * down - x1 * across) / determinant
        by = [np.clip(step, -LONGEST_STEP, LONGEST_STEP) for step in steps]
        slope, level = slope - by[0], level - by[1]
        if max(float(np.abs(step).max()) for step in by) < 1e-9:
            break
    return slope, level - slope * centre


def _halves(drawn: Floats) -> tuple[Floats, Floats]:
    """How often each answer stands at an even and at an odd rank, answers in order, each repeated as often as drawn."""
    import numpy as np

    ends = np.cumsum(drawn, axis=1)
    even = np.diff(np.ceil(ends / 2), axis=1, prepend=0.0)
    return even, drawn - even


def _judged(columns: Columns, weights: Floats) -> Iterator[tuple[Floats, Floats, Floats]]:
    """(scaled confidence, score, how often) of each resample; every answer stands in it twice, once for each half."""
    import numpy as np

    by_confidence, order = ascending(columns)
    odds, score = log_odds(by_confidence.confidence), by_confidence.score
    even, odd = _halves(weights[:, order])
    of_even, of_odd = fit(odds, score, even), fit(odds, score, odd)
    both = np.concatenate((score, score))
    for row in range(len(weights)):
        judged_even = _sigmoid(of_odd[0][row] * odds + of_odd[1][row])
        judged_odd = _sigmoid(of_even[0][row] * odds + of_even[1][row])
        yield np.concatenate((judged_even, judged_odd)), both, np.concatenate((even[row], odd[row]))


def _error(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    values = np.empty(len(weights))
    for row, (confidence, score, drawn) in enumerate(_judged(columns, weights)):
        there = drawn > 0
        rounded = np.round(confidence[there], 12)  # equal up to the last bits is equal: they must share a bin
        order = np.lexsort((score[there], rounded))
        confidence, gap, drawn = rounded[order], (rounded - score[there])[order], drawn[there][order]
        counts = np.cumsum(drawn).astype(np.int64)
        cuts = equal_mass_cuts(confidence, BINS, counts)
        values[row] = np.abs(np.add.reduceat(gap * drawn, cuts[:-1])).sum() / counts[-1]
    return values


def _gap(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    return np.array([abs(((p - y) * drawn).sum()) / drawn.sum() for p, y, drawn in _judged(columns, weights)])


@summary(family="calibration", needs=("confidence", "score"), better="lower", source=PAPER, resampled=_error)
def platt_ece_10_bin(columns: Columns) -> float | None:
    """`ece_10_bin` after Platt scaling, fitted on one half of the answers and judged on the other, both ways."""
    return once(_error, columns)


@summary(family="calibration", needs=("confidence", "score"), better="lower", source=PAPER, resampled=_gap)
def platt_ece_1_bin(columns: Columns) -> float | None:
    """`ece_1_bin` after Platt scaling, fitted on one half of the answers and judged on the other, both ways."""
    return once(_gap, columns)
