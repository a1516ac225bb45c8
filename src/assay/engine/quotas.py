"""Rate limits that are known beforehand: configured ones, and those an endpoint tells in the headers of its answers."""

from __future__ import annotations

from assay.models.base import Allowance

BURST_S = 0.1
"""Seconds of a rate that may be sent at once."""
LONGEST_WAIT_S = 120.0
"""Seconds after which one request is sent whatever the endpoint said of its limits, to see whether it still holds."""


class Bucket:
    """A token bucket: what is left of a rate. Over any minute at most the rate and one more request are taken.

    Args:
        per_minute: the rate, above 0.
    """

    def __init__(self, per_minute: float) -> None:
        self._most = max(1.0, per_minute * BURST_S / 60)
        # What may go at once is taken off the rate, so that a minute that begins with it holds no more than the rate.
        # The bracket keeps a rate that is tiny beside 1 from vanishing.
        self._per_s = (per_minute - (self._most - 1)) / 60
        self._level = self._most
        self._at: float | None = None

    def wait_s(self, amount: float, now: float) -> float:
        """Seconds until that much may be taken. What is more than the bucket holds waits for a full one."""
        if self._at is not None:
            self._level = min(self._most, self._level + (now - self._at) * self._per_s)
        self._at = now
        missing = min(amount, self._most) - self._level
        return missing / self._per_s if missing > 1e-6 else 0.0

    def take(self, amount: float) -> None:
        """Take it, into debt where there is not enough; a negative amount gives back."""
        self._level = min(self._most, self._level - amount)


class Quotas:
    """All that is known beforehand about when the next request may be sent.

    Args:
        requests_per_minute: `None`: no such limit.
        tokens_per_minute: the same for tokens read and written.
    """

    def __init__(self, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        self._requests = Bucket(requests_per_minute) if requests_per_minute else None
        self._tokens = Bucket(tokens_per_minute) if tokens_per_minute else None
        self._in_flight = 0
        self._tokens_in_flight = 0.0
        self._last_sent_at: float | None = None

    @property
    def limits_tokens(self) -> bool:
        """The tokens of requests matter."""
        return self._tokens is not None

    def wait(self, tokens: float, allowance: Allowance | None, now: float) -> tuple[float, str]:
        """Seconds until a request of so many tokens may be sent, and the limit it waits for."""
        wait, why = 0.0, ""
        if self._requests is not None:
            wait, why = self._requests.wait_s(1, now), "requests_per_minute"
        if self._tokens is not None and (more := self._tokens.wait_s(tokens, now)) > wait:
            wait, why = more, "tokens_per_minute"
        if allowance is not None and (more := self._told(tokens, allowance, now)) > wait:
            wait, why = more, "the endpoint's rate limit"
        return wait, why

    def sent(self, tokens: float, now: float) -> None:
        """A request of about so many tokens goes out."""
        self._in_flight += 1
        self._tokens_in_flight += tokens
        self._last_sent_at = now
        if self._requests is not None:
            self._requests.take(1)
        if self._tokens is not None:
            self._tokens.take(tokens)

    def settled(self, tokens: float, used: float | None) -> None:
        """It came back. `tokens` is what it was taken for, `used` what it really took, where that is known."""
        self._in_flight -= 1
        self._tokens_in_flight -= tokens
        if self._tokens is not None and used is not None:
            self._tokens.take(used - tokens)

    def _told(self, tokens: float, allowance: Allowance, now: float) -> float:
        """The wait the endpoint's headers mean. Requests under way are taken off: it may not have counted them yet."""
        wait = 0.0
        if allowance.requests is not None and allowance.requests - self._in_flight < 1:
            wait = allowance.requests_full_at - now
        if allowance.tokens is not None and allowance.tokens - self._tokens_in_flight < max(1.0, tokens):
            wait = max(wait, allowance.tokens_full_at - now)
        if wait <= 0 or self._last_sent_at is None:
            return 0.0
        return wait if self._in_flight else min(wait, max(0.0, self._last_sent_at + LONGEST_WAIT_S - now))
