"""Asking models: concurrency, retries, single flight, the response cache, and results in order."""

from assay.engine.cache import Entry, ResponseCache
from assay.engine.engine import Engine
from assay.engine.events import Counters, Event
from assay.engine.keys import Keys
from assay.engine.ordering import in_order
from assay.engine.stopping import EndpointDown, FailureBudget, Stopped, TooManyFailures

__all__ = [
    "Counters",
    "EndpointDown",
    "Engine",
    "Entry",
    "Event",
    "FailureBudget",
    "Keys",
    "ResponseCache",
    "Stopped",
    "TooManyFailures",
    "in_order",
]
