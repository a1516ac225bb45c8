"""Servers for tests: the shared fake model server as a process of its own, and one whose answers a test writes itself."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

from aiohttp import web

from assay.models import ModelConfig

Handler = Callable[[web.Request], Any]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class MockServer:
    """The shared fake server on a port of its own."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.base_url = f"http://127.0.0.1:{port}/v1"
        self.process: subprocess.Popen[bytes] | None = None

    def kill(self) -> None:
        """End the server's process: nobody listens any more."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def stats(self) -> dict[str, Any]:
        deadline = time.monotonic() + 5
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/stats", timeout=5) as response:
                    return dict(json.load(response))
            except ConnectionError:
                # It has no statistics, and hangs up, while its very first request is under way.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def reset(self) -> None:
        urllib.request.urlopen(f"http://127.0.0.1:{self.port}/stats/reset", timeout=5).close()

    def config(self, **more: Any) -> ModelConfig:
        return ModelConfig(**{"name": "openai/mock-1", "base_url": self.base_url, "key_variable": "ASSAY_TEST_KEY", **more})


@contextlib.contextmanager
def mock_server(shared: Path, *arguments: str, port: int | None = None) -> Iterator[MockServer]:
    """Start the shared fake server with these arguments; it ends with the block."""
    server = MockServer(port or free_port())
    command = [sys.executable, str(shared / "bench" / "mock_openai.py"), "--port", str(server.port), *arguments]
    process = server.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                server.stats()
                break
            except (urllib.error.URLError, OSError):
                assert process.poll() is None, process.stderr.read().decode() if process.stderr else ""
                assert time.monotonic() < deadline, "the fake server does not start"
                time.sleep(0.02)
        yield server
    finally:
        process.kill()
        process.wait()
        if process.stderr:
            process.stderr.close()


@contextlib.asynccontextmanager
async def own_server(handler: Handler) -> AsyncIterator[str]:
    """A server in this event loop that answers every request with `await handler(request)`; gives its base URL."""

    async def answer(request: web.Request) -> Any:
        return await handler(request)

    application = web.Application(client_max_size=2**26)
    application.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        await runner.cleanup()


def run(coroutine: Any) -> Any:
    """Run to the end, and fail rather than hang."""
    return asyncio.run(asyncio.wait_for(coroutine, 60))
