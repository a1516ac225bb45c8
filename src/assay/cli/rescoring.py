"""`assay rescore`: scores and estimates anew from stored responses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.options import Json, Plugins, load_plugins

if TYPE_CHECKING:
    from assay.store import RunFolder


def rescore(
    paths: Annotated[list[Path], typer.Argument(help="Folders of runs or of suites.", metavar="FOLDER...")],
    metric: Annotated[list[str] | None, typer.Option("--metric", help="A further metric to compute.")] = None,
    plugin: Plugins = None,
    json: Json = False,
) -> None:
    """Read and score the stored responses again, with the readers and metrics as they are now. Asks no model.

    Says which answers are read differently. Where a metric is new or has changed, or the run is of an earlier version, the
    result is a run of its own beside the old one, which stays as it was.
    """
    from assay.errors import AssayError
    from assay.metrics import metrics_for
    from assay.rescoring import latest
    from assay.rescoring import rescore as again
    from assay.store import find_runs
    from assay.text import one_line

    load_plugins(plugin)
    done: list[dict[str, Any]] = []
    failed = 0
    metrics_for(tuple(metric or ()))  # a wrong name is no fault of the runs
    for run in latest([run for path in paths for run in find_runs(path)]):
        before = {named.name for named in run.spec_file().spec.metrics}
        try:
            made, rereading = again(run, tuple(metric or ()))
        except AssayError as error:
            failed += 1
            sys.stderr.write(f"error: {one_line(str(run.path))}: {one_line(str(error))}\n")
            continue
        same = made.path == run.path
        changed = sum(rereading.changed.values())
        read = {"read_differently": changed, "examples": rereading.examples}
        done.append({"folder": str(made.path), "from": str(run.path), **read, **_result(made)})
        if not json:
            sys.stdout.write(f"{one_line(str(made.path))}{' (same metrics: written again)' if same else ''}\n")
            if changed:
                ways = ", ".join(f"{way} {count:,}" for way, count in rereading.changed.most_common())
                sys.stdout.write(f"  {changed:,} of {rereading.trials:,} answers are read differently: {ways}\n")
                sys.stdout.writelines(f"    {example}\n" for example in rereading.examples)
            sys.stdout.writelines(f"  {line}\n" for line in _new_values(made, before))
    if json:
        import msgspec

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(done), indent=1).decode() + "\n")
    if failed:
        sys.exit(2)


def _result(run: RunFolder) -> dict[str, Any]:
    import msgspec

    result: dict[str, Any] = msgspec.to_builtins(run.stats())
    return result


def _new_values(run: RunFolder, before: set[str]) -> list[str]:
    """The values of the metrics that a run did not have before."""
    from assay.tables import NOT_MEASURED, find_cell, format_estimate

    stats = run.stats()
    lines = []
    for name in (named.name for named in run.spec_file().spec.metrics if named.name not in before):
        cell = find_cell(stats.cells, name, None, "original")
        lines.append(f"{name}: {format_estimate(cell.estimate) if cell else NOT_MEASURED}")
    return lines
