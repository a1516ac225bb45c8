"""`assay cache`: what the response cache holds, why a request is not in it, and removing what is not needed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.amounts import file_size, shown_size, span_s
from assay.cli.options import Json, of_suite

if TYPE_CHECKING:
    from assay.engine.storage import Storage
    from assay.engine.upkeep import Conditions
    from assay.planning import Planner
    from assay.suites import Suite

app = typer.Typer(
    name="cache",
    help="Look into the response cache, and prune it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

OlderThan = Annotated[str | None, typer.Option("--older-than", help="Not used for this long: 12h, 30d, 4w.")]
OfModel = Annotated[list[str] | None, typer.Option("--model", "-m", help="Of this model; may be given several times.")]
KeepRuns = Annotated[
    list[Path] | None, typer.Option("--keep-runs", help="Not asked by the runs in this folder; may be given several times.")
]
MaxSize = Annotated[str | None, typer.Option("--max-size", help="No more than make the file this small: 500MB, 2GB.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")]
TrialOf = Annotated[str | None, typer.Option("--trial", help="Only requests of the instance with this id.")]


@app.command("stats")
def stats(json: Json = False) -> None:
    """Show what the response cache holds: file, size, and the responses of each model."""
    from assay.engine.upkeep import statistics

    with opened() as (path, storage):
        models = statistics(storage)
        size = _size_of(path)
    responses = sum(model.responses for model in models)
    if json:
        _print_json({"file": str(path), "bytes": size, "responses": responses, "models": models})
        return
    from assay.cli.console import make_console
    from assay.tables import Table

    rows = [
        [
            model.model,
            f"{model.responses:,}",
            f"{model.prompt_tokens:,}",
            f"{model.completion_tokens:,}",
            shown_size(model.bytes),
            _day(model.oldest),
            _day(model.newest),
        ]
        for model in models
    ]
    typer.echo(f"{path}: {shown_size(size)}, {responses:,} responses\n")
    header = ["model", "responses", "tokens read", "tokens written", "size", "oldest", "newest"]
    Table("", header, rows).print(make_console())


@app.command("prune")
def prune(
    older_than: OlderThan = None,
    model: OfModel = None,
    keep_runs: KeepRuns = None,
    max_size: MaxSize = None,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Remove the responses that meet every condition given, those not used for longest first, and shrink the file."""
    from assay.engine.claims import Claims
    from assay.engine.upkeep import prune as carry_out
    from assay.text import one_line

    with opened() as (path, storage):
        conditions = _conditions(storage, older_than, model or [], keep_runs or [], max_size)
        before = _size_of(path)
        if dry_run:
            pruned = carry_out(storage, None, conditions)
        else:
            with closing(Claims(path, alone=True)) as claims:
                pruned = carry_out(storage, claims, conditions)
        after = _size_of(path)
    if json:
        _print_json({"file": str(path), "dry_run": dry_run, **_plain(pruned), "bytes_before": before, "bytes_after": after})
        return
    what = "would be removed" if dry_run else "removed"
    typer.echo(f"{pruned.responses:,} responses {what}, {shown_size(pruned.bytes)}; {pruned.left:,} stay")
    if keep_runs and pruned.responses:
        of_each = ", ".join(f"{one_line(model)} {number:,}" for model, number in sorted(pruned.models.items()))
        folders = ", ".join(f"{one_line(str(folder))}/" for folder in keep_runs)
        again = "would have to ask" if dry_run else "have to ask"
        typer.echo(
            f"of no finished run in {folders}: {of_each}; runs elsewhere, and runs not finished, {again} for theirs again"
        )
    if not dry_run:
        typer.echo(f"{path}: {shown_size(before)} before, {shown_size(after)} now")


@app.command("explain")
@of_suite
def explain(planner: Planner, suite: Suite, trial: TrialOf = None, json: Json = False) -> None:
    """Say why requests would be asked again: takes what `assay run` takes, asks nothing, and compares with what is stored."""
    from assay.cli.explaining import described, explained

    with opened() as (_, storage):
        found = explained(planner.plan(suite), storage, trial)
    if trial is not None and not any(run.requests for run in found):
        from assay.errors import AssayError

        raise AssayError(f"no run asks an instance {trial!r}", "`assay plan` and `assay show` name instances")
    if json:
        _print_json(found)
        return
    for run in found:
        typer.echo(described(run))


@contextmanager
def opened() -> Iterator[tuple[Path, Storage]]:
    """The response cache that is there.

    Raises:
        AssayError: there is none, or it cannot be used.
    """
    from assay.engine.storage import Storage
    from assay.errors import AssayError
    from assay.settings import responses_file

    path = responses_file()
    if not path.exists():
        raise AssayError(f"there is no response cache at {path}", "nothing has been asked yet, or ASSAY_CACHE names another")
    with closing(Storage(path)) as storage:
        yield path, storage


def _conditions(
    storage: Storage, older_than: str | None, models: list[str], keep_runs: list[Path], max_size: str | None
) -> Conditions:
    from assay.engine.upkeep import Conditions, model_names
    from assay.errors import AssayError, unknown

    if not (older_than or models or keep_runs or max_size):
        raise AssayError("assay cache prune needs a condition", "--older-than, --model, --keep-runs or --max-size")
    if models:
        names = model_names(storage)
        for name in models:
            if name not in names:
                raise unknown("model in the response cache", name, names)
    keep, keep_models = _kept_by(keep_runs) if keep_runs else (None, frozenset())
    return Conditions(
        used_before=time.time() - span_s(older_than, "--older-than") if older_than else None,
        models=tuple(models),
        keep=keep,
        keep_models=keep_models,
        most_bytes=file_size(max_size, "--max-size") if max_size else None,
    )


def _kept_by(folders: list[Path]) -> tuple[frozenset[str], frozenset[str]]:
    """The questions that runs have asked, and the models that made their copies, marked their answers or rated their texts."""
    from assay.engine.upkeep import question
    from assay.store import find_runs
    from assay.store.folders import TRANSCRIPTS
    from assay.store.transcripts import read_transcripts
    from assay.stored_text import stored_text

    asked, helpers = set(), set()
    for run in (run for folder in folders for run in find_runs(folder)):
        spec = run.spec_file().spec
        helpers |= {str(one.parameters["model"]) for one in spec.perturbations if "model" in one.parameters}
        helpers |= {str(one.parameters["judge"]) for one in spec.metrics if "judge" in one.parameters}
        if spec.toxicity is not None:
            scorer = str(spec.toxicity.parameters.get("scorer", ""))
            helpers.add(scorer.removeprefix("judge:") if scorer.startswith("judge:") else f"{scorer}/toxicity")
        for row in read_transcripts(run.path / TRANSCRIPTS):
            for prompt, continuation in zip(row["prompts"], row["continuations"], strict=True):
                asked.add(question(spec.model, stored_text(prompt), continuation))
    return frozenset(asked), frozenset(helpers)


def _size_of(path: Path) -> int:
    """Bytes of the file with its write-ahead log."""
    files = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _day(moment: float | None) -> str:
    return "–" if moment is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


def _plain(record: object) -> dict[str, Any]:
    import msgspec

    return dict(msgspec.to_builtins(record))


def _print_json(value: object) -> None:
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=1).decode() + "\n")
