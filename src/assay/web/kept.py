"""What is expensive to read and often asked for again, kept as long as there is room."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Things by key, the most recently used ones, up to a total size. Threads may share it."""

    def __init__(self, most: int, size: Callable[[T], int]) -> None:
        self._most = most
        self._size = size
        self._held: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._total = 0
        self._lock = threading.Lock()

    def known(self, key: Hashable) -> T | None:
        """The thing of that key; `None` where it is not there."""
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][0]

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The thing of that key, made where it is not there; the newest stays, however large it is."""
        known = self.known(key)
        if known is not None:
            return known
        made = make()  # outside the lock: two threads may make the same, which does no harm
        size = self._size(made)
        with self._lock:
            self._total += size - self._held.get(key, (made, 0))[1]
            self._held[key] = made, size
            self._held.move_to_end(key)
            while len(self._held) > 1 and self._total > self._most:
                self._total -= self._held.popitem(last=False)[1][1]
        return made
