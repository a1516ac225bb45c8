"""Options that several verbs share, and what they mean together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
Repeats = Annotated[int | None, typer.Option("--repeats", help="Times each request is asked.")]
HelmCompat = Annotated[bool, typer.Option("--helm-compat", help="Pick instances and examples exactly as HELM does.")]
Plugins = Annotated[list[str] | None, typer.Option("--plugin", help="A Python file with scenarios, metrics or models.")]
ModelsFile = Annotated[Path | None, typer.Option("--models-file", help="Details of models [default: ./models.yaml].")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


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


def adjust(
    suite: Suite, *, models: Sequence[str] | None = None, perturbations: Sequence[str] | None = None, **given: object
) -> Suite:
    """A suite with what the command line says put over what it says itself."""
    import msgspec

    from assay.suites import check_suite

    changes = {name: value for name, value in given.items() if value is not None and value is not False}
    if models:
        changes["models"] = tuple(models)
    if perturbations:
        changes["perturbations"] = tuple(perturbations)
    changed = msgspec.structs.replace(suite, **changes)
    check_suite(changed, "the command line")
    return changed
