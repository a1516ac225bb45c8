"""The file behind the response cache: a table of compressed requests and responses in SQLite."""

from __future__ import annotations

import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from assay.errors import AssayError
from assay.records import Response

APPLICATION_ID = 0x41535359
"""Marks the file as a response cache ("ASSY"), so that another program's database is never written to."""
VERSION = 1
BUSY_S = 60.0
"""Longest wait for another process that is writing, seconds."""
LOOKUP_SIZE = 500
"""Keys in one query; SQLite's oldest limit is 999 parameters."""
LEVEL = 1
"""zlib's fastest: on prompts it gives nearly all of the saving at a third of the time."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Response).decode


class Entry(NamedTuple):
    """A response with its request's key (64 hexadecimal digits) and preimage."""

    key: str
    preimage: bytes
    response: Response


class Storage:
    """One connection to the file, safe to call from any thread.

    Raises:
        AssayError: the file cannot be opened, is damaged, or belongs to something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AssayError(f"the response cache {path} cannot be created: {error}", "name another place") from error
        with self._explained():
            self._connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            with self._explained():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def read(self, keys: Sequence[str]) -> list[Response | None]:
        """The responses in the order of the keys, `None` where there is none.

        A stored response that does not decode counts as none; the next answer to that request replaces it.
        """
        found: dict[str, Response] = {}
        with self._lock, self._explained():
            for start in range(0, len(keys), LOOKUP_SIZE):
                part = [bytes.fromhex(key) for key in keys[start : start + LOOKUP_SIZE]]
                marks = ",".join("?" * len(part))
                rows = self._connection.execute(f"SELECT key, response FROM responses WHERE key IN ({marks})", part)
                for key, packed in rows:
                    response = _unpack(packed)
                    if response is not None:
                        found[key.hex()] = response
        return [found.get(key) for key in keys]

    def write(self, entries: Sequence[Entry]) -> list[Response]:
        """Store all entries in one durable transaction.

        Returns:
            What the file holds for each entry afterwards: the first answer to a request stays, whoever stored it.
        """
        rows = [
            (bytes.fromhex(entry.key), zlib.compress(entry.preimage, LEVEL), zlib.compress(_encode(entry.response), LEVEL))
            for entry in entries
        ]
        with self._lock, self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                stored = [self._insert(row, entry.response) for row, entry in zip(rows, entries, strict=True)]
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        return stored

    def preimage(self, key: str) -> bytes | None:
        """The stored preimage of a key."""
        with self._lock, self._explained():
            row = self._connection.execute("SELECT preimage FROM responses WHERE key = ?", (bytes.fromhex(key),)).fetchone()
        return zlib.decompress(row[0]) if row else None

    def count(self) -> int:
        """How many responses the file holds."""
        with self._lock, self._explained():
            return int(self._connection.execute("SELECT count(*) FROM responses").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _insert(self, row: tuple[bytes, bytes, bytes], response: Response) -> Response:
        insert = "INSERT INTO responses (key, preimage, response) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING"
        if self._connection.execute(insert, row).rowcount == 1:
            return response
        held = self._connection.execute("SELECT response FROM responses WHERE key = ?", row[:1]).fetchone()
        kept = _unpack(held[0])
        if kept is not None:
            return kept
        self._connection.execute("UPDATE responses SET preimage = ?, response = ? WHERE key = ?", (row[1], row[2], row[0]))
        return response

    def _prepare(self) -> None:
        execute = self._connection.execute
        # In one transaction: another process may be creating the file right now.
        execute("BEGIN")
        application, version = execute("PRAGMA application_id").fetchone()[0], execute("PRAGMA user_version").fetchone()[0]
        foreign = application != APPLICATION_ID and execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0
        execute("COMMIT")
        if foreign:
            raise AssayError(f"{self._path} is a database of another program", "name another file for the response cache")
        if version > VERSION:
            raise AssayError(f"the response cache {self._path} is from a newer assay", "update assay or name another file")
        self._write_ahead()
        execute("PRAGMA synchronous = FULL")
        execute("BEGIN IMMEDIATE")
        execute("CREATE TABLE IF NOT EXISTS responses (key BLOB PRIMARY KEY, preimage BLOB NOT NULL, response BLOB NOT NULL)")
        execute(f"PRAGMA application_id = {APPLICATION_ID}")
        execute(f"PRAGMA user_version = {VERSION}")
        execute("COMMIT")

    def _write_ahead(self) -> None:
        """Turn the write-ahead log on. SQLite does not wait here when another process does the same, so this does."""
        deadline = time.monotonic() + BUSY_S
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
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
    if "locked" in text or "busy" in text:
        return AssayError(f"the response cache {path} is locked by another process", "end that process or name another file")
    if isinstance(error, sqlite3.OperationalError) and "malformed" not in text:
        return AssayError(f"the response cache {path} cannot be used: {text}", "check the path and its rights")
    return AssayError(f"the response cache {path} is damaged: {text}", "move the file away; its answers will be asked again")


def _unpack(packed: bytes) -> Response | None:
    try:
        return _decode(zlib.decompress(packed))
    except (zlib.error, msgspec.MsgspecError, TypeError):
        return None
