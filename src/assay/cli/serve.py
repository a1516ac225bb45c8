"""`assay serve`: the pages over runs, in a browser, on this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Plugins, load_plugins

Places = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FOLDER...", help="Folders of runs or of suites, decision records, profiles [default: runs, and those here]."
    ),
]

LOCAL = "127.0.0.1"


def serve(
    places: Places = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes any that is free.")] = 8321,
    host: Annotated[str, typer.Option("--host", help="Address to serve on; all but this machine's own need a token.")] = LOCAL,
    token: Annotated[str, typer.Option("--token", help="What others have to know [default: made up if needed].")] = "",
    plugin: Plugins = None,
) -> None:
    """Look at runs in a browser: tables, charts, every prompt and completion, and runs in progress. Ctrl-C ends it."""
    from assay.web.access import access_for
    from assay.web.serving import check_packages, default_places
    from assay.web.serving import serve as served
    from assay.web.shelf import Shelf

    check_packages()
    load_plugins(plugin)
    shelf = Shelf(places) if places else Shelf(default_places(), default_places)

    def say(url: str) -> None:
        count = len(shelf.now().entries)
        sys.stdout.write(f"{count} finished {'run' if count == 1 else 'runs'}: {url}\nCtrl-C ends it\n")
        sys.stdout.flush()

    served(shelf, host, port, access_for(host, token), say)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # a server writes no files, so that nobody needs to wait for pages that are still being drawn
