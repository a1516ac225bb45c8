"""When two runs may be compared: the keys of their specs that must agree, and those that do not.

A difference between candidates is one between models only where everything else is the same: the data, the way of asking,
how answers are read, decoding, budget, and the version of the metric. The model and its label may differ, and so may what does
not touch the numbers compared: perturbations and prompt formats asked besides, other metrics, and how many instances were
asked, since a larger limit picks a superset and only common instances are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from assay.comparison.results import Difference
from assay.errors import AssayError
from assay.identity import canonical
from assay.metrics import Metric
from assay.records import RunSpec

LONGEST_VALUE = 120
"""Characters of a value that are shown."""
SHOWN_DIFFERENCES = 4
"""Differing keys, and candidates, that a refusal names; all stand in the result where they are allowed."""
SHOWN_VALUE = 40
"""Characters of a value that a refusal shows."""


def terms(spec: RunSpec, metric: Metric) -> dict[str, str]:
    """What must agree between runs whose values of a metric are compared: key to value, as JSON."""
    named = next((named for named in spec.metrics if named.name == metric.name), None)
    held: dict[str, Any] = {
        "scenario": {"name": spec.scenario.name, "parameters": spec.scenario.parameters, "version": spec.scenario.version},
        "data": {"source": spec.data.source, "files": {file.path: file.sha256 for file in spec.data.files}},
        "prompting": spec.prompting,
        "draws": spec.draws,
        "repeats": spec.repeats,
        "seed": spec.seed,
        "split": list(spec.split),
        "helm_compat": spec.helm_compat,
        "metrics": {metric.name: named.version if named else None},
    }
    if named is not None and named.parameters:
        held[metric.name] = named.parameters
    if metric.family == "toxicity" and spec.toxicity is not None:
        held["toxicity"] = spec.toxicity.parameters
    return {key: canonical(value).decode() for key, value in flat(held)}


def flat(value: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """What stands in a nested mapping, by names with dots; a mapping without keys stands for itself."""
    found: list[tuple[str, Any]] = []
    for key, inner in value.items():
        found += flat(inner, f"{prefix}{key}.") if isinstance(inner, dict) and inner else [(prefix + key, inner)]
    return found


def differences(scenario: str, specs: Mapping[str, RunSpec], metric: Metric) -> list[Difference]:
    """The terms in which the candidates' runs of a scenario differ, keys sorted."""
    by_candidate = {candidate: terms(spec, metric) for candidate, spec in specs.items()}
    limits = {spec.max_instances for spec in specs.values()}
    if len(limits) == 1:  # else the instances differ by right, and data.files and the seed speak for them
        for candidate, spec in specs.items():
            by_candidate[candidate]["data.instances"] = canonical(spec.data.instances).decode()
    found = []
    for key in sorted({key for held in by_candidate.values() for key in held}):
        values = {candidate: held.get(key, "not set")[:LONGEST_VALUE] for candidate, held in by_candidate.items()}
        if len({held.get(key) for held in by_candidate.values()}) > 1:
            found.append(Difference(scenario=scenario, key=key, values=values))
    own_data = [difference for difference in found if difference.key != "data.instances"]
    return own_data or found  # other data or another seed say already why the instances differ


def refusal(found: Sequence[Difference], allowing: str) -> AssayError:
    """Which keys differ, of the first of them for which candidates, in one line; `allowing` says how to go on all the same."""
    by_key: dict[str, list[Difference]] = {}
    for difference in found:
        by_key.setdefault(difference.key, []).append(difference)
    said: list[str] = []
    for key, held in islice(by_key.items(), SHOWN_DIFFERENCES):
        shown = islice(held[0].values.items(), SHOWN_DIFFERENCES)
        values = "; ".join(f"{candidate}: {_short(value)}" for candidate, value in shown)
        where = f" of {_named(list(dict.fromkeys(one.scenario for one in held)))}"
        said.append(f"{key}{where} ({values})" if not said else key)
    more = len(by_key) - SHOWN_DIFFERENCES
    also = f" and {more} more keys" if more > 0 else ""
    return AssayError(
        "runs cannot be compared, as they differ in " + ", ".join(said) + also,
        f"ask all candidates alike, or {allowing}",
    )


def _short(value: str) -> str:
    return value if len(value) <= SHOWN_VALUE else f"{value[:SHOWN_VALUE]}…"


def _named(scenarios: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; of very many the first, and how many more."""
    more = len(scenarios) - SHOWN_DIFFERENCES
    shown = [*scenarios[:SHOWN_DIFFERENCES], *([f"{more} more scenarios"] if more > 0 else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
