from __future__ import annotations

import pytest

from assay.errors import AssayError
from assay.perturbations import PRESETS, parse_perturbation, parse_perturbations
from assay.records import NamedSpec


def test_a_name_brings_the_default_parameters() -> None:
    assert parse_perturbation("typos") == (NamedSpec(name="typos", parameters={"rate": 0.1}),)
    assert parse_perturbation({"typos": None}) == parse_perturbation("typos")


def test_parameters_replace_defaults() -> None:
    assert parse_perturbation({"typos": {"rate": 0.2}}) == (NamedSpec(name="typos", parameters={"rate": 0.2}),)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_is_complete_as_it_stands(name: str) -> None:
    assert parse_perturbation(name) == PRESETS[name]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("tipos", "typos"),
        ("typo_eazy", "typo_easy"),
        ({"dialekt": {"rate": 1}}, "dialect"),
        ({"typos": {"rat": 1}}, "rate"),
        ({"typos": {"rate": "high"}}, "number"),
        ({"typos": {"rate": True}}, "number"),
        ({"typos": {"rate": 1.5}}, "between 0 and 1"),
        ({"typos": {"rate": float("nan")}}, "between 0 and 1"),
        ({"typos": 0.2}, "parameters of perturbation typos"),
        ({"typo_easy": {"rate": 0.2}}, "takes no parameters"),
        ({}, "a name with parameters"),
        ({"typos": {}, "lowercase": {}}, "a name with parameters"),
        (["typos"], "a name with parameters"),
    ],
)
def test_a_mistake_is_named_with_the_way_out(written: object, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        parse_perturbation(written)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"gender": {"mode": "names"}}, "mode must be pronouns or terms, not 'names'"),
        ({"gender": {"bidirectional": 1}}, "bidirectional must be true or false, not 1"),
        ({"person_name": {"source": 3}}, "source must be a text, not 3"),
        ({"space": {"max_spaces": 0}}, "max_spaces must be a whole number from 1, not 0"),
        ({"extra_space": {"num_spaces": 1.5}}, "num_spaces must be a whole number from 1"),
        ("misspelling_sweep", "several runs"),
    ],
)
def test_a_parameter_outside_what_is_allowed_is_told(written: object, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        parse_perturbation(written)


def test_the_canonical_preset_is_robustness_and_fairness() -> None:
    names = [spec.name for spec in parse_perturbation("canonical")]
    assert names == ["mild_mix", "dialect", "gender", "person_name"]
    assert parse_perturbation("robustness") + parse_perturbation("fairness") == parse_perturbation("canonical")
    assert len(parse_perturbations(["robustness_all"])) == 8


def test_pronouns_and_terms_cannot_be_told_apart_in_one_run() -> None:
    with pytest.raises(AssayError, match="gender occurs twice"):
        parse_perturbations(["gender_terms_easy", "gender_pronouns_easy"])


def test_one_run_has_each_perturbation_once() -> None:
    chosen = parse_perturbations(["lower", "typos", {"typos": {"rate": 0.1}}, "lowercase"])
    assert [spec.name for spec in chosen] == ["lowercase", "typos"]
    with pytest.raises(AssayError, match="twice with different parameters"):
        parse_perturbations(["typo_easy", "typo_hard"])
