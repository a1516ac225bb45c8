"""How many requests an endpoint bears at once, found out while asking it.

Slow start, additive increase and multiplicative decrease as in TCP (V. Jacobson, "Congestion Avoidance and Control", SIGCOMM
1988), with differences, since an endpoint is no line. Failures count as overload only where they come in numbers: endpoints
lose a few per cent of requests at any load. A 429 now and then ends the growth, but cuts nothing. Latency counts in relation
to the lowest that answers of the same size had, so that longer answers are no overload. And the increase itself grows from
round to round, so that a cut by mere chance is made good soon.
"""

from __future__ import annotations

import math

START = 16
"""Requests at once to begin with; rising latency alone never leads below it."""
EACH = 2.0
"""What each answer adds to the limit in the beginning, so that it triples with each round trip: at 100 ms and 256 at once,
10,000 requests take 6 % longer than with all slots from the start, and 8 % if it doubled."""
CUT = 0.7
"""What is left of the limit after a cut."""
STEEP = 0.85
"""Up to this part of the limit before a cut it triples as in the beginning; above, it goes up by 1, 2, 4, … a round."""
STEEPEST = 0.125
"""The most it goes up there in a round, as a part of itself."""
ROUND = 16
"""Fewest outcomes that make a round; else a round has as many as the limit."""
FAILED_SHARE = 0.4
"""Failures of a round from which on they are overload."""
REFUSED_SHARE = 0.08
"""429s of a round from which on the limit grows no further."""
RISE = 3.0
"""Latency over its lowest, as geometric mean of a round, from which on it is overload. (For a server whose latency is a + b·n
at n requests at once, three quarters of the highest throughput are reached at 4 a.)"""
RISE_AT_START = 2.0
"""The same, from which on the limit no longer triples."""
SLACK_S = 0.1
"""Rise of the latency, seconds, that may be this machine's doing and says nothing."""


class AdaptiveLimit:
    """The limit, a function of the outcomes it is told of and their times. It waits for nothing and starts nothing.

    Args:
        ceiling: the highest it may become, at least 1.
    """

    def __init__(self, ceiling: int) -> None:
        self._ceiling = max(1, ceiling)
        self._limit = float(min(START, self._ceiling))
        self._floor = self._limit
        self._steep_below = math.inf
        self._step = 1.0
        self._cut_at = -math.inf
        self._grows = True
        self._latencies = _Latencies()
        self._begin_round()

    @property
    def value(self) -> int:
        """Requests that may be under way at once, from 1 to the ceiling."""
        return int(self._limit)

    def answered(self, sent_at: float, now: float, size: int, binding: bool) -> bool:
        """An attempt was answered.

        Args:
            sent_at: when it was sent, seconds of any clock.
            now: the present moment.
            size: stands for the amount of work the answer took; latencies are compared within the same size only.
            binding: the limit held others back; a limit that nobody reaches does not grow.

        Returns:
            Whether the limit was cut.
        """
        rise = self._latencies.rise(now - sent_at, size)
        if sent_at <= self._cut_at:
            return False
        if binding and self._grows and self._refused <= REFUSED_SHARE * self._round:
            step = EACH if self._limit < self._steep_below else self._step / self._limit
            self._limit = min(float(self._ceiling), self._limit + step)
        self._answered += 1
        self._rise += rise
        return self._end_round(now)

    def failed(self, sent_at: float, now: float, refused: bool) -> bool:
        """An attempt failed in a way that overload may cause.

        Args:
            sent_at: when it was sent.
            now: the present moment.
            refused: by a rate limit.

        Returns:
            Whether the limit was cut; never twice for requests that were under way together.
        """
        if sent_at <= self._cut_at:
            return False
        self._failed += 1
        self._refused += refused
        if self._failed >= FAILED_SHARE * self._round:
            return self._cut(now, 1.0)
        return self._end_round(now)

    def collapse(self, now: float) -> None:
        """Nothing succeeds any more: one request at a time from now on, and quickly back once one is answered."""
        if self._limit > 1:
            self._steep_below = self._limit * CUT
        self._limit, self._step, self._grows = 1.0, 1.0, True
        self._begin_round(now)

    def _cut(self, now: float, floor: float) -> bool:
        lower = self._limit > floor
        if lower:
            self._steep_below = self._limit * STEEP
            self._limit = max(floor, self._limit * CUT)
            self._step = 1.0
        self._begin_round(now)
        return lower

    def _begin_round(self, cut_at: float | None = None) -> None:
        self._answered = self._failed = self._refused = 0
        self._rise = 0.0
        self._round = max(float(ROUND), self._limit)
        if cut_at is not None:
            self._cut_at = cut_at

    def _end_round(self, now: float) -> bool:
        count = self._answered + self._failed
        if count < self._round:
            return False
        rise = self._rise / self._answered if self._answered else 0.0
        if rise > math.log(RISE):
            if self._limit > self._floor:
                return self._cut(now, self._floor)
            self._latencies.forget()  # fewer at once did not help: it is slower now whatever we do
        if rise > math.log(RISE_AT_START):
            self._steep_below = min(self._steep_below, self._limit)
        self._grows = self._refused <= REFUSED_SHARE * count
        steady = self._limit >= self._steep_below and self._grows
        self._step = max(1.0, min(2 * self._step, STEEPEST * self._limit)) if steady else 1.0
        self._begin_round()
        return False


class _Latencies:
    """The lowest smoothed latency of each size of answer. All means are geometric, so that long tails weigh little."""

    MEMORY = 32
    """Answers over which latencies are smoothed."""

    def __init__(self) -> None:
        self._known: dict[int, list[float]] = {}

    def rise(self, latency_s: float, size: int) -> float:
        """Natural logarithm of the latency over the lowest of that size, from 0; takes note of the latency."""
        value = math.log(max(latency_s, 1e-6))
        known = self._known.get(size)
        if known is None:
            self._known[size] = [1.0, value, value]
            return 0.0
        count, smooth, lowest = known
        # Until a size is known well, its lowest is its mean: no single quick answer makes the others look slow.
        if count < self.MEMORY:
            count += 1
            smooth = lowest = smooth + (value - smooth) / count
        else:
            smooth += (value - smooth) / self.MEMORY
            lowest = min(smooth, lowest)
        known[:] = count, smooth, lowest
        return max(0.0, value - math.log(math.exp(lowest) + SLACK_S))

    def forget(self) -> None:
        """Begin anew with all sizes."""
        self._known.clear()
