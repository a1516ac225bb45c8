"""What happens to requests that no page ever sees: they are answered and told of as any other, in one line."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from assay.text import one_line
from assay.web.access import Access
from assay.web.server import HEADERS

if TYPE_CHECKING:
    from aiohttp import web

log = logging.getLogger("assay")
PATIENCE_S = 0.5
"""Seconds that a server which is to end waits for answers that are under way, and for requests that have only begun."""


def connections(runner: web.AppRunner, access: Access) -> Callable[[], web.RequestHandler]:
    """What makes a handler for each connection to the application of a runner that has been set up; no log holds a token."""
    import asyncio

    from aiohttp import web

    class Connection(web.RequestHandler):
        """Says in one line, not in a traceback, what was wrong with a request, and answers with the headers of pages."""

        __slots__ = ()

        def log_exception(self, *arguments: Any, **named: Any) -> None:
            said = str(arguments[0]) % arguments[1:] if arguments else ""
            error = named.get("exc_info")
            if isinstance(error, BaseException):
                log.debug("a request could not be answered: %s", access.masked("".join(traceback.format_exception(error))))
                said = f"{said}: {type(error).__name__}: {error}"
            log.warning("%s", one_line(access.masked(said), 300))

        def handle_error(self, *arguments: Any, **named: Any) -> web.StreamResponse:
            response = super().handle_error(*arguments, **named)
            response.headers.update(HEADERS)
            return response

    server, loop = runner.server, asyncio.get_running_loop()
    assert server is not None
    return lambda: Connection(server, loop=loop, access_log=None, lingering_time=PATIENCE_S)  # type: ignore[arg-type] # any server
