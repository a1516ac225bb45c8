"""`assay run` and `assay quickstart`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from assay.cli.options import (
    Draws,
    HelmCompat,
    Json,
    MaxInstances,
    Models,
    ModelsFile,
    Out,
    Perturbations,
    Plugins,
    Repeats,
    Seed,
    SuiteName,
    What,
    adjust,
    load_plugins,
    make_planner,
)

MaxFailures = Annotated[str, typer.Option("--max-failures", help="Failed trials allowed before exit code 3: 5, or 2%.")]


def run(
    what: What = None,
    model: Models = None,
    suite: SuiteName = None,
    max_instances: MaxInstances = None,
    seed: Seed = None,
    out: Out = None,
    perturb: Perturbations = None,
    draws: Draws = None,
    repeats: Repeats = None,
    helm_compat: HelmCompat = False,
    plugin: Plugins = None,
    models_file: ModelsFile = None,
    max_failures: MaxFailures = "0",
    json: Json = False,
) -> None:
    """Ask models scenarios, score the answers, and show what came of it. The same command carries on a broken-off run."""
    from assay.suites import read_suite

    load_plugins(plugin)
    chosen = adjust(
        read_suite(what or ()),
        models=model,
        perturbations=perturb,
        name=suite,
        max_instances=max_instances,
        seed=seed,
        draws=draws,
        repeats=repeats,
        helm_compat=helm_compat,
    )
    from assay.cli.carrying_out import carry_out_suite

    sys.exit(carry_out_suite(make_planner(models_file, out), chosen, allowed_failures(max_failures), json))


def quickstart(
    out: Out = None,
    max_instances: MaxInstances = None,
    json: Json = False,
) -> None:
    """Fetch the embedded model (92 MB, once) and compare it with a baseline on scenarios that need no download."""
    from assay.cli.data import fetch
    from assay.suites import read_suite

    fetch("smollm2-135m", quiet=json)
    suite = adjust(read_suite(["quickstart"]), max_instances=max_instances)
    if not json:
        typer.echo(f"{suite.about}\n")
    from assay.cli.carrying_out import carry_out_suite

    sys.exit(carry_out_suite(make_planner(None, out), suite, (0, False), json))


def allowed_failures(text: str) -> tuple[float, bool]:
    """`5` as (5, False) and `2%` as (0.02, True).

    Raises:
        AssayError: neither a whole number nor a percentage.
    """
    from assay.errors import AssayError

    number, percent = text.removesuffix("%"), text.endswith("%")
    try:
        value = float(number) / 100 if percent else int(number)
    except ValueError:
        raise AssayError(f"--max-failures must be a number such as 5 or a share such as 2%, not {text!r}") from None
    if value < 0 or (percent and value > 1):
        raise AssayError(f"--max-failures must not be negative or above 100%, not {text!r}")
    return value, percent
