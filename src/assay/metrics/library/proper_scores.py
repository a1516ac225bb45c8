"""Scores of a stated probability that an honest confidence makes best: Brier score and log loss, and what they are made of.

A score between 0 and 1 is read as the probability of being right: an answer that is one of five tied ones, one of them right,
is right in one case of five. So all of them are expectations over being right (1) or wrong (0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.base import summary
from assay.metrics.columns import Columns
from assay.metrics.library.calibration import BINS, ascending, equal_mass_cuts
from assay.metrics.weighted import mean

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

BRIER = "https://doi.org/10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2"
MURPHY = "https://doi.org/10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2"
LEAST = 1e-6
"""Confidences are brought within this distance of 0 and 1, so one certain and wrong answer costs 13.8 nats, not infinity."""


def _once(columns: Columns) -> Floats:
    import numpy as np

    return np.ones((1, len(columns)))


def _squares(columns: Columns) -> Floats:
    import numpy as np

    doubt = columns.score * (1 - columns.score)  # the variance of being right, 0 for what is plainly right or wrong
    return np.asarray((columns.confidence - columns.score) ** 2 + doubt)


def _brier(columns: Columns, weights: Floats) -> Floats:
    return mean(_squares(columns), weights)


@summary(
    family="calibration",
    needs=("confidence", "score"),
    better="lower",
    everywhere=True,
    source=BRIER,
    resampled=_brier,
    each=_squares,
    version=2,
)
def brier_score(columns: Columns) -> float | None:
    """Mean squared difference between confidence and being right or wrong: calibration and discrimination in one number."""
    return float(_squares(columns).mean())


def _reliability(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    by_confidence, order = ascending(columns)
    gap = by_confidence.confidence - by_confidence.score
    values = np.empty(len(weights))
    for row, drawn in enumerate(weights[:, order]):
        counts = np.cumsum(drawn).astype(np.int64)
        starts = equal_mass_cuts(by_confidence.confidence, BINS, counts)[:-1]
        gaps, sizes = np.add.reduceat(gap * drawn, starts), np.add.reduceat(drawn, starts)
        values[row] = (gaps**2 / np.maximum(sizes, 1)).sum() / counts[-1]
    return values


def _uncertainty(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    return np.asarray(0.25 - mean(columns.score - 0.5, weights) ** 2)


def _resolution(columns: Columns, weights: Floats) -> Floats:
    return _reliability(columns, weights) + _uncertainty(columns, weights) - _brier(columns, weights)


@summary(family="calibration", needs=("confidence", "score"), better="lower", source=MURPHY, resampled=_reliability)
def brier_reliability(columns: Columns) -> float | None:
    """The miscalibration in the Brier score: squared gap between confidence and accuracy, over ten equal bins."""
    return float(_reliability(columns, _once(columns))[0])


@summary(
    family="calibration",
    needs=("confidence", "score"),
    range=(-1, 0.25),
    better="higher",
    source="https://doi.org/10.1175/2007WAF2006116.1",
    resampled=_resolution,
    version=2,
)
def brier_resolution(columns: Columns) -> float | None:
    """How far confidence tells right answers from wrong ones, in units of the Brier score.

    The generalised resolution of Stephenson, Coelho and Jolliffe (2008), which takes the variation of confidence within the
    bins into account, so that Brier score = reliability - resolution + uncertainty holds exactly.
    """
    return float(_resolution(columns, _once(columns))[0])


@summary(
    family="calibration",
    needs=("confidence", "score"),
    range=(0, 0.25),
    better="neither",
    source=MURPHY,
    resampled=_uncertainty,
    version=2,
)
def brier_uncertainty(columns: Columns) -> float | None:
    """The variance of being right: the Brier score of one who always states the accuracy."""
    return float(max(0.0, _uncertainty(columns, _once(columns))[0]))


def _losses(columns: Columns) -> Floats:
    import numpy as np

    confidence = np.clip(columns.confidence, LEAST, 1 - LEAST)
    return np.asarray(-columns.score * np.log(confidence) - (1 - columns.score) * np.log1p(-confidence))


def _log_loss(columns: Columns, weights: Floats) -> Floats:
    return mean(_losses(columns), weights)


@summary(
    family="calibration",
    needs=("confidence", "score"),
    range=(0, None),
    better="lower",
    unit="nats",
    source="https://doi.org/10.1111/j.2517-6161.1952.tb00104.x",
    resampled=_log_loss,
    each=_losses,
)
def nll(columns: Columns) -> float | None:
    """Mean negative log-likelihood of being right or wrong under the model's confidence (log loss)."""
    return float(_log_loss(columns, _once(columns))[0])
