"""Connections through a proxy: what the environment says of it, and what it must not say."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from assay.models import Endpoint, ModelConfig, RequestError, open_model
from assay.records import Request
from fake_servers import free_port, own_server, run

KEY = "sk-a-very-secret-key"
ELSEWHERE = "http://models.invalid/v1"
"""A server that no name leads to, so that only a proxy can reach it."""


@pytest.fixture(autouse=True)
def _no_proxy_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("ASSAY_TEST_KEY", KEY)
    (tmp_path / "netrc").write_text("machine models.invalid login somebody password of-the-netrc\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))


def opened(base_url: str) -> Endpoint:
    config = ModelConfig(name="openai/m", base_url=base_url, key_variable="ASSAY_TEST_KEY")
    model = open_model("openai/m", {"openai/m": config})
    assert isinstance(model, Endpoint)
    return model


async def answer_of(base_url: str) -> str:
    model = opened(base_url)
    try:
        return (await model.ask(Request(prompt="Hello?"))).completions[0].text
    finally:
        await model.close()


async def answering(request: web.Request) -> web.Response:
    """A proxy, or server, that answers with what it was told: the host, and both kinds of credentials."""
    told = [request.url.host, *(request.headers.get(name) for name in ("Proxy-Authorization", "Authorization"))]
    return web.json_response({"choices": [{"message": {"content": " ".join(map(str, told))}}]})


@pytest.mark.parametrize("login", ["", "me:p%40ss@"])
@pytest.mark.parametrize("scheme", ["http://", ""])
def test_a_server_elsewhere_is_asked_through_the_proxy_with_its_login_and_no_password_of_a_netrc(
    monkeypatch: pytest.MonkeyPatch, login: str, scheme: str
) -> None:
    async def main() -> str:
        async with own_server(answering) as proxy:
            monkeypatch.setenv("http_proxy", f"{scheme}{login}{urlsplit(proxy).netloc}")
            return await answer_of(ELSEWHERE)

    shown = f"Basic {b64encode(b'me:p@ss').decode()}" if login else "None"
    # The key that the server repeats is hidden by its own means: what stands there is no other's.
    assert run(main()) == f"models.invalid {shown} Bearer ***"


def test_a_server_on_this_machine_is_asked_without_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")

    async def main() -> str:
        async with own_server(answering) as server:
            return await answer_of(server)

    assert run(main()) == "127.0.0.1 None Bearer ***"


@pytest.mark.parametrize("proxy", ["http://me:p%40ss@127.0.0.1:{port}", "http://me:p%40ss@[127.0.0.1:{port}"])
def test_a_proxy_that_cannot_be_used_is_a_failed_connection(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("http_proxy", proxy.format(port=free_port()))

    async def main() -> None:
        await answer_of(ELSEWHERE)

    with pytest.raises(RequestError, match=r"models\.invalid") as caught:
        run(main())
    assert caught.value.kind == "connection"
    assert "me:p" not in str(caught.value)


def test_a_proxy_that_is_to_make_a_tunnel_sees_its_own_login_and_nothing_of_the_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = bytearray()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.extend(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async def main() -> None:
        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as proxy:
            port = proxy.sockets[0].getsockname()[1]
            monkeypatch.setenv("https_proxy", f"http://me:p%40ss@127.0.0.1:{port}")
            await answer_of(ELSEWHERE.replace("http:", "https:"))

    with pytest.raises(RequestError, match=r"models\.invalid.*403") as caught:
        run(main())
    assert "me:p" not in str(caught.value)
    assert seen.startswith(b"CONNECT models.invalid:443 ")
    assert b"Proxy-Authorization: Basic " + b64encode(b"me:p@ss") in seen
    assert KEY.encode() not in seen
    assert b"\r\nAuthorization" not in seen
