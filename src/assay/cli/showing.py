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


def show(
    path: Annotated[Path, typer.Argument(help="Folder of a run or of a suite.")],
    trials: Annotated[int, typer.Option("--trials", help="Show this many trials: prompts, completions, readings.")] = 0,
    instance: Annotated[str | None, typer.Option("--instance", help="Show the trials of one instance, by its id.")] = None,
    outcome: Annotated[str | None, typer.Option("--outcome", help="Show trials with this outcome only.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every estimate.")] = False,
    plugin: Plugins = None,
    json: Json = False,
) -> None:
    """Show a run's estimates with their intervals, or a suite's table; with --trials, what was asked and answered."""
    from assay.cli.console import make_console
    from assay.store import find_runs
    from assay.tables import run_tables, suite_table

    load_plugins(plugin)
    runs = find_runs(path)
    console = make_console()
    if json:
        import msgspec

        plain = [{"folder": str(run.path), **msgspec.to_builtins(run.stats())} for run in runs]
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n")
        return
    if trials or instance is not None or outcome is not None:
        for run in runs:
            _trials(run, trials or 1_000_000, instance, outcome, console)
    elif len(runs) == 1:
        for table in run_tables(runs[0].stats(), every):
            table.print(console)
    else:
        suite_table([run.stats() for run in runs]).print(console)


def _trials(run: RunFolder, limit: int, instance: str | None, outcome: str | None, console: Console) -> None:
    from assay.cli.text import visible
    from assay.errors import unknown
    from assay.store.folders import TRANSCRIPTS
    from assay.store.transcripts import read_transcripts

    shown = 0
    ids = set()
    for row in read_transcripts(run.path / TRANSCRIPTS):
        ids.add(row["instance_id"])
        if (instance is not None and row["instance_id"] != instance) or (outcome is not None and row["outcome"] != outcome):
            continue
        console.rule(visible(f"{row['instance_id']} · {row['perturbation'] or 'original'} · draw {row['draw']}", 200))
        for prompt, continuation in zip(row["prompts"], row["continuations"], strict=True):
            text = prompt if continuation is None else f"{prompt}⟦{continuation}⟧"
            console.print(visible(text), highlight=False, markup=False, soft_wrap=True)
        gold = " | ".join(reference["text"] for reference in row["references"] if reference["correct"])
        sure = "" if row["confidence"] is None else f", {row['confidence']:.3f} sure ({row['confidence_source']})"
        lines = [
            f"completion: {row['completion']!r}",
            f"read as:    {row['prediction']!r} ({row['outcome']}{sure})",
            f"right:      {gold!r}",
        ]
        if row["error"]:
            lines.append(f"error:      {row['error']}")
        console.print(visible("\n".join(lines)), style="bold", highlight=False, markup=False, soft_wrap=True)
        shown += 1
        if shown >= limit:
            return
    if instance is not None and instance not in ids:
        raise unknown("instance", instance, ids)
