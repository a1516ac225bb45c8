"""A scenario of a user's own that is wrong is named, with the row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.prompting import Generation
from assay.records import Message, Taxonomy
from assay.scenarios import Generator, Scenario, question
from assay.scenarios.base import ScenarioFamily, convert

ROWS = Generator("numbers", lambda rng, split: [rng.random()], {"test": 2})


def family(instance: Any = lambda row: question("q", "a"), **fields: Any) -> ScenarioFamily:
    given: dict[str, Any] = {"source": ROWS, "prompting": Generation(), "main_metric": "exact_match"} | fields
    taxonomy = given.pop("taxonomy", Taxonomy(task="test"))
    return declared(lambda: Scenario(instance=instance, taxonomy=taxonomy, **given))


def declared(declare: Callable[..., Any]) -> ScenarioFamily:
    return ScenarioFamily("mine", "About.", declare, {}, {})


def raises(error: BaseException) -> Callable[..., Any]:
    def function(*_: object) -> Any:
        raise error

    return function


@pytest.mark.parametrize(
    "instance",
    [
        *map(raises, (RuntimeError("no"), AssertionError("no"), StopIteration(), SystemExit(0), RecursionError())),
        lambda row: 1 / 0,
        lambda row: "x",
        lambda row: {"input": 1},
        lambda row: question(None, "a"),  # type: ignore[arg-type]
        lambda row: question("\ud800", "a"),
        lambda row: question((), "a"),
        lambda row: question((Message(role="hacker", content="x"),), "a"),  # type: ignore[arg-type]
        lambda row: question("q", "a", subgroups="x"),
        lambda row: question("q", "a", subgroups={"a": 1}),
        lambda row: question("q", "a", group=[1]),
        lambda row: question("q", "a", id=5),
        lambda row: question("q", "a", worked=None),
        lambda row: question("q", "a", contrasts=5),
    ],
)
def test_a_row_function_that_is_wrong_is_named_with_its_row(instance: Callable[..., Any]) -> None:
    with pytest.raises(AssayError, match="scenario mine, generator:numbers, split test, row 1"):
        list(family(instance)().instances("test"))


@pytest.mark.parametrize("error", [RuntimeError("no"), ZeroDivisionError(), SystemExit(0)])
def test_a_declaration_that_fails_is_named(error: BaseException) -> None:
    with pytest.raises(AssayError, match="scenario mine cannot be declared"):
        declared(raises(error))()
    with pytest.raises(AssayError, match="scenario mine gave a value of type NoneType"):
        declared(lambda: None)()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("prompting", "x"),
        ("main_metric", None),
        ("metrics", "exact_match"),
        ("source", None),
        ("taxonomy", "x"),
        ("version", "1"),
        ("requires", "judge"),
        ("requires", ("oracle",)),
    ],
)
def test_a_field_of_the_wrong_type_is_named(field: str, value: object) -> None:
    with pytest.raises(AssayError, match=f"scenario mine declares {field} as a value of type"):
        family(**{field: value})()


def test_a_generator_that_is_wrong_is_named_with_its_row() -> None:
    for function in (raises(ZeroDivisionError()), lambda rng, split: [object()], raises(SystemExit(0))):
        with pytest.raises(AssayError, match="generator:mine, split test, row 1 cannot be made"):
            Generator("mine", function, {"test": 1}).read("test")


@pytest.mark.parametrize("sizes", [{"test": -1}, {"test": "x"}, {"tset": 5}])
def test_sizes_of_a_generator_are_whole_numbers_of_splits(sizes: Any) -> None:
    with pytest.raises(AssayError, match="generator:mine has no possible size"):
        Generator("mine", lambda rng, split: [1], sizes)


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "\udcff.jsonl"])
def test_a_parameter_that_no_path_could_hold_is_refused(value: str) -> None:
    with pytest.raises(AssayError, match="mine: path holds a character"):
        convert(value, str, "mine: path")


def test_a_complete_declaration_knows_its_name(tmp_path: Path) -> None:
    made = family()()
    assert (made.name, made.about) == ("mine", "About.")
    assert len(list(made.instances("test"))) == 2
