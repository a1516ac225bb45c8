"""`assay rescore`: scores and estimates anew from stored responses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Plugins, load_plugins


def rescore(
    path: Annotated[Path, typer.Argument(help="Folder of a run or of a suite.")],
    metric: Annotated[list[str] | None, typer.Option("--metric", help="A further metric to compute.")] = None,
    plugin: Plugins = None,
) -> None:
    """Read and score the stored responses again, with the metrics as they are now. Asks no model."""
    from assay.rescoring import rescore as again
    from assay.store import find_runs

    load_plugins(plugin)
    for run in find_runs(path):
        made = again(run, tuple(metric or ()))
        same = made.path == run.path
        sys.stdout.write(f"{made.path}{' (same metrics: written again)' if same else ''}\n")
