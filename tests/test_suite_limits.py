"""Suites and entries that no one can mean are refused in one line, before anything is planned."""

from __future__ import annotations

import pytest

from assay.entries import parse_entry
from assay.errors import AssayError
from assay.prompting import Generation, with_changes
from assay.suites import parse_suite

DIGITS = "9" * 5000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scenarios: 5", "scenarios must be a list"),
        ("scenarios: {boolq: 1}", "scenarios must be a list"),
        ("scenarios: [boolq]\nmodels: 5", "models must be a list"),
        ("scenarios: [boolq]\nmodels: true", "models must be a list"),
        ("scenarios: [boolq]\nmodels: [5]", "models"),
        ("scenarios: [boolq]\nseed: 2024-99-99", "seed"),
        (f"scenarios: [boolq]\nseed: {DIGITS}", "s.yaml"),
        (f"scenarios: [boolq]\nseed: -{'9' * 19}", "s.yaml"),
        ("scenarios: " + "[" * 100_000, "nested too deeply"),
        ("scenarios: " + "[" * 3000 + "]" * 3000, "nested too deeply"),
        ('scenarios: ["\\ud800"]', "s.yaml"),
        ('scenarios: [{scenario: local_file, parameters: {path: "a\\0b"}}]', "item 1.*not text"),
        ('scenarios: [boolq]\nmodels: [{model: baseline/majority, label: "a\\0"}]', "not text"),
        ("scenarios: [boolq]\nscenarios: [mmlu]", "twice"),
        ("scenarios: [boolq]\nsplit: [test, test]", "names the split test twice"),
        ("scenarios: [{scenario: boolq, split: [tset]}]", "did you mean test"),
        ("scenarios: [{scenario: boolq, draws: 0}]", "item 1: draws must be at least 1"),
        ("scenarios: [{scenario: boolq, repeats: -1}]", "item 1: repeats must be at least 1"),
        ("scenarios: [{scenario: boolq, formats: 1000001}]", "item 1: formats must be"),
        ("scenarios: [boolq]\nmax_instances: 99999999", "at most 1,000,000"),
    ],
)
def test_a_suite_nobody_can_mean_is_refused(text: str, message: str) -> None:
    with pytest.raises(AssayError, match=message) as refused:
        parse_suite(text, "s.yaml")
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("boolq:num_train_trials=0", "at least 1"),
        ("boolq:num_trials=1000001", "at most 1,000,000"),
        (f"boolq:max_eval_instances={DIGITS}", "whole number"),
        ("boolq:eval_split=test+test", "twice"),
        ("boolq:eval_split=tset", "did you mean test"),
        ("boolq:shots=1,max_train_instances=2", "gives shots twice, once as max_train_instances"),
        ('local_file:path="a\\u0000b"', "not text"),
        ('boolq:instructions="\\ud800"', "not text"),
    ],
)
def test_an_entry_nobody_can_mean_is_refused(entry: str, message: str) -> None:
    with pytest.raises(AssayError, match=message) as refused:
        parse_entry(entry)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("value", ["temperature=2024-99-99", "shots=0x_", f"shots={DIGITS}", "shots=" + "[" * 5000])
def test_a_setting_that_is_no_value_is_refused_where_it_is_read(value: str) -> None:
    with pytest.raises(AssayError):
        with_changes(Generation(), parse_entry(f"boolq:{value}").prompting)


def test_an_unknown_key_names_the_scenarios_own_parameters_first() -> None:
    with pytest.raises(AssayError, match="known: subject, max_train_instances"):
        parse_entry("mmlu:zzzzzz=1")


def test_names_that_are_not_near_are_not_suggested_and_none_is_named_twice() -> None:
    from assay.errors import unknown

    assert "did you mean" not in str(unknown("metric", "exact", ["f1_score", "exact_match_indicator_of_all"]))
    assert str(unknown("key", "shot", ["shots", "shots"])).count("shots") == 1
    assert len(str(unknown("key", "x" * 9000, ["shots"]))) < 400
