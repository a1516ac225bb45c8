"""The response cache: one SQLite file that several processes may share, durable before an answer counts.

What several processes ask at the same time is asked by one of them, and read by the others (`asking`, `elsewhere`).
A process holds one connection, used by one thread of its own. Whatever arrives while that thread is busy is served
together in its next round: lookups by one query, new responses by one transaction. So a burst of responses costs one
commit (fsync), and nobody waits for a timer. `put` returns only after the commit.

The file must lie on a local disk: SQLite's write-ahead log needs memory that all its processes share.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from assay.engine.claims import Claims
from assay.engine.storage import Entry, Storage
from assay.records import Response

__all__ = ["Claim", "Entry", "ResponseCache"]

PATIENCE_S = 300.0
"""Longest wait for an answer that another process is asking for, seconds: it may be suspended."""
LOOK_S = (0.02, 0.5)
"""Pauses between two looks whether it has come: the first, from which they grow, and the longest."""

T = TypeVar("T")
Done = Callable[[list[Any] | BaseException], None]


class Claim(NamedTuple):
    """Whether a request may be asked."""

    mine: bool
    """This process is to ask it; else another one is asking it now."""
    kept: Response | None = None
    """The answer, where another process has stored it in the meantime: nothing is to be asked."""


class _Job(NamedTuple):
    """Lookups or new entries that arrived together, and where the results go."""

    keys: Sequence[str]
    entries: Sequence[Entry]
    done: Done


@dataclass
class _Desk:
    """What the coroutines of one event loop asked for since it last ran its callbacks."""

    keys: list[tuple[str, asyncio.Future[Response | None]]]
    entries: list[tuple[Entry, asyncio.Future[Response]]]
    scheduled: bool = False


class ResponseCache:
    """Responses by request key, in a file.

        cache = ResponseCache("responses.sqlite")
        response = await cache.put(Entry(key, preimage, response))
        assert await cache.get(key) == response

    Args:
        path: the file; it and its folder are created where they do not exist.
        say: told, from a thread of the cache's own, that another process keeps it waiting.

    Raises:
        AssayError: the file cannot be opened, is damaged, or is no response cache.
    """

    def __init__(self, path: str | Path, say: Callable[[str], None] = lambda text: None) -> None:
        self.path = Path(path)
        self._storage = Storage(self.path, say)
        try:
            self._claims = Claims(self.path)
        except BaseException:
            self._storage.close()
            raise
        self._not_waited_for: set[str] = set()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._desks: dict[asyncio.AbstractEventLoop, _Desk] = {}
        self._closed = False
        self._thread = threading.Thread(target=self._serve, name="assay-cache", daemon=True)
        self._thread.start()

    async def get(self, key: str) -> Response | None:
        """The response to the request of that key, or `None`. Lookups of one moment become one query.

        Raises:
            AssayError: the file is damaged or cannot be read.
        """
        future: asyncio.Future[Response | None] = asyncio.get_running_loop().create_future()
        self._desk().keys.append((key, future))
        return await future

    async def get_all(self, keys: Sequence[str]) -> list[Response | None]:
        """The responses to the requests of those keys, in their order, `None` where there is none. Raises as `get`."""
        loop = asyncio.get_running_loop()
        self._desk()  # refuses where the file is closed
        future: asyncio.Future[list[Response | None]] = loop.create_future()
        self._jobs.put(_Job(keys, (), _reply(loop, lambda result: _settle(future, result))))
        return await future

    async def put(self, entry: Entry) -> Response:
        """Store a response; returns when it is on the disk.

        Returns:
            The stored response: another process may have stored its answer to the same request first, and then that one
            counts, here and in every later run.

        Raises:
            AssayError: the disk is full, or the file is damaged or locked. Nothing committed before is lost.
            ValueError: the response is a failure; failures are never kept.
        """
        if entry.response.failure is not None:
            raise ValueError("a failed response is not kept")
        future: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._desk().entries.append((entry, future))
        return await future

    @asynccontextmanager
    async def asking(self, key: str) -> AsyncIterator[Claim]:
        """Ask a request that is not in the cache in this block, if the claim is `mine`, and `put` the answer before its end.

        Processes that share the file thereby ask nothing twice. It takes no wait: where another process is asking, leave the
        block (and the slot) and see `elsewhere`. A process alone with its cache pays a few system calls.
        """
        if key in self._not_waited_for:
            yield Claim(True)
            return
        if not self._claims.take(key):
            yield Claim(False)
            return
        try:
            # Somebody else may have answered and given the claim back since this process looked.
            kept = await self.get(key) if self._claims.shared else None
            yield Claim(kept is None, kept)
        finally:
            self._claims.release(key)

    async def elsewhere(self, key: str, patience_s: float = PATIENCE_S) -> Response | None:
        """Wait while another process is asking that request.

        Returns:
            Its answer. `None` when it failed or ended without one, or does not come to an end: then it is to be asked here,
            and the next claim on it is granted.
        """
        deadline = time.monotonic() + patience_s
        pause, longest = LOOK_S
        while True:
            free = self._claims.take(key)
            if free:
                self._claims.release(key)
            # Looked up after the claim was seen free, so that an answer given just now is found.
            if (kept := await self.get(key)) is not None or free:
                return kept
            if time.monotonic() > deadline:
                self._not_waited_for.add(key)
                return None
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)

    def lookup(self, keys: Iterable[str]) -> dict[str, Response]:
        """The responses to those keys that have one, for callers without an event loop.

        Raises:
            AssayError: the file is damaged or cannot be read.
        """
        wanted = list(dict.fromkeys(keys))
        found = self._wait(_Job(wanted, (), lambda _: None))
        return {key: response for key, response in zip(wanted, found, strict=True) if response is not None}

    def preimage(self, key: str) -> bytes | None:
        """The canonical JSON of the request behind a stored key: compared with another's, it explains a miss."""
        return self._storage.preimage(key)

    def __len__(self) -> int:
        """How many responses the file holds."""
        return self._storage.count()

    def close(self) -> None:
        """Finish what was asked for and close the file. Closing twice is fine."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
            self._thread.join()
            self._storage.close()
            self._claims.close()

    def __enter__(self) -> ResponseCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _desk(self) -> _Desk:
        if self._closed:
            raise RuntimeError(f"the response cache {self.path} is closed")
        loop = asyncio.get_running_loop()
        desk = self._desks.get(loop)
        if desk is None:
            self._desks = {held: kept for held, kept in self._desks.items() if not held.is_closed()}
            desk = self._desks[loop] = _Desk([], [])
        if not desk.scheduled:
            desk.scheduled = True
            loop.call_soon(self._send, loop, desk)
        return desk

    def _send(self, loop: asyncio.AbstractEventLoop, desk: _Desk) -> None:
        keys, entries = desk.keys, desk.entries
        desk.keys, desk.entries, desk.scheduled = [], [], False
        if keys:
            self._jobs.put(_Job([key for key, _ in keys], (), _reply(loop, _each([future for _, future in keys]))))
        if entries:
            self._jobs.put(_Job((), [entry for entry, _ in entries], _reply(loop, _each([future for _, future in entries]))))

    def _wait(self, job: _Job) -> list[Any]:
        if self._closed:
            raise RuntimeError(f"the response cache {self.path} is closed")
        future: Future[list[Any]] = Future()

        def done(result: list[Any] | BaseException) -> None:
            if isinstance(result, BaseException):
                future.set_exception(result)
            else:
                future.set_result(result)

        self._jobs.put(job._replace(done=done))
        return future.result()

    def _serve(self) -> None:
        open_for_business = True
        while open_for_business:
            jobs = [self._jobs.get()]
            while not self._jobs.empty():
                jobs.append(self._jobs.get())
            open_for_business = None not in jobs
            present = [job for job in jobs if job is not None]
            # Lookups first: nobody who only reads waits for the disk.
            _share([job for job in present if job.keys], lambda job: job.keys, self._storage.read)
            _share([job for job in present if job.entries], lambda job: job.entries, self._storage.write)


def _share(jobs: list[_Job], items: Callable[[_Job], Sequence[T]], work: Callable[[list[T]], list[Any]]) -> None:
    """Do the work of all jobs in one go and hand each its part."""
    if not jobs:
        return
    try:
        results = work([item for job in jobs for item in items(job)])
    except Exception as error:  # noqa: BLE001 - whatever went wrong belongs to those who wait, not to this thread
        for job in jobs:
            job.done(error)
        return
    start = 0
    for job in jobs:
        size = len(items(job))
        job.done(results[start : start + size])
        start += size


def _reply(loop: asyncio.AbstractEventLoop, settle: Done) -> Done:
    """Settle in the loop of those who wait."""

    def done(result: list[Any] | BaseException) -> None:
        try:
            loop.call_soon_threadsafe(settle, result)
        except RuntimeError:
            # The loop is closed: nobody waits any more, and what was written stays written.
            return

    return done


def _each(futures: Sequence[asyncio.Future[Any]]) -> Done:
    """Give each future its part of a result."""

    def settle(result: list[Any] | BaseException) -> None:
        for position, future in enumerate(futures):
            _settle(future, result if isinstance(result, BaseException) else result[position])

    return settle


def _settle(future: asyncio.Future[Any], result: Any) -> None:
    if future.done():
        return
    if isinstance(result, BaseException):
        future.set_exception(result)
    else:
        future.set_result(result)
