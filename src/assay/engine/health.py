"""Telling an endpoint that does not work from requests that fail now and then."""

from __future__ import annotations

from assay.errors import AssayError
from assay.records import Failure

FIRST = 3
"""Different requests that must fail before anything ever succeeded."""
ROW = 50
"""Failures one after the other that end the asking later."""

_WHOLE_ENDPOINT = frozenset({"connection", "timeout", "rate_limit", "server", "authentication", "not_found", "no_echo"})
_THIS_REQUEST = frozenset({"context_length", "content_filter"})


class EndpointDown(AssayError):
    """A model's endpoint plainly does not work, so asking it further is of no use."""


class Health:
    """Follows the outcomes of one model's requests, each after all its retries.

    The first rule looks only at failures that say something about the endpoint as a whole (no connection, wrong key, no
    such model, …). The second counts every failure but those that an endpoint in good health gives as well: a prompt that
    is too long, a filtered content.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._early: set[str] = set()
        self._row = 0
        self.worked = False
        """Something was answered."""
        self.down: str = ""
        """Why the endpoint counts as down; empty while it does not."""

    def succeeded(self) -> None:
        """A request was answered."""
        self.worked = True
        self._row = 0

    def failed(self, key: str, failure: Failure) -> None:
        """A request failed for good."""
        if failure.kind in _THIS_REQUEST:
            return
        self._row += 1
        if not self.worked and failure.kind in _WHOLE_ENDPOINT:
            self._early.add(key)
        if not self.worked and len(self._early) >= FIRST:
            self.down = f"{self._model} cannot be asked: its first {len(self._early)} requests all failed: {failure.message}"
        elif self._row >= ROW:
            self.down = f"{self._model} stopped answering: {self._row} requests in a row failed, the last: {failure.message}"

    def check(self) -> None:
        """Do nothing while the endpoint may be asked.

        Raises:
            EndpointDown: it may not.
        """
        if self.down:
            raise EndpointDown(self.down)
