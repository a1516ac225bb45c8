"""The server: pages, their tables as files, and the style sheet and script; nothing that writes.

It answers to names of this machine and to the name it was given, so that no other site can reach it through a browser (DNS
rebinding). Where others can reach it, it wants a token: once as `?token=…`, then as a cookie that only it gets to see.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections import defaultdict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

from assay.errors import AssayError
from assay.text import one_line
from assay.web.access import Access
from assay.web.addresses import FIRST, Address, Served
from assay.web.documents import document, drawn, problem_page
from assay.web.downloads import TYPES, as_file, file_name, find_grid
from assay.web.page import View
from assay.web.pages import kinds
from assay.web.rendering import ASSETS
from assay.web.shelf import Ahead, Shelf

if TYPE_CHECKING:
    from aiohttp import web

log = logging.getLogger("assay")
AT_ONCE = 2
"""Pages that are drawn at the same time."""
DRAWN_ANEW_S = 1
"""Seconds after which a browser asks again for a page that had to go without something."""
LONGEST_ADDRESS = 8_000
"""Characters of a path with its query."""
COOKIE = "assay_token"
ASSET_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; font-src 'none'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Server": "assay",
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

R = TypeVar("R")
Given = TypeVarTuple("Given")
Handler = Callable[["web.Request"], Awaitable["web.StreamResponse"]]


class Site:
    """The pages, as answers to requests."""

    def __init__(self, shelf: Shelf, access: Access, ahead: Ahead | None = None) -> None:
        self._shelf = shelf
        self._access = access
        self._ahead = ahead
        self._threads = ThreadPoolExecutor(AT_ONCE, "assay-page")
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """A page waits for those of its own kind; however many are asked for, only one of each other kind goes before it."""

    def app(self) -> web.Application:
        """The application; whoever runs it may run it in any loop."""
        from aiohttp import web

        @web.middleware
        async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._guarded(request, handler)

        async def headed(_: web.Request, response: web.StreamResponse) -> None:
            response.headers.update(HEADERS)

        app = web.Application(middlewares=[guarded], client_max_size=1)
        app.on_response_prepare.append(headed)
        app.router.add_get("/", self._page)
        app.router.add_get("/assets/{name}", self._asset)
        for prefix, handler in (("/download", self._download), ("", self._page)):
            app.router.add_get(prefix + "/{page}", handler)
            app.router.add_get(prefix + "/{page}/{of}", handler)
        return app

    def close(self) -> None:
        """Draw nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Whatever goes wrong is a page that says so, without a traceback."""
        from aiohttp import web

        try:
            return self._refused(request) or self._let_in(request) or await handler(request)
        except web.HTTPException as error:
            return await self._error(error.status, error.reason)
        except AssayError as error:
            return await self._error(404 if error.message.startswith("unknown") else 400, str(error))
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of a compiled library is no Exception
            log.debug("a page could not be drawn", exc_info=error)
            where = traceback.extract_tb(error.__traceback__)[-1]
            problem = f"a defect of assay: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
            log.error("%s: %s", one_line(request.path), one_line(f"{problem}: {error}"))
            return await self._error(500, problem)

    def _refused(self, request: web.Request) -> web.Response | None:
        from aiohttp import web

        if not self._access.knows(request.host):
            text = "This server answers to its own names only; give it another with --host.\n"
            return web.Response(status=421, text=text)
        if not self._access.lets_in(request.headers):
            return web.Response(status=403, text="Pages of other sites get nothing from here.\n")
        if request.method not in ("GET", "HEAD"):
            return web.Response(status=405, text="There is nothing here to write to.\n", headers={"Allow": "GET, HEAD"})
        if len(request.raw_path) > LONGEST_ADDRESS:
            return web.Response(status=414, text="That address is too long.\n")
        return None

    def _let_in(self, request: web.Request) -> web.Response | None:
        """Nothing for who may look; else what to do about it."""
        from aiohttp import web

        given = request.query.get("token")
        if self._access.token and given is not None and self._access.admits(given):
            query = [(name, value) for name, value in request.query.items() if name != "token"]
            answer = web.Response(status=303, headers={"Location": str(request.rel_url.with_query(query))})
            answer.set_cookie(COOKIE, given, httponly=True, samesite="Strict", path="/")
            return answer
        if self._access.admits(request.cookies.get(COOKIE, "")):
            return None
        return web.Response(status=401, text="Open the address with the token that `assay serve` printed.\n")

    async def _page(self, request: web.Request) -> web.StreamResponse:
        from aiohttp import web

        address = _address(request)
        async with self._turn(address):
            text, put_off = await self._in_a_thread(self._whole, address)
        return web.Response(text=text, content_type="text/html", headers={"Refresh": str(DRAWN_ANEW_S)} if put_off else None)

    def _whole(self, address: Address) -> tuple[str, bool]:
        """A page as a document, and whether it goes without something that will soon be there."""
        catalog = self._shelf.now()
        with nullcontext(View(catalog, Served())) if self._ahead is None else self._ahead.reader(catalog) as view:
            text = document(drawn(view, address), view, address)
        return text, view.patience is not None and view.patience.put_off > 0

    async def _download(self, request: web.Request) -> web.StreamResponse:
        from aiohttp import web

        address = _address(request)
        table, form = address.one("table"), address.choice("format", tuple(TYPES), "csv")
        async with self._turn(address):
            name, content = await self._in_a_thread(self._table, address.but(table=None, format=None), table, form)
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Content-Type": TYPES[form]}
        return web.Response(body=content, headers=headers)

    def _table(self, address: Address, table: str, form: str) -> tuple[str, bytes]:
        grid = find_grid(drawn(View(self._shelf.now(), Served()), address), table)
        return file_name(address, grid, form), as_file(grid, form)

    async def _asset(self, request: web.Request) -> web.StreamResponse:
        from aiohttp import web

        known = {file.name: file for file in ASSETS.iterdir() if file.suffix in ASSET_TYPES}
        file = known.get(request.match_info["name"])
        if file is None:
            raise web.HTTPNotFound
        return web.Response(body=file.read_bytes(), headers={"Content-Type": ASSET_TYPES[file.suffix]})

    async def _error(self, status: int, problem: str) -> web.Response:
        from aiohttp import web

        try:
            text = await self._in_a_thread(self._problem, problem)
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            log.debug("not even that could be drawn", exc_info=error)
            return web.Response(status=status, text=f"This page cannot be shown: {one_line(problem)}\n")
        return web.Response(status=status, text=text, content_type="text/html")

    def _turn(self, address: Address) -> asyncio.Lock:
        return self._turns[address.page if address.page in kinds() else ""]

    def _problem(self, problem: str) -> str:
        view = View(self._shelf.last(), Served())
        return document(problem_page(view, problem), view, Address(""))

    async def _in_a_thread(self, work: Callable[[*Given], R], *arguments: *Given) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)


def _address(request: web.Request) -> Address:
    page, of = request.match_info.get("page", FIRST), request.match_info.get("of", "")
    return Address(page, of, tuple((name, value) for name, value in request.query.items() if name != "token"))
