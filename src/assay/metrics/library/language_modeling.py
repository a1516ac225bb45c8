"""How well the model predicts given text. Sums over all texts are divided, so long texts weigh more."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.metrics.base import summary
from assay.metrics.columns import Columns
from assay.metrics.weighted import total

if TYPE_CHECKING:
    from assay.metrics.columns import Floats


def _bits_per_byte(columns: Columns, weights: Floats) -> Floats:
    return -total(columns.logprob, weights) / total(columns.scored_bytes, weights) / math.log(2)


@summary(
    family="accuracy", needs=("logprob", "scored_bytes"), range=(0, None), better="lower", unit="bit", resampled=_bits_per_byte
)
def bits_per_byte(columns: Columns) -> float | None:
    """Bits needed for a byte (UTF-8) of text: comparable between tokenizers."""
    size = columns.scored_bytes.sum()
    return float(-columns.logprob.sum() / size / math.log(2)) if size else None


def _perplexity(columns: Columns, weights: Floats) -> Floats:
    import numpy as np

    return np.exp(-total(columns.logprob, weights) / total(columns.scored_tokens, weights))


@summary(family="accuracy", needs=("logprob", "scored_tokens"), range=(1, None), better="lower", resampled=_perplexity)
def perplexity(columns: Columns) -> float | None:
    """exp of the mean negative log-probability of a token: comparable only between models with one tokenizer."""
    tokens = columns.scored_tokens.sum()
    return math.exp(-columns.logprob.sum() / tokens) if tokens else None


def _logprob_per_byte(columns: Columns, weights: Floats) -> Floats:
    return total(columns.logprob, weights) / total(columns.scored_bytes, weights)


@summary(family="accuracy", needs=("logprob", "scored_bytes"), range=(None, 0), resampled=_logprob_per_byte)
def logprob_per_byte(columns: Columns) -> float | None:
    """Natural-log probability of a byte (UTF-8) of text: bits_per_byte times -ln 2."""
    size = columns.scored_bytes.sum()
    return float(columns.logprob.sum() / size) if size else None
