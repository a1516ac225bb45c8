"""What an answer costs in tokens, time and money. Only what was counted or measured; nothing is estimated.

Seconds are those of the successful attempt. An answer from the response cache carries the seconds, tokens and cost of when it
was asked, so repeating a run does not change its efficiency and a cache hit never counts as fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.base import ResampledFunction, additive, metric, summary
from assay.metrics.columns import Columns
from assay.metrics.weighted import quantiles, total
from assay.records import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

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


@metric(family="efficiency", better="neither", everywhere=True)
def provider_counted(answer: Answer) -> float | None:
    """Share of answers whose tokens the provider counted; those of the others the model's own tokenizer did."""
    return None if answer.usage_source is None else float(answer.usage_source == "provider")


@metric(family="efficiency", range=(0, None), better="lower", unit="s", everywhere=True)
def time_per_output_token_s(answer: Answer) -> float | None:
    """Seconds from one written token to the next, after the first: (latency - first token) / (tokens - 1)."""
    if answer.latency_s is None or answer.first_token_s is None or answer.requests != 1 or answer.completions[1:]:
        return None
    tokens = answer.completion_tokens or 0
    return max(answer.latency_s - answer.first_token_s, 0.0) / (tokens - 1) if tokens > 1 else None


def _speed(totals: Mapping[str, float]) -> float | None:
    return totals.get("tokens", 0.0) / totals["seconds"] if totals.get("seconds") else None


@additive(value=_speed, family="efficiency", range=(0, None), unit="tokens/s", everywhere=True)
def output_tokens_per_s(answer: Answer) -> Mapping[str, float] | None:
    """Tokens written for each second of waiting, over all answers: what one request at a time yields."""
    if answer.latency_s is None or not answer.completion_tokens:
        return None
    return {"tokens": answer.completion_tokens, "seconds": answer.latency_s}


@metric(family="efficiency", range=(0, None), better="lower", unit="$", everywhere=True)
def cost(answer: Answer) -> float | None:
    """What an answer's tokens cost at the model's prices, in their currency."""
    return answer.cost


def _cost_of_right(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    right = total(columns.score, weights)
    return np.where(right > 0, total(columns.cost, weights) / np.where(right > 0, right, 1.0), np.nan)


@summary(
    family="efficiency", needs=("cost", "score"), range=(0, None), better="lower", unit="$", everywhere=True,
    resampled=_cost_of_right,
)  # fmt: skip
def cost_per_correct(columns: Columns) -> float | None:
    """What a right answer costs: the cost of all answers divided by the sum of the main metric."""
    right = columns.score.sum()
    return float(columns.cost.sum() / right) if right > 0 else None


def _latency(share: float) -> ResampledFunction:
    return lambda columns, weights: quantiles(columns.latency_s, weights, share)


def _first_token(share: float) -> ResampledFunction:
    return lambda columns, weights: quantiles(columns.first_token_s, weights, share)


def _quantile(values: Floats, share: float) -> float:
    import numpy as np

    return float(np.quantile(values, share))


@summary(
    family="efficiency", needs=("latency_s",), range=(0, None), better="lower", unit="s", everywhere=True,
    resampled=_latency(0.5),
)  # fmt: skip
def latency_p50_s(columns: Columns) -> float | None:
    """Seconds within which half of the answers were there."""
    return _quantile(columns.latency_s, 0.5)


@summary(
    family="efficiency", needs=("latency_s",), range=(0, None), better="lower", unit="s", everywhere=True,
    resampled=_latency(0.95),
)  # fmt: skip
def latency_p95_s(columns: Columns) -> float | None:
    """Seconds within which 95 % of the answers were there."""
    return _quantile(columns.latency_s, 0.95)


@summary(
    family="efficiency", needs=("latency_s",), range=(0, None), better="lower", unit="s", everywhere=True,
    resampled=_latency(0.99),
)  # fmt: skip
def latency_p99_s(columns: Columns) -> float | None:
    """Seconds within which 99 % of the answers were there."""
    return _quantile(columns.latency_s, 0.99)


@summary(
    family="efficiency", needs=("first_token_s",), range=(0, None), better="lower", unit="s", everywhere=True,
    resampled=_first_token(0.5),
)  # fmt: skip
def first_token_p50_s(columns: Columns) -> float | None:
    """Seconds within which half of the answers had begun."""
    return _quantile(columns.first_token_s, 0.5)


@summary(
    family="efficiency", needs=("first_token_s",), range=(0, None), better="lower", unit="s", everywhere=True,
    resampled=_first_token(0.95),
)  # fmt: skip
def first_token_p95_s(columns: Columns) -> float | None:
    """Seconds within which 95 % of the answers had begun."""
    return _quantile(columns.first_token_s, 0.95)
