"""HELM's run entries as ours: `mmlu:subject=anatomy,model=text,data_augmentation=canonical`.

The scenario and its arguments are translated by the table of `helm_scenarios`, what is left are run expanders, applied in their
order (`helm_expanders`). An entry that cannot be run here is left out with the reason; the others are run.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from assay import registry
from assay.entries import Ask, check_ask
from assay.errors import AssayError, unknown
from assay.interop.helm_conf import HelmEntry, read_helm_conf
from assay.interop.helm_expanders import EXPANDERS, REFUSED, model_group
from assay.interop.helm_scenarios import SAME, TABLE, Equivalent, equivalent
from assay.prompting import Prompting, with_changes
from assay.scenarios import ScenarioFamily
from assay.suites import Suite


@dataclass(frozen=True)
class LeftOut:
    """An entry, or a part of one, that is not run, and why."""

    entry: HelmEntry
    reason: str

    def told(self, where: str) -> str:
        """In one line."""
        return f"{where}, line {self.entry.line}: {self.entry.description[:200]}: {self.reason}"


def helm_suite(path: Path, priority: int | None = None) -> tuple[Suite, list[LeftOut]]:
    """What a file of run entries asks, as a suite of that file's name; and the entries that cannot be run here.

    Args:
        path: one of HELM's run_entries*.conf.
        priority: entries with a greater one are not run, as with HELM's `--priority`.

    Raises:
        AssayError: the file cannot be read, or nothing of it can be run.
    """
    entries = [entry for entry in read_helm_conf(path) if priority is None or entry.priority <= priority]
    if not entries:
        raise AssayError(f"{path} has no entry of a priority up to {priority}", "raise --priority")
    asks: dict[bytes, Ask] = {}
    left: list[LeftOut] = []
    for entry in entries:
        try:
            asks.update((msgspec.json.encode(ask), ask) for ask in translated(entry.description))
        except AssayError as error:
            left.append(LeftOut(entry, str(error)))
    if not asks:
        more = f"; {len(left) - 1} more cannot be run either" if len(left) > 1 else ""
        raise AssayError(left[0].told(str(path)) + more)
    return Suite(name=path.stem, about=f"Run entries of {path.name}.", scenarios=tuple(asks.values())), left


def translated(description: str) -> list[Ask]:
    """What one of HELM's run entries asks here: several where an argument stands for a sweep.

    Raises:
        AssayError: there is no such scenario here, or an argument that has no meaning here; the message names it.
    """
    name, arguments = parsed(description)
    line = equivalent(name, arguments) or _unlisted(name)
    if not line.ours:
        raise AssayError(f"HELM's {line.helm_entry} has no counterpart here", line.difference)
    family = registry.scenarios.get(line.ours)
    rest = {key: value for key, value in arguments.items() if key not in line.given}
    own = {key: line.arguments.get(key, key) for key in rest if key in line.arguments or key in family.parameters}
    asks: list[Ask] = []
    for parameters in _parameters(line, {key: rest[key] for key in own}):
        base = family(**parameters).prompting
        first = Ask(scenario=line.ours, parameters=parameters, prompting=dict(line.prompting))
        others = {key: value for key, value in rest.items() if key not in own}
        asks += _expanded(first, base, others, family)
    for ask in asks:
        check_ask(f"entry {description[:200]!r}", ask)
    return asks


def parsed(description: str) -> tuple[str, dict[str, str]]:
    """Name and arguments of a run entry; HELM has no quotation marks, so no value holds a comma.

    Raises:
        AssayError: an argument is not of the form key=value, or given twice.
    """
    name, _, rest = description.partition(":")
    arguments: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise AssayError(f"{part[:80]!r} is not key=value", "write scenario:key=value,key=value")
        if key.strip() in arguments:
            raise AssayError(f"{key.strip()[:80]} is given twice", "leave one out")
        arguments[key.strip()] = value.strip()
    return name.strip(), arguments


def _unlisted(name: str) -> Equivalent:
    """A scenario of assay's own may stand in such a file, too."""
    if name in registry.scenarios:
        return Equivalent(name, name)
    raise unknown("scenario of HELM's", name, [line.helm for line in (*TABLE, *SAME)])


def _parameters(line: Equivalent, given: dict[str, str]) -> list[dict[str, Any]]:
    """Our parameters for HELM's arguments: several sets where a value stands for several."""
    names = {key: line.arguments.get(key, key) for key in given}
    spoken = [key for key in given if names[key]]
    choices = [line.values.get(key, {}).get(given[key], (given[key],)) for key in spoken]
    return [dict(zip((names[key] for key in spoken), values, strict=True)) for values in itertools.product(*choices)]


def _expanded(ask: Ask, base: Prompting, arguments: dict[str, str], family: ScenarioFamily) -> list[Ask]:
    """An entry's runs after all its expanders."""
    asks = [ask]
    for key, value in arguments.items():
        if key in ("model", "model_deployment"):
            models = () if model_group(value) else (value,)
            asks = [msgspec.structs.replace(ask, models=models) for ask in asks]
        elif key in EXPANDERS:
            expand = EXPANDERS[key]
            asks = [_changed(ask, change) for ask in asks for change in expand(value, with_changes(base, ask.prompting))]
        elif key in REFUSED:
            raise AssayError(f"HELM's {key} has no meaning here", REFUSED[key])
        else:
            raise unknown(f"argument of {family.name}", key, [*family.parameters, *EXPANDERS, "model"])
    for ask in asks:
        with_changes(base, ask.prompting)
    return asks


def _changed(ask: Ask, change: dict[str, Any]) -> Ask:
    fields = {key: value for key, value in change.items() if key in Ask.__struct_fields__}
    settings = {key: value for key, value in change.items() if key not in Ask.__struct_fields__}
    return msgspec.structs.replace(ask, prompting={**ask.prompting, **settings}, **fields)


def without_models_that_cannot(
    asks: Sequence[Ask], models: Sequence[str], scores: Callable[[str], bool]
) -> tuple[list[Ask], list[str]]:
    """Entries whose options are scored, kept from models that cannot score given texts, as HELM's groups of models do.

    Args:
        asks: what is asked.
        models: the models of the command line.
        scores: whether a model can score given texts.

    Returns:
        The entries, each with the models that it can be asked of; and a line for every entry that loses models.
    """
    kept: list[Ask] = []
    told: list[str] = []
    able = tuple(model for model in models if scores(model))
    unable = [model for model in models if model not in able]
    for ask in asks:
        needs = not ask.models and unable and _prompting(ask).scores
        if needs:
            shown = ",".join(f"{key}={value}" for key, value in ask.parameters.items())
            told.append(f"{ask.scenario}:{shown} is not asked of {', '.join(unable)}, which cannot score given texts")
        if not needs or able:
            kept.append(msgspec.structs.replace(ask, models=able) if needs else ask)
    return kept, told


def _prompting(ask: Ask) -> Prompting:
    return with_changes(registry.scenarios.get(ask.scenario)(**ask.parameters).prompting, ask.prompting)
