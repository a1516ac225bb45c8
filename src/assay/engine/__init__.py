"""Asking models: concurrency, retries, single flight, the response cache, and results in order."""

from assay.engine.cache import Entry, ResponseCache
from assay.engine.engine import Counters, Engine, Event
from assay.engine.health import EndpointDown
from assay.engine.keys import Keys
from assay.engine.ordering import in_order

__all__ = ["Counters", "EndpointDown", "Engine", "Entry", "Event", "Keys", "ResponseCache", "in_order"]
