"""The least that asking can take: the same bodies posted at the same concurrency, each answer decoded, nothing else.

    python benchmarks/floor.py aiohttp|sockets URL FILE CONCURRENCY

FILE holds a body a line. `aiohttp` is a loop around the HTTP library that assay uses; `sockets` a protocol on asyncio's own
transports that understands just the answers of the fake model server. What a program takes above the first is its own doing,
what the first takes above the second is the library's, and the rest is Python's and the system's.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

HEAD_END = b"\r\n\r\n"
LENGTH = b"content-length:"


async def aiohttp_floor(url: str, bodies: Sequence[bytes], concurrency: int) -> None:
    """Post all bodies over aiohttp."""
    import aiohttp

    left = iter(bodies)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(headers={"Content-Type": "application/json"}, connector=connector) as session:

        async def post_on() -> None:
            for body in left:
                async with session.post(url, data=body) as response:
                    assert "choices" in msgspec.json.decode(await response.read())

        await asyncio.gather(*(post_on() for _ in range(concurrency)))


class _Connection(asyncio.Protocol):
    """Posts the next body as soon as the answer to the last one is complete."""

    def __init__(self, head: bytes, left: Iterator[bytes]) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._head, self._left, self._came = head, left, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._post()

    def data_received(self, data: bytes) -> None:
        self._came += data
        head_size = self._came.find(HEAD_END)
        if head_size < 0:
            return
        head, body = self._came[:head_size].lower(), self._came[head_size + len(HEAD_END) :]
        if len(body) >= int(head.partition(LENGTH)[2].split(b"\r\n", 1)[0]):
            assert "choices" in msgspec.json.decode(body)
            self._came = b""
            self._post()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_exception(error or ConnectionError("the server hung up"))

    def _post(self) -> None:
        body = next(self._left, None)
        if body is None:
            self.ended.set_result(None)
            self._transport.close()
        else:
            self._transport.write(b"%bContent-Length: %d%b%b" % (self._head, len(body), HEAD_END, body))


async def sockets_floor(url: str, bodies: Sequence[bytes], concurrency: int) -> None:
    """Post all bodies over bare connections."""
    parts = urlsplit(url)
    lines = (f"POST {parts.path} HTTP/1.1", f"Host: {parts.netloc}", "Content-Type: application/json", "")
    head, left = "\r\n".join(lines).encode(), iter(bodies)
    loop = asyncio.get_running_loop()

    async def post_on() -> None:
        _, protocol = await loop.create_connection(lambda: _Connection(head, left), parts.hostname, parts.port)
        await protocol.ended

    await asyncio.gather(*(post_on() for _ in range(concurrency)))


FLOORS: dict[str, Callable[[str, Sequence[bytes], int], Coroutine[Any, Any, None]]] = {
    "aiohttp": aiohttp_floor,
    "sockets": sockets_floor,
}


def main() -> None:
    """Post what a file holds."""
    kind, url, file, concurrency = sys.argv[1:]
    asyncio.run(FLOORS[kind](url, Path(file).read_bytes().splitlines(), int(concurrency)))


if __name__ == "__main__":
    main()
