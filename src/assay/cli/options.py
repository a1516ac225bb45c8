"""Options that several verbs share, and what they mean together."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from assay.text import one_line

if TYPE_CHECKING:
    from assay.models import ModelConfig
    from assay.planning import Planner
    from assay.suites import Suite

What = Annotated[
    list[str] | None, typer.Argument(metavar="SUITE|ENTRY...", help="A suite file or name, or entries: mmlu:subject=anatomy")
]
Models = Annotated[list[str] | None, typer.Option("--model", "-m", help="provider/name; may be given several times.")]
SuiteName = Annotated[str | None, typer.Option("--suite", help="Name of the folder the runs go into.")]
MaxInstances = Annotated[int | None, typer.Option("--max-instances", "-n", help="Instances asked for each scenario, at most.")]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of every random choice.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Folder for run folders [default: runs].")]
Perturbations = Annotated[
    list[str] | None, typer.Option("--perturb", "-p", help="Ask perturbed copies too; may be given several times.")
]
Draws = Annotated[int | None, typer.Option("--draws", help="Few-shot draws.")]
Toxicity = Annotated[str | None, typer.Option("--toxicity", help="lexical, perspective, judge:provider/name or none.")]
Judging = Annotated[str | None, typer.Option("--judge", help="provider/name: marks answers where judge_score is measured.")]
Formats = Annotated[int | None, typer.Option("--formats", help="Prompt formats: how much depends on the way of writing it.")]
Repeats = Annotated[int | None, typer.Option("--repeats", help="Times each request is asked.")]
Metrics = Annotated[
    list[str] | None, typer.Option("--metric", help="A further metric, for every scenario; may be given several times.")
]
HelmCompat = Annotated[bool, typer.Option("--helm-compat", help="Pick instances and examples exactly as HELM does.")]
HelmConf = Annotated[Path | None, typer.Option("--helm-conf", help="Run the entries of one of HELM's run_entries*.conf.")]
Priority = Annotated[int | None, typer.Option("--priority", help="Of --helm-conf: only entries up to this priority.")]
KeepGoing = Annotated[bool, typer.Option("--keep-going", help="Leave out what cannot be run (data, abilities), and say so.")]
Again = Annotated[
    str | None,
    typer.Option("--again", help="Ask anew what was answered before: a name for this time, or `today`; see docs/drift.md."),
]
Plugins = Annotated[list[str] | None, typer.Option("--plugin", help="A Python file with scenarios, metrics or models.")]
ModelsFile = Annotated[Path | None, typer.Option("--models-file", help="Details of models [default: ./models.yaml].")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


OPTIONS = {
    "max_instances": "-n/--max-instances",
    "seed": "--seed",
    "draws": "--draws",
    "formats": "--formats",
    "repeats": "--repeats",
}
"""What a suite's numbers are called on the command line."""


def load_plugins(plugins: Sequence[str] | None) -> None:
    """Import the plugin files, in order."""
    from assay.registry import load_plugin

    for plugin in plugins or ():
        load_plugin(plugin)


def model_configs(file: Path | None) -> Mapping[str, ModelConfig]:
    """The details of models that the user gave, by name: from the file that is named, or from ./models.yaml."""
    from assay.cli.trust import found, named

    return named(file) if file is not None else found(Path("models.yaml"))


def make_planner(models_file: Path | None, out: Path | None) -> Planner:
    """A planner for the user's models and runs folder."""
    from assay.planning import Planner
    from assay.settings import runs_folder

    return Planner(configs=model_configs(models_file), runs_folder=out if out is not None else runs_folder())


def choose(
    what: What = None,
    model: Models = None,
    suite: SuiteName = None,
    max_instances: MaxInstances = None,
    seed: Seed = None,
    out: Out = None,
    perturb: Perturbations = None,
    draws: Draws = None,
    formats: Formats = None,
    repeats: Repeats = None,
    helm_compat: HelmCompat = False,
    toxicity: Toxicity = None,
    judge: Judging = None,
    metric: Metrics = None,
    plugin: Plugins = None,
    models_file: ModelsFile = None,
    helm_conf: HelmConf = None,
    priority: Priority = None,
    keep_going: KeepGoing = False,
    again: Again = None,
) -> tuple[Planner, Suite]:
    """The suite that the command line names, with its changes, and a planner for it."""
    from assay.suites import read_suite

    load_plugins(plugin)
    planner = make_planner(models_file, out)
    if keep_going:
        planner.on_impossible = lambda why: typer.echo(one_line(why), err=True)
    if helm_conf is None and priority is None:
        named = read_suite(what or ())
    else:
        named = _helm_suite(helm_conf, priority, what or (), model or (), planner)
    changes = {
        "models": tuple(model or ()),
        "perturbations": tuple(perturb or ()),
        "name": suite,
        "max_instances": max_instances,
        "seed": seed,
        "draws": draws,
        "formats": formats,
        "repeats": repeats,
        "helm_compat": helm_compat,
        "toxicity": toxicity,
        "judge": judge,
        "occasion": None if again is None else occasion(again),
    }
    return planner, with_metrics(adjust(named, changes), metric or ())


def occasion(named: str) -> str:
    """The name of an occasion; `today` is the date of Greenwich, so that the same command goes on until midnight there.

    Raises:
        AssayError: it is empty.
    """
    from datetime import UTC, datetime

    from assay.errors import AssayError

    if not named.strip():
        raise AssayError("--again has no name", "give this time of asking one, such as `today`, or leave it out")
    return datetime.now(UTC).date().isoformat() if named == "today" else named


def _helm_suite(conf: Path | None, priority: int | None, what: Sequence[str], models: Sequence[str], planner: Planner) -> Suite:
    """A file of HELM's run entries as a suite; what of it is not run is said on standard error, each entry with its reason."""
    import msgspec

    from assay.errors import AssayError, Impossible
    from assay.interop.helm_entries import helm_suite, without_models_that_cannot

    if conf is None:
        raise AssayError("--priority goes with --helm-conf", "leave it out, or name a file of HELM's run entries")
    if what:
        raise AssayError("--helm-conf stands alone", f"leave out {what[0]}, or run it by itself")
    suite, left = helm_suite(conf, priority)

    def scores(name: str) -> bool:
        try:
            return planner.model(name).capabilities.scores
        except Impossible:
            if planner.on_impossible is None:
                raise
            return True  # what it would be asked is left out with the reason when it is planned

    asks, told = without_models_that_cannot(suite.asks(), models, scores)
    planner.left_out += [f"left out: {one_line(line)}" for line in (*(one.told(conf.name) for one in left), *told)]
    lines = [*(one.told(str(conf)) for one in left), *told]
    if lines:
        shown = "\n".join(map(one_line, lines))
        entries = "1 entry is run" if len(asks) == 1 else f"{len(asks)} entries are run"
        typer.echo(f"{shown}\n{conf.name}: {entries}; what is not stands above.", err=True)
    if not asks:
        raise AssayError(f"no entry of {conf} can be asked of {', '.join(models)}", "name a model that scores given texts")
    return msgspec.structs.replace(suite, scenarios=tuple(asks))


def with_metrics(suite: Suite, metrics: Sequence[str]) -> Suite:
    """A suite all of whose scenarios are scored by further metrics, too."""
    import msgspec

    if not metrics:
        return suite
    asks = [msgspec.structs.replace(ask, metrics=(*ask.metrics, *metrics)) for ask in suite.asks()]
    return msgspec.structs.replace(suite, scenarios=tuple(asks))


def adjust(suite: Suite, changes: Mapping[str, object]) -> Suite:
    """A suite with what the command line says put over what it says itself; empty values say nothing."""
    import msgspec

    from assay.suites import check_suite

    said = {name: value for name, value in changes.items() if value is not None and value is not False and value != ()}
    changed = msgspec.structs.replace(suite, **said)
    check_suite(changed, "the command line", OPTIONS)
    return changed


def of_suite(verb: Callable[..., None]) -> Callable[..., None]:
    """A command from a function of planner and suite: it takes the options of `choose`, then those of the function."""
    shared = _parameters(choose)
    own = _parameters(verb)[2:]
    names = [parameter.name for parameter in shared]

    def command(**given: Any) -> None:
        planner, suite = choose(**{name: given.pop(name) for name in names})
        verb(planner, suite, **given)

    command.__doc__ = verb.__doc__
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in (*shared, *own)}
    command.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined] # read by typer
    return command


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """A function's parameters, annotations evaluated; the two types that are only imported for checking need not exist."""
    hints = get_type_hints(function, localns={"Planner": object, "Suite": object}, include_extras=True)
    return [parameter.replace(annotation=hints[name]) for name, parameter in inspect.signature(function).parameters.items()]
