"""Running the server until it is told to stop."""

from __future__ import annotations

import asyncio
import errno
import importlib.util
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from assay.errors import AssayError, MissingExtra
from assay.settings import runs_folder
from assay.web.access import EVERYWHERE, Access
from assay.web.connections import PATIENCE_S, connections
from assay.web.decided import find_decided
from assay.web.server import Site
from assay.web.shelf import Ahead, Shelf
from assay.web.warming import prepare

if TYPE_CHECKING:
    from aiohttp import web

PACKAGES = {"jinja2": "jinja2", "vl_convert": "vl-convert-python"}
"""What pages are made with: modules, and the packages that bring them."""


def check_packages() -> None:
    """Say at once what is missing, rather than on the first page that needs it.

    Raises:
        MissingExtra: the extra `web` is not installed.
    """
    for module, package in PACKAGES.items():
        if importlib.util.find_spec(module) is None:
            raise MissingExtra(package, "web")


def default_places() -> list[Path]:
    """Where one looks unless told otherwise: the runs folder, and the records and profiles that lie in the working folder.

    Raises:
        AssayError: there is no runs folder.
    """
    runs = runs_folder()
    if not runs.is_dir():
        raise AssayError(f"{runs} does not exist", "run something first (assay quickstart), or give folders of runs")
    decided = find_decided([Path()], ())
    found = [record.path for record in decided.records] + [profile.path for profile in decided.profiles]
    return [runs, *(Path(path.name) for path in found)]


def serve(shelf: Shelf, host: str, port: int, access: Access, say: Callable[[str], None]) -> None:
    """Serve pages until SIGINT or SIGTERM.

    Args:
        shelf: what is looked at.
        host: a name or an address of this machine.
        port: 0 takes any that is free.
        access: who may look.
        say: is told, once, where the pages are.

    Raises:
        AssayError: the port is taken or may not be used, or the host is not one of this machine's.
    """
    prepare()
    ahead = Ahead()
    try:
        shelf.on_change(ahead.draw)
        asyncio.run(_serve(Site(shelf, access, ahead), (host, port), access, say))
    finally:
        ahead.close()


def runner_of(site: Site) -> web.AppRunner:
    """What runs the application of a site; no page is drawn for those who have gone away meanwhile."""
    from aiohttp import web

    return web.AppRunner(site.app(), handle_signals=False, shutdown_timeout=PATIENCE_S, handler_cancellation=True)


async def _serve(site: Site, where: tuple[str, int], access: Access, say: Callable[[str], None]) -> None:
    runner = runner_of(site)
    await runner.setup()
    listening = None
    try:
        host, port = where
        try:
            loop = asyncio.get_running_loop()
            listening = await loop.create_server(connections(runner, access), host, port)
        except OSError as error:
            raise _refused(error, host, port) from None
        except UnicodeError:
            raise AssayError(f"{host[:80]} is no name of a host", "leave out --host, or give one of this machine's") from None
        taken = listening.sockets[0].getsockname()[1]
        shown = "127.0.0.1" if host in EVERYWHERE else f"[{host}]" if ":" in host else host
        say(f"http://{shown}:{taken}/" + (f"?token={quote(access.token, safe='')}" if access.token else ""))
        await _until_stopped()
    finally:
        if listening is not None:
            listening.close()
        await runner.cleanup()
        site.close()


def _refused(error: OSError, host: str, port: int) -> AssayError:
    if error.errno == errno.EADDRINUSE:
        return AssayError(f"port {port} of {host} is taken", "choose another with --port, or 0 for any that is free")
    if error.errno in (errno.EACCES, errno.EPERM):
        return AssayError(f"port {port} may not be used", "choose one from 1024 on")
    return AssayError(f"{host} is no address of this machine: {error.strerror}", "leave out --host, or give one that it has")


async def _until_stopped() -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    await stopped.wait()
