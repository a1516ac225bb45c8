"""`assay compare`: what separates candidates on the same instances, and what does not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Json, Plugins, load_plugins

PARTS = ("scenario", "subgroup", "perturbation")


def compare(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders of runs or of suites [default: runs/default].", metavar="RUNS...")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="A candidate, as tables call it; by default all. Several times.")
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="Compare by this metric instead of each scenario's own. Several times.")
    ] = None,
    by: Annotated[str, typer.Option("--by", help="Tables by scenario, subgroup or perturbation.")] = "scenario",
    allow_differences: Annotated[
        bool, typer.Option("--allow-differences", help="Compare runs that were not asked alike, and show in what.")
    ] = False,
    helm_win_rate: Annotated[
        bool, typer.Option("--helm-win-rate", help="Win rates as HELM's: each candidate over the scenarios it has.")
    ] = False,
    variance: Annotated[
        bool, typer.Option("--variance", help="Split the variance into items, draws, formats, repeats.")
    ] = False,
    failures: Annotated[bool, typer.Option("--failures", help="Show where candidates fail, with examples.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Show every pair, even of many candidates.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the resamples.")] = 0,
    plugin: Plugins = None,
    json: Json = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Compare candidates on the instances that all were asked: differences, ranks and what the data cannot tell apart."""
    from assay.cli.console import make_console
    from assay.comparison import Question, gather
    from assay.comparison import compare as compared
    from assay.comparison.shown import comparison_tables
    from assay.errors import AssayError, unknown

    load_plugins(plugin)
    if by not in PARTS:
        raise unknown("part", by, PARTS)
    if json and markdown:
        raise AssayError("--json and --markdown exclude each other", "give one of them")
    question = Question(
        metrics=tuple(dict.fromkeys(metric or ())),
        by=by,  # type: ignore[arg-type] # one of PARTS
        allow_differences=allow_differences,
        helm_win_rate=helm_win_rate,
        variance=variance,
        failures=failures,
        seed=seed,
    )
    found = compared(gather(folders or [default_runs()], model or ()), question)
    if json:
        import msgspec

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found), indent=1).decode() + "\n")
        return
    tables = comparison_tables(found, every)
    if markdown:
        sys.stdout.write("\n".join(table.markdown() for table in tables) + "\n")
        return
    console = make_console()
    for table in tables:
        table.print(console)


def default_runs() -> Path:
    """The suite that runs go into where no other is named; without it, all runs."""
    from assay.settings import runs_folder

    default = runs_folder() / "default"
    return default if default.is_dir() else runs_folder()
