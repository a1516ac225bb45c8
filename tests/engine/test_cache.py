from __future__ import annotations

import asyncio
import hashlib
import multiprocessing
import sqlite3
import threading
from pathlib import Path

import pytest

from assay.engine import Entry, ResponseCache
from assay.errors import AssayError
from assay.records import Completion, Failure, Response, Token
from fake_models import answer
from fake_servers import run


def _entry(text: str, response: Response | None = None) -> Entry:
    preimage = f'{{"prompt":"{text}"}}'.encode()
    return Entry(hashlib.sha256(preimage).hexdigest(), preimage, response or answer(text))


def test_a_response_comes_back_as_it_was_in_this_and_in_the_next_process(tmp_path: Path) -> None:
    token = Token(text=" ü\x00�", logprob=-0.25, top={" ü\x00�": -0.25, "b": -9999.0})
    full = Response(
        completions=(Completion(text="a\n", tokens=(token,), finish_reason="length", reasoning="so"),),
        latency_s=0.125,
        attempts=3,
        model_version="m@f",
        asked_at=1.5,
    )

    async def store() -> None:
        with ResponseCache(tmp_path / "deep" / "r.sqlite") as cache:
            assert await cache.get(_entry("x").key) is None
            assert await cache.put(_entry("x", full)) == full
            assert await cache.get(_entry("x").key) == full

    run(store())
    with ResponseCache(tmp_path / "deep" / "r.sqlite") as cache:
        assert len(cache) == 1
        assert cache.lookup([_entry("y").key, _entry("x").key]) == {_entry("x").key: full}
        assert cache.preimage(_entry("x").key) == b'{"prompt":"x"}'
        assert cache.preimage(_entry("y").key) is None


def test_what_arrives_together_is_read_by_few_queries_and_written_by_few_commits(tmp_path: Path) -> None:
    statements: list[str] = []

    async def main() -> None:
        with ResponseCache(tmp_path / "r.sqlite") as cache:
            cache._storage._connection.set_trace_callback(statements.append)
            entries = [_entry(str(number)) for number in range(1200)]
            assert await asyncio.gather(*(cache.get(entry.key) for entry in entries)) == [None] * 1200
            await asyncio.gather(*(cache.put(entry) for entry in entries))
            assert await asyncio.gather(*(cache.get(entry.key) for entry in entries)) == [entry.response for entry in entries]

    run(main())
    assert sum(one.startswith("SELECT") for one in statements) <= 8
    assert sum(one.startswith("COMMIT") for one in statements) <= 2


def test_a_response_counts_only_when_it_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"

    async def main() -> None:
        with ResponseCache(path) as cache:
            blocker = sqlite3.connect(path, isolation_level=None)
            blocker.execute("BEGIN IMMEDIATE")
            put = asyncio.create_task(cache.put(_entry("x")))
            await asyncio.sleep(0.2)
            assert not put.done()
            blocker.execute("COMMIT")
            await put
            # Another connection sees it now, without this one being closed.
            assert blocker.execute("SELECT count(*) FROM responses").fetchone() == (1,)
            blocker.close()

    run(main())


def test_the_first_answer_to_a_request_stays(tmp_path: Path) -> None:
    async def main() -> None:
        with ResponseCache(tmp_path / "r.sqlite") as one, ResponseCache(tmp_path / "r.sqlite") as other:
            await one.put(_entry("x", answer("first")))
            assert await other.put(_entry("x", answer("second"))) == answer("first")
            assert await other.get(_entry("x").key) == answer("first")

    run(main())


def test_a_failure_is_never_kept(tmp_path: Path) -> None:
    async def main() -> None:
        with ResponseCache(tmp_path / "r.sqlite") as cache:
            with pytest.raises(ValueError, match="not kept"):
                await cache.put(_entry("x", Response(failure=Failure(kind="server", message="no"))))
            assert len(cache) == 0

    run(main())


def test_a_stored_response_that_does_not_decode_is_asked_again_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"

    async def main() -> None:
        with ResponseCache(path) as cache:
            await cache.put(_entry("x", answer("old")))
            other = sqlite3.connect(path)
            other.execute("UPDATE responses SET response = x'00ff'")
            other.commit()
            other.close()
            assert await cache.get(_entry("x").key) is None
            assert await cache.put(_entry("x", answer("new"))) == answer("new")
            assert await cache.get(_entry("x").key) == answer("new")

    run(main())


def _fill(path: str, start: int) -> None:
    async def main() -> None:
        with ResponseCache(path) as cache:
            for number in range(start, start + 60):
                await cache.put(_entry(str(number)))

    run(main())


def test_several_processes_share_one_file(tmp_path: Path) -> None:
    path = str(tmp_path / "r.sqlite")
    context = multiprocessing.get_context("fork")
    # They start on a file that does not exist, and write overlapping ranges.
    processes = [context.Process(target=_fill, args=(path, start)) for start in (0, 30, 60)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)
        assert process.exitcode == 0
    with ResponseCache(path) as cache:
        assert len(cache) == 120
        found = cache.lookup(_entry(str(number)).key for number in range(120))
        assert [one.completions[0].text for one in found.values()] == [str(number) for number in range(120)]


@pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_file_that_is_no_database_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.sqlite"
    path.write_bytes(content)
    with pytest.raises(AssayError, match=r"broken\.sqlite is damaged.*move the file away"):
        ResponseCache(path)
    assert path.read_bytes() == content


def test_damage_in_the_middle_of_the_file_is_reported_and_not_taken_for_a_miss(tmp_path: Path) -> None:
    path = tmp_path / "broken.sqlite"

    async def fill() -> None:
        with ResponseCache(path) as cache:
            await asyncio.gather(*(cache.put(_entry(str(number))) for number in range(500)))

    async def read() -> None:
        with ResponseCache(path) as cache:
            await cache.get(_entry("1").key)

    run(fill())
    data = bytearray(path.read_bytes())
    data[4096:] = b"\x5a" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(AssayError, match=r"broken\.sqlite is damaged"):
        run(read())


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sqlite"
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE mine (x)")
    theirs.close()
    before = path.read_bytes()
    with pytest.raises(AssayError, match="another program"):
        ResponseCache(path)
    assert path.read_bytes() == before


def test_a_full_disk_is_said_and_loses_nothing_committed(tmp_path: Path) -> None:
    async def main() -> None:
        with ResponseCache(tmp_path / "r.sqlite") as cache:
            await cache.put(_entry("small"))
            pages = cache._storage._connection.execute("PRAGMA page_count").fetchone()[0]
            cache._storage._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
            noise = "".join(hashlib.sha256(str(n).encode()).hexdigest() for n in range(2000))
            results = await asyncio.gather(
                *(cache.put(_entry(f"large {n}", answer(noise))) for n in range(3)), return_exceptions=True
            )
            assert all(isinstance(one, AssayError) and "disk is full" in str(one) for one in results)
            assert await cache.get(_entry("small").key) == answer("small")
            assert await cache.put(_entry("also small")) == answer("also small")

    run(main())


def test_a_folder_in_place_of_the_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="cannot be used"):
        ResponseCache(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(AssayError, match="cannot be created"):
        ResponseCache(tmp_path / "file" / "r.sqlite")


def test_closing_finishes_what_was_asked_for_and_ends_the_thread(tmp_path: Path) -> None:
    async def main() -> None:
        cache = ResponseCache(tmp_path / "r.sqlite")
        put = asyncio.create_task(cache.put(_entry("x")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        cache.close()
        cache.close()
        assert await put == answer("x")
        with pytest.raises(RuntimeError, match="closed"):
            await cache.get(_entry("x").key)

    run(main())
    assert not [thread for thread in threading.enumerate() if thread.name == "assay-cache"]
