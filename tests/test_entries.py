"""Run entries, in HELM's notation."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.entries import parse_entry, split_pairs
from assay.errors import AssayError


def test_an_entry_says_scenario_parameters_prompting_and_more() -> None:
    ask = parse_entry("mmlu:subject=anatomy,model=openai/gpt-x,data_augmentation=typos,max_train_instances=3,temperature=0.5")
    assert (ask.scenario, ask.parameters, ask.models) == ("mmlu", {"subject": "anatomy"}, ("openai/gpt-x",))
    assert ask.prompting == {"shots": 3, "temperature": 0.5}
    assert ask.perturbations == ("typos",)


def test_quoted_values_may_hold_commas_equals_signs_and_escapes() -> None:
    ask = parse_entry('boolq:instructions="Yes, or no = which?\\n",stop="\\n\\n",input_prefix=\'Q: \'')
    assert ask.prompting == {"instructions": "Yes, or no = which?\n", "stop": ("\n\n",), "input_prefix": "Q: "}


def test_helms_counts_have_a_place() -> None:
    ask = parse_entry("boolq:max_eval_instances=10,num_train_trials=2,num_trials=3,eval_split=test")
    assert (ask.max_instances, ask.draws, ask.repeats, ask.split) == (10, 2, 3, ("test",))
    assert parse_entry("boolq:stop=hash").prompting == {"stop": ("###",)}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("bolq:", "unknown scenario 'bolq'.*did you mean boolq"),
        ("mmlu:subjct=anatomy", "unknown key.*'subjct'.*did you mean subject"),
        ("boolq:shots", "not key=value"),
        ("boolq:=3", "not key=value"),
        ('boolq:stop="x', "open quote"),
        ("boolq:shots=1,shots=2", "shots twice"),
        ("boolq:max_eval_instances=-3", "at least 1"),
        ("boolq:max_eval_instances=ten", "whole number"),
        ("boolq:num_trials=0", "at least 1"),
    ],
)
def test_a_wrong_entry_is_refused_with_the_reason(entry: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        parse_entry(entry)


@given(st.dictionaries(st.from_regex(r"\A[a-z_]{1,8}\Z"), st.text(max_size=20), max_size=4))
def test_quoted_pairs_round_trip(pairs: dict[str, str]) -> None:
    import json

    text = ",".join(f"{key}={json.dumps(value)}" for key, value in pairs.items())
    assert dict(split_pairs(text, text)) == pairs


@given(st.text(max_size=60))
def test_any_text_is_pairs_or_refused(text: str) -> None:
    with contextlib.suppress(AssayError):
        split_pairs(text, text)
