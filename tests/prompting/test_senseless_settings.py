from __future__ import annotations

import math
from typing import Any

import pytest

from assay.errors import AssayError
from assay.prompting import METHODS, Examples, Target, decode
from assay.prompting.target import substitute
from assay.records import Instance


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("shots", -1), ("shots", 10**9), ("temperature", -0.1), ("temperature", math.nan), ("temperature", math.inf),
        ("max_tokens", -1), ("max_tokens", 10**12), ("completions", 0), ("completions", 10**9), ("top_p", 0.0), ("top_p", 1.1),
        ("top_p", math.nan), ("substitutions", [["(", ""]]), ("substitutions", [["a", "\\2"]]),
        ("substitutions", [["a", "\\"]]),
        ("substitutions", [["a", "\\g<x>"]]), ("instructions", "\ud800"), ("stop", ["\udcff"]), ("max_tokens", 10**400),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["generation", "multiple_choice_joint"])
def test_a_setting_without_sense_is_refused_and_named(method: str, name: str, value: Any) -> None:
    with pytest.raises(AssayError, match=name) as raised:
        decode({"method": method, name: value})
    assert "\n" not in str(raised.value)
    str(raised.value).encode()


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_defaults_of_every_method_make_sense(method: str) -> None:
    assert decode({"method": method}).method == method


def test_substitutions_with_groups_are_allowed() -> None:
    prompting = decode({"method": "generation", "substitutions": [["(a)(b)?", "\\1\\g<2>"]]})
    assert substitute("xab", prompting.substitutions) == "xab"


@pytest.mark.parametrize("method", [name for name in sorted(METHODS) if name.startswith("multiple_choice")])
def test_an_instance_without_options_is_named(method: str) -> None:
    with pytest.raises(AssayError, match="instance q7 has no options"):
        decode({"method": method}).render(Instance(id="q7", input="?", references=()), Examples(), Target(scores=True))


@pytest.mark.parametrize("counted", [-1, "many", 2.5])
def test_a_counter_of_tokens_that_does_not_count_is_said_so(counted: Any) -> None:
    with pytest.raises(AssayError, match="counted"):
        Target(tokens=lambda text: counted).count("x")


def test_a_counter_of_tokens_that_fails_is_said_so() -> None:
    def fail(text: Any) -> int:
        raise ZeroDivisionError

    with pytest.raises(AssayError, match="cannot count tokens: ZeroDivisionError"):
        Target(tokens=fail).count("x")
