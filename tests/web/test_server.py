"""The server: what it answers, to whom, and that nothing can be written, reached or run through it."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import sys
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Event
from urllib.parse import quote, quote_plus

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from markupsafe import Markup

from assay.web import server as server_module
from assay.web import shelf as module
from assay.web.access import Access, access_for
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.page import Kind, Page, View
from assay.web.pages import kinds
from assay.web.server import Site
from assay.web.serving import runner_of
from assay.web.shelf import Shelf
from cli_helpers import Assay, assay, assay_process
from scored_runs import Said, scored_run
from web_helpers import check_document

__all__ = ["assay"]
ANSWERS = [Said(item, "yes" if item % 3 else "no") for item in range(12)]
Ask = Callable[..., Awaitable[tuple[int, dict[str, str], bytes]]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("runs")
    scored_run(place / "s", "openai/a", ANSWERS)
    return place


def asked(place: Path, work: Callable[[Ask], Awaitable[None]], access: Access | None = None) -> None:
    """Have a server on loopback answer while `work` asks."""

    async def ask_it() -> None:
        site = Site(Shelf([place]), access or Access())
        server = TestServer(site.app())
        await server.start_server()
        async with ClientSession(auto_decompress=False) as session:

            async def ask(path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
                url = f"http://127.0.0.1:{server.port}{path}"
                async with session.request(method, url, headers=headers, allow_redirects=False) as answer:
                    return answer.status, dict(answer.headers), await answer.read()

            await work(ask)
        await server.close()
        site.close()

    asyncio.run(ask_it())


def test_pages_come_with_headers_that_let_a_browser_only_show_them(runs: Path) -> None:
    async def work(ask: Ask) -> None:
        for path in ("/", "/glossary", "/live", "/nothing", "/assets/style.css", "/assets/none", "/run/none"):
            status, headers, body = await ask(path)
            assert status == (404 if "no" in path else 200), path
            policy = headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "no-referrer"
            if headers["Content-Type"].startswith("text/html"):
                check_document(body.decode())

    asked(runs, work)


def test_nothing_can_be_written(runs: Path) -> None:
    async def work(ask: Ask) -> None:
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
            status, headers, _ = await ask("/glossary", method)
            assert (status, headers["Allow"]) == (405, "GET, HEAD")
        status, headers, body = await ask("/glossary", "HEAD")
        assert (status, body) == (200, b"")
        assert int(headers["Content-Length"]) > 1000

    asked(runs, work)


@pytest.mark.parametrize(
    "path",
    [
        "/assets/..%2f..%2fserver.py",
        "/assets/%2e%2e/server.py",
        "/assets/..%5cserver.py",
        "/..%2f..%2fetc%2fpasswd",
        "/run/..%2f..%2f..%2fetc%2fpasswd",
        "/run/%00",
        "/instances/%2fetc%2fpasswd",
        "/download/run/..%2f..?table=x&format=csv",
    ],
)
def test_no_path_leads_out(runs: Path, path: str) -> None:
    async def work(ask: Ask) -> None:
        status, _, body = await ask(path)
        assert status == 404
        assert b"root:" not in body
        assert b"import" not in body

    asked(runs, work)


@pytest.mark.parametrize(
    "path", ["/<script>alert(1)</script>", "/run/%3Cscript%3Ealert(1)", "/glossary?x=%3Cscript%3E", "/%0d%0aX:1"]
)
def test_what_an_address_says_is_never_markup(runs: Path, path: str) -> None:
    async def work(ask: Ask) -> None:
        _, headers, body = await ask(path)
        assert b"<script>" not in body
        assert "X" not in headers
        check_document(body.decode())

    asked(runs, work)


def test_only_its_own_names_are_answered_to(runs: Path) -> None:
    async def work(ask: Ask) -> None:
        for host in ("localhost", "LOCALHOST:8321", "127.0.0.1:80", "[::1]:8321", "[::1]"):
            assert (await ask("/glossary", Host=host))[0] == 200, host
        odd = ("localhost:evil.example", "127.0.0.1:8911@evil.example", "localhost:80:80", "localhost:", "localhost:\u0661")
        for host in (
            "evil.example",
            "evil.example:8321",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "",
            "[::2]:1",
            *odd,
        ):
            status, _, body = await ask("/glossary", Host=host)
            assert status == 421, host
            assert b"Glossary" not in body

    asked(runs, work)


@pytest.mark.parametrize(
    ("site", "mode", "dest", "status"),
    [
        ("cross-site", "no-cors", "image", 403),
        ("same-site", "no-cors", "script", 403),
        ("cross-site", "cors", "empty", 403),
        ("cross-site", "navigate", "iframe", 403),
        ("cross-site", "navigate", "document", 200),
        ("same-origin", "no-cors", "style", 200),
        ("none", "navigate", "document", 200),
    ],
)
def test_pages_of_other_sites_can_only_link_here(runs: Path, site: str, mode: str, dest: str, status: int) -> None:
    async def work(ask: Ask) -> None:
        named = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
        for path in ("/glossary", "/assets/style.css"):
            assert (await ask(path, **named))[0] == status

    asked(runs, work)


def test_a_page_waits_for_others_of_its_kind_alone_and_those_who_left_are_not_served(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    go_on, held = Event(), Event()

    def draw(view: View, address: Address) -> Page:
        begun.append(address.of)
        held.set()
        assert go_on.wait(20)
        return Page("Slow", Markup(""), ())

    monkeypatch.setitem(kinds(), "slow", Kind("slow", "", "", draw, lambda catalog: ()))

    async def ask_it() -> None:
        site = Site(Shelf([runs]), Access())
        runner = runner_of(site)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        async with ClientSession() as session:

            async def ask(path: str) -> int:
                async with session.get(f"http://127.0.0.1:{runner.addresses[0][1]}{path}") as answer:
                    return answer.status

            waiting = [asyncio.create_task(ask(f"/slow/{number}")) for number in range(20)]
            await asyncio.to_thread(held.wait, 20)
            assert await ask("/glossary") == 200
            assert len(begun) == 1
            first = waiting.pop(int(begun[0]))
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            for _ in range(500):  # until the server has heard of it
                if runner.server is None or len(runner.server.connections) <= 2:
                    break
                await asyncio.sleep(0.01)
            go_on.set()
            assert await first == 200
            assert await ask("/slow/last") == 200
        await runner.cleanup()
        site.close()

    asyncio.run(ask_it())
    assert begun[1:] == ["last"]


def test_where_not_even_the_page_of_an_error_can_be_drawn_it_is_said_in_plain_words(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> str:
        raise RuntimeError("a link to itself")

    monkeypatch.setattr(server_module, "document", fails)

    async def work(ask: Ask) -> None:
        status, headers, body = await ask("/glossary")
        assert (status, headers["Content-Type"]) == (500, "text/plain; charset=utf-8")
        assert body.startswith(b"This page cannot be shown: a defect of assay: RuntimeError at test_server.py")
        assert "default-src 'none'" in headers["Content-Security-Policy"]

    asked(runs, work)


@pytest.mark.parametrize("token", ["a b&c#d", "plain-token_1", "\u00e4'\"x"])
def test_no_token_comes_into_a_log(token: str) -> None:
    access = Access(token=token)
    for given in (token, quote(token, safe=""), quote_plus(token)):
        for text in (f"GET /?token={given} HTTP/9", f"b'GET /run/x?%74oken={given}'", f"Cookie: x=1; assay_token={given}; y=2"):
            assert given not in access.masked(text)
    cut = access.masked(f"got more than 8190 bytes when reading: b'GET /?x=1&token={quote(token)[:4]}")
    assert cut == "got more than 8190 bytes when reading: b'GET /?x=1&token=***"
    assert access.masked("GET /?token=wrong&page=2") == "GET /?token=***&page=2"
    assert access.masked("no request") == "no request"


def test_with_a_token_only_who_knows_it_sees_anything(runs: Path) -> None:
    async def work(ask: Ask) -> None:
        for path in ("/", "/glossary?token=wrong", "/assets/style.css", "/glossary?token="):
            assert (await ask(path))[0] == 401, path
        assert (await ask("/glossary", Cookie="assay_token=wrong"))[0] == 401
        status, headers, _ = await ask("/glossary?token=secret&x=1")
        assert (status, headers["Location"]) == (303, "/glossary?x=1")
        cookie = headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        status, _, body = await ask("/glossary", Cookie="assay_token=secret")
        assert status == 200
        assert b"secret" not in body
        assert (await ask("/glossary", Cookie="assay_token=secret", Host="evil.example"))[0] == 421

    asked(runs, work, Access(token="secret"))


def test_other_hosts_have_a_token_and_this_machine_needs_none() -> None:
    assert access_for("127.0.0.1", "").token == access_for("localhost", "").token == ""
    everywhere = access_for("0.0.0.0", "")
    assert len(everywhere.token) >= 32
    assert everywhere.token != access_for("0.0.0.0", "").token
    assert everywhere.knows("my-machine:8321")
    named = access_for("192.0.2.7", "mine")
    assert named.token == "mine"
    assert named.knows("192.0.2.7:8321")
    assert not named.knows("evil.example")


def test_what_an_address_asks_for_wrongly_is_said_in_the_page(runs: Path) -> None:
    async def work(ask: Ask) -> None:
        status, _, body = await ask("/glosary")
        assert status == 404
        assert b"did you mean glossary?" in body
        assert (await ask("/download/glossary?table=none&format=csv"))[0] == 404
        assert (await ask("/download/live?table=progress-1&format=exe"))[0] == 404
        assert (await ask("/glossary?" + "x" * 8001))[0] == 414

    asked(runs, work)


def test_a_defect_is_a_page_without_a_traceback(
    runs: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def draw(view: View, address: Address) -> Page:
        raise ZeroDivisionError("in a page")

    monkeypatch.setitem(kinds(), "broken", Kind("broken", "", "", draw, lambda catalog: ()))

    async def work(ask: Ask) -> None:
        status, headers, body = await ask("/broken")
        assert status == 500
        assert b"a defect of assay: ZeroDivisionError at test_server.py" in body
        assert b"Traceback" not in body
        assert "default-src 'none'" in headers["Content-Security-Policy"]

    asked(runs, work)
    assert "ZeroDivisionError" in caplog.text


def test_what_is_finished_later_is_there_at_the_next_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_AGAIN_S", 0.0)

    async def work(ask: Ask) -> None:
        assert b"0 finished runs" in (await ask("/glossary"))[2]
        scored_run(tmp_path / "s", "m", ANSWERS)
        assert b"1 finished run in" in (await ask("/glossary"))[2]

    asked(tmp_path, work)


def test_tables_are_downloaded_under_their_names(tmp_path: Path) -> None:
    scored_run(tmp_path / "s", "m", ANSWERS)
    (tmp_path / "s" / "suite.json").write_text('{"runs": [{"run": "x-1", "title": "t", "label": "=m"}]}')

    async def work(ask: Ask) -> None:
        status, headers, body = await ask("/download/live?table=progress-1&format=json")
        assert status == 200
        assert headers["Content-Disposition"] == 'attachment; filename="live-progress-1.json"'
        assert json.loads(body)[0]["candidate"] == "=m"
        status, headers, body = await ask("/download/live?table=progress-1&format=csv")
        assert headers["Content-Type"].startswith("text/csv")
        assert b"'=m" in body

    asked(tmp_path, work)


def test_the_command_serves_says_where_and_ends_at_once_when_told_to(runs: Path, tmp_path: Path) -> None:
    process = assay_process("serve", runs, "--port", "0", cwd=tmp_path)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"1 finished run: (http://127\.0\.0\.1:(\d+)/)\n", line)
        assert found, line
        with urllib.request.urlopen(found[1] + "glossary", timeout=20) as answer:
            assert b"<h1>Glossary</h1>" in answer.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, err) == (0, ""), out
    finally:
        process.kill()
        process.wait()


def test_a_taken_port_is_one_line(assay: Assay, runs: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        said = assay("serve", runs, "--port", port)
    assert said.code == 2
    assert said.err == f"error: port {port} of 127.0.0.1 is taken (choose another with --port, or 0 for any that is free)\n"


def test_a_place_that_is_not_there_is_one_line(assay: Assay) -> None:
    assert "nowhere does not exist" in assay("serve", "nowhere").err
    assert assay("serve").err.startswith("error: runs does not exist (run something first")


@pytest.mark.parametrize(("module", "package"), [("jinja2", "jinja2"), ("vl_convert", "vl-convert-python")])
@pytest.mark.parametrize("verb", [["serve"], ["report", "out"]])
def test_a_missing_package_is_named_with_what_brings_it(
    assay: Assay, runs: Path, monkeypatch: pytest.MonkeyPatch, verb: list[str], module: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    said = assay(*verb, runs)
    assert said.code == 2
    assert said.err.startswith(f"error: {package} is not installed (pip install ")
    assert "[web]" in said.err


def test_a_host_that_is_not_of_this_machine_is_one_line(assay: Assay, runs: Path) -> None:
    said = assay("serve", runs, "--host", "192.0.2.1", "--port", "0")
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert "192.0.2.1 is no address of this machine" in said.err


def test_a_run_that_cannot_be_read_is_told_and_the_others_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "LOOK_AGAIN_S", 0.0)
    broken, _ = (scored_run(tmp_path / "s", name, ANSWERS) for name in ("a", "b"))

    async def work(ask: Ask) -> None:
        (broken / "stats.json").unlink()
        (broken / "stats.json").mkdir()
        (broken / "manifest.json").write_bytes((broken / "manifest.json").read_bytes() + b" ")
        status, headers, body = await ask("/glossary")
        assert status == 200
        assert b"Not shown: " in body
        assert b"stats.json is no file" in body
        assert b"1 finished run in" in body
        assert "default-src 'none'" in headers["Content-Security-Policy"]

    asked(tmp_path, work)
    assert not caplog.records


def test_a_store_that_cannot_be_looked_at_is_a_page_with_headers_too(
    runs: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "LOOK_AGAIN_S", 0.0)

    class Panic(BaseException):
        """As compiled libraries raise them."""

    async def work(ask: Ask) -> None:
        for error in (OSError("gone"), Panic("panic")):

            def fails(*_: object, error: BaseException = error) -> None:
                raise error

            monkeypatch.setattr(Catalog, "refreshed", fails)
            status, headers, body = await ask("/glossary")
            assert status == 500
            assert b"a defect of assay" in body
            assert "default-src 'none'" in headers["Content-Security-Policy"]
            check_document(body.decode())

    asked(runs, work)
    assert [record.levelname for record in caplog.records] == ["ERROR"] * 2


def received(port: int, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(sent)
        found = b""
        while part := connection.recv(65536):
            found += part
    return found


def test_malformed_requests_are_a_line_each_and_half_a_request_holds_nothing_up(runs: Path, tmp_path: Path) -> None:
    process = assay_process("serve", runs, "--port", "0", "--token", "a b&c#d", cwd=tmp_path)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=a%20b%26c%23d$", line.strip())
        assert found, line
        port = int(found[1])
        odd = (
            b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: localhost\r\n: \x00\r\n\r\n",
            b"GET /?token=a%20b%26c%23d&x=" + b"x" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET http://[/?token=a%20b%26c%23d HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: localhost\r\nExpect: nothing\r\nConnection: close\r\n\r\n",
        )
        for sent in odd:
            answer = received(port, sent)
            assert re.match(rb"HTTP/1.\d 4", answer), answer
            assert b"\r\nServer: assay\r\n" in answer
            assert b"default-src 'none'" in answer
            assert b"aiohttp" not in answer
        with socket.create_connection(("127.0.0.1", port)) as half:
            half.sendall(b"GET /glossary HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n")
            half.recv(1)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=20)
        assert process.returncode == 0
        assert len(err.splitlines()) == 4, err
        assert "a%20b" not in err
        assert "Traceback" not in err
    finally:
        process.kill()
        process.wait()


SLOW = """\
import time
from assay.web.page import Kind
from assay.web.pages import kinds

def draw(view, address):
    print("drawing", flush=True)
    time.sleep(600)

kinds()["slow"] = Kind("slow", "", "", draw, lambda catalog: ())
"""


def test_the_server_ends_whatever_is_being_drawn(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    process = assay_process("serve", runs, "--port", "0", "--plugin", "slow.py", cwd=tmp_path)
    try:
        assert process.stdout is not None
        port = int(re.search(r":(\d+)/", process.stdout.readline())[1])  # type: ignore[index] # fails where there is none
        with socket.create_connection(("127.0.0.1", port)) as asking:
            asking.sendall(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert [process.stdout.readline() for _ in range(2)][1] == "drawing\n"
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(("host", "said"), [("", "--host is empty"), ("a..b", "a..b is no name of a host")])
def test_a_host_that_is_none_is_one_line(assay: Assay, runs: Path, host: str, said: str) -> None:
    found = assay("serve", runs, "--host", host, "--port", "0")
    assert found.code == 2
    assert found.err.startswith(f"error: {said}")
    assert found.err.count("\n") == 1
