"""How long to wait before asking again.

Full-jitter exponential backoff (M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015): the wait is
uniform between 0 and a bound that grows with each attempt, so that many clients do not come back at once. It begins short,
since most failures are a single mishap, and grows fast, since the others take their time.
"""

from __future__ import annotations

import random

from assay.models.base import RequestError

BASE_S = 0.1
"""Bound of the first wait."""
GROWTH = 4
"""Each bound over the one before: 0.1, 0.4, 1.6, 6.4, 25.6 s."""
FIRST_CONTACT_GROWTH = 2
"""The same while a model that never answered refuses connections: it is probably not running, and one wants to know soon."""
CAP_S = 30.0
LONGEST_RETRY_AFTER_S = 120.0
"""A server that asks for a longer pause is not waited for: the request fails instead."""


def pause_s(attempt: int, error: RequestError, worked: bool, chance: random.Random) -> float | None:
    """Seconds to wait after a failed attempt, or `None` where waiting is of no use.

    Args:
        attempt: which attempt failed, from 1.
        error: why; its `retry_after_s` is a lower bound of the wait.
        worked: the model answered something before.
        chance: source of the jitter.
    """
    if not error.retriable:
        return None
    growth = FIRST_CONTACT_GROWTH if error.kind == "connection" and not worked else GROWTH
    # A limit of the rate is no mishap: it begins one step later.
    step = attempt if error.kind == "rate_limit" else attempt - 1
    jitter = chance.uniform(0, min(CAP_S, BASE_S * growth**step))
    if error.retry_after_s is None:
        return jitter
    if error.retry_after_s > LONGEST_RETRY_AFTER_S:
        return None
    # The server names the earliest moment; the jitter on top keeps those it sent away from returning together.
    return max(0.0, error.retry_after_s) + min(jitter, 0.1 + 0.1 * max(0.0, error.retry_after_s))
