"""Calibration error without bins: smoothed by a kernel whose width is the error itself.

Source: Błasiok and Nakkiran 2023 (arXiv 2309.12236). With residuals r = correctness - confidence and a Gaussian kernel
of width sigma, reflected at 0 and 1, smECE_sigma is the integral of |smoothed residual| over the confidence; it falls as sigma
grows, and the error is the sigma at which the two are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.base import summary
from assay.metrics.columns import Columns

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

GRID = 512
"""Cells of the confidence axis. Cosines are the eigenfunctions of reflected smoothing, so a width costs one transform."""
STEPS = 45
"""Halvings of the interval in which the width is sought: to 3e-14."""


def _residuals(columns: Columns, weights: Floats) -> Floats:
    """The cosine coefficients of the residuals of each resample, shape (resamples, GRID)."""
    import numpy as np
    from scipy.fft import dct

    place = np.clip(columns.confidence * GRID - 0.5, 0, GRID - 1)
    left = np.minimum(place.astype(np.int64), GRID - 2)
    to_right = place - left
    order = np.lexsort((columns.score, columns.confidence))
    cells, starts = np.unique(left[order], return_index=True)
    drawn = weights[:, order] * (columns.score - columns.confidence)[order]
    mass = np.zeros((len(weights), GRID))
    shares = to_right[order]
    mass[:, cells] += np.add.reduceat(drawn * (1 - shares), starts, axis=1)
    mass[:, cells + 1] += np.add.reduceat(drawn * shares, starts, axis=1)
    return np.asarray(dct(mass / weights.sum(axis=1, keepdims=True), type=2, axis=1))


def _smoothed(coefficients: Floats, sigma: Floats) -> Floats:
    """The integral of |residual| smoothed by each row's width."""
    import numpy as np
    from scipy.fft import idct

    frequency = np.pi * np.arange(GRID)
    damped = coefficients * np.exp(-0.5 * (sigma[:, None] * frequency) ** 2)
    return np.asarray(np.abs(idct(damped, type=2, axis=1)).sum(axis=1))


def _fixed_points(coefficients: Floats) -> Floats:
    import numpy as np

    low, high = np.zeros(len(coefficients)), np.ones(len(coefficients))
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = _smoothed(coefficients, middle) > middle
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray((low + high) / 2)


def _smece(columns: Columns, weights: Floats) -> Floats:
    return _fixed_points(_residuals(columns, weights))


def _noise(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    own = _residuals(columns, np.ones((1, len(columns))))
    width = _fixed_points(own)
    return _smoothed(_residuals(columns, weights) - own, np.broadcast_to(width, (len(weights),)))


@summary(
    family="calibration",
    needs=("confidence", "score"),
    better="lower",
    source="https://arxiv.org/abs/2309.12236",
    resampled=_smece,
    noise=_noise,
)
def smece(columns: Columns) -> float | None:
    """Smooth calibration error: no bins to choose, and continuous in every confidence."""
    import numpy as np

    return round(float(_smece(columns, np.ones((1, len(columns))))[0]), 12)  # fewer digits than a transform's last bits touch
