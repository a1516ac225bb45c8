"""`assay list scenarios`: which there are, and which of them fit a selection. Nothing of their data is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay import registry
from assay.cli.listing import first_paragraph
from assay.errors import AssayError, unknown
from assay.scenarios import Scenario, ScenarioFamily
from assay.scenarios.variants import entry_of, needs_a_file, sample, variants

WANTS = ("judge", "sandbox", "file", "nothing")
"""What `--needs` takes: a judge model, a sandbox for code, a file of the user's, or none of them."""


@dataclass(frozen=True)
class Selected:
    """What the scenarios to list have in common; an empty text is no condition."""

    task: str = ""
    language: str = ""
    licence: str = ""
    suite: str = ""
    needs: str = ""

    def __bool__(self) -> bool:
        return any((self.task, self.language, self.licence, self.suite, self.needs))


def list_scenarios(wanted: Selected, *, every: bool = False) -> list[dict[str, Any]]:
    """A row for each family of which some scenario fits, or, with `every`, for each scenario that fits.

    Raises:
        AssayError: an unknown suite or need, or no scenario fits.
    """
    if wanted.needs and wanted.needs not in WANTS:
        raise unknown("need", wanted.needs, WANTS)
    members = suite_members(wanted.suite) if wanted.suite else None
    rows: list[dict[str, Any]] = []
    for name in registry.scenarios.names():
        family = registry.scenarios.get(name)
        if members is not None and name not in members:
            continue
        looked_at = variants(family) if every or wanted else ()
        fitting = [(parameters, made) for parameters, made in looked_at if fits(family, made, wanted)]
        if every:
            rows += [_row_of_one(family, parameters, made) for parameters, made in fitting]
        elif fitting or not wanted:
            rows.append(_row(family))
    if not rows:
        raise AssayError("no scenario fits this selection", "assay list scenarios names them all")
    return rows


def fits(family: ScenarioFamily, made: Scenario, wanted: Selected) -> bool:
    """Whether a scenario has what is wanted; suites are not looked at."""
    needed = (*made.requires, *(["file"] if needs_a_file(family) else []))
    language = made.taxonomy.language
    return (
        wanted.task.lower() in made.taxonomy.task.lower()
        and wanted.language.lower() in ("", language.lower(), *language.lower().replace(",", " ").split())
        and wanted.licence.lower() in made.licence.lower()
        and (not wanted.needs or wanted.needs in needed or (wanted.needs == "nothing" and not needed))
    )


def suite_members(name: str) -> frozenset[str]:
    """The scenarios of a suite that comes with assay.

    Raises:
        AssayError: there is no such suite.
    """
    from assay.suites import builtin_suites, parse_suite

    texts = builtin_suites()
    if name not in texts:
        raise unknown("suite", name, texts)
    return frozenset(ask.scenario for ask in parse_suite(texts[name], f"suite {name}").asks())


def _row(family: ScenarioFamily) -> dict[str, Any]:
    usage = family.usage() if family.parameters else f"{family.name}:"
    row = {
        "name": family.name,
        "usage": usage,
        "about": first_paragraph(family.about),
        "parameters": {parameter: list(family.choices(parameter)) for parameter in family.parameters},
    }
    made = sample(family)
    return {**row, **(_facts(family, made[1]) if made else {})}


def _row_of_one(family: ScenarioFamily, parameters: Mapping[str, Any], made: Scenario) -> dict[str, Any]:
    about = ", ".join(filter(None, (made.taxonomy.task, made.taxonomy.what)))
    facts = _facts(family, made)
    return {"name": family.name, "usage": entry_of(family, parameters), "about": about, "parameters": parameters, **facts}


def _facts(family: ScenarioFamily, made: Scenario) -> dict[str, Any]:
    return {
        "task": made.taxonomy.task,
        "language": made.taxonomy.language,
        "licence": made.licence,
        "main_metric": made.main_metric,
        "needs": [*made.requires, *(["file"] if needs_a_file(family) else [])],
    }
