"""How far a summary may lie from its value because of answers that no resample can hold: those that did not occur.

Where a few answers are all right, every resample of them is all right too, and a bootstrap claims certainty. The accuracy
itself is not certain: Wilson's interval reaches from n of n down to n / (n + z^2), as if z^2 wrong answers had been added.
A summary that reads the score is therefore computed once more over answers of which up to z^2 / (C + z^2) (C clusters) are
wrong, and of which as many are right, whatever their confidence. This vanishes beside the bootstrap as 1/C beside 1/sqrt(C).
"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from assay.metrics import Columns, Metric
from assay.statistics.estimates import Z95

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

STEPS = 8
"""Shares that are tried up to the largest, since a distance may first shrink and then grow."""
MOST_ANSWERS = 4_000_000
"""Answers counted in all, at most: shares are whole numbers of copies. Beyond it the bootstrap says enough."""


def unseen(metric: Metric, columns: Columns, clusters: int) -> tuple[float, float] | None:
    """How far below and above its value a summary may lie by what did not occur, as (at most 0, at least 0).

    Args:
        metric: a summary.
        columns: the answers that it reads.
        clusters: independent units among them.

    Returns:
        The two distances; `None` for a summary that does not read the score, or cannot be computed over weighted answers.
    """
    import numpy as np

    if "score" not in metric.needs or metric.resampled is None:
        return None
    n = len(columns)
    share = Z95 * Z95 / (clusters + Z95 * Z95)
    copies = min(math.ceil(8 * STEPS / share), MOST_ANSWERS // n)
    steps = np.unique(np.rint(copies * share * np.arange(STEPS + 1) / STEPS))
    if len(steps) < 2:
        return None
    weights = np.repeat(np.stack((copies - steps, steps), axis=1), n, axis=1)
    distances = [0.0]
    for score in (0.0, 1.0):
        values: Floats = metric.resampled(_twice(columns, score), weights)
        if np.isfinite(values[0]):
            away = values - values[0]
            distances += away[np.isfinite(away)].tolist()
    return min(distances), max(distances)


def _twice(columns: Columns, score: float) -> Columns:
    """The answers, and once more with this score."""
    import numpy as np

    others = replace(columns, score=np.full(len(columns), score))
    return Columns(
        **{field.name: np.concatenate((getattr(columns, field.name), getattr(others, field.name))) for field in fields(Columns)}
    )
