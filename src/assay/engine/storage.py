"""The file behind the response cache: a table of compressed requests and responses in SQLite."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from assay.errors import AssayError
from assay.records import Response

APPLICATION_ID = 0x41535359
"""Marks the file as a response cache ("ASSY"), so that another program's database is never written to."""
VERSION = 2
"""2 added the time of last use."""
PAGE_SIZE = 8192
"""Bytes: a prompt and its neighbour fit on one page, which makes the file a third smaller than SQLite's 4,096 does."""
PATIENCE_S = 600.0
"""Longest wait for another process that is writing, seconds: it may be suspended."""
SAY_AFTER_S = 10.0
"""Seconds of such a wait after which the user is told of it."""
BUSY_S = 1.0
"""Seconds after which SQLite, waiting, comes back to be asked again."""
CHECKPOINT_PAGES = 4000
"""Pages (32 MB) after which SQLite moves the log into the file: answers wait while it does, at its own setting of 1,000 four
times as often, since keys are spread over the whole index and each commit writes most of its pages anew."""
LOOKUP_SIZE = 500
"""Keys in one query; SQLite's oldest limit is 999 parameters."""
LEVEL = 1
"""zlib's fastest: on prompts it gives nearly all of the saving at a third of the time."""
WINDOW_BITS = (9, 15)
"""zlib's smallest and largest window, as powers of two: one that fits a short text takes a third of the time to set up."""
ROWS_AT_ONCE = (64, 8, 1)
"""Rows stored by one statement: each lets go of Python's lock, and has to wait for it again while requests are sent."""
WORTH_PACKING = 512
"""Bytes of JSON from which a response is compressed; a shorter one costs more time than it saves."""
NOTED_EVERY_S = 86_400
"""A response's time of use is written down at most once a day, so that reading hardly ever means writing."""
PART = 1000
"""Rows read or changed in one go where all are gone through, so that no other process waits long."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Response).decode


class Entry(NamedTuple):
    """A response with its request's key (64 hexadecimal digits) and preimage."""

    key: str
    preimage: bytes
    response: Response


class Row(NamedTuple):
    """What the file holds for a request."""

    key: bytes
    preimage: bytes
    """Empty where it is damaged."""
    response: Response | None
    """`None` where it is damaged."""
    used: int
    """Unix time of the last use, to the day."""
    size: int
    """Bytes it takes in the file, without SQLite's own."""


_Values = tuple[bytes, bytes, bytes, int]
"""A row as the file holds it: key, packed preimage, packed response, Unix time of the last use."""


class Storage:
    """One connection to the file, safe to call from any thread.

    Args:
        path: the file.
        say: told, from any thread and once at most, that another process is being waited for.

    Raises:
        AssayError: the file cannot be opened, is damaged, or belongs to something else.
    """

    def __init__(self, path: Path, say: Callable[[str], None] = lambda text: None) -> None:
        self._path = path
        self._say: Callable[[str], None] | None = say
        self._patience_s = PATIENCE_S
        self._lock = threading.Lock()
        self._stale: set[bytes] = set()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AssayError(f"the response cache {path} cannot be created: {error}", "name another place") from error
        with self._explained():
            self._connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            with self._explained():
                self._prepare()
                self._file = _file_at(path)
        except BaseException:
            self._connection.close()
            raise

    def read(self, keys: Sequence[str]) -> list[Response | None]:
        """The responses in the order of the keys, `None` where there is none.

        A stored response that does not decode counts as none; the next answer to that request replaces it.
        """
        found: dict[str, Response] = {}
        long_ago = time.time() - NOTED_EVERY_S
        with self._lock, self._explained():
            for start in range(0, len(keys), LOOKUP_SIZE):
                part = [bytes.fromhex(key) for key in keys[start : start + LOOKUP_SIZE]]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, response, used FROM responses WHERE key IN ({marks})"
                for key, packed, used in self._execute(query, part):
                    response = _unpack(packed)
                    if response is not None:
                        found[key.hex()] = response
                        if used < long_ago:
                            self._stale.add(key)
        return [found.get(key) for key in keys]

    def write(self, entries: Sequence[Entry]) -> list[Response]:
        """Store all entries in one durable transaction.

        Returns:
            What the file holds for each entry afterwards: the first answer to a request stays, whoever stored it.
        """
        now = int(time.time())
        rows = [(bytes.fromhex(entry.key), _compressed(entry.preimage), _pack(entry.response), now) for entry in entries]
        stored: list[Response] = []
        with self._lock, self._explained():
            with self._transaction():
                while (start := len(stored)) < len(rows):
                    count = next(count for count in ROWS_AT_ONCE if count <= len(rows) - start)
                    part = slice(start, start + count)
                    stored += self._insert(rows[part], [entry.response for entry in entries[part]])
            if _file_at(self._path) != self._file:
                problem = f"the response cache {self._path} was moved or removed while in use"
                raise AssayError(problem, "put it back, or start anew with the same command")
        return stored

    def rows(self) -> Iterator[Row]:
        """Everything the file holds, oldest first; what is added meanwhile may be among it."""
        last = -1
        columns = "rowid, key, preimage, response, used, length(key) + length(preimage) + length(response)"
        query = f"SELECT {columns} FROM responses WHERE rowid > ? ORDER BY rowid LIMIT {PART}"
        while True:
            with self._lock, self._explained():
                part = self._execute(query, (last,)).fetchall()
            if not part:
                return
            last = part[-1][0]
            for _, key, preimage, response, used, size in part:
                yield Row(key, _decompressed(preimage), _unpack(response), used, size)

    def latest(self, count: int) -> Iterator[tuple[bytes, Response]]:
        """Requests, as their preimages, and responses that were stored last, the newest first; damaged ones left out."""
        query = "SELECT preimage, response FROM responses ORDER BY rowid DESC LIMIT ?"
        with self._lock, self._explained():
            rows = self._execute(query, (count,)).fetchall()
        for packed, stored in rows:
            preimage, response = _decompressed(packed), _unpack(stored)
            if preimage and response is not None:
                yield preimage, response

    def remove(self, keys: Iterable[bytes]) -> None:
        """Remove the responses of those keys; the room they took is used again, and the file stays as large."""
        listed = [(key,) for key in keys]
        for start in range(0, len(listed), PART):
            with self._lock, self._explained(), self._transaction():
                self._connection.executemany("DELETE FROM responses WHERE key = ?", listed[start : start + PART])

    def shrink(self) -> None:
        """Make the file as small as its content. Writing takes a copy's room on the disk, and others wait meanwhile.

        Raises:
            AssayError: there is no room for the copy, or another process is using the file.
        """
        with self._lock, self._explained():
            self._execute("VACUUM")
            self._execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def size(self) -> int:
        """Bytes the responses take in the file, SQLite's own included, free pages left out."""
        with self._lock, self._explained():
            return (self._number("page_count") - self._number("freelist_count")) * self._number("page_size")

    def preimage(self, key: str) -> bytes | None:
        """The stored preimage of a key."""
        with self._lock, self._explained():
            row = self._execute("SELECT preimage FROM responses WHERE key = ?", (bytes.fromhex(key),)).fetchone()
        return _decompressed(row[0]) if row else None

    def count(self) -> int:
        """How many responses the file holds."""
        with self._lock, self._explained():
            return int(self._execute("SELECT count(*) FROM responses").fetchone()[0])

    def close(self) -> None:
        """Note which responses were used, and close the file."""
        with self._lock:
            # Nothing is lost but the order in which `assay cache prune` would go, so nobody is bothered or kept waiting.
            with suppress(sqlite3.Error):
                self._patience_s = 0.0
                self._note_uses()
            self._connection.close()

    def _note_uses(self) -> None:
        now, stale = int(time.time()), sorted(self._stale)
        for start in range(0, len(stale), PART):
            with self._transaction():
                part = [(now, key) for key in stale[start : start + PART]]
                self._connection.executemany("UPDATE responses SET used = ? WHERE key = ?", part)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of the block is on the disk after it, or nothing."""
        self._execute("BEGIN IMMEDIATE")
        try:
            yield
            self._execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._execute("ROLLBACK")
            raise

    def _insert(self, rows: Sequence[_Values], responses: Sequence[Response]) -> list[Response]:
        """Store rows; what the file holds for each afterwards."""
        insert = "INSERT INTO responses (key, preimage, response, used) VALUES "
        marks = ", ".join(["(?, ?, ?, ?)"] * len(rows))
        inserted = self._execute(f"{insert}{marks} ON CONFLICT (key) DO NOTHING", [value for row in rows for value in row])
        if inserted.rowcount == len(rows):
            return list(responses)
        return [self._held(row) or self._replaced(row, response) for row, response in zip(rows, responses, strict=True)]

    def _held(self, row: _Values) -> Response | None:
        """What the file holds for a row's key; `None` where that is damaged."""
        return _unpack(self._execute("SELECT response FROM responses WHERE key = ?", row[:1]).fetchone()[0])

    def _replaced(self, row: _Values, response: Response) -> Response:
        self._execute("UPDATE responses SET preimage = ?, response = ?, used = ? WHERE key = ?", (*row[1:], row[0]))
        return response

    def _prepare(self) -> None:
        execute = self._execute
        # In one transaction: another process may be creating the file right now.
        execute("BEGIN")
        application, version = self._number("application_id"), self._number("user_version")
        foreign = application != APPLICATION_ID and execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0
        execute("COMMIT")
        if foreign:
            raise AssayError(f"{self._path} is a database of another program", "name another file for the response cache")
        if version > VERSION:
            raise AssayError(f"the response cache {self._path} is from a newer assay", "update assay or name another file")
        execute(f"PRAGMA page_size = {PAGE_SIZE}")
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = FULL")
        execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        if version < VERSION:
            with self._transaction():
                self._migrate(self._number("user_version"))

    def _migrate(self, version: int) -> None:
        """Bring an empty file, or one of an earlier version, to this one; another process may have done it just now."""
        execute = self._execute
        if version >= VERSION:
            return
        if version == 0:
            columns = "key BLOB PRIMARY KEY, preimage BLOB NOT NULL, response BLOB NOT NULL, used INTEGER NOT NULL"
            execute(f"CREATE TABLE responses ({columns})")
            execute(f"PRAGMA application_id = {APPLICATION_ID}")
        if version == 1:
            # When they were last used is not known: they count as used now, so that none is pruned for its age too early.
            execute(f"ALTER TABLE responses ADD COLUMN used INTEGER NOT NULL DEFAULT {int(time.time())}")
        execute(f"PRAGMA user_version = {VERSION}")

    def _number(self, pragma: str) -> int:
        return int(self._execute(f"PRAGMA {pragma}").fetchone()[0])

    def _execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        """Have a statement carried out once no other process is in its way.

        SQLite's own waiting cannot be told of, and it does not wait at all where the write-ahead log is turned on.
        """
        began = time.monotonic()
        while True:
            try:
                return self._connection.execute(statement, values)
            except sqlite3.OperationalError as error:
                waited = time.monotonic() - began
                if not _is_busy(error) or waited >= self._patience_s:
                    raise
                if waited >= SAY_AFTER_S and self._say is not None:
                    say, self._say = self._say, None
                    say(f"waiting for another process that writes to the response cache {self._path}; is it suspended?")
            time.sleep(0.02)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into ones that name the file and the way out."""
        try:
            yield
        except sqlite3.Error as error:
            raise _explain(self._path, error) from error


def _explain(path: Path, error: sqlite3.Error) -> AssayError:
    text = str(error)
    if "full" in text:
        return AssayError(f"the disk is full: the response cache {path} cannot grow", "free some space and run again")
    if "disk I/O" in text:
        return AssayError(f"the response cache {path} cannot be read or written: {text}", "is the disk full, or broken?")
    if _is_busy(error):
        return AssayError(f"the response cache {path} is locked by another process", "end that process or name another file")
    if isinstance(error, sqlite3.OperationalError) and "malformed" not in text:
        return AssayError(f"the response cache {path} cannot be used: {text}", "check the path and its rights")
    return AssayError(f"the response cache {path} is damaged: {text}", "move the file away; its answers will be asked again")


def _is_busy(error: sqlite3.Error) -> bool:
    """Another process is in the way."""
    return "locked" in str(error) or "busy" in str(error)


def _file_at(path: Path) -> tuple[int, int] | None:
    """Which file a path leads to; `None` where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _pack(response: Response) -> bytes:
    plain = _encode(response)
    return plain if len(plain) < WORTH_PACKING else _compressed(plain)


def _compressed(plain: bytes) -> bytes:
    smallest, largest = WINDOW_BITS
    return zlib.compress(plain, LEVEL, min(largest, max(smallest, len(plain).bit_length())))


def _decompressed(packed: bytes) -> bytes:
    try:
        return zlib.decompress(packed)
    except (zlib.error, TypeError):
        return b""


def _unpack(packed: bytes) -> Response | None:
    try:
        return _decode(packed if packed.startswith(b"{") else zlib.decompress(packed))
    except (zlib.error, msgspec.MsgspecError, TypeError, AttributeError):
        return None
