"""`assay drift`: whether a model still answers as it did, for people and for schedulers."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Json, Plugins, load_plugins


def drift(
    model: Annotated[str, typer.Argument(help="The candidate, as tables call it, or its model.", metavar="MODEL")],
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders of runs or of suites [default: runs].", metavar="[RUNS...]")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="What to compare with: a folder of runs [default: the first evaluation].")
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="Watch this metric instead of each scenario's own. Several times.")
    ] = None,
    level: Annotated[float, typer.Option("--level", help="Chance of any false alarm, however often one looks.")] = 0.05,
    max_age: Annotated[float | None, typer.Option("--max-age", help="Days after which a number is stale.")] = None,
    examples: Annotated[int, typer.Option("--examples", help="Changed items to name, in each direction.", min=0)] = 5,
    plugin: Plugins = None,
    json: Json = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Say whether a model changed between evaluations of the same. Exit code 1 where it did, or numbers are too old."""
    from assay.cli.console import make_console
    from assay.drift.shown import drift_tables, verdict
    from assay.drift.watching import Watch, watch
    from assay.errors import AssayError
    from assay.settings import runs_folder

    load_plugins(plugin)
    if json and markdown:
        raise AssayError("--json and --markdown exclude each other", "give one of them")
    asked = Watch(metrics=tuple(dict.fromkeys(metric or ())), level=level, max_age=max_age, examples=examples)
    found = watch(folders or [runs_folder()], model, baseline, asked, time.time())
    line = verdict(found)
    if json:
        import msgspec

        plain = {"changed": found.changed, "verdict": line, **msgspec.to_builtins(found)}
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n")
    elif markdown:
        sys.stdout.write("\n".join([f"**{line}**\n", *(table.markdown() for table in drift_tables(found))]) + "\n")
    else:
        console = make_console()
        for table in drift_tables(found):
            table.print(console)
        console.print(f"\n{line}", highlight=False, markup=False, soft_wrap=True)
    sys.exit(1 if found.changed or found.stale else 0)
