"""What an answer costs in tokens and time. Only what the provider or the clock measured; nothing is estimated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.base import metric, summary
from assay.metrics.columns import Columns
from assay.metrics.weighted import quantiles
from assay.records import Answer

if TYPE_CHECKING:
    from assay.metrics.columns import Floats


@metric(family="efficiency", range=(0, None), better="neither", unit="tokens", everywhere=True)
def prompt_tokens(answer: Answer) -> float | None:
    """Tokens read for an answer, all its requests together."""
    return answer.prompt_tokens


@metric(family="efficiency", range=(0, None), better="neither", unit="tokens", everywhere=True)
def completion_tokens(answer: Answer) -> float | None:
    """Tokens written for an answer, all its requests together."""
    return answer.completion_tokens


@metric(family="efficiency", range=(0, None), better="lower", unit="s", everywhere=True)
def latency_s(answer: Answer) -> float | None:
    """Seconds until the whole answer was there."""
    return answer.latency_s


@metric(family="efficiency", range=(0, None), better="lower", unit="s", everywhere=True)
def first_token_s(answer: Answer) -> float | None:
    """Seconds until the first token was there."""
    return answer.first_token_s


def _p50(columns: Columns, weights: Floats) -> Floats:
    return quantiles(columns.latency_s, weights, 0.5)


def _p95(columns: Columns, weights: Floats) -> Floats:
    return quantiles(columns.latency_s, weights, 0.95)


@summary(family="efficiency", needs=("latency_s",), range=(0, None), better="lower", unit="s", everywhere=True, resampled=_p50)
def latency_p50_s(columns: Columns) -> float | None:
    """Seconds within which half of the answers were there."""
    import numpy as np

    return float(np.quantile(columns.latency_s, 0.5))


@summary(family="efficiency", needs=("latency_s",), range=(0, None), better="lower", unit="s", everywhere=True, resampled=_p95)
def latency_p95_s(columns: Columns) -> float | None:
    """Seconds within which 95 % of the answers were there."""
    import numpy as np

    return float(np.quantile(columns.latency_s, 0.95))
