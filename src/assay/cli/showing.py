"""`assay show`: the estimates of a run or suite, and its trials as they were asked and answered."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import Json, Plugins, load_plugins

if TYPE_CHECKING:
    from rich.console import Console

    from assay.store import RunFolder


OUTCOMES = ("answered", "refused", "empty", "truncated", "unparsed", "failed")


def show(
    paths: Annotated[
        list[str], typer.Argument(metavar="FOLDER...|scenario ENTRY...", help="Folders of runs or of suites; or scenarios.")
    ],
    trials: Annotated[
        int, typer.Option("--trials", help="Show this many trials of each run: what was asked and answered.")
    ] = 0,
    instance: Annotated[str | None, typer.Option("--instance", help="Show the trials of one instance, by its id.")] = None,
    outcome: Annotated[str | None, typer.Option("--outcome", help="Show trials with this outcome only.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Show perturbations and subgroups of every metric.")] = False,
    prompts: Annotated[int, typer.Option("--prompts", min=1, help="Of a scenario: show this many prompts.")] = 3,
    plugin: Plugins = None,
    json: Json = False,
) -> None:
    """Show a run's estimates with their intervals, or a suite's table; with --trials, what was asked and answered.

    assay show scenario ENTRY shows what a scenario is, and its first prompts.
    """
    from assay.cli.console import make_console
    from assay.errors import unknown
    from assay.store import find_runs
    from assay.tables import run_tables, suite_table

    load_plugins(plugin)
    if paths[0] == "scenario" and not Path("scenario").exists():
        from assay.cli.cards import show_scenarios

        show_scenarios(paths[1:], prompts, json=json)
        return
    if outcome is not None and outcome not in OUTCOMES:
        raise unknown("outcome", outcome, OUTCOMES)
    runs = [run for path in paths for run in find_runs(Path(path))]
    console = make_console()
    if json:
        import msgspec

        plain = [{"folder": str(run.path), **msgspec.to_builtins(run.stats())} for run in runs]
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n")
    elif trials or instance is not None or outcome is not None:
        for run in runs:
            _trials(run, trials or 1_000_000, instance, outcome, console)
    elif len(runs) == 1:
        for table in run_tables(runs[0].stats(), every):
            table.print(console)
    else:
        suite_table([run.stats() for run in runs]).print(console)


def _trials(run: RunFolder, limit: int, instance: str | None, outcome: str | None, console: Console) -> None:
    from rich.text import Text

    from assay.cli.trials import describe_trial, heading
    from assay.errors import unknown
    from assay.store.folders import TRANSCRIPTS
    from assay.store.transcripts import read_transcripts

    stats = run.stats()
    name = f"{stats.title} · {stats.label}"
    shown, ids = 0, set()
    for row in read_transcripts(run.path / TRANSCRIPTS):
        ids.add(row["instance_id"])
        if (instance is not None and row["instance_id"] != instance) or (outcome is not None and row["outcome"] != outcome):
            continue
        console.rule(Text(heading(row, name)))
        console.print(describe_trial(row), highlight=False, markup=False, soft_wrap=True)
        shown += 1
        if shown >= limit:
            return
    if instance is not None and instance not in ids:
        raise unknown("instance", instance, ids)
    if not shown:
        console.print(f"{name}: no such trial", highlight=False, markup=False)
