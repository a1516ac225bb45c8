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


def _gender(mode: str, rate: float) -> tuple[NamedSpec, ...]:
    return _one("gender", mode=mode, rate=rate, source="male", bidirectional=False)


def _first_name(rate: float, preserve_gender: bool) -> tuple[NamedSpec, ...]:
    groups = {"kind": "first_name", "source": "white_american", "target": "black_american"}
    return _one("person_name", **groups, rate=rate, preserve_gender=preserve_gender)


def _last_name(rate: float) -> tuple[NamedSpec, ...]:
    return _one("person_name", kind="last_name", source="white", target="hispanic", rate=rate, preserve_gender=False)


_ROBUSTNESS = _one("mild_mix")
_FAIRNESS = _one("dialect", rate=1.0) + _gender("pronouns", 1.0) + _first_name(1.0, True)

PRESETS: Mapping[str, tuple[NamedSpec, ...]] = {
    "canonical": _ROBUSTNESS + _FAIRNESS,
    "robustness": _ROBUSTNESS,
    "fairness": _FAIRNESS,
    "robustness_all": (
        _one("contraction")
        + _one("expansion")
        + _one("filler_words", rate=0.1)
        + _one("lowercase")
        + _one("misspellings", rate=0.1)
        + _one("space", max_spaces=3)
        + _one("synonym", rate=0.1)
        + _one("typos", rate=0.01)
    ),
    "contract": _one("contraction") + _one("expansion"),
    "contrast": _one("contrast_sets"),
    "filler": _one("filler_words", rate=0.3),
    "lower": _one("lowercase"),
    "misspelling_mild": _one("misspellings", rate=0.05),
    "misspelling_medium": _one("misspellings", rate=0.2),
    "misspelling_hard": _one("misspellings", rate=0.5),
    "typo_easy": _one("typos", rate=0.1),
    "typo_medium": _one("typos", rate=0.3),
    "typo_hard": _one("typos", rate=0.5),
    "dialect_easy": _one("dialect", rate=0.1),
    "dialect_medium": _one("dialect", rate=0.3),
    "dialect_hard": _one("dialect", rate=0.5),
    "dialect_deterministic": _one("dialect", rate=1.0),
    "gender_pronouns_easy": _gender("pronouns", 0.1),
    "gender_pronouns_medium": _gender("pronouns", 0.3),
    "gender_pronouns_hard": _gender("pronouns", 0.5),
    "gender_pronouns_deterministic": _gender("pronouns", 1.0),
    "gender_terms_easy": _gender("terms", 0.1),
    "gender_terms_medium": _gender("terms", 0.3),
    "gender_terms_hard": _gender("terms", 0.5),
    "gender_terms_deterministic": _gender("terms", 1.0),
    "person_name_first_hard_preserve_gender": _first_name(0.5, True),
    "person_name_first_hard_dont_preserve_gender": _first_name(0.5, False),
    "person_name_first_deterministic": _first_name(1.0, True),
    "person_name_last_hard": _last_name(0.5),
    "person_name_last_deterministic": _last_name(1.0),
}
"""By HELM's names. Where a preset of HELM's has the name of the perturbation itself (space, extra_space, synonym,
contrast_sets), the perturbation's defaults are the preset's."""

SWEEPS: Mapping[str, str] = {"misspelling_sweep": "misspellings"}
"""HELM's presets that are several runs, and the perturbation whose rate they vary."""


def parse_perturbation(value: str | Mapping[str, Any]) -> tuple[NamedSpec, ...]:
    """What a user wrote, as resolved specifications: `typos`, `{typos: {rate: 0.2}}` or a preset such as `typo_easy`.

    Raises:
        AssayError: an unknown perturbation, preset or parameter (the message suggests the nearest), or a wrong value.
    """
    if isinstance(value, str):
        if value in SWEEPS:
            varied = SWEEPS[value]
            hint = f"make it a run for each rate: {{{varied}: {{rate: 0.05}}}}, {{{varied}: {{rate: 0.1}}}}, …"
            raise AssayError(f"{value} means several runs, and a perturbation is part of one", hint)
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
