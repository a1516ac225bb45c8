"""Several processes ask through one cache: nothing twice, whoever dies or sleeps."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from assay.engine import Entry, ResponseCache
from assay.engine.cache import Claim
from assay.engine.claims import Claims
from assay.errors import AssayError
from fake_models import answer
from fake_servers import run

SOURCE = Path(__file__).resolve().parents[2] / "src"
ASKER = """
    import asyncio, hashlib, os, sys, time
    from assay.engine import Entry, ResponseCache
    from assay.records import Completion, Response

    path, count, latency_s = sys.argv[1], int(sys.argv[3]), float(sys.argv[4])
    log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND)

    async def ask(cache, slots, number):
        preimage = str(number).encode()
        key = hashlib.sha256(preimage).hexdigest()
        kept = await cache.get(key)
        while kept is None:
            async with slots, cache.asking(key) as claim:
                if claim.mine:
                    os.write(log, preimage + b"\\n")
                    await asyncio.sleep(latency_s)
                    response = Response(completions=(Completion(text=str(os.getpid())),))
                    kept = await cache.put(Entry(key, preimage, response))
                else:
                    kept = claim.kept
            kept = kept or (None if claim.mine else await cache.elsewhere(key))
        return kept

    async def main():
        with ResponseCache(path) as cache:
            slots = asyncio.Semaphore(8)
            await asyncio.gather(*(ask(cache, slots, number) for number in range(count)))

    asyncio.run(main())
"""


class Askers:
    """Processes that ask the same requests through one cache, and what they asked."""

    def __init__(self, folder: Path) -> None:
        self.path, self._log = folder / "r.sqlite", folder / "asked"
        self._log.touch()

    def start(self, count: int, latency_s: float) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", textwrap.dedent(ASKER), str(self.path), str(self._log), str(count), str(latency_s)]
        return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(SOURCE)})

    def asked(self) -> list[int]:
        return [int(line) for line in self._log.read_text().split("\n")[:-1]]

    async def until_asked(self, count: int) -> None:
        while len(self.asked()) < count:
            await asyncio.sleep(0.01)


def test_processes_that_ask_the_same_at_once_ask_nothing_twice_and_share_the_work(tmp_path: Path) -> None:
    askers = Askers(tmp_path)
    processes = [askers.start(150, 0.01) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert sorted(askers.asked()) == list(range(150))
    with ResponseCache(askers.path) as cache:
        assert len(cache) == 150


def test_what_a_killed_process_was_asking_is_asked_by_the_other(tmp_path: Path) -> None:
    askers = Askers(tmp_path)
    # The first gets stuck with eight requests; the second needs all of them.
    stuck = askers.start(8, 3600)
    run(askers.until_asked(8))
    other = askers.start(20, 0)
    run(askers.until_asked(20))
    assert other.poll() is None
    stuck.send_signal(signal.SIGKILL)
    stuck.wait()
    assert other.wait(60) == 0
    assert sorted(askers.asked()) == sorted([*range(20), *range(8)])


def test_a_process_that_sleeps_is_not_waited_for_without_end(tmp_path: Path) -> None:
    askers = Askers(tmp_path)
    asleep = askers.start(1, 3600)
    key = "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9"  # SHA-256 of "0"

    async def main() -> None:
        await askers.until_asked(1)
        asleep.send_signal(signal.SIGSTOP)
        with ResponseCache(askers.path) as cache:
            async with cache.asking(key) as claim:
                assert claim == Claim(mine=False)
            assert await cache.elsewhere(key, patience_s=0.1) is None
            async with cache.asking(key) as claim:
                assert claim == Claim(mine=True)
                await cache.put(Entry(key, b"0", answer("mine")))

    try:
        run(main())
    finally:
        asleep.kill()
        asleep.wait()


def test_an_answer_given_between_looking_and_claiming_is_found(tmp_path: Path) -> None:
    askers = Askers(tmp_path)

    async def main() -> None:
        with ResponseCache(askers.path) as cache:
            key = "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9"
            assert await cache.get(key) is None
            other = askers.start(9, 0.3)
            await askers.until_asked(1)
            # Now another process is known to share the file, by the claim that this one does not get.
            async with cache.asking(key) as claim:
                assert not claim.mine
            assert await asyncio.to_thread(other.wait, 60) == 0
            async with cache.asking(key) as claim:
                assert not claim.mine
                assert claim.kept is not None
                assert claim.kept.completions[0].text == str(other.pid)

    run(main())


def test_a_claim_is_given_back_also_when_asking_fails(tmp_path: Path) -> None:
    async def main() -> None:
        with ResponseCache(tmp_path / "r.sqlite") as cache:
            with pytest.raises(ZeroDivisionError):
                async with cache.asking("ab" * 32):
                    raise ZeroDivisionError
            assert _seen_elsewhere(tmp_path / "r.sqlite", "ab" * 32)
            async with cache.asking("ab" * 32):
                assert not _seen_elsewhere(tmp_path / "r.sqlite", "ab" * 32)

    run(main())


def _seen_elsewhere(path: Path, key: str) -> bool:
    """Whether another process would get the claim."""
    code = "import sys; from pathlib import Path; from assay.engine.claims import Claims; "
    code += "sys.exit(not Claims(Path(sys.argv[1])).take(sys.argv[2]))"
    command = [sys.executable, "-c", code, str(path), key]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": str(SOURCE)}, timeout=60, check=False).returncode == 0


def test_a_cache_is_had_alone_only_while_nobody_else_uses_it(tmp_path: Path) -> None:
    askers = Askers(tmp_path)
    user = askers.start(1, 3600)
    try:
        run(askers.until_asked(1))
        with pytest.raises(
            AssayError, match=r"another process uses the response cache .*r\.sqlite \(try again when it has ended"
        ):
            Claims(askers.path, alone=True)
    finally:
        user.kill()
        user.wait()
    Claims(askers.path, alone=True).close()


def test_where_no_claims_can_be_kept_everybody_may_ask(tmp_path: Path) -> None:
    (tmp_path / "r.sqlite.claims").mkdir()

    async def main() -> None:
        with ResponseCache(tmp_path / "r.sqlite") as cache:
            async with cache.asking("ab" * 32) as claim:
                assert claim == Claim(mine=True)
                await cache.put(Entry("ab" * 32, b"{}", answer("x")))
            assert await cache.get("ab" * 32) == answer("x")

    run(main())
