"""What the engine tells those who watch: counts of each model, kept up to date in place, and events as they happen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from assay.records import Record


@dataclass
class Counters:
    """What was asked of one model so far; tokens are those of new answers, so that what they cost was spent now."""

    asked: int = 0
    """Calls of `ask`."""
    cached: int = 0
    """Answered from the cache."""
    shared: int = 0
    """Answered by the identical request of somebody else, in flight at the time."""
    answered: int = 0
    """Newly answered by the model."""
    failed: int = 0
    """Given up."""
    retried: Counter[str] = field(default_factory=Counter)
    """Attempts after the first, by the kind of the failure before."""
    refused: int = 0
    """Attempts that a rate limit refused (429)."""
    in_flight: int = 0
    """Attempts under way now."""
    waiting: int = 0
    """Requests that wait for a slot now."""
    limit: int = 0
    """Most requests in flight at present, as the endpoint seems to bear; the size of a batch for a local model."""
    paused_until: float = 0.0
    """No request is sent before this moment of `time.monotonic`, seconds."""
    paused_why: str = ""
    """The reason of the last pause, for people: a rate limit, an outage."""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def retries(self) -> int:
        """Attempts after the first."""
        return self.retried.total()


class Event(Record):
    """Something worth showing.

    `what` is `cached`, `answered`, `retry`, `failed`, `pause` (nothing is sent to that model for a while), `limit` (fewer
    requests at once from now on), or `down`.
    """

    what: str
    model: str
    kind: str = ""
    """The failure's kind."""
    message: str = ""
    wait_s: float | None = None
    """Seconds of pause: of this request before its next attempt, or of the whole model."""
