"""Matrix products whose rows do not depend on each other, and threads for them.

A BLAS library computes the rows of a product with different kernels, depending on how many rows there are, where a row
stands and how the work is split among threads; the results then differ in the last bits. An evaluation that is resumed in
other batches would not be repeatable. Three measures make a row's result a function of that row alone:

* the number of rows is always a multiple of `ROWS`, so that leftover kernels never run;
* a weight matrix is cut into narrow panels with a margin of zero columns on both sides, because the kernels for AVX2 round
  the outermost eight columns of a product differently in different rows;
* BLAS runs on one thread, and our own threads share out whole panels.

It costs 5 to 8 % of the speed. It holds for every x86 kernel family of the OpenBLAS that numpy's wheels contain
(`rows_are_independent` finds out for the one at hand); elsewhere, results may differ by rounding (about 1e-5).
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

ROWS = 12
"""Rows of every product are a multiple of this: the widest step of OpenBLAS's kernels for AVX2."""
MARGIN = 8
"""Zero columns on either side of a panel."""
PANEL = 304
"""Most columns of a panel without its margins; with them they fill one of OpenBLAS's own blocks of 320."""


def padded(rows: int) -> int:
    """The next multiple of `ROWS`."""
    return -(-rows // ROWS) * ROWS


class Workers:
    """The calling thread and some others, which share out numbered tasks."""

    def __init__(self, count: int) -> None:
        self.count = max(1, count)
        self._pool = ThreadPoolExecutor(self.count - 1, "assay-local") if self.count > 1 else None

    def each(self, tasks: int, task: Callable[[int], None]) -> None:
        """Call `task(0)` … `task(tasks - 1)`, in any order, and return when all are done."""
        hands = min(self.count, tasks)

        def some(hand: int) -> None:
            for number in range(hand, tasks, hands):
                task(number)

        if self._pool is None or hands < 2:
            some(0)
            return
        others = [self._pool.submit(some, hand) for hand in range(1, hands)]
        some(0)
        for other in others:
            other.result()

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


class Panels:
    """A weight matrix, cut into panels: `panels(x)` is `x @ weight.T`.

    With `gated`, the weight's first half are gates and its second half are values, and the result is
    `silu(x @ gates.T) * (x @ values.T)`, computed panel by panel while the numbers are in the processor's cache.
    """

    def __init__(self, weight: Floats, workers: Workers, *, gated: bool = False) -> None:
        parts = np.split(weight, 2) if gated else [weight]
        self.width = len(parts[0])
        self._gated = gated
        self._workers = workers
        self._panels: list[tuple[int, int, Floats]] = []
        step = _even(self.width, PANEL // len(parts))
        for start in range(0, self.width, step):
            stop = min(start + step, self.width)
            panel = np.zeros((weight.shape[1], (stop - start) * len(parts) + 2 * MARGIN), np.float32)
            for index, part in enumerate(parts):
                left = MARGIN + index * (stop - start)
                panel[:, left : left + stop - start] = part[start:stop].T
            self._panels.append((start, stop, panel))

    def __call__(self, x: Floats) -> Floats:
        """The product for `x` of shape `(rows, inputs)`, contiguous, with a multiple of `ROWS` rows."""
        out = np.empty((len(x), self.width), np.float32)

        def task(number: int) -> None:
            start, stop, panel = self._panels[number]
            product = (x @ panel)[:, MARGIN:-MARGIN]
            if self._gated:
                gates, values = product[:, : stop - start], product[:, stop - start :]
                with np.errstate(over="ignore"):
                    np.multiply(gates / (1 + np.exp(-gates)), values, out=out[:, start:stop])
            else:
                out[:, start:stop] = product

        self._workers.each(len(self._panels), task)
        return out


def _even(width: int, most: int) -> int:
    """The width of panels that share `width` about evenly, none above `most`; a multiple of 8."""
    count = -(-width // most)
    return min(most, -(-width // count // 8) * 8)


class _Blas:
    """The number of threads of the OpenBLAS library inside numpy's wheel; one while anybody holds `single`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._before = 1
        self._get, self._set = _thread_functions()

    @property
    def threads(self) -> int:
        """How many threads it would use by itself: the number of cores, or what the environment says; 1 if not known."""
        if self._get is None:
            return 1
        with self._lock:
            return self._before if self._holders else int(self._get())

    @contextmanager
    def single(self) -> Iterator[None]:
        """Within the block, a product runs on the thread that asks for it."""
        if self._get is None or self._set is None:
            yield
            return
        with self._lock:
            if not self._holders:
                self._before = int(self._get())
                self._set(1)
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if not self._holders:
                    self._set(self._before)


@lru_cache(maxsize=1)
def blas() -> _Blas:
    """The process's BLAS library."""
    return _Blas()


def _thread_functions() -> tuple[Callable[[], int] | None, Callable[[int], Any] | None]:
    """Functions that get and set the library's number of threads, where it can be found."""
    package = Path(np.__file__).parent
    for folder in (package.with_name("numpy.libs"), package / ".dylibs"):
        for file in sorted(folder.glob("*openblas*")):
            try:
                library = ctypes.CDLL(str(file))
            except OSError:
                continue
            for pattern in ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads"):
                get, set_ = (getattr(library, pattern.format(verb), None) for verb in ("get", "set"))
                if get is not None and set_ is not None:
                    set_.argtypes, set_.restype, get.restype = [ctypes.c_int], None, ctypes.c_int
                    return get, set_
    return None, None


def rows_are_independent(panels: Panels, inputs: int) -> bool:
    """Whether this machine's BLAS gives a row the same bits wherever it stands and whatever is computed beside it."""
    row = np.cos(np.arange(1, inputs + 1, dtype=np.float32))
    seen = set()
    with blas().single():
        for rows in (ROWS, 2 * ROWS, 5 * ROWS, 16 * ROWS):
            seen |= {result.tobytes() for result in panels(np.tile(row, (rows, 1)))}
    return len(seen) == 1
