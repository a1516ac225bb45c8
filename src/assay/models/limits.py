"""What a number in a response can be: the same for every model, whoever wrote its code."""

from __future__ import annotations

import math

IMPOSSIBLE = -9999.0
"""Log-probability that stands for "impossible", as in OpenAI's protocol."""
ROUNDING = 1e-3
"""A log-probability this little above 0 is rounded from 0; one further above is none."""
MOST_TOKENS = 1 << 40
"""A count of tokens above is none; sums over many responses stay far below what a table can hold."""


def log_probability(value: float | None) -> float | None:
    """A log-probability: at most 0, and nothing below the stand-in for the impossible; `None` where the value is none."""
    if value is None or math.isnan(value) or value > ROUNDING:
        return None
    return min(max(value, IMPOSSIBLE), 0.0)
