"""How a user names perturbations: alone, with parameters, or by a preset's name.

The presets carry HELM's names for `data_augmentation` (Liang et al. 2022, arXiv 2211.09110, appendix E) and its rates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay import registry
from assay.errors import AssayError, unknown
from assay.perturbations.base import Perturbation
from assay.records import NamedSpec


def _one(name: str, **parameters: Any) -> tuple[NamedSpec, ...]:
    return (NamedSpec(name=name, parameters=parameters),)


PRESETS: Mapping[str, tuple[NamedSpec, ...]] = {
    "lower": _one("lowercase"),
    "typo_easy": _one("typos", rate=0.1),
    "typo_medium": _one("typos", rate=0.3),
    "typo_hard": _one("typos", rate=0.5),
    "dialect_easy": _one("dialect", rate=0.1),
    "dialect_medium": _one("dialect", rate=0.3),
    "dialect_hard": _one("dialect", rate=0.5),
    "dialect_deterministic": _one("dialect", rate=1.0),
}


def parse_perturbation(value: str | Mapping[str, Any]) -> tuple[NamedSpec, ...]:
    """What a user wrote, as resolved specifications: `typos`, `{typos: {rate: 0.2}}` or a preset such as `typo_easy`.

    Raises:
        AssayError: an unknown perturbation, preset or parameter (the message suggests the nearest), or a wrong value.
    """
    if isinstance(value, str):
        if value in PRESETS:
            return tuple(registry.perturbations.get(spec.name).spec(**spec.parameters) for spec in PRESETS[value])
        return (_known(value).spec(),)
    if not isinstance(value, Mapping) or len(value) != 1:
        hint = "write typos or {typos: {rate: 0.2}}"
        raise AssayError(f"a perturbation is a name, or a name with parameters, not {value!r}", hint)
    ((name, parameters),) = value.items()
    if name in PRESETS and parameters:
        raise AssayError(f"the preset {name} takes no parameters", f"set those of {PRESETS[name][0].name}")
    if name in PRESETS or parameters is None:
        return parse_perturbation(str(name))
    if not isinstance(parameters, Mapping):
        raise AssayError(f"the parameters of perturbation {name} must be names with values, not {parameters!r}")
    return (_known(str(name)).spec(**{str(key): given for key, given in parameters.items()}),)


def parse_perturbations(values: Iterable[str | Mapping[str, Any]]) -> tuple[NamedSpec, ...]:
    """Several perturbations of one run, in order, repetitions left out.

    Raises:
        AssayError: as `parse_perturbation`; or one perturbation occurs with different parameters, whose copies could not be
            told apart.
    """
    chosen: dict[str, NamedSpec] = {}
    for spec in (spec for value in values for spec in parse_perturbation(value)):
        if chosen.setdefault(spec.name, spec) != spec:
            raise AssayError(f"perturbation {spec.name} occurs twice with different parameters", "make it two runs")
    return tuple(chosen.values())


def _known(name: str) -> Perturbation:
    if name not in registry.perturbations:
        raise unknown("perturbation", name, [*registry.perturbations.names(), *PRESETS])
    return registry.perturbations.get(name)
