"""CPU time of asking: 2,000 requests against the fake model server at no latency, then the same again from the cache.

    ASSAY_SHARED=../shared python benchmarks/engine.py [requests]

Printed: this process's CPU milliseconds a request, and as a ratio to the least one could do (`benchmarks/floor.py`): posting
the same bodies with a bare HTTP session, and over bare sockets. Ratios compare machines; milliseconds do not.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "benchmarks")]

from floor import FLOORS  # noqa: E402

from assay.engine import Engine, ResponseCache, in_order  # noqa: E402
from assay.models import open_model  # noqa: E402
from assay.models.wire.bodies import chat_body  # noqa: E402
from assay.records import Request, Response  # noqa: E402
from fake_servers import MockServer, mock_server  # noqa: E402

CONCURRENCY = 32
WINDOW = 128


def _requests(count: int) -> list[Request]:
    filler = "Choose the answer that fits the question best, and give its letter only.\n" * 30
    return [
        Request(prompt=f"{filler}\nItem {number}. Which one?\nA. a\nB. b\nAnswer:", max_tokens=5) for number in range(count)
    ]


async def _measured(requests: list[Request], work: Callable[[Request], Awaitable[object]]) -> tuple[float, float]:
    """CPU and wall milliseconds a request."""
    cpu, wall = time.process_time(), time.perf_counter()
    async for _ in in_order(requests, work, WINDOW):
        pass
    return (time.process_time() - cpu) * 1000 / len(requests), (time.perf_counter() - wall) * 1000 / len(requests)


async def _floor(kind: str, server: MockServer, bodies: list[bytes]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    await FLOORS[kind](f"{server.base_url}/chat/completions", bodies, CONCURRENCY)
    return (time.process_time() - cpu) * 1000 / len(bodies), (time.perf_counter() - wall) * 1000 / len(bodies)


async def _engine(server: MockServer, requests: list[Request], path: Path) -> list[tuple[float, float]]:
    config = server.config(concurrency=CONCURRENCY)
    model = open_model(config.name, {config.name: config})
    figures = []
    for _ in ("asked", "cached"):
        with ResponseCache(path) as cache:
            async with Engine(cache) as engine:

                async def ask(request: Request, engine: Engine = engine) -> Response:
                    return await engine.ask(model, request)

                figures.append(await _measured(requests, ask))
    await model.close()
    return figures


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    shared = Path(os.environ.get("ASSAY_SHARED") or ROOT.parent / "shared")
    requests = _requests(count)
    bodies = [msgspec.json.encode(chat_body("mock-1", request, {})) for request in requests]
    with mock_server(shared) as server, tempfile.TemporaryDirectory() as folder:
        sockets, bare = (asyncio.run(_floor(kind, server, bodies)) for kind in ("sockets", "aiohttp"))
        path = Path(folder) / "responses.sqlite"
        asked, cached = asyncio.run(_engine(server, requests, path))
        assert server.stats()["requests"] == 3 * count
        size = path.stat().st_size / count
    print(f"{count} requests of {len(str(requests[0].prompt))} characters, {CONCURRENCY} in flight")
    figures = {"bare sockets": sockets, "bare aiohttp": bare, "engine, asked": asked, "engine, cached": cached}
    for name, (cpu, wall) in figures.items():
        ratios = f"{cpu / bare[0]:5.2f} x bare aiohttp  {cpu / sockets[0]:5.2f} x bare sockets"
        print(f"{name:15} {cpu:6.3f} ms CPU  {wall:6.3f} ms wall  {ratios}")
    print(f"cache file: {size:.0f} bytes a request")


if __name__ == "__main__":
    main()
