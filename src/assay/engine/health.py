"""Telling an endpoint that does not work from requests that fail now and then, and from one that is gone for a moment."""

from __future__ import annotations

from assay.engine.retry import LONGEST_RETRY_AFTER_S, OUTAGE_S
from assay.engine.stopping import EndpointDown
from assay.models.base import RequestError
from assay.records import Failure

FIRST = 3
"""Different requests that must fail before anything ever succeeded."""
ROW = 50
"""Requests that failed for good without an answer between them, that end the asking later."""

ATTEMPTS = 8
"""Attempts that fail while none that was sent with them is answered, of at least `FIRST` different requests, from which on
nothing is sent for a while. (Even with one at a time, 13 % of independent failures do this once in twelve million attempts.)"""
REFUSALS = 4
"""429s one after the other from which on everybody waits as long as the endpoint asks for; fewer are one request's affair."""
STRIKES = 5
"""Pauses that must have been in vain before an endpoint is given up, however long they took."""
FIRST_CONTACT_S = 3.0
"""Seconds after which one that never answered and refuses connections is given up: it is probably not running."""
FIRST_PAUSE_S = 0.25
"""The first pause; each in vain doubles the next."""
LONGEST_PAUSE_S = 30.0

_WHOLE_ENDPOINT = frozenset({"connection", "timeout", "rate_limit", "server", "authentication", "not_found", "no_echo"})
_GONE = frozenset({"connection", "timeout", "rate_limit", "server", "truncated_body", "authentication", "not_found"})
_THIS_REQUEST = frozenset({"context_length", "content_filter"})


class Health:
    """Follows the outcomes of one model's requests.

    After all their attempts: the first rule looks only at failures that say something about the endpoint as a whole (no
    connection, wrong key, no such model, …). The second counts a row of those that an endpoint in good health does not give.
    The third counts requests that are refused (a field it does not take, an answer that is none) where no other was ever
    answered, now or before: then it is most likely described wrongly. An endpoint that answers some requests is there, however
    many it refuses: when everything else is in the cache, those are all that is left to ask. A prompt that is too long and a
    filtered content count nowhere.

    Attempt by attempt: where nothing succeeds any more, the endpoint is left alone for a while, then tried with one
    request, and so on, until it answers again or has been gone for too long.

    Args:
        model: its name, for messages.
        outage_s: seconds an endpoint that answered before may be gone.
        bears_refusals: the third rule does not hold.
    """

    def __init__(self, model: str, outage_s: float = OUTAGE_S, *, bears_refusals: bool = False) -> None:
        self._model = model
        self._outage_s = outage_s
        self._bears_refusals = bears_refusals
        self._early: set[str] = set()
        self._row = self._refused = 0
        self._attempts = self._refusals = self._strikes = 0
        self._keys: set[str] = set()
        self._since = self._paused_at = self._answered_at = 0.0
        self.worked = False
        """Something was answered."""
        self.worked_before = False
        """Something was answered at another time, and kept."""
        self.down: str = ""
        """Why the endpoint counts as down; empty while it does not."""

    @property
    def gone(self) -> bool:
        """Nothing succeeds at present, and one request at a time tries whether that is still so."""
        return self._strikes > 0

    def succeeded(self, now: float) -> None:
        """An attempt was answered at that moment."""
        self.worked = True
        self._row = 0
        self._answered_at = now
        self._alive()

    def attempt_failed(self, key: str, error: RequestError, sent_at: float, now: float, at_once: int) -> float:
        """An attempt failed; seconds for which the whole model must not be asked, mostly 0.

        Args:
            key: the request's key.
            error: why it failed.
            sent_at: when the attempt was sent, on the clock of `now`.
            now: the present moment, seconds.
            at_once: requests that are sent at once at present.
        """
        if not error.retriable:
            self._alive()  # it may be a wrong request or a wrong key, but somebody is there and says so
            return 0.0
        if sent_at < self._answered_at:
            return 0.0  # another one was answered since: failures that arrive in a bunch are no row
        if self._attempts == 0:
            self._since = now
        self._attempts += 1
        self._refusals += error.kind == "rate_limit"
        if len(self._keys) < FIRST:
            self._keys.add(key)
        if sent_at < self._paused_at:
            return 0.0  # under way with the one that led to the pause: no further evidence
        asked_for = error.retry_after_s or 0.0
        if asked_for > LONGEST_RETRY_AFTER_S:
            asked_for = 0.0  # nobody waits that long: its request fails, and in the end the endpoint is given up
        if self._attempts >= ATTEMPTS and len(self._keys) >= FIRST:
            return max(asked_for, self._strike(error, now))
        if asked_for and self._refusals == self._attempts >= min(REFUSALS, at_once):
            self._paused_at = now
            return asked_for
        return 0.0

    def failed(self, key: str, failure: Failure) -> None:
        """A request failed for good."""
        if failure.kind in _THIS_REQUEST:
            return
        gone = failure.kind in _GONE
        self._row += gone
        self._refused += not gone
        if not self.worked and failure.kind in _WHOLE_ENDPOINT:
            self._early.add(key)
        if not self.worked and len(self._early) >= FIRST:
            self.down = f"{self._model} cannot be asked: its first {len(self._early)} requests all failed: {failure.message}"
        elif self._row >= ROW:
            self.down = f"{self._model} stopped answering: {self._row} requests in a row failed, the last: {failure.message}"
        elif self._refused >= ROW and not (self.worked or self.worked_before or self._bears_refusals):
            self.down = (
                f"{self._model} refuses what it is asked: its first {self._refused} requests all failed, the last: "
                f"{failure.message}; --max-failures 100% asks on all the same"
            )

    def check(self) -> None:
        """Do nothing while the endpoint may be asked.

        Raises:
            EndpointDown: it may not.
        """
        if self.down:
            raise EndpointDown(self.down)

    def _strike(self, error: RequestError, now: float) -> float:
        """One more time that nothing succeeded; seconds until the next try."""
        self._strikes += 1
        self._paused_at = now
        lasted = now - self._since
        # A server that is starting up refuses connections at most for a moment, but may long say that it is not ready.
        absent = not self.worked and error.kind == "connection"
        if self._strikes >= STRIKES and lasted >= (FIRST_CONTACT_S if absent else self._outage_s):
            said = "stopped answering" if self.worked else "cannot be asked"
            self.down = f"{self._model} {said}: every attempt of the last {lasted:.0f} s failed, the last: {error.message}"
        return min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(self._strikes - 1, 20))

    def _alive(self) -> None:
        self._attempts = self._refusals = self._strikes = 0
        self._keys.clear()
