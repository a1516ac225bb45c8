"""`assay show`: the estimates of a run or suite, and its trials as they were asked and answered."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import Json, Plugins, load_plugins
from assay.errors import AssayError

if TYPE_CHECKING:
    from rich.console import Console

    from assay.store import RunFolder
    from assay.tables import Table


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
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="Of several runs: a column for this metric, too. Several times.")
    ] = None,
    prompts: Annotated[int, typer.Option("--prompts", min=1, help="Of a scenario: show this many prompts.")] = 3,
    plugin: Plugins = None,
    json: Json = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print the tables in LaTeX, for the package booktabs.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the tables in Markdown.")] = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV: a line for each estimate, with its bounds, in plain numbers.")
    ] = False,
) -> None:
    """Show a run's estimates with their intervals, or a suite's table; with --trials, what was asked and answered.

    assay show scenario ENTRY shows what a scenario is, and its first prompts.
    """
    from assay.cli.console import make_console
    from assay.cli.shown_runs import runs_and_notes
    from assay.errors import unknown

    load_plugins(plugin)
    form = _form({"json": json, "latex": latex, "markdown": markdown, "csv": csv})
    named = paths[0] == "scenario" and not Path("scenario").exists()
    of_trials = bool(trials) or instance is not None or outcome is not None
    if form in ESTIMATES_ONLY and (named or of_trials):
        raise AssayError(f"--{form} is for estimates", f"leave it out, or {'name runs' if named else 'do not ask for trials'}")
    if named:
        from assay.cli.cards import show_scenarios

        show_scenarios(paths[1:], prompts, json=json)
        return
    if outcome is not None and outcome not in OUTCOMES:
        raise unknown("outcome", outcome, OUTCOMES)
    runs, notes = runs_and_notes([Path(path) for path in paths])
    if of_trials and not form:
        console = make_console()
        for run in runs:
            _trials(run, trials or 1_000_000, instance, outcome, console)
    elif form in ("json", "csv"):
        sys.stdout.write(_plain(runs, form, every, metric or ()))
        sys.stderr.writelines(f"{note}\n" for note in notes)
    else:
        tables = _tables(runs, every, metric or ())
        tables[-1].notes += notes
        _print(tables, form)


ESTIMATES_ONLY = ("latex", "markdown", "csv")


def _form(given: Mapping[str, bool]) -> str:
    """The form that was asked for; empty: as a terminal shows it."""
    asked = [name for name, wanted in given.items() if wanted]
    if len(asked) > 1:
        raise AssayError(f"--{asked[0]} and --{asked[1]} exclude each other", "give one of them")
    return "".join(asked)


def _plain(runs: Sequence[RunFolder], form: str, every: bool, metrics: Sequence[str]) -> str:
    """The estimates for machines: as JSON all of them, as CSV those that the tables are made from."""
    import msgspec

    from assay.tables import stats_of
    from assay.tables.flat import estimates_csv

    if form == "csv":
        return estimates_csv(stats_of(runs), every, _measured(runs, metrics))
    plain = [{"folder": str(run.path), **msgspec.to_builtins(run.stats())} for run in runs]
    return msgspec.json.format(msgspec.json.encode(plain), indent=1).decode() + "\n"


def _tables(runs: Sequence[RunFolder], every: bool, metrics: Sequence[str]) -> list[Table]:
    """The tables of a run, or the one of several."""
    from assay.tables import run_tables, stats_of, suite_table

    more = _measured(runs, metrics)
    return run_tables(runs[0].stats(), every) if len(runs) == 1 and not more else [suite_table(stats_of(runs), more)]


def _print(tables: Sequence[Table], form: str) -> None:
    if form == "latex":
        from assay.tables.latex import latex

        sys.stdout.write("\n".join(map(latex, tables)))
    elif form == "markdown":
        sys.stdout.write("\n".join(table.markdown() for table in tables) + "\n")
    else:
        from assay.cli.console import make_console

        console = make_console()
        for table in tables:
            table.print(console)


def _measured(runs: Sequence[RunFolder], metrics: Sequence[str]) -> tuple[str, ...]:
    """The metrics that were asked for, each once.

    Raises:
        AssayError: no run has measured one of them.
    """
    from assay.errors import unknown

    known = {cell.metric for run in runs for cell in run.stats().cells} if metrics else set()
    for name in metrics:
        if name not in known:
            raise unknown("metric of these runs", name, known, f"assay rescore RUNS --metric {name} measures it")
    return tuple(dict.fromkeys(metrics))


def _trials(run: RunFolder, limit: int, instance: str | None, outcome: str | None, console: Console) -> None:
    from rich.text import Text

    from assay.cli.trials import describe_trial, heading
    from assay.errors import unknown
    from assay.store.folders import TRANSCRIPTS
    from assay.store.transcripts import read_transcripts

    stats = run.stats()
    prompting = run.spec_file().spec.prompting
    name = f"{stats.title} · {stats.label}"
    shown, ids = 0, set()
    for row in read_transcripts(run.path / TRANSCRIPTS):
        ids.add(row["instance_id"])
        if (instance is not None and row["instance_id"] != instance) or (outcome is not None and row["outcome"] != outcome):
            continue
        console.rule(Text(heading(row, name)))
        console.print(describe_trial(row, prompting), highlight=False, markup=False, soft_wrap=True)
        shown += 1
        if shown >= limit:
            return
    if instance is not None and instance not in ids:
        raise unknown("instance", instance, ids)
    if not shown:
        console.print(f"{name}: no such trial", highlight=False, markup=False)
