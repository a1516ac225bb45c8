"""`assay list`: what there is."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from assay.cli.options import Json, Plugins, load_plugins

KINDS = ("scenarios", "models", "metrics", "perturbations", "suites")


def list_things(
    kind: Annotated[str | None, typer.Argument(help="|".join(KINDS))] = None,
    task: Annotated[str, typer.Option("--task", help="Scenarios whose task holds this text, e.g. question.")] = "",
    language: Annotated[str, typer.Option("--language", help="Scenarios in this language.")] = "",
    licence: Annotated[str, typer.Option("--licence", help="Scenarios whose licence holds this text.")] = "",
    suite: Annotated[str, typer.Option("--suite", help="Scenarios of this suite.")] = "",
    needs: Annotated[str, typer.Option("--needs", help="Scenarios that need this: judge, sandbox, file or nothing.")] = "",
    every: Annotated[bool, typer.Option("--all", help="A line for each scenario with its parameters.")] = False,
    plugin: Plugins = None,
    json: Json = False,
) -> None:
    """List scenarios, models, metrics, perturbations or suites.

    Of the values that a scenario's parameter may have, the default stands first, if there is one; --all has a line for each.
    """
    from assay.errors import AssayError, unknown

    load_plugins(plugin)
    if kind is None:
        if every or json or any((task, language, licence, suite, needs)):
            raise AssayError(
                "these options need to know what to list", "assay list scenarios, or one of " + ", ".join(KINDS[1:])
            )
        sys.stdout.write(_overview())
        return
    if kind not in KINDS:
        raise unknown("thing to list", kind, KINDS)
    if kind != "scenarios" and (every or any((task, language, licence, suite, needs))):
        raise AssayError(f"assay list {kind} takes no selection", "--task, --needs and the like are for assay list scenarios")

    def scenarios() -> list[dict[str, Any]]:
        from assay.cli.scenario_lists import Selected, list_scenarios

        return list_scenarios(Selected(task, language, licence, suite, needs), every=every)

    rows = {
        "scenarios": scenarios,
        "models": _models,
        "metrics": _metrics,
        "perturbations": _perturbations,
        "suites": _suites,
    }[kind]()
    if json:
        import msgspec

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(rows), indent=1).decode() + "\n")
        return
    width = max((len(str(row["usage"])) for row in rows), default=0)
    for row in rows:
        sys.stdout.write(f"{row['usage']:<{min(width, 60)}}  {row['about']}\n")


def _overview() -> str:
    """A line for each thing that can be listed, with how many there are."""
    from assay import registry
    from assay.suites import builtin_suites

    said = {
        "scenarios": (
            len(registry.scenarios.names()),
            "what is asked; --task, --language, --licence, --suite and --needs select",
        ),
        "models": (len(registry.providers.names()), "providers of models, and how a model is written"),
        "metrics": (len(registry.metrics.names()), "what is measured"),
        "perturbations": (len(registry.perturbations.names()), "how inputs are disturbed"),
        "suites": (len(builtin_suites()), "scenarios put together, by name"),
    }
    lines = [f"assay list {kind:<13}  {number:>4}  {about}" for kind, (number, about) in said.items()]
    return "\n".join([*lines, "", "assay show scenario NAME says all about one, with its first prompts."]) + "\n"


def first_paragraph(text: str) -> str:
    """The first paragraph of a text, on one line."""
    return text.strip().split("\n\n")[0].replace("\n", " ")


def _models() -> list[dict[str, Any]]:
    from assay.registry import providers

    rows = []
    for name in providers.names():
        provider = providers.get(name)
        rows.append({"name": name, "usage": ", ".join(provider.examples) or f"{name}/…", "about": provider.about})
    return rows


def _metrics() -> list[dict[str, Any]]:
    from assay.registry import metrics

    rows = []
    for name in metrics.names():
        metric = metrics.get(name)
        low, high = ("∞" if bound is None else f"{bound:g}" for bound in metric.range)
        about = f"[{metric.family}, {low} to {high}, {metric.better} is better] {first_paragraph(metric.about)}"
        rows.append({"name": name, "usage": name, "about": about, "family": metric.family, "version": metric.version})
    return rows


def _perturbations() -> list[dict[str, Any]]:
    from assay.perturbations import PRESETS
    from assay.registry import perturbations

    rows = []
    for name in perturbations.names():
        known = perturbations.get(name)
        usage = name + (f" ({', '.join(f'{k}={v}' for k, v in known.parameters.items())})" if known.parameters else "")
        rows.append(
            {"name": name, "usage": usage, "about": f"[{known.kind}] {first_paragraph(known.about)}", "kind": known.kind}
        )
    for name, specs in sorted(PRESETS.items()):
        members = ", ".join(spec.name + "".join(f" {k}={v}" for k, v in spec.parameters.items()) for spec in specs)
        rows.append({"name": name, "usage": name, "about": f"[preset] {members}", "kind": "preset"})
    return rows


def _suites() -> list[dict[str, Any]]:
    from assay.suites import builtin_suites, parse_suite

    texts = builtin_suites()
    return [
        {"name": name, "usage": name, "about": first_paragraph(parse_suite(text, name).about)} for name, text in texts.items()
    ]
