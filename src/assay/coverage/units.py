"""The scenarios of a suite and of the library, as a map sees them; nothing of their data is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay import registry
from assay.coverage.maps import Place
from assay.entries import Ask
from assay.metrics import metrics_for
from assay.perturbations import parse_perturbations
from assay.prompting import with_changes
from assay.scenarios import Scenario
from assay.scenarios.own import cases_of
from assay.scenarios.variants import entry_of, variants
from assay.suites import Suite


@dataclass(frozen=True)
class Unit:
    """A scenario with its parameters."""

    name: str
    entry: str
    """As a user would name it."""
    scenario: Scenario
    perturbations: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()
    """Families of metrics that it measures."""

    def axis(self, name: str) -> str:
        """What its declaration says on an axis: of the taxonomy, of one's own terms, its licence, or the axes of its subgroups.

        Subgroups are known without data only where one's own scenario declares them.
        """
        taxonomy = self.scenario.taxonomy
        if name.startswith("terms."):
            return taxonomy.terms.get(name.removeprefix("terms."), "")
        if name == "subgroups":
            cases = cases_of(self.scenario)
            return " ".join(cases.layout.subgroups) if cases else ""
        return self.scenario.licence if name == "licence" else str(getattr(taxonomy, name))


def suite_units(suite: Suite) -> list[Unit]:
    """What a suite asks.

    Raises:
        AssayError: an entry, a perturbation or a metric of it does not exist.
    """
    return [_asked(suite, ask) for ask in suite.asks()]


def _asked(suite: Suite, ask: Ask) -> Unit:
    family = registry.scenarios.get(ask.scenario)
    scenario = family(**ask.parameters)
    copies = parse_perturbations(suite.perturbations if ask.perturbations is None else ask.perturbations)
    families = {metric.family for metric in metrics_for((scenario.main_metric, *scenario.metrics, *ask.metrics))}
    if with_changes(scenario.prompting, ask.prompting).scores:
        families -= {"bias", "toxicity"}
    if suite.toxicity == "none":
        families.discard("toxicity")
    families |= {registry.perturbations.get(copy.name).kind for copy in copies}
    if (ask.formats or suite.formats) > 1:
        families.add("robustness")
    return Unit(
        name=family.name,
        entry=entry_of(family, family.resolve(ask.parameters)).rstrip(":"),
        scenario=scenario,
        perturbations=frozenset(copy.name for copy in copies),
        families=frozenset(families),
    )


def library_units() -> Iterator[Unit]:
    """Every scenario of the library, with every combination of its parameters; files of the user's own excepted."""
    for name in registry.scenarios.names():
        family = registry.scenarios.get(name)
        for parameters, scenario in variants(family):
            if scenario.taxonomy.task == "user-defined":
                continue
            families = frozenset(metric.family for metric in metrics_for((scenario.main_metric, *scenario.metrics)))
            yield Unit(name=name, entry=entry_of(family, parameters), scenario=scenario, families=families)


def belongs(unit: Unit, place: Place) -> bool:
    """Whether a scenario belongs to a row or column: by name, by its place in the taxonomy, or by how it is disturbed."""
    if unit.perturbations & set(place.perturbations):
        return True
    if place.scenarios or place.where:
        named = any(_names(listed, unit) for listed in place.scenarios)
        return named or (bool(place.where) and all(_says(unit.axis(axis), words) for axis, words in place.where.items()))
    taxonomy = unit.scenario.taxonomy
    said = (taxonomy.task, taxonomy.what, taxonomy.who, taxonomy.language, *taxonomy.terms.values())
    return not place.perturbations and any(_says(text, place.name) for text in said)


def _names(listed: str, unit: Unit) -> bool:
    name, _, rest = listed.partition(":")
    if rest:
        return unit.entry == listed
    if registry.is_yaml(name):
        return unit.name == registry.scenarios.get(name).name
    return unit.name == name


def _says(text: str, words: str | list[str]) -> bool:
    """Whether one of the words begins a word of the text, in any case."""
    listed = [words] if isinstance(words, str) else words
    return any(re.search(rf"(?<!\w){re.escape(word)}", text, re.IGNORECASE) for word in listed)
