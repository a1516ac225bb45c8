"""The catalog of now, kept by a server: looked at anew from time to time, and its slow pages drawn before anybody asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock

from assay.errors import AssayError
from assay.web.addresses import Served
from assay.web.catalog import Catalog, open_catalog
from assay.web.charts.drawing import warm_up
from assay.web.documents import drawn
from assay.web.page import View
from assay.web.pages import kinds

LOOK_AGAIN_S = 1.0
"""Seconds for which what lies on disk is taken as it was."""
SLOW = ("overview", "glossary", "compare", "scenario", "model")
"""Kinds of pages that compute or load what they then keep."""


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
    """Draws slow pages in a thread of its own, so that no reader waits for what they keep; of the newest catalog alone."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "assay-ahead")
        self._wanted: Catalog | None = None
        self._thread.submit(warm_up)

    def draw(self, catalog: Catalog) -> None:
        """Draw the slow pages of a catalog, and no more of an earlier one."""
        self._wanted = catalog
        self._thread.submit(self._draw, catalog)

    def close(self) -> None:
        """Draw no further page."""
        self._wanted = None
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _draw(self, catalog: Catalog) -> None:
        view = View(catalog, Served())
        for name in SLOW:
            for address in kinds()[name].every(catalog):
                if self._wanted is not catalog:
                    return
                with suppress(Exception):  # whoever asks for that page is told
                    drawn(view, address)
