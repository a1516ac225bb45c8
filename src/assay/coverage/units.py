"""The scenarios of a suite and of the library, as a map sees them; nothing of their data is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from assay import registry
from assay.coverage.places import Place
from assay.entries import Ask
from assay.metrics import metrics_for
from assay.perturbations import parse_perturbations
from assay.prompting import with_changes
from assay.records import RunSpec, Taxonomy
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
    taxonomy: Taxonomy
    licence: str = ""
    groups: str = ""
    """The axes of its subgroups where known without data, as one's own scenario declares them; of a run `axis=value`."""
    perturbations: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()
    """Families of metrics that it measures."""

    def axis(self, name: str) -> str:
        """What it says on an axis: of the taxonomy, of one's own terms, its licence, or the axes of its subgroups."""
        if name.startswith("terms."):
            return self.taxonomy.terms.get(name.removeprefix("terms."), "")
        if name == "subgroups":
            return self.groups
        return self.licence if name == "licence" else str(getattr(self.taxonomy, name))


def unit_of(scenario: Scenario, name: str, entry: str, families: frozenset[str], perturbations: Iterable[str] = ()) -> Unit:
    """A scenario of the catalog as a unit."""
    cases = cases_of(scenario)
    groups = " ".join(cases.layout.subgroups) if cases else ""
    return Unit(name, entry, scenario.taxonomy, scenario.licence, groups, frozenset(perturbations), families)


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
    entry = entry_of(family, family.resolve(ask.parameters)).rstrip(":")
    return unit_of(scenario, family.name, entry, frozenset(families), (copy.name for copy in copies))


def run_unit(
    spec: RunSpec, title: str, card: Mapping[str, Any], families: Iterable[str], subgroups: Iterable[str] = ()
) -> Unit:
    """What a run measured, from what it wrote down: its scenario need not be there any more.

    Args:
        spec: of the run.
        title: of the scenario, with its parameters.
        card: of the scenario, as the run keeps it.
        families: of the metrics that have values.
        subgroups: that have values of their own, as `axis=value`.
    """
    copies = tuple(named.name for named in spec.perturbations)
    found = {*families, *(registry.perturbations.get(name).kind for name in copies if name in registry.perturbations.names())}
    try:
        taxonomy = msgspec.convert(card.get("taxonomy", {}), Taxonomy)
    except msgspec.ValidationError:
        taxonomy = Taxonomy(task="")  # of a card that assay did not write
    licence = str(card.get("licence", ""))
    return Unit(spec.scenario.name, title, taxonomy, licence, " ".join(subgroups), frozenset(copies), frozenset(found))


def library_units() -> Iterator[Unit]:
    """Every scenario of the library, with every combination of its parameters; files of the user's own excepted."""
    for name in registry.scenarios.names():
        family = registry.scenarios.get(name)
        for parameters, scenario in variants(family):
            if scenario.taxonomy.task == "user-defined":
                continue
            families = frozenset(metric.family for metric in metrics_for((scenario.main_metric, *scenario.metrics)))
            yield unit_of(scenario, name, entry_of(family, parameters), families)


def belongs(unit: Unit, place: Place) -> bool:
    """Whether a scenario belongs to a row or column: by name, place in the taxonomy, subgroups, or how it is disturbed."""
    if unit.perturbations & set(place.perturbations) or _says(unit.groups, place.groups):
        return True
    if place.scenarios or place.where:
        named = any(_names(listed, unit) for listed in place.scenarios)
        return named or (bool(place.where) and all(_says(unit.axis(axis), words) for axis, words in place.where.items()))
    return not place.perturbations and any(_says(text, place.name) for text in _texts(unit.taxonomy))


def _texts(taxonomy: Taxonomy) -> tuple[str, ...]:
    return (taxonomy.task, taxonomy.what, taxonomy.who, taxonomy.language, *taxonomy.terms.values())


def _names(listed: str, unit: Unit) -> bool:
    name, _, rest = listed.partition(":")
    if rest:
        return unit.entry == listed
    if registry.is_yaml(name):
        return unit.name == registry.scenarios.get(name).name
    return unit.name == name


def _says(text: str, words: str | list[str]) -> bool:
    """Whether one of the words begins a word of the text, in any case."""
    return any(_begins(text, word) for word in ([words] if isinstance(words, str) else words))


@lru_cache(maxsize=1 << 16)
def _begins(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word.casefold())}", text.casefold()) is not None


def everything_said(units: Iterable[Unit]) -> str:
    """What scenarios say on any axis, as `may_fit` looks through it."""
    said = ((unit.licence, unit.groups, *_texts(unit.taxonomy), unit.taxonomy.when) for unit in units)
    return "\n".join(dict.fromkeys(text.casefold() for texts in said for text in texts))


def may_fit(place: Place, said: str) -> bool:
    """Whether a scenario of those that say this can belong to a place; a large map has many that none belongs to."""
    if place.scenarios or place.perturbations:
        return True
    asked = (word for words in place.where.values() for word in ([words] if isinstance(words, str) else words))
    return any(word.casefold() in said for word in (place.name, *place.groups, *asked))
