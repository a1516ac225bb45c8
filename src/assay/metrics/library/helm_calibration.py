"""HELM's own definitions of calibration, where they differ from the right ones (Liang et al. 2022, arXiv 2211.09110).

Platt scaling is fitted and judged on the same answers, and stops where scikit-learn's solver stops (L-BFGS from 0 to a
gradient of 1e-4, C = 1e10), so its numbers are those of that stop and not of the optimum. The surest tenth has one answer too
many. Of equally sure answers the right ones come first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assay.metrics.base import summary
from assay.metrics.columns import Columns
from assay.metrics.library.calibration import BINS, ascending, calibration_error
from assay.metrics.library.platt import log_odds

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

PAPER = "https://arxiv.org/abs/2211.09110"
INVERSE_PENALTY = 1e10
GRADIENT = 1e-4


def _fitted(columns: Columns) -> tuple[float, float, Columns] | None:
    """Slope, intercept and the scaled answers, in order of confidence; `None` where all answers are right, or all wrong."""
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit

    by_confidence, _ = ascending(columns)
    right = (by_confidence.score >= 1).astype(np.float64)
    if right.min() == right.max():
        return None
    odds = log_odds(by_confidence.confidence)
    penalty = 1 / (INVERSE_PENALTY * len(odds))

    def loss(at: Floats) -> tuple[float, Floats]:
        values = at[0] * odds + at[1]
        slope = expit(values) - right
        gradient = np.array([(slope * odds).mean() + penalty * at[0], slope.mean()])
        return float((np.logaddexp(0, values) - right * values).mean() + penalty / 2 * at[0] ** 2), gradient

    options = {"maxiter": 100, "maxls": 50, "gtol": GRADIENT, "ftol": 64 * np.finfo(np.float64).eps}
    slope, intercept = minimize(loss, np.zeros(2), jac=True, method="L-BFGS-B", options=options).x.tolist()
    scaled = expit(slope * odds + intercept)
    return slope, intercept, replace(by_confidence, confidence=scaled, score=right)


@summary(family="calibration", needs=("confidence", "score"), range=(None, None), better="neither", source=PAPER)
def helm_platt_coef(columns: Columns) -> float | None:
    """Slope of HELM's Platt scaling: above 1 the model is underconfident, below 1 overconfident; 0 where all answers agree."""
    fitted = _fitted(columns)
    return fitted[0] if fitted else 0.0


@summary(family="calibration", needs=("confidence", "score"), range=(None, None), better="neither", source=PAPER)
def helm_platt_intercept(columns: Columns) -> float | None:
    """Intercept of HELM's Platt scaling; 0 where all answers are right, or all wrong."""
    fitted = _fitted(columns)
    return fitted[1] if fitted else 0.0


@summary(family="calibration", needs=("confidence", "score"), better="lower", source=PAPER)
def helm_platt_ece_10_bin(columns: Columns) -> float | None:
    """`ece_10_bin` after Platt scaling, judged on the very answers it was fitted to."""
    fitted = _fitted(columns)
    return calibration_error(fitted[2], BINS) if fitted else 0.0


@summary(family="calibration", needs=("confidence", "score"), better="lower", source=PAPER)
def helm_platt_ece_1_bin(columns: Columns) -> float | None:
    """`ece_1_bin` after Platt scaling, judged on the answers it was fitted to: how far the solver stopped from the optimum."""
    fitted = _fitted(columns)
    return calibration_error(fitted[2], 1) if fitted else 0.0


@summary(family="calibration", needs=("confidence", "score"), source=PAPER)
def helm_selective_cov_acc_area(columns: Columns) -> float | None:
    """Accuracy of the answers admitted, averaged over all coverages, right answers first among equally sure ones."""
    import numpy as np

    falling = ascending(columns)[0].score[::-1]
    return float((np.cumsum(falling) / np.arange(1, len(falling) + 1)).mean())


def _surest(columns: Columns) -> float | None:
    falling = ascending(columns)[0].score[::-1]
    return float(falling[: int(0.1 * len(falling)) + 1].mean())


_surest.__name__ = "helm_selective_acc@10"
_surest.__doc__ = "Accuracy of the surest tenth of the answers and one more, right answers first among equally sure ones."
summary(family="calibration", needs=("confidence", "score"), source=PAPER)(_surest)
