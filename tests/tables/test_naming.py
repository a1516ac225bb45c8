"""Runs of one scenario and one candidate are told apart by what differs between them."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.identity import digest
from assay.records import DataIdentity, ModelIdentity, NamedSpec, RunSpec
from assay.tables import told_apart


def spec(**changes: Any) -> RunSpec:
    plain = RunSpec(
        scenario=NamedSpec(name="dyck"),
        data=DataIdentity(source="generator:dyck"),
        prompting={"method": "generation", "shots": 3, "max_tokens": 5, "instructions": ""},
        model=ModelIdentity(name="openai/m"),
    )
    return msgspec.structs.replace(plain, **changes)


def prompted(**changes: Any) -> RunSpec:
    return spec(prompting={**spec().prompting, **changes})


def names(*specs: RunSpec, title: str = "dyck") -> list[tuple[str, str]]:
    return told_apart(specs, [title] * len(specs))


def test_runs_of_different_candidates_keep_their_names() -> None:
    assert names(spec(), spec(label="other", seed=2)) == [("dyck", "openai/m"), ("dyck", "other")]


def test_a_setting_that_differs_stands_behind_the_scenario_as_an_entry_has_it() -> None:
    assert [title for title, _ in names(prompted(max_tokens=4), spec())] == ["dyck:max_tokens=4", "dyck:max_tokens=5"]
    (first, _), (second, _) = names(spec(), prompted(shots=1, max_tokens=4), title="dyck:pairs=3")
    assert (first, second) == ("dyck:pairs=3,max_tokens=5,shots=3", "dyck:pairs=3,max_tokens=4,shots=1")


def test_every_candidate_of_the_scenario_stands_under_the_same_settings() -> None:
    both = [spec(label=label, seed=seed) for seed in (1, 2) for label in ("a", "b")]
    assert names(*both) == [("dyck:seed=1", "a"), ("dyck:seed=1", "b"), ("dyck:seed=2", "a"), ("dyck:seed=2", "b")]


def test_perturbations_limits_and_judges_tell_runs_apart() -> None:
    typos = NamedSpec(name="typos", parameters={"share": 0.1})
    assert [title for title, _ in names(spec(), spec(perturbations=(typos,)))] == ["dyck:perturb=none", "dyck:perturb=typos"]
    assert names(spec(max_instances=5), spec())[1][0] == "dyck:max_instances=none"
    judged = [spec(metrics=(NamedSpec(name="judge_score", parameters={"judge": name}),)) for name in ("a/b", "c/d")]
    assert names(*judged)[0][0] == "dyck:judge_score.judge=a/b"


def test_what_differs_in_the_model_stands_behind_the_candidate() -> None:
    as_chat, as_text = (spec(model=ModelIdentity(name="openai/m", endpoint=kind)) for kind in ("chat", "completions"))
    assert names(as_chat, as_text) == [("dyck", "openai/m endpoint=chat"), ("dyck", "openai/m endpoint=completions")]


def test_long_texts_are_shown_as_digests_and_what_else_differs_by_that_of_the_spec() -> None:
    (first, _), (second, _) = names(prompted(instructions="a\x1b" * 50), prompted(instructions="b" * 100))
    assert first.startswith("dyck:instructions=#")
    assert second.startswith("dyck:instructions=#")
    assert first != second
    newer = spec(data=DataIdentity(source="generator:dyck", instances="other"))
    assert names(spec(), newer) == [("dyck", f"openai/m #{digest(one)[:4]}") for one in (spec(), newer)]


def test_of_many_settings_those_stand_behind_the_scenario_that_tell_most() -> None:
    plain = {"method": "generation", **{f"setting{number}": 0 for number in range(6)}}
    other = {"method": "multiple_choice_separate_calibrated", **{f"setting{number}": 1 for number in range(6)}}
    titles = [title for title, _ in names(spec(prompting=plain), spec(prompting=other))]
    assert titles == ["dyck:method=generation", "dyck:method=multiple_choice_separate_calibrated"]
    third = {**other, "setting3": 2}
    titles = [title for title, _ in names(spec(prompting=plain), spec(prompting=other), spec(prompting=third))]
    assert titles[1:] == ["dyck:setting3=1", "dyck:setting3=2"]
