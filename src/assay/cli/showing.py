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
    from assay.tables import run_tables, stats_of, suite_table

    load_plugins(plugin)
    if paths[0] == "scenario" and not Path("scenario").exists():
        from assay.cli.cards import show_scenarios

        show_scenarios(paths[1:], prompts, json=json)
        return
    if outcome is not None and outcome not in OUTCOMES:
        raise unknown("outcome", outcome, OUTCOMES)
    runs, notes = _runs_and_notes([Path(path) for path in paths])
    console = make_console()
    if json:
        import msgspec

        plain = [{"folder": str(run.path), **msgspec.to_builtins(run.stats())} for run in runs]
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n")
        sys.stderr.writelines(f"{note}\n" for note in notes)
    elif trials or instance is not None or outcome is not None:
        for run in runs:
            _trials(run, trials or 1_000_000, instance, outcome, console)
    else:
        tables = run_tables(runs[0].stats(), every) if len(runs) == 1 else [suite_table(stats_of(runs))]
        tables[-1].notes += notes
        for table in tables:
            table.print(console)


def _runs_and_notes(paths: list[Path]) -> tuple[list[RunFolder], list[str]]:
    """The runs below some folders, each as it was scored last; and what to say of those that are not among them."""
    from assay.errors import AssayError
    from assay.rescoring import latest
    from assay.store import find_runs
    from assay.store.folders import SPEC
    from assay.store.planned import PLAN
    from assay.tables import plan_notes

    runs, notes, older = [], [], 0
    for path in paths:
        missing = [note for plan in sorted((*path.glob(PLAN), *path.glob(f"*/{PLAN}"))) for note in plan_notes(plan.parent)]
        try:
            found = find_runs(path)
        except AssayError:
            if missing:
                raise AssayError(f"{path} holds no finished run: {' '.join(missing)}") from None
            raise
        shown = found if (path / SPEC).is_file() else latest(found)
        older += len(found) - len(shown)
        runs += shown
        notes += missing
    if older:
        notes.append(
            f"{older} older runs are not shown, of which these differ in metrics alone; name a run's folder to see it."
        )
    return runs, notes


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
