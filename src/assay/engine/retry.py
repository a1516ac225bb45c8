"""How long to wait before asking again.

Full-jitter exponential backoff (M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015): the wait is
uniform between 0 and a bound that grows with each attempt, so that many clients do not come back at once. It is short, since
most failures are a single mishap; where nobody succeeds, everybody is held back (see `assay.engine.health`).
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from assay.models.base import RequestError

BASE_S = 0.2
"""Bound of the first wait."""
GROWTH = 2
"""Each bound over the one before: 0.2, 0.4, 0.8, … 25.6 s."""
FIRST_CONTACT_GROWTH = 1.25
"""The same while a model that never answered refuses connections: it is probably not running, and one wants to know soon."""
CAP_S = 30.0
LONGEST_RETRY_AFTER_S = 120.0
"""A server that asks for a longer pause is not waited for: the request fails instead."""

MOST = 8
"""Attempts after the first. Where 13 % of attempts fail by chance, one request in a hundred million fails for good."""
OUTAGE_S = 60.0
"""Seconds an endpoint that answered before may be gone before it is given up."""
REQUEST_S = 1800.0
"""Seconds all attempts at one request may take together, with the pauses between them."""
ATTEMPTS_LONG = 10
"""The same where a limit of one attempt is set, in attempts."""


@dataclass(frozen=True)
class Patience:
    """How often and how long a model is asked."""

    retries: int = MOST
    """Attempts at a request after the first, for failures that may pass."""
    attempt_s: float | None = None
    """Seconds one attempt may take; `None` leaves it to the model."""
    outage_s: float = OUTAGE_S
    """Seconds an endpoint that answered before may be gone."""
    bears_refusals: bool = False
    """An endpoint that refuses whatever it is asked is asked on: how many failures are too many is decided elsewhere."""

    @property
    def request_s(self) -> float:
        """Seconds from the first attempt's start to the last one's end."""
        return REQUEST_S if self.attempt_s is None else ATTEMPTS_LONG * self.attempt_s


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
