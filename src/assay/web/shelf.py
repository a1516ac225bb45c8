"""The catalog of now, kept by a server: looked at anew from time to time, and its slow pages drawn before anybody asks."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from threading import Event, Lock

from assay.errors import AssayError
from assay.web.addresses import Address, Served
from assay.web.boards import ready, separation
from assay.web.catalog import Catalog, open_catalog
from assay.web.documents import document, drawn
from assay.web.entries import Entry
from assay.web.page import View
from assay.web.pages import kinds
from assay.web.patience import Finished, Patience

log = logging.getLogger("assay")
LOOK_AGAIN_S = 1.0
"""Seconds for which what lies on disk is taken as it was."""
SLOW = ("overview", "glossary", "compare", "coverage", "scenario", "model", "efficiency")
"""Kinds of pages that compute or load what they then keep."""
COURTESY_S = 0.5
"""Seconds for which what nobody waits for is put off as long as pages are being drawn for readers."""


class Shelf:
    """What a server shows. Any thread may ask it.

    Args:
        places: as for `open_catalog`.
        find: finds the places of now, where records and profiles may come that nobody could name before; raises AssayError
            where there are none any more, and then those of before stay.

    Raises:
        AssayError: a place does not exist.
    """

    def __init__(self, places: Sequence[Path], find: Callable[[], Sequence[Path]] | None = None) -> None:
        self._catalog = open_catalog(places)
        self._find = find
        self._looked = time.monotonic()
        self._lock = Lock()
        self._changed: Callable[[Catalog], None] | None = None

    def now(self) -> Catalog:
        """What is there now, or was a second ago."""
        with self._lock:
            if time.monotonic() - self._looked >= LOOK_AGAIN_S:
                before, self._catalog = self._catalog, self._catalog.refreshed(self._places())
                self._looked = time.monotonic()
                if self._changed is not None and self._catalog is not before:
                    self._changed(self._catalog)
            return self._catalog

    def _places(self) -> Sequence[Path]:
        try:
            return self._find() if self._find is not None else ()
        except AssayError:
            return ()

    def last(self) -> Catalog:
        """What was there when it was looked at last; nothing is read, so that nothing can fail."""
        return self._catalog

    def on_change(self, told: Callable[[Catalog], None]) -> None:
        """Have somebody told of this catalog, and of every later one."""
        self._changed = told
        told(self._catalog)


class Ahead:
    """Works in a thread of its own, so that no reader waits: what pages have put off, then slow pages of the newest catalog."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "assay-ahead")
        self._finished = Finished()
        self._soon: deque[Callable[[], object]] = deque()
        self._later: Iterator[Callable[[], object]] = iter(())
        self._readers = 0
        self._lock = Lock()
        self._alone = Event()
        self._alone.set()

    def draw(self, catalog: Catalog) -> None:
        """Draw the slow pages of a catalog, and no more of an earlier one."""
        self._later = self._pages(catalog)
        self._go_on()

    def soon(self, job: Callable[[], object]) -> None:
        """Do something before all that nobody waits for."""
        self._soon.append(job)
        self._go_on()

    def close(self) -> None:
        """Draw no further page."""
        self._later = iter(())
        self._soon.clear()
        self._thread.shutdown(wait=False, cancel_futures=True)

    @contextmanager
    def reader(self, catalog: Catalog) -> Iterator[View]:
        """What a page for a reader is drawn from; as long as that takes, nothing else is begun."""
        with self._lock:
            self._readers += 1
            self._alone.clear()
        try:
            yield View(catalog, Served(), Patience(self._finished, self))
        finally:
            with self._lock:
                self._readers -= 1
                if not self._readers:
                    self._alone.set()

    def _go_on(self) -> None:
        with suppress(RuntimeError):  # closed
            self._thread.submit(self._next)

    def _next(self) -> None:
        if not self._soon:
            self._alone.wait(COURTESY_S)
        try:
            job = self._soon.popleft() if self._soon else next(self._later, None)
            if job is None:
                return
            job()
        except Exception:  # whoever asks for that page is told
            log.debug("not drawn ahead", exc_info=True)
        self._go_on()

    def _pages(self, catalog: Catalog) -> Iterator[Callable[[], object]]:
        """What is to be done ahead, in small steps: between any two of them a reader's page may be drawn."""
        addresses = chain.from_iterable(kinds()[name].every(catalog) for name in SLOW)
        yield from (partial(self._separate, scenario.entries) for scenario in catalog.scenarios)
        yield from (partial(self._draw, catalog, address) for address in addresses)

    def _separate(self, entries: Sequence[Entry]) -> None:
        patience = Patience(self._finished)
        try:
            if ready(patience, entries):
                separation(entries)
        finally:
            patience.done()

    def _draw(self, catalog: Catalog, address: Address) -> None:
        patience = Patience(self._finished)
        try:
            view = View(catalog, Served(), patience)
            document(drawn(view, address), view, address)
        finally:
            patience.done()
