"""How long a page may make its reader wait: what takes longer is worked out apart, and the page drawn anew when it is there.

    if view.patience is None or view.patience.now(("board", states), ms=40, job=lambda: separation(entries)):
        …  # known, soon computed, or whoever draws this page waits

What is worked out is kept by whoever computes it; here only its keys are. Whether a page goes without is a matter of these keys
and of the costs that are named, not of a clock.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Protocol

BUDGET_MS = 100.0
"""What a page may compute of what is then kept, milliseconds of an ordinary machine: with its tables it is there in 200."""
CHART_MS = 50.0
"""Drawing a chart,"""
CHART_BYTE_MS = 0.0004
"""and each byte of its data."""
PAIR_MS = 0.008
"""Holding two candidates against each other."""
TRIAL_MS = 0.0025
"""Reading a trial's scores, and holding them against those of others."""
FILE_MS = 0.5
"""Opening a run's file."""
KEYS_KEPT = 50_000


class Apart(Protocol):
    """Whoever works things out apart from those who read."""

    def soon(self, job: Callable[[], object]) -> None:
        """Do it before anything that nobody waits for."""


class Finished:
    """The keys of what was worked out, the most recent ones. Threads may share it."""

    def __init__(self) -> None:
        self._keys: OrderedDict[Hashable, bool] = OrderedDict()
        self._lock = Lock()

    def known(self, key: Hashable) -> bool | None:
        """True: it is there; False: somebody is at it; None: neither."""
        with self._lock:
            if key in self._keys:
                self._keys.move_to_end(key)
            return self._keys.get(key)

    def put(self, key: Hashable, done: bool) -> None:
        """Say that a thing is begun, or done."""
        with self._lock:
            self._keys[key] = done
            self._keys.move_to_end(key)
            while len(self._keys) > KEYS_KEPT:
                self._keys.popitem(last=False)


class Patience:
    """That of one page.

    Args:
        finished: what is known from before.
        apart: who works out the rest; `None`: this page waits for everything, so that others need not.
    """

    def __init__(self, finished: Finished, apart: Apart | None = None) -> None:
        self._finished = finished
        self._apart = apart
        self._left = BUDGET_MS if apart is not None else math.inf
        self._begun: list[Hashable] = []
        self.put_off = 0
        """Things that the page goes without for now."""

    def now(self, key: Hashable, ms: float, job: Callable[[], object]) -> bool:
        """Whether the page should have this thing now; else it is worked out apart.

        Args:
            key: what it is, with the state of all that it rests on.
            ms: what it costs where it is not kept yet.
            job: computes it, for whoever asks afterwards.
        """
        known = self._finished.known(key)
        if known:
            return True
        if ms <= self._left:
            self._left -= ms
            self._begun.append(key)
            self._finished.put(key, done=self._apart is not None)  # a page that waits takes long: others shall not do the same
            return True
        self.put_off += 1
        if known is None and self._apart is not None:
            self._finished.put(key, done=False)
            self._apart.soon(lambda: self._work(key, job))
        return False

    def done(self) -> None:
        """The page is drawn: what it waited for is there."""
        for key in self._begun:
            self._finished.put(key, done=True)

    def _work(self, key: Hashable, job: Callable[[], object]) -> None:
        try:
            job()
        finally:
            self._finished.put(key, done=True)  # what went wrong, it tells whoever asks next
