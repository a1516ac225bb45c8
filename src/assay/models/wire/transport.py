"""One HTTP session to one base URL: bounded bodies, errors with a kind, and a key that never shows."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from assay.errors import AssayError
from assay.models.base import RequestError
from assay.models.wire import failures
from assay.models.wire.secrets import Secrets

if TYPE_CHECKING:
    import asyncio

    import aiohttp

LARGEST_BODY = 32 * 1024 * 1024
"""Bytes of a response body, unpacked, beyond which it is given up."""
CONNECT_S = 10.0
"""Seconds until a connection must stand."""
KEEP_ALIVE_S = 15.0
"""Seconds an idle connection is kept."""

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HOST = re.compile(r"[\w.:-]+(?:%\w+)?")
_WRITABLE = re.compile(r"[^\s\x00-\x1f\x7f\ud800-\udfff\\<>\"^`{|}]+")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Transport:
    """Posts JSON to a base URL over kept-alive connections.

    Args:
        base_url: `http://…` or `https://…`, with path, without credentials, query and fragment.
        key: the API key, sent as bearer token; `None` sends none.
        headers: further headers.
        timeout_s: seconds one exchange may take.
        key_hint: what a user does about a refused key.

    Raises:
        AssayError: the URL or a header cannot be used.
    """

    def __init__(self, base_url: str, key: str | None, headers: Mapping[str, str], timeout_s: float, key_hint: str) -> None:
        self.base_url = checked_url(base_url)
        self._key = key.strip() if key else None
        self._timeout_s = timeout_s
        self._key_hint = key_hint
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            self._headers["Authorization"] = f"Bearer {self._key}"
        self._headers.update(headers)
        self.secrets = Secrets(self._key, headers)
        for name, value in self._headers.items():
            if not _HEADER_NAME.fullmatch(name):
                raise AssayError(f"the header name {name!r} is none that HTTP allows", "use letters, digits and hyphens")
            if not value.isprintable() or not value.isascii():
                raise AssayError(f"the header {name!r} holds characters that HTTP does not allow", key_hint)
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(self, path: str, body: Mapping[str, Any]) -> tuple[bytes, float]:
        """The body of the response to a POST, and the seconds from sending to its last byte.

        Raises:
            RequestError: there was no response, or it was no success.
        """
        url = f"{self.base_url}{path}"
        try:
            data = msgspec.json.encode(body)
        except (UnicodeEncodeError, TypeError) as error:
            raise RequestError("bad_request", f"the request cannot be written as JSON: {error}", retriable=False) from None
        started = time.perf_counter()
        status, headers, answer = await self._exchange("POST", url, data, self._timeout_s)
        latency_s = time.perf_counter() - started
        if status != 200:
            raise failures.from_status(status, headers, answer, url, self._key_hint, self.secrets.clean)
        return answer, latency_s

    async def model_names(self) -> list[str]:
        """The models the server says it has; empty where it does not say."""
        try:
            status, _, data = await self._exchange("GET", f"{self.base_url}/models", None, min(self._timeout_s, CONNECT_S))
            listed = msgspec.json.decode(data)["data"] if status == 200 else []
            return [failures.one_line(self.secrets.clean(str(one["id"]))) for one in listed]
        except (RequestError, msgspec.MsgspecError, KeyError, TypeError, RecursionError):
            return []

    def error_in_body(self, error: Any, path: str) -> RequestError:
        """What an `error` in a successful response means."""
        return failures.from_error_field(error, f"{self.base_url}{path}", self._key_hint, self.secrets.clean)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _exchange(
        self, method: str, url: str, data: bytes | None, timeout_s: float
    ) -> tuple[int, Mapping[str, str], bytes]:
        import asyncio

        import aiohttp

        try:
            async with (
                asyncio.timeout(timeout_s),
                self._connected().request(method, url, data=data, allow_redirects=False) as response,
            ):
                return response.status, response.headers, await _bounded(response.content, url)
        except TimeoutError as error:
            if isinstance(error, aiohttp.ConnectionTimeoutError):
                message = f"cannot connect to {url} within {CONNECT_S:g} s (is base_url right, and the server running?)"
                raise RequestError("connection", message, retriable=True) from None
            raise RequestError("timeout", f"{url} did not answer within {timeout_s:g} s", retriable=True) from None
        except aiohttp.ClientConnectorCertificateError as error:
            message = f"{url} shows a certificate that is not trusted: {failures.one_line(str(error))}"
            raise RequestError("connection", message, retriable=False) from None
        except aiohttp.ClientConnectorError as error:
            reason = error.os_error.strerror or str(error.os_error)
            message = f"cannot connect to {url}: {reason} (is base_url right, and the server running?)"
            raise RequestError("connection", message, retriable=True) from None
        except aiohttp.ClientPayloadError:
            raise RequestError("truncated_body", f"{url} ended its response early", retriable=True) from None
        except aiohttp.InvalidURL:
            raise RequestError("bad_request", f"{url} is not a URL (correct base_url)", retriable=False) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            # ValueError: what aiohttp raises for headers and chunks that are no HTTP.
            detail = failures.one_line(self.secrets.clean(str(error))) or type(error).__name__
            raise RequestError("connection", f"the connection to {url} broke: {detail}", retriable=True) from None

    def _connected(self) -> aiohttp.ClientSession:
        """The session, made anew where the event loop is another than the one it was made in."""
        import asyncio

        import aiohttp

        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            self._loop = loop
            self._session = aiohttp.ClientSession(
                headers=self._headers,
                # The engine bounds how many requests are in flight; asyncio.timeout above bounds each of them.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                # A proxy for the world outside must not be asked for a server on this machine.
                trust_env=not is_loopback(self.base_url),
            )
        return self._session


def checked_url(base_url: str) -> str:
    """A base URL without trailing slash.

    Raises:
        AssayError: it is no HTTP address, or holds credentials (it is recorded in every run), a query or a fragment.
    """
    try:
        parts = urlsplit(base_url)
        host = parts.hostname
        _ = parts.port
        (host or "").encode("idna")
    except ValueError:
        host = None
    usable = host and _HOST.fullmatch(host) and _WRITABLE.fullmatch(base_url)
    if not host or not usable or parts.scheme not in ("http", "https"):
        shown = repr(base_url[:200]) if "@" not in base_url else "(not shown: it may hold credentials)"
        raise AssayError(f"base_url {shown} is not an http:// or https:// address", "e.g. http://127.0.0.1:8000/v1")
    if parts.username or parts.password:
        raise AssayError(
            f"the base_url for {host} holds credentials", "put the key into an environment variable, see key_variable"
        )
    if parts.query or parts.fragment:
        raise AssayError(f"the base_url for {host} holds a query or fragment", "give scheme, host and path only")
    return base_url.rstrip("/")


def is_loopback(base_url: str) -> bool:
    """The address is on this machine."""
    return (urlsplit(base_url).hostname or "") in _LOOPBACK


async def _bounded(content: aiohttp.StreamReader, url: str) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while chunk := await content.readany():
        size += len(chunk)
        if size > LARGEST_BODY:
            message = f"{url} sent more than {LARGEST_BODY // 2**20} MB"
            raise RequestError("malformed", message, retriable=False)
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)
