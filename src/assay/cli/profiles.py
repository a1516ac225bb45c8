"""`assay new profile`: a deployment profile from the runs at hand."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Plugins, load_plugins


def profile(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders of runs or of suites [default: runs/default].", metavar="RUNS...")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")] = Path("profile.yaml"),
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="A candidate, as tables call it; by default all. Several times.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a profile that is there.")] = False,
    plugin: Plugins = None,
) -> None:
    """Look at what runs measured, and write a profile with comments that `assay decide` takes at once."""
    from assay.cli.compare import default_runs
    from assay.decisions.drafting import draft
    from assay.errors import AssayError
    from assay.store.folders import write_whole

    load_plugins(plugin)
    if out.exists() and not force:
        raise AssayError(f"{out} is there already", "edit it, give another --out, or write it anew with --force")
    if not out.resolve().parent.is_dir():
        raise AssayError(f"{out.parent} is no folder", "make it, or give another --out")
    text = draft(folders or [default_runs()], model or (), out)
    try:
        write_whole(out, text.encode())
    except OSError as error:
        raise AssayError(f"{out} cannot be written: {error.strerror}", "make room, or give another --out") from error
    sys.stdout.write(f"wrote {out}\n\nnext:  say in it who decides for what, what is good enough and what matters more\n")
    sys.stdout.write(f"       assay decide {out}\n")
