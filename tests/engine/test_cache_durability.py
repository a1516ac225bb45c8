"""What was promised is there, whatever happens to the process, the disk or the file; and the file keeps up with assay."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.engine import Entry, ResponseCache, storage
from assay.engine.keys import key_of
from assay.engine.storage import APPLICATION_ID, Storage
from assay.errors import AssayError
from assay.records import Completion, Response
from fake_models import answer
from fake_servers import run

SOURCE = Path(__file__).resolve().parents[2] / "src"
FORK = multiprocessing.get_context("fork")


def entry(number: int, text: str = "") -> Entry:
    preimage = b'{"model":{"name":"a/b"},"request":{"prompt":"%d"},"schema":1}' % number
    return Entry(key_of(preimage), preimage, answer(text or str(number)))


def noise(number: int) -> str:
    """A text that does not compress to less than half."""
    return "".join(key_of(b"%d-%d" % (number, part)) for part in range(300))


WRITER = """
    import asyncio, sys
    from assay.engine import Entry, ResponseCache, storage
    from assay.engine.keys import key_of
    from assay.records import Completion, Response

    async def put(cache, number):
        preimage = str(number).encode()
        await cache.put(Entry(key_of(preimage), preimage, Response(completions=(Completion(text=str(number)),))))
        print(number, flush=True)

    async def main():
        with ResponseCache(sys.argv[1]) as cache:
            for start in range(int(sys.argv[2]), 10**9, 5):
                await asyncio.gather(*(put(cache, number) for number in range(start, start + 5)))

    asyncio.run(main())
"""


def test_whatever_a_killed_process_was_told_is_stored_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    promised: list[int] = []
    for start, reads in ((0, 1), (100_000, 38), (200_000, 203)):
        command = [sys.executable, "-c", textwrap.dedent(WRITER), str(path), str(start)]
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as writer:
            assert writer.stdout is not None
            promised += [int(writer.stdout.readline()) for _ in range(reads)]
            writer.kill()
            promised += [int(line) for line in writer.stdout.read().split(b"\n")[:-1]]
    with ResponseCache(path) as cache:
        found = cache.lookup(key_of(str(number).encode()) for number in promised)
        assert [one.completions[0].text for one in found.values()] == [str(number) for number in promised]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def _fill(path: Path) -> tuple[int, str]:
    """Store large answers until that fails: how many were stored, and what was said."""

    async def main() -> tuple[int, str]:
        with ResponseCache(path) as cache:
            for number in range(1000):
                try:
                    await cache.put(entry(number, noise(number)))
                except AssayError as error:
                    # What is there can still be read.
                    for kept in range(number):
                        assert await cache.get(entry(kept).key) is not None
                    return number, str(error)
        raise AssertionError("the disk is never full")

    return run(main())  # type: ignore[no-any-return]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_loses_nothing_that_was_stored(small_disk: Path) -> None:
    path = small_disk / "r.sqlite"
    filler = small_disk / "other"
    filler.write_bytes(b"\0" * 400_000)
    stored, said = _fill(path)
    assert stored > 3
    assert said == f"the disk is full: the response cache {path} cannot grow (free some space and run again)"
    filler.unlink()
    with ResponseCache(path) as cache:
        assert len(cache) == stored
        run(cache.put(entry(stored, noise(stored))))
        found = cache.lookup(entry(number).key for number in range(stored + 1))
        assert [one.completions[0].text for one in found.values()] == [noise(number) for number in range(stored + 1)]


def _with_small_files(path: Path, results: Any) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
    results.put(_fill(path))


def test_a_limit_of_the_file_size_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    stored, said = in_process(_with_small_files, path)
    assert stored > 3
    assert f"the response cache {path} cannot be read or written" in said
    assert "\n" not in said
    with ResponseCache(path) as cache:
        assert len(cache) == stored


def in_process(work: Any, *arguments: Any) -> Any:
    """What `work` puts in the queue it is given, as a process of its own."""
    results = FORK.SimpleQueue()
    process = FORK.Process(target=work, args=(*arguments, results))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    return results.get()


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_file_that_goes_away_under_a_running_process_is_said_at_the_next_answer(tmp_path: Path, how: str) -> None:
    path = tmp_path / "r.sqlite"

    async def main() -> None:
        with ResponseCache(path) as cache:
            await cache.put(entry(1))
            path.rename(tmp_path / "elsewhere.sqlite")
            if how == "replaced":
                path.touch()
            with pytest.raises(AssayError, match=r"r\.sqlite was moved or removed while in use"):
                await cache.put(entry(2))

    run(main())


def _open_as_nobody(path: Path, results: Any) -> None:
    if os.geteuid() == 0:
        os.setuid(65534)
    try:
        ResponseCache(path).close()
        results.put("opened")
    except AssayError as error:
        results.put(str(error))


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_that_cannot_be_written_is_said(there: bool) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders cannot even be entered by others
        path = Path(folder) / "r.sqlite"
        if there:
            ResponseCache(path).close()
            path.chmod(0o444)
        os.chmod(folder, 0o555)
        said = in_process(_open_as_nobody, path)
        os.chmod(folder, 0o755)
    assert f"the response cache {path} cannot be used: " in said
    assert "(check the path and its rights)" in said
    assert "\n" not in said


def first_version(path: Path, count: int) -> None:
    """A file as the first version of the format had it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE responses (key BLOB PRIMARY KEY, preimage BLOB NOT NULL, response BLOB NOT NULL)")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        for number in range(count):
            key, preimage, response = entry(number)
            packed = zlib.compress(preimage), zlib.compress(msgspec.json.encode(response))
            connection.execute("INSERT INTO responses VALUES (?, ?, ?)", (bytes.fromhex(key), *packed))
        connection.commit()


def _open_and_add(path: Path, number: int, results: Any) -> None:
    async def main() -> None:
        with ResponseCache(path) as cache:
            await cache.put(entry(number))
            assert await cache.get(entry(0).key) == answer("0")

    run(main())
    results.put(None)


def test_a_file_of_the_first_version_is_brought_up_to_date_by_whoever_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    first_version(path, 50)
    results = FORK.SimpleQueue()
    processes = [FORK.Process(target=_open_and_add, args=(path, number, results)) for number in (100, 101, 102)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    with closing(Storage(path)) as storage:
        rows = list(storage.rows())
        assert storage.read([entry(number).key for number in range(50)]) == [answer(str(number)) for number in range(50)]
    assert {row.preimage for row in rows} == {entry(number).preimage for number in (*range(50), 100, 101, 102)}
    # How long ago the old ones were used is not known, so they do not count as old.
    assert max(row.used for row in rows) - min(row.used for row in rows) < 600
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    Storage(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 3")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    before = path.read_bytes()
    with pytest.raises(AssayError, match=r"r\.sqlite is from a newer assay \(update assay"):
        Storage(path)
    assert path.read_bytes() == before


def test_long_and_short_answers_come_back_as_they_were(tmp_path: Path) -> None:
    responses = [Response(completions=(Completion(text="ü" * length),)) for length in (0, 1, 200, 500, 5000)]
    entries = [Entry(key_of(b"%d" % number), b"%d" % number, response) for number, response in enumerate(responses)]
    with closing(Storage(tmp_path / "r.sqlite")) as storage:
        storage.write(entries)
        assert storage.read([one.key for one in entries]) == responses


LOCKING = """
    import sqlite3, sys
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    print("locked", flush=True)
    input()
"""


@contextmanager
def suspended_writer(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that is suspended while it writes to the file."""
    command = [sys.executable, "-c", textwrap.dedent(LOCKING), str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        other.send_signal(signal.SIGSTOP)
        try:
            yield other
        finally:
            other.kill()


def test_a_suspended_process_that_writes_is_waited_for_and_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "SAY_AFTER_S", 0.1)
    monkeypatch.setattr(storage, "BUSY_S", 0.05)
    path, said, heard = tmp_path / "r.sqlite", [], threading.Event()

    def say(text: str) -> None:
        said.append(text)
        heard.set()

    async def main() -> None:
        with ResponseCache(path, say) as cache:
            await cache.put(entry(0))
            for number in (1, 2):
                with suspended_writer(path) as other:
                    putting = asyncio.create_task(cache.put(entry(number)))
                    assert number == 2 or await asyncio.to_thread(heard.wait, 30)
                    await asyncio.sleep(0.3)
                    assert not putting.done()
                    other.kill()
                    assert await putting == entry(number).response
            assert len(cache) == 3

    run(main())
    assert said == [f"waiting for another process that writes to the response cache {path}; is it suspended?"]


def test_a_process_that_never_lets_go_is_not_waited_for_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "PATIENCE_S", 0.2)
    monkeypatch.setattr(storage, "BUSY_S", 0.05)
    path = tmp_path / "r.sqlite"

    async def main() -> None:
        with ResponseCache(path) as cache:
            await cache.put(entry(0))
            with suspended_writer(path):
                with pytest.raises(AssayError, match="is locked by another process"):
                    await cache.put(entry(1))
                assert await cache.get(entry(0).key) == entry(0).response
            await cache.put(entry(1))

    run(main())
