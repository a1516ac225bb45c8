"""How well the model predicts given text. Sums over all texts are divided, so long texts weigh more."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.metrics.base import summary
from assay.metrics.checks import LARGEST
from assay.metrics.columns import Columns
from assay.metrics.weighted import total

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

MOST_NATS = 230.0
"""For a token: the exponential of more is no number that could be averaged."""


def _bits_per_byte(columns: Columns, weights: Floats) -> Floats:
    return -total(columns.logprob, weights) / total(columns.scored_bytes, weights) / math.log(2)


@summary(
    family="accuracy", needs=("logprob", "scored_bytes"), range=(0, None), better="lower", unit="bit", resampled=_bits_per_byte
)
def bits_per_byte(columns: Columns) -> float | None:
    """Bits needed for a byte (UTF-8) of text: comparable between tokenizers."""
    size = columns.scored_bytes.sum()
    return _finite(-columns.logprob.sum() / size / math.log(2)) if size else None


def _perplexity(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    nats = -total(columns.logprob, weights) / total(columns.scored_tokens, weights)
    return np.where(nats <= MOST_NATS, np.exp(np.minimum(nats, MOST_NATS)), np.nan)


@summary(family="accuracy", needs=("logprob", "scored_tokens"), range=(1, None), better="lower", resampled=_perplexity)
def perplexity(columns: Columns) -> float | None:
    """exp of the mean negative log-probability of a token: comparable only between models with one tokenizer.

    Without a value where a token is less likely than exp(-230) on average: no model means that.
    """
    tokens = columns.scored_tokens.sum()
    nats = -columns.logprob.sum() / tokens if tokens else math.inf
    return math.exp(nats) if nats <= MOST_NATS else None


def _logprob_per_byte(columns: Columns, weights: Floats) -> Floats:
    return total(columns.logprob, weights) / total(columns.scored_bytes, weights)


@summary(family="accuracy", needs=("logprob", "scored_bytes"), range=(None, 0), resampled=_logprob_per_byte)
def logprob_per_byte(columns: Columns) -> float | None:
    """Natural-log probability of a byte (UTF-8) of text: bits_per_byte times -ln 2."""
    size = columns.scored_bytes.sum()
    return _finite(columns.logprob.sum() / size) if size else None


def _finite(value: float) -> float | None:
    """The value as long as it can be averaged with others."""
    return float(value) if abs(value) <= LARGEST else None
