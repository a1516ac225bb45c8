"""Options that several verbs share, and what they mean together."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

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
Formats = Annotated[int | None, typer.Option("--formats", help="Prompt formats: how much depends on the way of writing it.")]
Repeats = Annotated[int | None, typer.Option("--repeats", help="Times each request is asked.")]
Metrics = Annotated[
    list[str] | None, typer.Option("--metric", help="A further metric, for every scenario; may be given several times.")
]
HelmCompat = Annotated[bool, typer.Option("--helm-compat", help="Pick instances and examples exactly as HELM does.")]
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


def model_configs(file: Path | None) -> dict[str, ModelConfig]:
    """The details of models that the user gave, by name."""
    from assay.models.configuration import load_models_file

    if file is not None:
        return load_models_file(file)
    default = Path("models.yaml")
    return load_models_file(default) if default.is_file() else {}


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
    metric: Metrics = None,
    plugin: Plugins = None,
    models_file: ModelsFile = None,
) -> tuple[Planner, Suite]:
    """The suite that the command line names, with its changes, and a planner for it."""
    from assay.suites import read_suite

    load_plugins(plugin)
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
    }
    return make_planner(models_file, out), with_metrics(adjust(read_suite(what or ()), changes), metric or ())


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
