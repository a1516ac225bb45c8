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
        self._held: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, key: Hashable) -> T | None:
        """The thing of that key; `None` where it is not there."""
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key]

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The thing of that key, made where it is not there; the newest stays, however large it is."""
        known = self.known(key)
        if known is not None:
            return known
        made = make()  # outside the lock: two threads may make the same, which does no harm
        with self._lock:
            self._held[key] = made
            self._held.move_to_end(key)
            while len(self._held) > 1 and sum(map(self._size, self._held.values())) > self._most:
                self._held.popitem(last=False)
        return made
