"""One HTTP session to one base URL: bounded bodies and streams, errors with a kind, and a key that never shows."""

from __future__ import annotations

import re
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from assay.errors import AssayError
from assay.models.base import Allowance, RequestError
from assay.models.wire import allowances, failures
from assay.models.wire.auth import Auth
from assay.models.wire.events import Event, EventParser
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
        auth: how a request shows who asks.
        headers: further headers.
        timeout_s: seconds one exchange may take.
        key_hint: what a user does about a refused key.

    Raises:
        AssayError: the URL or a header cannot be used.
    """

    def __init__(self, base_url: str, auth: Auth, headers: Mapping[str, str], timeout_s: float, key_hint: str) -> None:
        self.base_url = checked_url(base_url)
        self.allowance = Allowance()
        self._auth = auth
        self._timeout_s = timeout_s
        self._key_hint = key_hint
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", **auth.fixed(), **headers}
        self.secrets = Secrets(auth.key, {**auth.fixed(), **headers})
        for name, value in self._headers.items():
            if not _HEADER_NAME.fullmatch(name):
                raise AssayError(f"the header name {name!r} is none that HTTP allows", "use letters, digits and hyphens")
            if not value.isprintable() or not value.isascii():
                raise AssayError(f"the header {name!r} holds characters that HTTP does not allow", key_hint)
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._proxy: dict[str, Any] = {}
        self._proxy_login: dict[str, str] = {}

    async def post(self, path: str, body: Mapping[str, Any]) -> tuple[bytes, float]:
        """The body of the response to a POST, and the seconds from sending to its last byte.

        Raises:
            RequestError: there was no response, or it was no success.
        """
        url = f"{self.base_url}{path}"
        data = _encoded(body)
        started = time.perf_counter()
        async with self._exchange("POST", url, data, self._timeout_s) as response:
            answer = await _all_of(response, url)
        latency_s = time.perf_counter() - started
        if response.status != 200:
            raise self._refused(response, answer, url)
        return answer, latency_s

    async def chunks(self, path: str, body: Mapping[str, Any], accept: str) -> AsyncGenerator[tuple[bytes, float], None]:
        """The body of the response to a POST as it comes, each part with the seconds from sending to its arrival.

        A consumer that may stop early closes the iterator (`contextlib.aclosing`), which closes the connection.

        Args:
            path: what follows the base URL.
            body: the request.
            accept: the media type wanted.

        Raises:
            RequestError: there was no response, it was no success, or it broke off.
        """
        url = f"{self.base_url}{path}"
        data = _encoded(body)
        started = time.perf_counter()
        async with self._exchange("POST", url, data, self._timeout_s, {"Accept": accept}) as response:
            if response.status != 200:
                raise self._refused(response, await _all_of(response, url), url)
            async for chunk in _parts_of(response, url):
                yield chunk, time.perf_counter() - started

    async def stream(self, path: str, body: Mapping[str, Any]) -> AsyncGenerator[Event, None]:
        """The server-sent events of the response to a POST, as they come. As `chunks` otherwise.

        Raises:
            RequestError: as `chunks`; also where the stream ends within an event (`truncated_body`), or the server sends
                something else than events (`malformed`).
        """
        parser, beginning = EventParser(), b""
        async with aclosing(self.chunks(path, body, "text/event-stream")) as chunks:
            async for chunk, at_s in chunks:
                beginning = beginning or chunk[:80]
                for event in parser.feed(chunk):
                    yield event._replace(at_s=at_s)
        if beginning.lstrip().startswith((b"{", b"<")):
            said = failures.one_line(self.secrets.clean(beginning.decode("utf-8", "replace")))
            message = f"{self.base_url}{path} did not stream (set stream: false in models.yaml): {said}"
            raise RequestError("malformed", message, retriable=False)
        if parser.rest:
            raise RequestError("truncated_body", f"{self.base_url}{path} ended its stream early", retriable=True)

    async def model_names(self) -> list[str]:
        """The models the server says it has; empty where it does not say."""
        return list(await self.windows())

    async def windows(self) -> dict[str, int | None]:
        """The models the server says it has, and how many tokens each takes; `None` where it does not say that."""
        try:
            url = f"{self.base_url}/models"
            async with self._exchange("GET", url, None, min(self._timeout_s, CONNECT_S)) as response:
                data = await _all_of(response, url)
            listed = msgspec.json.decode(data)["data"] if response.status == 200 else []
            return {failures.one_line(self.secrets.clean(str(one["id"]))): _window(one) for one in listed}
        except (RequestError, msgspec.MsgspecError, KeyError, TypeError, RecursionError):
            return {}

    def error_in_body(self, error: Any, path: str) -> RequestError:
        """What an `error` in a successful response means."""
        return failures.from_error_field(error, f"{self.base_url}{path}", self._key_hint, self.secrets.clean)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _refused(self, response: aiohttp.ClientResponse, answer: bytes, url: str) -> RequestError:
        return failures.from_status(response.status, response.headers, answer, url, self._key_hint, self.secrets.clean)

    @asynccontextmanager
    async def _exchange(
        self, method: str, url: str, data: bytes | None, timeout_s: float, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """A response whose headers have arrived; whatever breaks within the block becomes a `RequestError`."""
        import asyncio

        import aiohttp
        from multidict import CIMultiDict

        # Headers of the session would be sent to a proxy as well, the key among them.
        every = CIMultiDict(self._headers)
        every.update({**(headers or {}), **self._auth.signed(method, url, data)})
        try:
            session = self._connected()
            every.update(self._proxy_login)
            async with (
                asyncio.timeout(timeout_s),
                session.request(method, url, data=data, headers=every, allow_redirects=False, **self._proxy) as response,
            ):
                allowances.note(self.allowance, response.headers)
                yield response
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise self._meant(error, url, timeout_s) from None

    def _meant(self, error: Exception, url: str, timeout_s: float) -> RequestError:
        """What an error of an exchange means."""
        import aiohttp

        def failure(kind: str, message: str, *, retriable: bool = True) -> RequestError:
            return RequestError(kind, message, retriable=retriable)

        match error:
            case aiohttp.ConnectionTimeoutError():
                at = f"cannot connect to {url} within {CONNECT_S:g} s"
                return failure("connection", f"{at} (is base_url right, and the server running?)")
            case TimeoutError():
                return failure("timeout", f"{url} did not answer within {timeout_s:g} s")
            case aiohttp.ClientConnectorCertificateError():
                message = f"{url} shows a certificate that is not trusted: {failures.one_line(str(error))}"
                return failure("connection", message, retriable=False)
            case aiohttp.ClientConnectorError():
                reason = error.os_error.strerror or str(error.os_error)
                message = f"cannot connect to {url}: {reason} (is base_url right, and the server running?)"
                return failure("connection", message)
            case aiohttp.ClientPayloadError():
                return failure("truncated_body", f"{url} ended its response early")
            case aiohttp.InvalidURL():
                return failure("bad_request", f"{url} is not a URL (correct base_url)", retriable=False)
            case _:  # a ValueError is what aiohttp raises for headers and chunks that are no HTTP
                detail = failures.one_line(self.secrets.clean(str(error))) or type(error).__name__
                return failure("connection", f"the connection to {url} broke: {detail}")

    def _connected(self) -> aiohttp.ClientSession:
        """The session, made anew where the event loop is another than the one it was made in."""
        import asyncio

        import aiohttp

        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            self._proxy, self._proxy_login = _proxy_for(self.base_url)
            self._loop = loop
            self._session = aiohttp.ClientSession(
                # The engine bounds how many requests are in flight; asyncio.timeout above bounds each of them.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
                cookie_jar=aiohttp.DummyCookieJar(),
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
    """The address is on this machine. What is no address is not."""
    try:
        return (urlsplit(base_url).hostname or "") in _LOOPBACK
    except ValueError:
        return False


def _proxy_for(url: str) -> tuple[dict[str, Any], dict[str, str]]:
    """What aiohttp's requests to a URL need to go through the proxy that the environment names, and their headers for it.

    Nothing for a server on this machine: a proxy for the world outside must not be asked for it. Left to itself (`trust_env`),
    aiohttp looks for the proxy anew before each request, in a thread, which takes twice the time of the request; and it sends
    the passwords of ~/.netrc, where no key of ours is kept.

    Raises:
        ValueError: the proxy's address is none.
    """
    from urllib.request import getproxies, proxy_bypass

    from yarl import URL

    asked = urlsplit(url)
    named = getproxies().get(asked.scheme)
    if named is None or is_loopback(url) or proxy_bypass(asked.hostname or ""):
        return {}, {}
    proxy = URL(named if "://" in named else f"http://{named}")
    login: dict[str, str] = {}
    if proxy.user or proxy.password:
        shown = f"{proxy.user or ''}:{proxy.password or ''}"
        login["Proxy-Authorization"] = f"Basic {b64encode(shown.encode()).decode()}"
    # A login left in the address would be shown in what aiohttp says of a proxy that refuses.
    proxy = proxy.with_user(None)
    if asked.scheme == "https":  # the proxy sees the headers of its tunnel alone
        return {"proxy": proxy, "proxy_headers": login}, {}
    return {"proxy": proxy}, login


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(body)
    except (UnicodeEncodeError, TypeError) as error:
        raise RequestError("bad_request", f"the request cannot be written as JSON: {error}", retriable=False) from None


async def _all_of(response: aiohttp.ClientResponse, url: str) -> bytes:
    chunks = [chunk async for chunk in _parts_of(response, url)]
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def _parts_of(response: aiohttp.ClientResponse, url: str) -> AsyncIterator[bytes]:
    size = 0
    while chunk := await response.content.readany():
        size += len(chunk)
        if size > LARGEST_BODY:
            raise RequestError("malformed", f"{url} sent more than {LARGEST_BODY // 2**20} MB", retriable=False)
        yield chunk


WINDOWS = ("max_model_len", "context_length", "context_window")
"""What servers call the tokens that a model takes, in their lists of models."""
LARGEST_WINDOW = 10**9


def _window(listed: Any) -> int | None:
    """The window of a model in a server's list, where the server says one that can be."""
    said = [listed.get(name) for name in WINDOWS]
    return next((value for value in said if type(value) is int and 0 < value <= LARGEST_WINDOW), None)
