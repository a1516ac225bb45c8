"""When asking ends early: an endpoint that is down, or more failures than the user allows. What was answered is kept."""

from __future__ import annotations

import math

from assay.errors import AssayError

AT_LEAST = 50
"""Trials that must be done before a share of them is judged."""
SURELY = 3.0
"""Standard errors by which the failures must exceed an allowed share before the end, so that chance alone stops no run."""


class Stopped(AssayError):
    """Asking ended before everything was asked. The same command goes on from there."""

    def __init__(self, message: str, hint: str = "every answer so far is kept, and the same command goes on from here") -> None:
        super().__init__(message, hint)


class EndpointDown(Stopped):
    """A model's endpoint plainly does not work, so asking it further is of no use."""


class TooManyFailures(Stopped):
    """More trials failed than the user allows."""


class FailureBudget:
    """The failed trials that a suite may have before asking stops; by default any number.

    Args:
        most: failed trials allowed: their number, or their share of all.
        share: `most` is a share, from 0 to 1.
        at_least: trials that must be done before a share is judged.
    """

    def __init__(self, most: float = math.inf, *, share: bool = False, at_least: int = AT_LEAST) -> None:
        self.limited = most < math.inf
        """There is a limit at all."""
        self._most = most
        self._share = share
        self._at_least = at_least
        self.done = 0
        """Trials done, failed ones included."""
        self.failed = 0

    def trial(self, failure: str | None = None) -> None:
        """Count a trial that is done.

        Args:
            failure: why it failed; `None` where it did not.

        Raises:
            TooManyFailures: the budget is used up.
        """
        self.done += 1
        if failure is None:
            return
        self.failed += 1
        if self.failed > self._allowed():
            limit = f"{100 * self._most:.3g}% of all" if self._share else f"{self._most:.0f}"
            raise TooManyFailures(
                f"{self.failed} of {self.done} trials failed, more than the {limit} allowed; the last: {failure}"
            )

    def _allowed(self) -> float:
        if not self._share:
            return self._most
        if self.done < self._at_least:
            return math.inf
        expected = self._most * self.done
        return expected + SURELY * math.sqrt(expected * (1 - self._most))
