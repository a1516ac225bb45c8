"""What measured values are worth to a deployment: from 0, unacceptable, to 1, fully satisfying."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.decisions.profile import Criterion, Measure, Value
from assay.errors import AssayError
from assay.metrics import Metric
from assay.statistics.estimates import Bounds

if TYPE_CHECKING:
    from assay.metrics.columns import Floats


def worths(values: Floats, criterion: Criterion, metric: Metric) -> Floats:
    """The worth of measured values: linear between the corners of the criterion's curve, constant beyond the outermost.

    Args:
        values: of any shape; NaN stays NaN.
        criterion: whose `value` is the curve; without one it runs from the worst to the best value that the metric can have.
        metric: of the criterion.

    Returns:
        The same shape, between 0 and 1.

    Raises:
        AssayError: the criterion has no curve, and the metric no best and worst value.
    """
    import numpy as np

    corners = sorted(curve(criterion, metric))
    return np.interp(values, [at for at, _ in corners], [worth for _, worth in corners])


def curve(criterion: Criterion, metric: Metric) -> list[tuple[float, float]]:
    """The corners (measured value, worth) of a criterion's curve, from unacceptable to satisfying.

    Raises:
        AssayError: as in `worths`.
    """
    if criterion.value is not None:
        return corners_of(criterion.value)
    low, high = bounds_of(criterion, metric)
    if low is None or high is None or metric.better == "neither":
        hint = "give its value: {unacceptable: …, satisfying: …}"
        raise AssayError(f"criterion {criterion.name!r}: {metric.name} has no worst and best value of its own", hint)
    return [(low, 0.0), (high, 1.0)] if metric.better == "higher" else [(high, 0.0), (low, 1.0)]


def corners_of(value: Value) -> list[tuple[float, float]]:
    """The corners (measured value, worth) of a curve that the profile gives, from unacceptable to satisfying."""
    corners = [(value.unacceptable, 0.0), *value.points, (value.satisfying, 1.0)]
    return sorted(corners, reverse=value.satisfying < value.unacceptable)


def bounds_of(measure: Measure, metric: Metric) -> Bounds:
    """The smallest and the largest value that a measure can have; `None` where there is no bound."""
    low, high = metric.range
    if measure.on != "change":
        return low, high
    return (None, None) if low is None or high is None else (low - high, high - low)


def direction(criterion: Criterion, metric: Metric) -> int:
    """1 where more is worth more, -1 where less is."""
    corners = curve(criterion, metric)
    return 1 if corners[0][0] < corners[-1][0] else -1
